package io.aragonite.exec.collective;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.KeyFilter;
import io.aragonite.exec.device.MovedColumn;
import io.aragonite.exec.device.PartitionFunction;
import io.aragonite.exec.device.PartitionOps;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.settings.EngineSettings;
import io.aragonite.exec.settings.Toggle;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.RowIds;
import io.aragonite.exec.vector.ValueRange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongToIntFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which device has which keys, where these are dense integers: equal parts of their range, in
 * order. Keys are partitioned as they are then, by their first bits, so that each device has a
 * range of them that is as dense as the whole and lies in the order of the tables that joins make
 * of it; by a hash a device has a few of all keys, and words of hashes are made and moved with the
 * rows.
 *
 * @param order of all devices' keys of the side that decides
 * @param parts of the {@code 2^BITS} partitions that have keys of it
 */
public record KeyRanges(PartitionFunction order, int parts, int devices) {
  /** Partitions, by the first bits of a key's distance from the least. */
  public static final int BITS = PartitionOps.PASS_BITS;

  /** Rows of both sides that are worth looking at before. */
  private static final long LEAST_ROWS = 1 << 22;

  /** A range so many times as large as there are rows makes tables by direct address still. */
  private static final long SPARSE = 8;

  /**
   * A range up to so many times as large as there are rows has a table with a place for each key.
   */
  private static final long DENSE = 4;

  /** Rows of a side that a device looks at. */
  private static final int SAMPLE = 1 << 10;

  /** What a device may have of a side's sample, over what it would have by the keys' hash. */
  public static final double UNEVEN = 1.3;

  /**
   * The keys that a device has of a side.
   *
   * @param devices that the side is spread over
   */
  public record KeyColumn(Column key, int rows, int devices) {}

  /**
   * What a device has of a side, as far as it matters here.
   *
   * @param plain whether its keys are values without nulls or indirection, so that they can be
   *     looked at
   * @param least bound of the keys, where it decides; it need not be one of them
   * @param sample some of its keys
   */
  public record KeySummary(boolean plain, long rows, long least, long most, long[] sample) {
    /**
     * Of a join's two sides, of which the first one's keys are the range. Both are looked at with
     * one wait.
     */
    public static List<KeySummary> of(ExecContext context, KeyColumn deciding, KeyColumn other) {
      List<Sample> begun =
          Stream.of(deciding, other).map(side -> Sample.begin(context, side)).toList();
      List<long[]> samples = Sample.read(context, begun);
      return List.of(
          deciding(context, deciding, samples.getFirst()),
          new KeySummary(plain(other), other.rows(), 0, 0, samples.getLast()));
    }

    /** Whether keys can be looked at, if there are any. */
    private static boolean plain(KeyColumn side) {
      int width = width(side);
      return side.rows() == 0
          || MovedColumn.isPlain(side.key()) && (width == Integer.BYTES || width == Long.BYTES);
    }

    private static int width(KeyColumn side) {
      return side.key().shape().storage().width();
    }

    private static KeySummary deciding(ExecContext context, KeyColumn side, long[] sample) {
      int rows = side.rows();
      if (rows == 0) {
        return new KeySummary(true, 0, Long.MAX_VALUE, Long.MIN_VALUE, sample);
      }
      if (!plain(side)) {
        return new KeySummary(false, rows, 0, 0, sample);
      }
      ValueRange known = side.key().shape().range();
      // What is known before is good enough where it is dense: of all devices' rows together.
      if (known != null
          && known.max() - known.min() >= 0
          && (known.max() - known.min()) / side.devices() < DENSE * rows) {
        return new KeySummary(true, rows, known.min(), known.max(), sample);
      }
      PartitionFunction order =
          context.partition().partitionFunction(context, side.key().values(), width(side), rows);
      long most = order.base() + order.range();
      boolean bounded = order.range() >= 0 && most >= order.base();
      return new KeySummary(bounded, rows, order.base(), most, sample);
    }
  }

  /**
   * A few integers that the device makes for the host: some of a side's keys, for instance.
   *
   * @param ids what else is freed when they have been read
   * @param values the integers
   * @param bytes of each, 4 or 8
   */
  public record Sample(Buffer ids, Buffer values, int bytes, int count) {
    /** Keys of a side at equal distances; none if they cannot be looked at. */
    public static Sample begin(ExecContext context, KeyColumn side) {
      int rows = side.rows();
      if (rows == 0 || !KeySummary.plain(side)) {
        return new Sample(Buffer.EMPTY, Buffer.EMPTY, 0, 0);
      }
      int count = Math.min(SAMPLE, rows);
      QueryMemory memory = context.memory();
      QueryMemory.Arena scratch = context.hostScratch();
      long mark = scratch.mark();
      long host = scratch.allocate(4L * count).address();
      for (int i = 0; i < count; i++) {
        Mem.putInt(host + 4L * i, (int) ((long) rows * i / count));
      }
      Buffer ids = memory.allocate(4L * count);
      context.device().transfers().toDevice(context, host, ids, 4L * count);
      scratch.release(mark);
      Column some = side.key().withRowIds(new RowIds(ids, count, false));
      Buffer values = context.gather().materialize(context, some, memory).values();
      return new Sample(ids, values, KeySummary.width(side), count);
    }

    /** The integers of each, for all of which the device is waited for once; they are freed. */
    public static List<long[]> read(ExecContext context, List<Sample> samples) {
      QueryMemory.Arena scratch = context.hostScratch();
      long mark = scratch.mark();
      List<Buffer> there = new ArrayList<>();
      List<Buffer> here = new ArrayList<>();
      for (Sample sample : samples) {
        long bytes = (long) sample.bytes * sample.count;
        there.add(sample.values.slice(0, bytes));
        here.add(scratch.allocate(bytes));
      }
      context.device().transfers().toHost(context, there, here);
      List<long[]> all = new ArrayList<>();
      for (int k = 0; k < samples.size(); k++) {
        Sample sample = samples.get(k);
        long from = here.get(k).address();
        long[] keys = new long[sample.count];
        for (int i = 0; i < keys.length; i++) {
          keys[i] =
              sample.bytes == Integer.BYTES
                  ? Mem.getInt(from + 4L * i)
                  : Mem.getLong(from + 8L * i);
        }
        all.add(keys);
        context.memory().free(sample.values);
        context.memory().free(sample.ids);
      }
      scratch.release(mark);
      return all;
    }
  }

  /** Whether it is worth asking for facts of so many rows. */
  public static boolean worth(long rows) {
    return switch (EngineSettings.current().exchange().ranges()) {
      case ON -> true;
      case OFF -> false;
      case AUTO -> rows >= LEAST_ROWS;
    };
  }

  /**
   * What was decided, and why.
   *
   * @param ranges null: keys are to be spread by their hash
   * @param what for EXPLAIN ANALYZE, with a figure
   */
  public record Decision(@Nullable KeyRanges ranges, String what, long figure) {
    public static Decision few(long rows) {
      return new Decision(null, "keys by hash: few rows", rows);
    }
  }

  /**
   * Whether keys of two sides go by ranges.
   *
   * @param deciding of each device, the side whose keys are the range: a join's build side
   * @param other of each device
   */
  public static Decision of(List<KeySummary> deciding, List<KeySummary> other) {
    int devices = deciding.size();
    long rows = deciding.stream().mapToLong(KeySummary::rows).sum();
    long least = deciding.stream().mapToLong(KeySummary::least).min().orElse(0);
    long most = deciding.stream().mapToLong(KeySummary::most).max().orElse(0);
    long range = most - least;
    boolean plain =
        deciding.stream().allMatch(KeySummary::plain) && other.stream().allMatch(KeySummary::plain);
    if (!plain) {
      return new Decision(null, "keys by hash: nulls or a view in a key", 1);
    }
    if (rows == 0 || range < 2L * devices) {
      return new Decision(null, "keys by hash: few keys", Math.max(0, range));
    }
    if (range / SPARSE >= rows) {
      return new Decision(null, "keys by hash: sparse, a row's share of the range", range / rows);
    }
    PartitionFunction order = new PartitionFunction(false, least, range);
    KeyRanges ranges = of(order, devices);
    double share = Math.max(ranges.most(deciding), ranges.most(other));
    if (ranges.parts < devices) {
      return new Decision(null, "keys by hash: few keys", range);
    }
    if (EngineSettings.current().exchange().ranges() != Toggle.ON
        && share > UNEVEN
        && share > UNEVEN * Math.max(ranges.mostByHash(deciding), ranges.mostByHash(other))) {
      return new Decision(
          null, "keys by hash: uneven, % of its share on a device", Math.round(100 * share));
    }
    return new Decision(ranges, "ranges of keys", ranges.parts);
  }

  /** Equal parts of a range that is known. */
  public static KeyRanges of(PartitionFunction order, int devices) {
    return new KeyRanges(order, (int) (order.range() >>> order.shift(BITS)) + 1, devices);
  }

  /**
   * The order of keys between two, which begins and ends with partitions: so the ranges of tables
   * whose last keys are not quite the same are.
   *
   * @return null: there is none
   */
  public static @Nullable PartitionFunction around(long least, long most) {
    long range = most - least;
    if (range < 1) {
      return null;
    }
    int shift = new PartitionFunction(false, least, range).shift(BITS);
    while (true) {
      long base = least >> shift << shift;
      long end = most >> shift << shift | (1L << shift) - 1;
      PartitionFunction order = new PartitionFunction(false, base, end - base);
      if (end - base < 0) {
        return null;
      }
      if (order.shift(BITS) == shift) {
        return order;
      }
      // With its ends it has one bit more.
      shift = order.shift(BITS);
    }
  }

  /** What a device has of a side at most, by the samples, as a multiple of its share. */
  private double most(List<KeySummary> side) {
    return most(
        side, key -> device((int) (key - order.base() >>> order.shift(BITS)) & (1 << BITS) - 1));
  }

  /**
   * The same if keys go by hash: more than its share where single keys are frequent, which no
   * placement of keys helps against.
   */
  private double mostByHash(List<KeySummary> side) {
    return most(side, key -> (int) ((KeyFilter.mix(key) >>> 32) * devices >>> 32));
  }

  private double most(List<KeySummary> side, LongToIntFunction device) {
    double all = 0;
    double[] shares = new double[devices];
    for (KeySummary facts : side) {
      double each = (double) facts.rows / Math.max(1, facts.sample.length);
      for (long key : facts.sample) {
        shares[device.applyAsInt(key)] += each;
      }
      all += facts.rows;
    }
    return all == 0 ? 1 : Arrays.stream(shares).max().orElse(0) * devices / all;
  }

  private int device(int part) {
    int device = devices - 1;
    while (device > 0 && part < first(device)) {
      device--;
    }
    return device;
  }

  /** The first partition of a device; what lies behind all keys of the range is the last one's. */
  public int first(int device) {
    return device == devices ? 1 << BITS : parts * device / devices;
  }

  /** The least key of a device's. */
  public long least(int device) {
    return order.base() + ((long) first(device) << order.shift(BITS));
  }

  /**
   * Whether a table by direct address over keys of an order is of a size that joins reckon with.
   *
   * @param rows that it is over
   */
  public static boolean servesTable(PartitionFunction order, long rows) {
    return order.range() < Math.min(1L << 31, DENSE * rows);
  }
}
