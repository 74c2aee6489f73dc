package io.aragonite.exec.cost;

import io.aragonite.exec.cost.JoinPrice.Payload;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.profile.MachineProfile;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

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

  /** Copies to and from the host that the join's own work does not hide. */
  public static final String BUS = "bus";

  /** Dealing rows out to parts that leave memory, and bringing them back. */
  public static final String PARTS = "parts";

  private static final double MOST_PARTS = 128;

  /** What a disk is taken to write and read. */
  private static final double DISK_BYTES_PER_NANO = 1;

  private final JoinCosts costs;

  public JoinModel(MachineProfile device) {
    this.costs = JoinCosts.of(device);
  }

  /**
   * A price to compare with others: one table over one side is the form that streams and is known
   * best, so that others must be cheaper by more than the model's error.
   *
   * @return nanoseconds
   */
  public double trusted(JoinPrice price) {
    return price.algorithm() == JoinAlgorithm.NON_PARTITIONED_HASH
        ? price.nanos()
        : price.nanos() * doubt(price.algorithm());
  }

  /**
   * What the price of a form that collects both sides is multiplied by to be trusted: what brought
   * the least regret over grids of {@code bench choice}. Prices of sorting are less sure than those
   * of partitioning on a GPU; on a core they are a tenth too high as they are.
   */
  public double doubt(JoinAlgorithm algorithm) {
    return !algorithm.sorts() ? doubt() : costs.device.host() ? 1 : 1.1;
  }

  /** The same of what does not sort. */
  public double doubt() {
    return costs.device.host() ? 1.2 : 1.05;
  }

  /**
   * Of what a probe row visits, its key and each column, the part that is saved where payload lies
   * where keys say, in visits to the cache: {@code DirectSizes} on an H200, 2^20 to 2^24 rows of
   * two columns. What its launches and waits take more is from the same.
   */
  private static final double DIRECT_SAVED = 0.6;

  private static final int DIRECT_LAUNCHES = 3;
  private static final int DIRECT_WAITS = 1;

  /**
   * Whether a partitioned join is quicker with payload where unique dense keys say than with a
   * table of row numbers.
   *
   * @param columns of the build side
   */
  public static boolean directPays(MachineProfile device, double probeRows, int columns) {
    return probeRows * (1 + columns) * DIRECT_SAVED * device.hitNanos()
        > device.steps(DIRECT_LAUNCHES, DIRECT_WAITS);
  }

  /** The part of free memory that a query counts on; the rest is for batches on their way. */
  private static final double COUNTED_ON = 5.0 / 8;

  /** Memory that the index over a build row takes, at most. */
  public static final int INDEX_BYTES = 48;

  /** Bytes of words and row numbers of a row, before and after it is arranged. */
  private static final int ARRANGED = 24;

  /** Rows of a side that other algorithms than one table take at once, with room for error. */
  private static final double MOST_ROWS = 1 << 28;

  /**
   * Whether a join can be done in memory that is free. Those that collect both sides must have room
   * for twice what is expected, since only one of them can stream what it does not have room for,
   * and for both sides once more while they are arranged: without it they are collected in vain,
   * and joined by one table.
   */
  public static boolean fits(JoinPrice price, JoinShape shape, double free) {
    if (price.algorithm() == JoinAlgorithm.HOST_SORT_MERGE) {
      return true;
    }
    if (price.algorithm() == JoinAlgorithm.NON_PARTITIONED_HASH) {
      return price.bytes() <= free;
    }
    JoinShape.JoinSideShape build = shape.build();
    JoinShape.JoinSideShape probe = shape.probe();
    double sides =
        build.rows() * (build.bytes() + shape.wordBytes()) + probe.rows() * probe.bytes();
    double arranged = 2 * sides + ARRANGED * (build.rows() + probe.rows());
    if (price.algorithm() == JoinAlgorithm.PARTITIONED_HASH) {
      // Its output is made for all partitions at once.
      arranged += (build.bytes() + shape.wordBytes()) * probe.rows();
    }
    return 2 * price.bytes() <= free
        && arranged <= COUNTED_ON * free
        && build.rows() <= MOST_ROWS
        && probe.rows() <= MOST_ROWS;
  }

  /**
   * The price where memory does not hold the build side with its table, and both sides are joined
   * part by part. On a device with memory of its own all rows come to it, leave it in parts while
   * others come, and come again, beside the work, so that the longer of both counts. On the CPU
   * rows are copied to their parts, and what memory does not hold is written to disk and read back.
   *
   * @param free bytes of the device's memory
   */
  public JoinPrice outOfCore(JoinPrice price, JoinShape s, double free) {
    MachineProfile device = costs.device;
    double key = s.streamed() ? 0 : s.wordBytes();
    double need = indexed(s);
    if (need <= COUNTED_ON * free) {
      return price;
    }
    double rows =
        s.build().rows() * (s.build().bytes() + key) + s.probe().rows() * (s.probe().bytes() + key);
    double parts = Math.clamp(4 * need / Math.max(1, COUNTED_ON * free), 4, MOST_PARTS);
    List<JoinPrice.Phase> phases = new ArrayList<>(price.phases());
    if (device.host()) {
      double disk = Math.max(0, rows - free);
      double moved =
          (s.build().rows() + s.probe().rows()) * device.partitionRowNanos()
              + rows * device.partitionByteNanos();
      String what = "%s (%.0f parts, %.3g GB to disk and back)";
      phases.add(
          new JoinPrice.Phase(
              String.format(Locale.ROOT, what, PARTS, parts, disk / 1e9),
              moved + 2 * disk / DISK_BYTES_PER_NANO));
    } else {
      // What has left lies in page-locked memory when it comes again.
      double copies = rows / device.hostBytesPerNano() + rows / device.pinnedBytesPerNano();
      String what = "%s (%.0f parts, %.3g GB in, %.3g GB out)";
      phases.add(
          new JoinPrice.Phase(
              String.format(Locale.ROOT, what, BUS, parts, 2 * rows / 1e9, rows / 1e9),
              Math.max(0, copies - price.nanos())));
    }
    return new JoinPrice(price.algorithm(), price.payload(), List.copyOf(phases), price.bytes());
  }

  /** Bytes of the build side with an index, whatever the algorithm: what a query must hold. */
  private static double indexed(JoinShape s) {
    double key = s.streamed() ? 0 : s.wordBytes();
    return s.build().rows() * (s.build().bytes() + key + INDEX_BYTES);
  }

  /** Whether a device's own memory does not hold the build side with an index. */
  public boolean exceeds(JoinShape s, double free) {
    return !Double.isInfinite(costs.device.hostBytesPerNano()) && indexed(s) > COUNTED_ON * free;
  }

  /**
   * A table in host memory.
   *
   * @param rows of the table, before its filter
   * @param bytes of a row, of the columns that are wanted
   * @param sorted whether it is in the order of the join's key
   */
  public record HostTableCost(double rows, double bytes, boolean sorted) {
    double all() {
      return rows * bytes;
    }
  }

  /**
   * The price of sorting tables in host memory and joining them piece by piece (Maltenberger 2024):
   * what is not sorted crosses the bus in both directions at once while it is sorted, and then both
   * sides come, a piece while another is joined. A chunkset has to come whole before it can be
   * sorted, and leaves when it is: half of one's way is beside nothing.
   */
  public JoinPrice hostMerge(JoinShape s, HostTableCost left, HostTableCost right) {
    MachineProfile device = costs.device;
    double bus = device.hostBytesPerNano();
    double sort = 0;
    for (HostTableCost table : List.of(left, right)) {
      if (!table.sorted()) {
        double digits = Math.max(4, s.wordBytes());
        double work =
            table.rows() * digits * device.sortRowNanos() + device.sequential(4 * table.all());
        sort += 1.5 * Math.max(work, table.all() / bus);
      }
    }
    JoinShape sorted =
        new JoinShape(
            ordered(s.build()),
            ordered(s.probe()),
            s.wordBytes(),
            s.distinct(),
            s.keyRange(),
            s.matchRatio(),
            s.within(),
            s.outRows(),
            s.skew(),
            s.streamed());
    JoinPrice work = sortMerge(sorted, Payload.GFTR);
    double copies = (left.all() + right.all()) / bus;
    List<JoinPrice.Phase> phases =
        List.of(
            new JoinPrice.Phase(TRANSFORM, sort),
            new JoinPrice.Phase(MATCH, work.nanos(MATCH) + work.nanos(COLLECT)),
            new JoinPrice.Phase(MATERIALIZE, work.nanos(MATERIALIZE)),
            new JoinPrice.Phase(BUS, Math.max(0, copies - work.nanos() + work.nanos(TRANSFORM))));
    return new JoinPrice(JoinAlgorithm.HOST_SORT_MERGE, Payload.GFTR, phases, 0);
  }

  private static JoinShape.JoinSideShape ordered(JoinShape.JoinSideShape side) {
    return new JoinShape.JoinSideShape(
        side.rows(), side.columns(), side.bytes(), side.gathered(), true);
  }

  /** The ways that queries can join by equality, in the order of {@link JoinAlgorithm}. */
  public List<JoinPrice> forQueries(JoinShape shape) {
    return List.of(
        nonPartitioned(shape),
        partitioned(shape, Payload.GFTR),
        partitioned(shape, Payload.GFUR),
        sortMerge(shape, Payload.GFTR),
        sortMerge(shape, Payload.GFUR));
  }

  /**
   * The lowest of these prices, in nanoseconds, but for forms that leave payload in place: for
   * orders of joins, which ask for a hundred thousand. What cannot be the lowest is not priced:
   * partitioning takes a pass over both sides, sorting one over those that are not sorted, and both
   * make the build side's columns.
   */
  public double cheapestForQueries(JoinShape shape) {
    MachineProfile device = costs.device;
    double best = nonPartitioned(shape).nanos();
    double build = shape.build().rows();
    double probe = shape.probe().rows();
    double made = shape.outRows() * values(shape.build());
    double partitioned =
        made
            + (build + probe) * device.partitionRowNanos()
            + build * Math.min(device.insertPartNanos(), device.groupRowNanos())
            + probe * device.nearNanos();
    double doubt = doubt();
    if (partitioned * doubt < best) {
      best = Math.min(best, partitioned(shape, Payload.GFTR).nanos() * doubt);
    }
    doubt = doubt(JoinAlgorithm.SORT_MERGE);
    double unsorted = (shape.build().sorted() ? 0 : build) + (shape.probe().sorted() ? 0 : probe);
    int digits = shape.keyRange() > 1 << 16 ? 3 : shape.keyRange() > 1 << 8 ? 2 : 1;
    if ((made + unsorted * digits * device.sortRowNanos()) * doubt < best) {
      best = Math.min(best, sortMerge(shape, Payload.GFTR).nanos() * doubt);
    }
    return best;
  }

  /**
   * What any way to join two sides of which none is sorted takes at least, whichever is built: a
   * row is looked up, or put in a table, or sorted, and the build side's columns are made.
   *
   * @param out pairs that come out
   */
  public double leastForQueries(JoinShape.JoinSideShape a, JoinShape.JoinSideShape b, double out) {
    MachineProfile device = costs.device;
    double put =
        Math.min(
            Math.min(device.insertHitNanos(), device.insertPartNanos()),
            Math.min(device.groupRowNanos(), device.sortRowNanos()));
    double look = Math.min(device.nearNanos(), put);
    double values = Math.min(values(a), values(b));
    return Math.min(a.rows(), b.rows()) * put + Math.max(a.rows(), b.rows()) * look + out * values;
  }

  /** What a row that comes out takes at least for the columns of a side that is built. */
  private double values(JoinShape.JoinSideShape side) {
    MachineProfile device = costs.device;
    return side.columns() * device.valueNanos() + device.sequential(side.bytes());
  }

  /** The price of one way to join by equality. */
  public JoinPrice price(JoinShape shape, JoinAlgorithm algorithm) {
    return switch (algorithm) {
      case NON_PARTITIONED_HASH -> nonPartitioned(shape);
      case PARTITIONED_HASH -> partitioned(shape, Payload.GFTR);
      case PARTITIONED_HASH_UM -> partitioned(shape, Payload.GFUR);
      case SORT_MERGE -> sortMerge(shape, Payload.GFTR);
      case SORT_MERGE_UM -> sortMerge(shape, Payload.GFUR);
      case HOST_SORT_MERGE, NESTED_LOOP -> throw new IllegalArgumentException(algorithm.label());
    };
  }

  /**
   * Nanoseconds of what a join takes beside its algorithm, whichever that is: starting and ending
   * it, and the memory that its output is collected in.
   */
  public double besideAlgorithm(JoinShape shape) {
    return costs.start() + costs.collectedOutput(shape);
  }

  /** One table over the build side. */
  public JoinPrice nonPartitioned(JoinShape shape) {
    return costs.nonPartitioned(shape);
  }

  /** Both sides partitioned by the places of their keys in the table. */
  public JoinPrice partitioned(JoinShape shape, Payload how) {
    return costs.partitioned(shape, how);
  }

  /** Both sides sorted, if they are not: with their payload, or their keys alone. */
  public JoinPrice sortMerge(JoinShape shape, Payload how) {
    return costs.sortMerge(shape, how);
  }
}
