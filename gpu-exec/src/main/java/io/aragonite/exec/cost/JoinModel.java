package io.aragonite.exec.cost;

import io.aragonite.exec.cost.JoinPrice.Payload;
import io.aragonite.exec.cost.JoinPrice.Phase;
import io.aragonite.exec.cost.JoinShape.Side;
import io.aragonite.exec.plan.JoinAlgorithm;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Prices of joins: bytes in order over the bandwidth, visits to random places by what caches hold
 * of them, rows of partition and sort passes, and what every step takes. Nothing is decided by a
 * fixed size: that small build sides favour the non-partitioned join, wide rows with many matches
 * partitioning with all columns, and few matches or heavy skew neither, comes out of the sums.
 */
public final class JoinModel {
  /** Names of phases. */
  public static final String TRANSFORM = "transform";

  public static final String MATCH = "match";
  public static final String MATERIALIZE = "materialize";

  /** Bringing sides together that come through pipelines. */
  public static final String COLLECT = "collect";

  private static final int WORD = 8;
  private static final int ID = 4;

  private final MachineProfile device;

  public JoinModel(MachineProfile device) {
    this.device = device;
  }

  /**
   * What one price must be below another to be trusted: the worst error of the model over the joins
   * that it was checked with.
   */
  public static final double DOUBT = 1.27;

  /** Rows of a side that other algorithms than one table take at once, with room for error. */
  private static final double MOST_ROWS = 1 << 28;

  /**
   * Whether a join can be done in memory that is free. Those that collect both sides must have room
   * for twice what is expected, since only one of them can stream what it does not have room for.
   */
  public static boolean fits(JoinPrice price, JoinShape shape, double free) {
    if (price.algorithm() == JoinAlgorithm.NON_PARTITIONED_HASH) {
      return price.bytes() <= free;
    }
    return 2 * price.bytes() <= free
        && shape.build().rows() <= MOST_ROWS
        && shape.probe().rows() <= MOST_ROWS;
  }

  /** The ways that queries can join by equality, in the order of {@link JoinAlgorithm}. */
  public List<JoinPrice> forQueries(JoinShape shape) {
    return List.of(nonPartitioned(shape), partitioned(shape, Payload.GFTR), sortMerge(shape));
  }

  /** The lowest of these prices, in nanoseconds. */
  public double cheapestForQueries(JoinShape shape) {
    return Math.min(
        nonPartitioned(shape).nanos(),
        Math.min(partitioned(shape, Payload.GFTR).nanos(), sortMerge(shape).nanos()) * DOUBT);
  }

  /** Every algorithm that joins by equality, the cheapest first. */
  public List<JoinPrice> candidates(JoinShape shape) {
    List<JoinPrice> all = new ArrayList<>();
    all.add(nonPartitioned(shape));
    all.add(partitioned(shape, Payload.GFTR));
    all.add(partitioned(shape, Payload.GFUR));
    all.add(sortMerge(shape));
    all.sort(Comparator.comparingDouble(JoinPrice::nanos));
    return all;
  }

  /** One table over the build side. */
  public JoinPrice nonPartitioned(JoinShape s) {
    double build = s.build().rows();
    double words = s.streamed() ? 2 * WORD * build : 0;
    double insert =
        device.sequential(words + 2 * s.wordBytes() * build + s.tableBytes())
            + device.insert(build, s.tableBytes())
            + (s.dense() ? 0 : build * device.mixedInsertNanos())
            + (s.repeats() ? build * grouping(s.tableBytes()) : 0)
            + device.steps(5, 2);
    double match = probe(s, s.tableBytes(), s.skew());
    double rows = s.outRows();
    Side payload = s.build();
    double materialize =
        payload.columns() * device.random(rows, payload.columnBytes() * build, skewOfRows(s))
            + device.sequential(rows * (payload.columns() * ID + payload.bytes()))
            + fromProbe(s, false)
            + device.steps(payload.columns() + s.probe().columns() + 1, 0);
    double bytes =
        (s.streamed() ? build * WORD : 0)
            + s.tableBytes()
            + 2 * ID * s.probe().rows()
            + output(s, false);
    return price(
        JoinAlgorithm.NON_PARTITIONED_HASH,
        Payload.GFUR,
        s.streamed() ? collected(s.build(), 2) : 0,
        insert,
        match,
        materialize,
        bytes);
  }

  /** Both sides partitioned by the places of their keys in the table. */
  public JoinPrice partitioned(JoinShape s, Payload how) {
    boolean carry = how == Payload.GFTR;
    double transform =
        device.sequential(s.wordBytes() * s.build().rows())
            + transformed(s, s.build(), carry)
            + transformed(s, s.probe(), carry)
            + device.steps(10, 1);
    // What a partition visits stays in cache, whatever the keys' frequencies are.
    double build =
        device.sequential(2 * s.wordBytes() * s.build().rows() + s.tableBytes())
            + s.build().rows() * device.insertHitNanos() / 2
            + (s.dense() ? 0 : s.build().rows() * device.mixedInsertNanos() * 0.6)
            + (s.repeats() ? s.build().rows() * device.groupHitNanos() : 0);
    double match = build + probe(s, inCache(s.tableBytes()), s.skew()) + device.steps(4, 2);
    double rows = s.outRows();
    Side payload = s.build();
    double materialize;
    if (carry) {
      double space = inCache(payload.columnBytes() * payload.rows());
      materialize =
          payload.columns() * device.random(rows, space, skewOfRows(s)) / 2
              + device.sequential(rows * (payload.columns() * ID + 2 * payload.bytes()))
              + fromProbe(s, true);
    } else {
      double space = payload.columnBytes() * payload.rows();
      double other = s.probe().columnBytes() * s.probe().rows();
      // Rows of frequent keys fill partitions of their own, so that theirs follow each other.
      double parts = device.partitions(s.tableBytes() + ID * s.build().rows());
      double spread = rows * (1 - s.skew().share(parts));
      materialize =
          payload.columns() * device.random(rows, space, skewOfRows(s))
              + s.probe().columns()
                  * device.strided(spread, Math.max(1, s.probe().columnBytes()), parts, other)
              + device.sequential(
                  rows
                      * (ID * (payload.columns() + s.probe().columns() + 4.0)
                          + payload.bytes()
                          + s.probe().bytes()));
    }
    materialize += device.steps(payload.columns() + s.probe().columns() + 1, 0);
    double collect = s.streamed() ? collected(s.build(), 2) + collected(s.probe(), 3) : 0;
    double kept = (s.wordBytes() + (carry ? s.build().bytes() : ID)) * s.build().rows();
    kept += (s.wordBytes() + (carry ? s.probe().bytes() : ID)) * s.probe().rows();
    double bytes = kept + s.tableBytes() + 2 * ID * s.probe().rows() + output(s, carry);
    return price(
        JoinAlgorithm.PARTITIONED_HASH, how, collect, transform, match, materialize, bytes);
  }

  /** Both sides sorted, if they are not, with the payload gathered into that order. */
  public JoinPrice sortMerge(JoinShape s) {
    double transform = sorted(s, s.build()) + sorted(s, s.probe()) + device.steps(20, 2);
    double match =
        device.sequential(s.probe().rows() * (WORD + 4 * ID) + WORD * s.build().rows())
            + device.random(s.probe().rows(), inCache(WORD * s.build().rows()), Skew.none(1e9))
            + device.steps(4, 2);
    Side payload = s.build();
    double materialize =
        device.sequential(
                s.outRows()
                    * (ID * (payload.columns() + s.probe().columns())
                        + 2 * (payload.bytes() + s.probe().bytes())))
            + device.steps(payload.columns() + s.probe().columns() + 1, 0);
    double rows = s.build().rows() + s.probe().rows();
    double bytes =
        2 * (WORD + ID) * rows
            + s.build().bytes() * s.build().rows()
            + s.probe().bytes() * s.probe().rows()
            + output(s, false);
    double collect = s.streamed() ? collected(s.build(), 2) + collected(s.probe(), 3) : 0;
    return price(
        JoinAlgorithm.SORT_MERGE, Payload.GFTR, collect, transform, match, materialize, bytes);
  }

  private double grouping(double tableBytes) {
    double cached = Math.min(1, device.cacheBytes() / Math.max(1, tableBytes));
    return cached * device.groupHitNanos() + (1 - cached) * device.groupMissNanos();
  }

  /** Looking the probe rows' words up in a table of some size, and writing pairs. */
  private double probe(JoinShape s, double tableBytes, Skew skew) {
    double rows = s.probe().rows();
    double words = (s.streamed() ? 2.0 * WORD : s.wordBytes()) * rows;
    // Keys outside the range of a table by direct address are known not to be there.
    double visits = s.dense() ? rows * s.matchRatio() : rows;
    double more = rows * (device.nearNanos() + (s.dense() ? 0 : device.mixedProbeNanos()));
    if (s.repeats()) {
      // The list of a key's rows: where it begins, and its rows.
      more += 2 * device.random(rows * s.matchRatio(), tableBytes, skew);
    }
    return device.sequential(words + 2 * ID * s.outRows())
        + device.random(visits, tableBytes, skew)
        + more
        + device.steps(3, 1);
  }

  /** Pairs visit build rows as probe rows visit keys. */
  private static Skew skewOfRows(JoinShape s) {
    return s.skew();
  }

  /**
   * The probe side's columns come out in their own order: near each other, the sparser the less.
   */
  private double fromProbe(JoinShape s, boolean own) {
    double rows = s.probe().rows();
    double kept = Math.min(1, s.matchRatio());
    boolean all = kept > 0.999 && !s.repeats();
    double columns = s.probe().columns() + (s.streamed() ? 0 : 1);
    double bytes = s.probe().bytes() + (s.streamed() ? 0 : s.wordBytes());
    if (columns == 0 || all && own) {
      return 0;
    }
    double inSector = Math.max(1, device.sectorBytes() * columns / Math.max(1, bytes));
    double touched = 1 - Math.pow(1 - kept, inSector);
    double ids = all ? 0 : columns * ID * s.outRows();
    return device.sequential(bytes * rows * touched + ids + bytes * s.outRows());
  }

  private double transformed(JoinShape s, Side side, boolean carry) {
    double word = s.streamed() ? WORD : s.wordBytes();
    double moved = word + (carry ? side.bytes() : ID);
    double count = device.sequential(word * side.rows());
    double ids = carry && side.gathered() == 0 ? 0 : device.sequential(2.0 * ID * side.rows());
    double gathered =
        carry
            ? side.gathered()
                * device.random(
                    side.rows(), side.columnBytes() * side.rows(), Skew.none(side.rows()))
            : 0;
    double words = s.streamed() ? device.sequential(2.0 * WORD * side.rows()) : 0;
    return words + count + ids + gathered + device.partition(side.rows(), moved);
  }

  private double sorted(JoinShape s, Side side) {
    double words = device.sequential((s.wordBytes() + 2.0 * WORD) * side.rows());
    if (side.sorted()) {
      return words;
    }
    double space = side.columnBytes() * side.rows();
    // Digits that all words share are left out by the sort.
    double bits =
        s.dense() ? Math.log(Math.max(2, s.keyRange())) / Math.log(2) : 8.0 * s.wordBytes();
    return words
        + side.rows() * device.sortRowNanos() * Math.ceil(bits / 8)
        + side.columns() * device.random(side.rows(), space, Skew.none(side.rows()))
        + device.sequential(side.rows() * (side.columns() * ID + side.bytes()));
  }

  /** Columns that come through a pipeline are read and written, and the probe side's read again. */
  private double collected(Side side, int times) {
    return device.sequential(times * side.bytes() * side.rows()) + device.steps(side.columns(), 0);
  }

  private double inCache(double bytes) {
    return Math.min(bytes, device.cacheBytes());
  }

  /** Bytes of the columns that come out. */
  private static double output(JoinShape s, boolean own) {
    if (s.streamed()) {
      return 0;
    }
    boolean all = own && s.matchRatio() > 0.999 && !s.repeats();
    double probe = all ? 0 : s.probe().bytes() + s.wordBytes();
    return s.outRows() * (s.build().bytes() + probe);
  }

  private static JoinPrice price(
      JoinAlgorithm algorithm,
      Payload payload,
      double collect,
      double transform,
      double match,
      double materialize,
      double bytes) {
    List<Phase> phases = new ArrayList<>();
    if (collect > 0) {
      phases.add(new Phase(COLLECT, collect));
    }
    phases.add(new Phase(TRANSFORM, transform));
    phases.add(new Phase(MATCH, match));
    phases.add(new Phase(MATERIALIZE, materialize));
    return new JoinPrice(algorithm, payload, List.copyOf(phases), bytes);
  }
}
