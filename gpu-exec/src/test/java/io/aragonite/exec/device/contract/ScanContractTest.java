package io.aragonite.exec.device.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.memory.Buffer;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * fill, iota, histogram, exclusiveSum, select, selectUpTo, selectIds, mark, gatherIds, scatter,
 * expand.
 */
class ScanContractTest extends Contract {
  ScanContractTest(Device device) {
    super(device);
  }

  @Test
  void fill() {
    for (int size : SIZES) {
      for (int width : new int[] {1, 2, 4, 8}) {
        for (long value : new long[] {0, -1, 0x0123_4567_89AB_CDEFL, Long.MIN_VALUE}) {
          Buffer out = room((long) size * width);
          context.scan().fill(context, out, width, value, size);
          byte[] bytes = context.bytes(out, size * width);
          for (int i = 0; i < bytes.length; i++) {
            assertEquals((byte) (value >>> i % width * 8), bytes[i]);
          }
          context.memory().free(out);
        }
      }
    }
  }

  @Test
  void iota() {
    for (int size : SIZES) {
      for (int start : new int[] {0, -5, Integer.MAX_VALUE - 2}) {
        Buffer out = room(4L * size);
        context.scan().iota(context, out, start, size);
        assertArrayEquals(
            IntStream.range(0, size).map(i -> start + i).toArray(), context.ints(out, size));
      }
    }
  }

  @Test
  void exclusiveSum() {
    for (int size : SIZES) {
      int[] in = random.ints(size).toArray();
      long[] expected = new long[size + 1];
      for (int i = 0; i < size; i++) {
        expected[i + 1] = expected[i] + Integer.toUnsignedLong(in[i]);
      }
      Buffer out = room(8L * (size + 1));
      assertEquals(expected[size], context.scan().exclusiveSum(context, ints(in), size, out));
      assertArrayEquals(expected, context.longs(out, size + 1));
    }
  }

  @Test
  void selectUpTo() {
    for (int size : SIZES) {
      long[] given = random.longs(size).toArray();
      long middle = size == 0 ? 0 : given[size / 2];
      for (long bound : new long[] {middle, 0, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
        int[] expected =
            IntStream.range(0, size)
                .filter(i -> Long.compareUnsigned(given[i], bound) <= 0)
                .toArray();
        Buffer out = room(4L * size);
        int n = context.scan().selectUpTo(context, longs(given), size, bound, out);
        assertArrayEquals(expected, context.ints(out, n));
      }
    }
  }

  @Test
  void select() {
    for (int size : SIZES) {
      for (int ones : new int[] {0, 50, 100}) {
        int[] given =
            IntStream.range(0, size).map(i -> random.nextInt(100) < ones ? 1 : 0).toArray();
        byte[] bytes = new byte[size];
        for (int i = 0; i < size; i++) {
          // Any byte but 0 counts.
          bytes[i] = (byte) (given[i] * (1 + random.nextInt(255)));
        }
        Buffer flags = context.bytes(bytes);
        for (boolean set : new boolean[] {true, false}) {
          int[] expected =
              IntStream.range(0, size).filter(i -> given[i] == (set ? 1 : 0)).toArray();
          Buffer out = room(4L * size);
          int n = context.scan().select(context, flags, size, set, out);
          assertArrayEquals(expected, context.ints(out, n));
        }
      }
    }
  }

  @Test
  void selectIdsAndMark() {
    for (int size : SIZES) {
      int[] ids = IntStream.range(0, size).map(i -> random.nextInt(size + 1) - 1).toArray();
      for (boolean matched : new boolean[] {true, false}) {
        Buffer out = room(4L * size);
        int n = context.scan().selectIds(context, ints(ids), size, matched, out);
        assertArrayEquals(
            IntStream.range(0, size).filter(i -> (ids[i] >= 0) == matched).toArray(),
            context.ints(out, n));
      }
      Buffer flags = room(size);
      context.scan().fill(context, flags, 1, 0, size);
      context.gather().mark(context, ints(ids), size, flags);
      Buffer out = room(4L * size);
      int n = context.scan().select(context, flags, size, true, out);
      assertArrayEquals(
          Arrays.stream(ids).filter(i -> i >= 0).distinct().sorted().toArray(),
          context.ints(out, n));
    }
  }

  @Test
  void gatherIds() {
    for (int size : SIZES) {
      int[] ids = random.ints(size).toArray();
      int[] positions =
          IntStream.range(0, size + 10).map(i -> random.nextInt(size + 1) - 1).toArray();
      Buffer out = room(4L * positions.length);
      context.gather().gatherIds(context, ints(ids), ints(positions), positions.length, out);
      assertArrayEquals(
          Arrays.stream(positions).map(p -> p < 0 ? -1 : ids[p]).toArray(),
          context.ints(out, positions.length));
    }
    Buffer out = room(8);
    context.gather().gatherIds(context, Buffer.EMPTY, ints(-1, -1), 2, out);
    assertArrayEquals(new int[] {-1, -1}, context.ints(out, 2));
  }

  @Test
  void scatter() {
    for (int size : SIZES) {
      int[] ids = shuffled(size);
      for (int width : new int[] {1, 2, 4, 8, 16}) {
        byte[] in = new byte[size * width];
        random.nextBytes(in);
        Buffer from = context.bytes(in);
        Buffer out = room(in.length);
        context.gather().scatter(context, from, ints(ids), size, width, out);
        byte[] result = context.bytes(out, in.length);
        for (int i = 0; i < size; i++) {
          assertArrayEquals(
              Arrays.copyOfRange(in, i * width, (i + 1) * width),
              Arrays.copyOfRange(result, ids[i] * width, (ids[i] + 1) * width));
        }
        context.memory().free(from);
        context.memory().free(out);
      }
    }
  }

  private int[] shuffled(int size) {
    int[] ids = IntStream.range(0, size).toArray();
    for (int i = size - 1; i > 0; i--) {
      int j = random.nextInt(i + 1);
      int swap = ids[i];
      ids[i] = ids[j];
      ids[j] = swap;
    }
    return ids;
  }

  @Test
  void expand() {
    for (int size : SIZES) {
      int[] counts =
          IntStream.range(0, size)
              .map(i -> random.nextInt(3) == 0 ? random.nextInt(6) : 0)
              .toArray();
      Buffer sums = room(8L * (size + 1));
      int total = (int) context.scan().exclusiveSum(context, ints(counts), size, sums);
      int[] rows =
          IntStream.range(0, size)
              .flatMap(i -> IntStream.range(0, counts[i]).map(k -> i))
              .toArray();
      int[] places = IntStream.range(0, size).flatMap(i -> IntStream.range(0, counts[i])).toArray();
      int step = Math.max(1, total / 3 + 1);
      for (int from = 0; from <= total; from += step) {
        int n = Math.min(step, total - from);
        Buffer outRow = room(4L * n);
        Buffer outPlace = room(4L * n);
        context.scan().expand(context, sums, size, from, n, outRow, outPlace);
        assertArrayEquals(Arrays.copyOfRange(rows, from, from + n), context.ints(outRow, n));
        assertArrayEquals(Arrays.copyOfRange(places, from, from + n), context.ints(outPlace, n));
      }
    }
  }
}
