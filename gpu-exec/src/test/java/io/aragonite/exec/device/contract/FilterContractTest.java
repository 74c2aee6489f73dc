package io.aragonite.exec.device.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.KeyColumns;
import io.aragonite.exec.device.KeyColumns.PackedColumn;
import io.aragonite.exec.device.KeyFilter;
import io.aragonite.exec.memory.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** filterBuild and filterSelect. */
class FilterContractTest extends Contract {
  FilterContractTest(Device device) {
    super(device);
  }

  @Test
  void noWordIsLostAndFewPassThatShouldNot() {
    for (int size : SIZES) {
      for (WordKind kind : WordKind.values()) {
        long[] build = words(kind, size);
        long[] probe = words(kind, 1 + random.nextInt(2 * size + 1));
        for (int i = 0; i < probe.length && size > 0; i += 2 + random.nextInt(2)) {
          probe[i] = build[random.nextInt(size)];
        }
        check(build, probe);
      }
    }
  }

  /** For many words that are tested a device may have a bit for each of a wide range. */
  @Test
  void wideRanges() {
    for (int range : new int[] {1 << 20, 1 << 24, (1 << 26) - 1, 1 << 26, 1 << 27}) {
      long first = random.nextLong() >> 2;
      long[] build = random.longs(500, 0, range).map(word -> first + word).toArray();
      build[0] = first;
      build[1] = first + range - 1;
      long[] probe = random.longs(2000, -100, range + 100L).map(word -> first + word).toArray();
      System.arraycopy(build, 0, probe, 0, 100);
      for (double tested : new double[] {0, 1 << 21, 1e9}) {
        check(build, probe, tested);
      }
    }
  }

  @Test
  void theEndsOfTheNumbers() {
    long[] ends = {Long.MIN_VALUE, Long.MAX_VALUE, 0, -1, 1, Long.MIN_VALUE + 1};
    for (int n = 0; n <= ends.length; n++) {
      check(Arrays.copyOf(ends, n), ends);
    }
    check(new long[] {-5, 7}, new long[] {-6, -5, -4, 0, 6, 7, 8, 63, 64, -69, 71});
  }

  private void check(long[] build, long[] probe) {
    check(build, probe, probe.length);
  }

  private void check(long[] build, long[] probe, double tested) {
    Buffer words = longs(build);
    Buffer others = longs(probe);
    Buffer out = room(4L * probe.length);
    Set<Long> known = new HashSet<>();
    Arrays.stream(build).forEach(known::add);
    try (KeyFilter filter =
        context.hash().buildFilter(context, words, build.length, tested, context.memory())) {
      int count = filter.select(context, KeyColumns.ofWords(others, probe.length), out);
      int[] passed = context.ints(out, count);
      boolean[] passes = new boolean[probe.length];
      int before = -1;
      for (int i : passed) {
        assertTrue(i > before, "positions ascend");
        passes[i] = true;
        before = i;
      }
      int wrong = 0;
      int absent = 0;
      for (int i = 0; i < probe.length; i++) {
        boolean there = known.contains(probe[i]);
        assertTrue(passes[i] || !there, "a word was lost");
        absent += there ? 0 : 1;
        wrong += passes[i] && !there ? 1 : 0;
      }
      if (filter.exact()) {
        assertEquals(0, wrong);
        assertTrue(filter.distinct() < 0 || filter.distinct() == known.size(), "distinct words");
      }
      assertTrue(absent < 200 || wrong < 0.1 * absent, wrong + " of " + absent + " pass");
      checkOtherForms(filter, probe, passed);
    }
    for (Buffer buffer : new Buffer[] {words, others, out}) {
      context.memory().free(buffer);
    }
  }

  /** The same words in as few bytes as they have room in, by row numbers, and of two columns. */
  private void checkOtherForms(KeyFilter filter, long[] probe, int[] passed) {
    long least = Arrays.stream(probe).min().orElse(0);
    long most = Arrays.stream(probe).max().orElse(0);
    for (int bytes : new int[] {Byte.BYTES, Short.BYTES, Integer.BYTES, Long.BYTES}) {
      long lowest = -1L << 8 * bytes - 1;
      // As 64-bit numbers wrap, any zero will do for 8 bytes.
      if (bytes < Long.BYTES && (most - least < 0 || most - least > -2 * lowest - 1)) {
        continue;
      }
      long zero = lowest - least;
      long[] values = Arrays.stream(probe).map(word -> word + zero).toArray();
      check(filter, List.of(new TestColumn(values, bytes, zero, 0)), passed);
    }
    int low = 1 + random.nextInt(15);
    long lowMask = (1L << low) - 1;
    long[] lower = Arrays.stream(probe).map(word -> (word & lowMask) - 77).toArray();
    long[] upper = Arrays.stream(probe).map(word -> (word >>> low) + 5).toArray();
    TestColumn first = new TestColumn(lower, Integer.BYTES, -77, 0);
    check(filter, List.of(first, new TestColumn(upper, Long.BYTES, 5, low)), passed);
  }

  private record TestColumn(long[] values, int bytes, long zero, int shift) {}

  /** In order, and by row numbers. */
  private void check(KeyFilter filter, List<TestColumn> columns, int[] passed) {
    int count = columns.getFirst().values().length;
    for (boolean inOrder : new boolean[] {true, false}) {
      int[] rows =
          IntStream.range(0, count).map(i -> inOrder ? i : 2 * i + random.nextInt(2)).toArray();
      List<PackedColumn> placed = new ArrayList<>();
      for (TestColumn column : columns) {
        ByteBuffer values = ByteBuffer.allocate(2 * column.bytes() * count);
        random.nextBytes(values.array());
        values.order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < count; i++) {
          for (int b = 0; b < column.bytes(); b++) {
            values.put(column.bytes() * rows[i] + b, (byte) (column.values()[i] >> 8 * b));
          }
        }
        Buffer at = context.bytes(values.array());
        placed.add(new PackedColumn(at, column.bytes(), column.zero(), column.shift()));
      }
      Buffer numbers = inOrder ? Buffer.EMPTY : ints(rows);
      Buffer out = room(4L * count);
      int kept = filter.select(context, new KeyColumns(placed, numbers, count), out);
      assertArrayEquals(passed, context.ints(out, kept));
      context.memory().free(out);
      placed.forEach(column -> context.memory().free(column.values()));
      if (!inOrder) {
        context.memory().free(numbers);
      }
    }
  }
}
