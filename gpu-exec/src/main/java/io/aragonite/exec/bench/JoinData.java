package io.aragonite.exec.bench;

import io.aragonite.exec.column.Column;
import io.aragonite.exec.column.ColumnBatch;
import io.aragonite.exec.column.ColumnShape;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.Transfers;
import io.aragonite.exec.join.BatchJoin.Side;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * R and S of a configuration in the device's memory, made on the host piece by piece, and what
 * their join must be: the number of its rows, and the sum of a hash over each whole row, so that
 * columns that do not belong together are found out.
 */
final class JoinData {
  private static final int PIECE = 1 << 22;
  private static final int TASK = 1 << 16;
  private static final long BUILD_SALT = 0x5DEECE66DL;
  private static final long PROBE_SALT = 0x2545F491L;

  private final JoinCase config;
  private final Zipf zipf;
  private final LongAdder rows = new LongAdder();
  private final LongAdder hash = new LongAdder();
  private final Side build;
  private final Side probe;

  /** Makes the data; it lives in the context's memory. */
  JoinData(JoinCase config, ExecContext context) {
    this.config = config;
    this.zipf = new Zipf(config.distinct(), config.zipf() == 0 ? 1 : config.zipf());
    int permuted = Integer.SIZE - Integer.numberOfLeadingZeros(config.buildRows() - 1);
    build =
        side(
            context,
            config.buildRows(),
            (i, row) -> {
              int number = permute(i, permuted, config.buildRows());
              buildRow(number, row);
            });
    probe = side(context, config.probeRows(), this::probeRow);
  }

  Side build() {
    return build;
  }

  Side probe() {
    return probe;
  }

  /** Bytes of both sides. */
  long bytes() {
    long width = config.keyBytes() + (long) config.payloads() * config.payloadBytes();
    return width * (config.buildRows() + (long) config.probeRows());
  }

  /** Bijective mixing of 64 bits (splitmix64's). */
  static long mix(long x) {
    long y = x + 0x9E3779B97F4A7C15L;
    y = (y ^ y >>> 30) * 0xBF58476D1CE4E5B9L;
    y = (y ^ y >>> 27) * 0x94D049BB133111EBL;
    return y ^ y >>> 31;
  }

  /**
   * A permutation of 0 to n - 1 without a table: a bijection of bits, walked until it is inside.
   */
  private static int permute(int i, int bits, int n) {
    if (bits < 2) {
      return i;
    }
    int mask = (1 << bits) - 1;
    int half = bits / 2;
    int x = i;
    do {
      x ^= x >>> half;
      x = x * 0x2C1B3C6D & mask;
      x ^= x >>> half;
      x = x * 0x297A2D39 & mask;
      x ^= x >>> half;
    } while (x >= n);
    return x;
  }

  /** The key with a number; numbers from {@link JoinCase#distinct} on are not in R. */
  private long key(long number) {
    long key =
        switch (config.keys()) {
          case DENSE -> number;
          case SPARSE -> config.keyBytes() == 4 ? (int) number * 0x9E3779B1 : mix(number);
          case CLUSTERED -> (number >>> 6) * 512 + (number & 63);
          case NEGATIVE -> ~number;
        };
    return config.keyBytes() == 4 ? (int) key : key;
  }

  private long payload(long row, int column, long salt) {
    long value = mix(row * 8 + column + (salt << 32));
    return config.payloadBytes() == 4 ? (int) value : value;
  }

  /** Row number {@code number} of R: key, then payload. */
  private void buildRow(int number, long[] row) {
    row[0] = key(number % config.distinct());
    for (int c = 0; c < config.payloads(); c++) {
      row[1 + c] = payload(number, c, BUILD_SALT);
    }
  }

  /** Row i of S; counts what it will be joined with. */
  private void probeRow(int i, long[] row) {
    int distinct = config.distinct();
    long random = mix(i ^ 0x1234_5678_9ABCL);
    boolean matches = Long.remainderUnsigned(random >>> 8, config.matchOneIn()) == 0;
    long number;
    if (!matches) {
      number = distinct + Long.remainderUnsigned(mix(random), distinct);
    } else if (config.zipf() > 0) {
      int bits = Integer.SIZE - Integer.numberOfLeadingZeros(distinct - 1);
      number = permute(zipf.rank(random) - 1, bits, distinct);
    } else {
      number = Long.remainderUnsigned(mix(random), distinct);
    }
    row[0] = key(number);
    for (int c = 0; c < config.payloads(); c++) {
      row[1 + c] = payload(i, c, PROBE_SALT);
    }
    if (matches) {
      long sum = 0;
      for (int copy = 0; copy < config.copies(); copy++) {
        long h = fold(0, row[0]);
        for (int c = 0; c < config.payloads(); c++) {
          h = fold(h, payload(number + (long) copy * distinct, c, BUILD_SALT));
        }
        for (int c = 0; c < config.payloads(); c++) {
          h = fold(h, row[1 + c]);
        }
        sum += h;
      }
      hash.add(sum);
      rows.add(config.copies());
    }
  }

  private static long fold(long hash, long value) {
    long h = (hash ^ value) * 0x9E3779B97F4A7C15L;
    return h ^ h >>> 32;
  }

  private interface RowMaker {
    void make(int i, long[] row);
  }

  private Side side(ExecContext context, int count, RowMaker maker) {
    int columns = 1 + config.payloads();
    Transfers transfers = context.device().transfers();
    List<Buffer> buffers = new ArrayList<>();
    for (int c = 0; c < columns; c++) {
      buffers.add(context.memory().allocate((long) width(c) * count));
    }
    QueryMemory.Arena scratch = context.hostScratch();
    long mark = scratch.mark();
    int piece = Math.min(PIECE, count);
    long[] staging = new long[columns];
    for (int c = 0; c < columns; c++) {
      staging[c] = scratch.allocate((long) width(c) * piece).address();
    }
    for (int from = 0; from < count; from += piece) {
      int start = from;
      int some = Math.min(piece, count - from);
      IntStream.range(0, (some + TASK - 1) / TASK)
          .parallel()
          .forEach(task -> {
            long[] row = new long[columns];
            int end = Math.min(some, (task + 1) * TASK);
            for (int i = task * TASK; i < end; i++) {
              maker.make(start + i, row);
              for (int c = 0; c < columns; c++) {
                put(staging[c], width(c), i, row[c]);
              }
            }
          });
      for (int c = 0; c < columns; c++) {
        Buffer to = buffers.get(c).slice((long) from * width(c), (long) some * width(c));
        transfers.toDevice(context, staging[c], to, (long) some * width(c));
      }
    }
    scratch.release(mark);
    List<Column> made = new ArrayList<>();
    for (int c = 0; c < columns; c++) {
      ColumnShape shape = ColumnShape.of(width(c) == 4 ? DataType.INT32 : DataType.INT64);
      made.add(new Column(shape, count, buffers.get(c), Buffer.EMPTY, null, null));
    }
    return new Side(made.getFirst(), made.subList(1, columns));
  }

  private int width(int column) {
    return column == 0 ? config.keyBytes() : config.payloadBytes();
  }

  private static void put(long address, int width, int i, long value) {
    if (width == 4) {
      Mem.putInt(address + 4L * i, (int) value);
    } else {
      Mem.putLong(address + 8L * i, value);
    }
  }

  /** What has come out of a join so far. */
  final class Check {
    private long found;
    private final LongAdder sum = new LongAdder();

    /** Takes in a piece of the output: key, R's payload, S's payload. */
    void add(ExecContext context, ColumnBatch batch) {
      Transfers transfers = context.device().transfers();
      int columns = batch.columns().size();
      QueryMemory.Arena scratch = context.hostScratch();
      for (int from = 0; from < batch.rows(); from += PIECE) {
        long mark = scratch.mark();
        int some = Math.min(PIECE, batch.rows() - from);
        long[] copies = new long[columns];
        int[] widths = new int[columns];
        for (int c = 0; c < columns; c++) {
          Column column = batch.column(c);
          widths[c] = column.shape().storage().width();
          long bytes = (long) widths[c] * some;
          copies[c] = scratch.allocate(bytes).address();
          Buffer piece = column.values().slice((long) widths[c] * from, bytes);
          transfers.toHost(context, piece, copies[c], bytes);
        }
        IntStream.range(0, (some + TASK - 1) / TASK)
            .parallel()
            .forEach(task -> {
              long[] row = new long[columns];
              int end = Math.min(some, (task + 1) * TASK);
              long own = 0;
              for (int i = task * TASK; i < end; i++) {
                for (int c = 0; c < columns; c++) {
                  long at = copies[c] + (long) widths[c] * i;
                  row[c] = widths[c] == 4 ? Mem.getInt(at) : Mem.getLong(at);
                }
                long h = 0;
                for (long value : row) {
                  h = fold(h, value);
                }
                own += h;
              }
              sum.add(own);
            });
        scratch.release(mark);
      }
      found += batch.rows();
    }

    /** What is wrong, or null. */
    @Nullable String error() {
      if (found != rows.sum()) {
        return "%,d rows came out, not %,d".formatted(found, rows.sum());
      }
      return sum.sum() == hash.sum() ? null : "the rows that came out are not the right ones";
    }
  }
}
