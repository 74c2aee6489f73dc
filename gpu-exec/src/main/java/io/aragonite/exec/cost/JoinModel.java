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
            + inserted(s)
            + device.steps(5, 2);
    double match = probe(s, s.tableBytes());
    double rows = s.outRows();
    Side payload = s.build();
    boolean bothSorted = payload.sorted() && s.probe().sorted();
    double materialize =
        (bothSorted ? 0 : fetched(s, payload.columnBytes() * build))
            + device.sequential(rows * (payload.columns() * ID + payload.bytes()))
            + fromProbe(s, false)
            + pieces(s, payload.columns() + s.probe().columns() + 1);
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
    double build = s.build().rows();
    // Keys beyond the range of a table by direct address are one partition.
    double strays = s.dense() ? s.probe().rows() * (1 - Math.min(1, s.matchRatio())) : 0;
    double transform =
        device.sequential(s.wordBytes() * build)
            + transformed(s, s.build(), carry)
            + transformed(s, s.probe(), carry)
            + strays * device.strayNanos()
            + device.steps(10, 1);
    // What a partition visits stays in cache, whatever the keys' frequencies are.
    double insert =
        s.repeats()
            ? device.group(build, bits(s), s.build().sorted())
            : build * (device.insertPartNanos() + (s.dense() ? 0 : device.mixedPartNanos()));
    double match =
        device.sequential(2 * s.wordBytes() * build + s.tableBytes())
            + insert
            + probe(s, inCache(s.tableBytes()))
            + device.steps(4, 2);
    double rows = s.outRows();
    Side payload = s.build();
    double space = payload.columnBytes() * payload.rows();
    double materialize;
    if (carry) {
      materialize =
          fetched(s, inCache(space)) / 2
              + device.sequential(rows * (payload.columns() * ID + 2 * payload.bytes()))
              + fromProbe(s, true);
    } else {
      double other = s.probe().columnBytes() * s.probe().rows();
      // Rows of frequent keys fill partitions of their own, so that some of theirs follow each
      // other: by how many was fitted to joins by Zipf's law with an exponent of 1.5.
      double parts = device.partitions(s.tableBytes() + ID * build);
      double spread = rows * (1 - 0.3 * s.skew().share(parts));
      materialize =
          fetched(s, space)
              + s.probe().columns()
                  * device.strided(spread, Math.max(1, s.probe().columnBytes()), parts, other)
              + device.sequential(
                  rows
                      * (ID * (payload.columns() + s.probe().columns() + 4.0)
                          + payload.bytes()
                          + s.probe().bytes()));
    }
    materialize += pieces(s, payload.columns() + s.probe().columns() + 1);
    double collect = s.streamed() ? collected(s.build(), 2) + collected(s.probe(), 3) : 0;
    double kept = (s.wordBytes() + (carry ? s.build().bytes() : ID)) * build;
    kept += (s.wordBytes() + (carry ? s.probe().bytes() : ID)) * s.probe().rows();
    double bytes = kept + s.tableBytes() + 2 * ID * s.probe().rows() + output(s, carry);
    return price(
        JoinAlgorithm.PARTITIONED_HASH, how, collect, transform, match, materialize, bytes);
  }

  /**
   * Both sides sorted, if they are not: in queries with their payload, which is gathered into that
   * order, else their keys alone, and payload is gathered from where it is.
   */
  public JoinPrice sortMerge(JoinShape s) {
    boolean carry = s.streamed();
    double build = s.build().rows();
    double probe = s.probe().rows();
    double transform =
        sorted(s, s.build(), carry) + sorted(s, s.probe(), carry) + device.steps(20, 2);
    double match =
        device.sequential(probe * (WORD + 4 * ID) + WORD * build + 2 * ID * s.outRows())
            + Math.min(build, probe) * device.mergeNanos()
            + s.outRows() * device.expandNanos()
            + device.steps(6, 2);
    Side payload = s.build();
    double bytesOut = payload.bytes() + s.probe().bytes();
    double columns = payload.columns() + s.probe().columns();
    double gathered =
        carry
            ? 0
            : (payload.sorted() ? 0 : fetched(s, payload.columnBytes() * build))
                + (s.probe().sorted()
                    ? 0
                    : (s.probe().columns() + 1)
                        * device.random(
                            Math.min(s.outRows(), probe * s.matchRatio()),
                            s.probe().columnBytes() * probe,
                            Skew.none(1e9)));
    double materialize =
        gathered
            + device.sequential(s.outRows() * (ID * (columns + 3) + 2 * bytesOut))
            + pieces(s, payload.columns() + s.probe().columns() + 3);
    double rows = build + probe;
    double bytes =
        2 * (WORD + ID) * rows
            + (carry ? payload.bytes() * build + s.probe().bytes() * probe : 0)
            + output(s, false);
    double collect = s.streamed() ? collected(s.build(), 2) + collected(s.probe(), 3) : 0;
    return price(
        JoinAlgorithm.SORT_MERGE,
        carry ? Payload.GFTR : Payload.GFUR,
        collect,
        transform,
        match,
        materialize,
        bytes);
  }

  /** Putting the build side's rows in a table over all of them. */
  private double inserted(JoinShape s) {
    double rows = s.build().rows();
    if (s.repeats()) {
      return device.group(rows, bits(s), s.build().sorted());
    }
    if (!s.dense()) {
      return device.insert(rows, s.tableBytes()) + rows * device.mixedInsertNanos();
    }
    // Ascending keys have ascending places.
    return s.build().sorted()
        ? rows * device.insertOrderedNanos()
        : device.insert(rows, s.tableBytes());
  }

  /** Looking the probe rows' words up in a table of some size, and writing pairs. */
  private double probe(JoinShape s, double tableBytes) {
    double rows = s.probe().rows();
    double words = (s.streamed() ? 2.0 * WORD : s.wordBytes()) * rows;
    double matching = rows * Math.min(1, s.matchRatio());
    // Keys outside the range of a table by direct address are known not to be there.
    double visits = s.dense() ? matching : rows;
    if (s.probe().sorted()) {
      // Equal keys follow each other, and ascending ones have ascending places.
      visits = s.dense() ? 0 : Math.min(visits, s.distinct() + rows - matching);
      matching = s.dense() ? 0 : Math.min(matching, s.distinct());
    }
    double more = rows * (device.nearNanos() + (s.dense() ? 0 : device.mixedProbeNanos()));
    if (s.repeats()) {
      // The list of a key's rows: where it begins, and its rows.
      more +=
          2 * device.random(matching, tableBytes, s.skew()) + s.outRows() * device.expandNanos();
    }
    return device.sequential(words + 2 * ID * s.outRows())
        + device.random(visits, tableBytes, s.skew())
        + more
        + device.steps(3, 1);
  }

  /**
   * The build side's columns for all pairs, whose rows are visited as probe rows visit keys: once
   * each where the probe side is sorted, and one behind the other those of a key where the build
   * side is.
   *
   * @param space bytes that a column's values are in
   */
  private double fetched(JoinShape s, double space) {
    double visits = s.outRows();
    if (s.probe().sorted()) {
      visits = Math.min(visits, s.build().rows());
    }
    if (s.build().sorted()) {
      visits = Math.min(visits, s.probe().rows() * Math.min(1, s.matchRatio()));
    }
    double copies = s.repeats() ? s.build().rows() / Math.max(1, s.distinct()) : 1;
    return s.build().columns() * device.randomRows(visits, space, s.skew(), copies);
  }

  /** Bits of the words that a sort must look at. */
  private static double bits(JoinShape s) {
    return s.dense() ? Math.log(Math.max(2, s.keyRange())) / Math.log(2) : 8.0 * s.wordBytes();
  }

  /** What each piece of an output takes, which has as many rows as the larger side at most. */
  private double pieces(JoinShape s, int launches) {
    double most = Math.max(1, Math.max(s.build().rows(), s.probe().rows()));
    return Math.max(1, s.outRows() / most) * device.steps(launches, 1);
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

  private double sorted(JoinShape s, Side side, boolean carry) {
    double words = device.sequential((s.wordBytes() + 2.0 * WORD) * side.rows());
    if (side.sorted()) {
      return words;
    }
    // Digits that all words share are left out by the sort.
    double bits =
        Math.min(8.0 * s.wordBytes(), Math.log(Math.max(2, s.keyRange())) / Math.log(2) + 1);
    double sort = words + side.rows() * device.sortRowNanos() * Math.ceil(bits / 8);
    if (!carry) {
      return sort;
    }
    double space = side.columnBytes() * side.rows();
    return sort
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
