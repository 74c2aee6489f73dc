package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;

/**
 * Columns of a benchmark in device memory, made of a function of the row number, so that results
 * can be checked without a copy of the input on the host.
 */
final class BenchData {
  private static final int CHUNK = 64 << 20;
  private static final int PARTS = 64;

  private final ExecContext context;
  private final CudaStream stream;
  private final long host = Arena.global().allocate(CHUNK, 64).address();
  private final List<Buffer> taken = new ArrayList<>();

  BenchData(ExecContext context) {
    this.context = context;
    this.stream = CudaStream.of(context);
  }

  /** Looks at rows in their order. */
  interface Check {
    /**
     * @return what is wrong, null if nothing is
     */
    String row(int row, long value);
  }

  /** 64 random bits a number, the same ones each time. */
  static long mix(long i) {
    long x = i * 0x9E3779B97F4A7C15L + 0xD1B54A32D192ED03L;
    x = (x ^ x >>> 30) * 0xBF58476D1CE4E5B9L;
    x = (x ^ x >>> 27) * 0x94D049BB133111EBL;
    return x ^ x >>> 31;
  }

  Buffer room(long bytes) {
    Buffer buffer = context.memory().allocate(bytes);
    taken.add(buffer);
    return buffer;
  }

  /** Frees what {@link #room} and {@link #make} have given out. */
  void free() {
    taken.forEach(context.memory()::free);
    taken.clear();
  }

  /** The low bytes of {@code value(row)}. */
  Buffer make(int rows, int width, IntToLongFunction value) {
    Buffer buffer = room((long) rows * width);
    int step = CHUNK / width;
    for (long first = 0; first < rows; first += step) {
      int count = (int) Math.min(step, rows - first);
      int base = (int) first;
      int part = (count + PARTS - 1) / PARTS;
      IntStream.range(0, PARTS)
          .parallel()
          .forEach(p -> {
            for (int i = p * part; i < Math.min(count, (p + 1) * part); i++) {
              put(host + (long) i * width, width, value.applyAsLong(base + i));
            }
          });
      stream.write(host, buffer.address() + first * width, (long) count * width);
      stream.sync();
    }
    return buffer;
  }

  private static void put(long address, int width, long value) {
    switch (width) {
      case 1 -> Mem.putByte(address, (byte) value);
      case 4 -> Mem.putInt(address, (int) value);
      case 8 -> Mem.putLong(address, value);
      default -> throw new IllegalArgumentException("width " + width);
    }
  }

  /** Looks at all rows; 32-bit values come without a sign. */
  void check(String name, Buffer buffer, int rows, int width, Check check) {
    int step = CHUNK / width;
    for (long first = 0; first < rows; first += step) {
      int count = (int) Math.min(step, rows - first);
      stream.read(buffer.address() + first * width, host, (long) count * width);
      for (int i = 0; i < count; i++) {
        long at = host + (long) i * width;
        long value =
            switch (width) {
              case 1 -> Mem.getByte(at);
              case 4 -> Mem.getInt(at) & 0xFFFF_FFFFL;
              default -> Mem.getLong(at);
            };
        String wrong = check.row((int) first + i, value);
        if (wrong != null) {
          throw new AssertionError(
              "%s: row %d of %d is %d: %s".formatted(name, first + i, rows, value, wrong));
        }
      }
    }
  }

  /** Checks against a function of the row number. */
  void expect(String name, Buffer buffer, int rows, int width, IntToLongFunction expected) {
    long mask = width == 8 ? -1L : (1L << (8 * width)) - 1;
    check(
        name,
        buffer,
        rows,
        width,
        (row, value) -> {
          long wanted = expected.applyAsLong(row) & mask;
          return (value & mask) == wanted ? null : "not " + wanted;
        });
  }
}
