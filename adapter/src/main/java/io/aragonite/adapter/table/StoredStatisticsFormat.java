package io.aragonite.adapter.table;

import io.aragonite.adapter.table.StoredStatistics.FrequentKeys;
import io.aragonite.adapter.table.StoredStatistics.StoredColumnStatistics;
import io.aragonite.adapter.table.StoredStatistics.StoredSketch;
import io.aragonite.exec.table.TableColumnStatistics;
import io.aragonite.exec.table.ValueDistribution;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.ValueRange;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * {@link StoredStatistics} as bytes. What is read is checked as far as it is used as an address:
 * rows of samples ascend and are rows of the table.
 */
final class StoredStatisticsFormat {
  private StoredStatisticsFormat() {}

  static void write(StoredStatistics figures, DataOutput out) throws IOException {
    out.writeInt(figures.columns().size());
    for (StoredColumnStatistics column : figures.columns()) {
      TableColumnStatistics statistics = column.statistics();
      out.writeBoolean(statistics != null);
      if (statistics != null) {
        out.writeBoolean(column.sampled());
        write(statistics, out);
      }
      out.writeByte(column.storage() == null ? -1 : column.storage().ordinal());
    }
    out.writeInt(figures.sketches().size());
    for (Map.Entry<List<Integer>, Optional<StoredSketch>> entry : figures.sketches().entrySet()) {
      out.writeInt(entry.getKey().size());
      for (int column : entry.getKey()) {
        out.writeInt(column);
      }
      out.writeBoolean(entry.getValue().isPresent());
      if (entry.getValue().isPresent()) {
        write(entry.getValue().get(), out);
      }
    }
    out.writeInt(figures.samples().size());
    for (Map.Entry<Integer, SampleValues> entry : figures.samples().entrySet()) {
      out.writeInt(entry.getKey());
      entry.getValue().write(out);
    }
  }

  private static void write(TableColumnStatistics statistics, DataOutput out) throws IOException {
    out.writeLong(statistics.rows());
    out.writeLong(statistics.nulls());
    ValueRange range = statistics.range();
    out.writeBoolean(range != null);
    if (range != null) {
      out.writeLong(range.min());
      out.writeLong(range.max());
    }
    out.writeDouble(statistics.distinct());
    out.writeBoolean(statistics.exact());
    out.writeDouble(statistics.averageWidth());
    ValueDistribution spread = statistics.distribution();
    out.writeInt(spread.sampled());
    write(spread.bounds(), out);
    out.writeInt(spread.frequent().size());
    for (Object value : spread.frequent()) {
      out.writeBoolean(value instanceof String);
      if (value instanceof String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
      } else {
        out.writeDouble((Double) value);
      }
    }
    write(spread.shares(), out);
  }

  private static void write(StoredSketch sketch, DataOutput out) throws IOException {
    for (boolean text : sketch.texts()) {
      out.writeBoolean(text);
    }
    out.writeDouble(sketch.distinct());
    out.writeLong(sketch.threshold());
    write(sketch.hashes(), out);
    out.writeInt(sketch.rows().length);
    long before = -1;
    for (int i = 0; i < sketch.rows().length; i++) {
      writeNumber(sketch.rows()[i] - before, out);
      before = sketch.rows()[i];
      // Nearly all are among the hashes, where they take two bytes.
      int place = Arrays.binarySearch(sketch.hashes(), sketch.rowHashes()[i]);
      writeNumber(Math.max(0, place + 1), out);
      if (place < 0) {
        out.writeLong(sketch.rowHashes()[i]);
      }
    }
    out.writeBoolean(sketch.allRows());
    write(sketch.frequent().hashes(), out);
    write(sketch.frequent().values(), out);
    write(sketch.frequent().shares(), out);
  }

  private static void writeNumber(long number, DataOutput out) throws IOException {
    long left = number;
    for (; left >= 128; left >>>= 7) {
      out.writeByte((int) (left & 127) | 128);
    }
    out.writeByte((int) left);
  }

  private static void write(long[] values, DataOutput out) throws IOException {
    out.writeInt(values.length);
    for (long value : values) {
      out.writeLong(value);
    }
  }

  private static void write(double[] values, DataOutput out) throws IOException {
    out.writeInt(values.length);
    for (double value : values) {
      out.writeDouble(value);
    }
  }

  /**
   * Reads the figures of a table.
   *
   * @param columns of the table
   * @param rows of the table
   * @throws IOException if they are not such a table's, or no figures at all
   */
  static StoredStatistics read(byte[] bytes, int from, int columns, long rows) throws IOException {
    Reader reader = new Reader(ByteBuffer.wrap(bytes, from, bytes.length - from), rows);
    return reader.table(columns);
  }

  private static void check(boolean sound) throws IOException {
    if (!sound) {
      throw new IOException("figures that no table has");
    }
  }

  private record Reader(ByteBuffer in, long rows) {
    StoredStatistics table(int columns) throws IOException {
      check(in.getInt() == columns);
      List<StoredColumnStatistics> found = new ArrayList<>();
      for (int i = 0; i < columns; i++) {
        boolean known = flag();
        boolean sampled = !known || flag();
        TableColumnStatistics statistics = known ? statistics() : null;
        found.add(new StoredColumnStatistics(statistics, sampled, storage(in.get())));
      }
      Map<List<Integer>, Optional<StoredSketch>> sketches = new HashMap<>();
      int count = count(1);
      for (int i = 0; i < count; i++) {
        List<Integer> key = new ArrayList<>();
        int keys = count(Integer.BYTES);
        check(keys > 0);
        for (int k = 0; k < keys; k++) {
          int column = in.getInt();
          check(column >= 0 && column < columns);
          key.add(column);
        }
        sketches.put(List.copyOf(key), flag() ? Optional.of(sketch(keys)) : Optional.empty());
      }
      Map<Integer, SampleValues> samples = new HashMap<>();
      int sampled = count(1);
      for (int i = 0; i < sampled; i++) {
        int column = in.getInt();
        check(column >= 0 && column < columns);
        samples.put(column, SampleValues.read(in));
      }
      check(in.remaining() == 0);
      return new StoredStatistics(found, sketches, samples);
    }

    private boolean flag() {
      return in.get() != 0;
    }

    /** A number of things that take so many bytes each, at least. */
    private int count(int bytes) throws IOException {
      int count = in.getInt();
      check(count >= 0 && count <= in.remaining() / bytes);
      return count;
    }

    private TableColumnStatistics statistics() throws IOException {
      long all = in.getLong();
      long nulls = in.getLong();
      check(all == rows && nulls >= 0 && nulls <= rows);
      ValueRange range = flag() ? range() : null;
      double distinct = in.getDouble();
      boolean exact = flag();
      double width = in.getDouble();
      check(distinct >= 0 && distinct <= rows && width >= 0 && width <= Integer.MAX_VALUE);
      return new TableColumnStatistics(rows, nulls, range, distinct, exact, width, distribution());
    }

    private static @Nullable Storage storage(int ordinal) throws IOException {
      check(ordinal >= -1 && ordinal < Storage.values().length);
      return ordinal < 0 ? null : Storage.values()[ordinal];
    }

    private ValueRange range() throws IOException {
      long min = in.getLong();
      long max = in.getLong();
      check(min <= max);
      return new ValueRange(min, max);
    }

    private ValueDistribution distribution() throws IOException {
      int sampled = in.getInt();
      double[] bounds = doubles();
      int count = count(1);
      List<Object> frequent = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        if (flag()) {
          byte[] text = new byte[count(1)];
          in.get(text);
          frequent.add(new String(text, StandardCharsets.UTF_8));
        } else {
          frequent.add(in.getDouble());
        }
      }
      double[] shares = doubles();
      check(sampled >= 0 && shares.length == count);
      return new ValueDistribution(sampled, bounds, frequent, shares);
    }

    private StoredSketch sketch(int keys) throws IOException {
      List<Boolean> texts = new ArrayList<>();
      for (int i = 0; i < keys; i++) {
        texts.add(flag());
      }
      double distinct = in.getDouble();
      long threshold = in.getLong();
      long[] hashes = longs();
      check(distinct >= 0 && threshold > 0 && ascend(hashes));
      int count = count(2);
      long[] numbers = new long[count];
      long[] rowHashes = new long[count];
      long before = -1;
      for (int i = 0; i < count; i++) {
        long step = number();
        check(step > 0 && step < rows - before);
        before += step;
        numbers[i] = before;
        long place = number();
        check(place >= 0 && place <= hashes.length);
        rowHashes[i] = place == 0 ? in.getLong() : hashes[(int) place - 1];
      }
      boolean all = flag();
      FrequentKeys frequent = new FrequentKeys(longs(), longs(), doubles());
      check(
          frequent.values().length == frequent.hashes().length
              && frequent.shares().length == frequent.hashes().length);
      return new StoredSketch(
          List.copyOf(texts), distinct, threshold, hashes, numbers, rowHashes, all, frequent);
    }

    private static boolean ascend(long[] values) {
      for (int i = 1; i < values.length; i++) {
        if (values[i] <= values[i - 1]) {
          return false;
        }
      }
      return true;
    }

    private long number() throws IOException {
      long number = 0;
      for (int shift = 0; shift < Long.SIZE; shift += 7) {
        byte next = in.get();
        number |= (next & 127L) << shift;
        if (next >= 0) {
          return number;
        }
      }
      throw new IOException("a number that does not end");
    }

    private long[] longs() throws IOException {
      long[] values = new long[count(Long.BYTES)];
      in.asLongBuffer().get(values);
      in.position(in.position() + Long.BYTES * values.length);
      return values;
    }

    private double[] doubles() throws IOException {
      double[] values = new double[count(Double.BYTES)];
      in.asDoubleBuffer().get(values);
      in.position(in.position() + Double.BYTES * values.length);
      return values;
    }
  }
}
