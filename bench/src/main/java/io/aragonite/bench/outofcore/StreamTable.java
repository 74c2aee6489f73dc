package io.aragonite.bench.outofcore;

import io.aragonite.bench.data.BenchColumns;

import io.aragonite.bench.data.BenchTable;
import io.aragonite.bench.join.JoinData;

import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.type.DataType;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;

/**
 * A table of a 4-byte key and a 4-byte payload in host memory, for joins of more rows than devices
 * hold: R has each of its keys once, in an order without order; S has keys of R by chance, which
 * follow from its payload, so that a row of the join can be checked alone.
 */
final class StreamTable implements Table {
  static final int ROW_BYTES = 8;

  private static final int CHUNK_ROWS = 1 << 26;
  private static final int TASK = 1 << 16;
  private static final long BUILD_SALT = 0x5DEECE66DL;

  private final String name;
  private final long rows;
  private final List<ColumnBatch> chunks;

  /** The sum of the payload of its rows, and of the partners in R of its rows. */
  private final long payloads;

  private final long partners;

  /** Writes the key and payload of a row; gives the payload of the row's partner in R. */
  @FunctionalInterface
  private interface Maker {
    int make(long row, long key, long payload);
  }

  /**
   * @param memory where the chunks are, as long as it is open
   */
  private StreamTable(String name, long rows, QueryMemory memory, Maker maker) {
    this.name = name;
    this.rows = rows;
    this.chunks = new ArrayList<>();
    LongAdder payloadSum = new LongAdder();
    LongAdder partnerSum = new LongAdder();
    for (long first = 0; first < rows; first += CHUNK_ROWS) {
      int count = (int) Math.min(CHUNK_ROWS, rows - first);
      Buffer keys = memory.allocate(4L * count);
      Buffer payload = memory.allocate(4L * count);
      long from = first;
      IntStream.range(0, (count + TASK - 1) / TASK)
          .parallel()
          .forEach(task -> {
            long own = 0;
            long other = 0;
            int end = Math.min(count, (task + 1) * TASK);
            for (int i = task * TASK; i < end; i++) {
              long at = payload.address() + 4L * i;
              other += maker.make(from + i, keys.address() + 4L * i, at);
              own += Mem.getInt(at);
            }
            payloadSum.add(own);
            partnerSum.add(other);
          });
      ColumnShape shape = ColumnShape.of(DataType.INT32);
      chunks.add(
          new ColumnBatch(
              List.of(
                  new Column(shape, count, keys, Buffer.EMPTY, null, null),
                  new Column(shape, count, payload, Buffer.EMPTY, null, null)),
              count));
    }
    payloads = payloadSum.sum();
    partners = partnerSum.sum();
  }

  /** R: the keys 0 to n - 1 (above 2^31 they are negative) and a hash of each. */
  static StreamTable build(long rows, QueryMemory memory) {
    int bits = Math.max(2, Long.SIZE - Long.numberOfLeadingZeros(rows - 1));
    return new StreamTable(
        "R",
        rows,
        memory,
        (row, key, payload) -> {
          long number = permute(row, bits, rows);
          Mem.putInt(key, (int) number);
          Mem.putInt(payload, hash(number));
          return hash(number);
        });
  }

  /** S: rows that each have a partner among {@code buildRows} of R. */
  static StreamTable probe(long rows, long buildRows, QueryMemory memory) {
    return new StreamTable(
        "S",
        rows,
        memory,
        (row, key, payload) -> {
          int own = (int) BenchColumns.mix(row);
          long number = partner(own, buildRows);
          Mem.putInt(key, (int) number);
          Mem.putInt(payload, own);
          return hash(number);
        });
  }

  /** The number of the row of R whose key a row of S with this payload has. */
  private static long partner(int payload, long buildRows) {
    return Long.remainderUnsigned(BenchColumns.mix(payload), buildRows);
  }

  private static int hash(long number) {
    return (int) BenchColumns.mix(number ^ BUILD_SALT);
  }

  /** The payload of R that a row of the join has beside a payload of S. */
  static int expected(int payload, long buildRows) {
    return hash(partner(payload, buildRows));
  }

  /** A permutation of 0 to n - 1: a bijection of bits, walked until it is inside. */
  private static long permute(long i, int bits, long n) {
    long mask = (1L << bits) - 1;
    int half = bits / 2;
    long x = i;
    do {
      x ^= x >>> half;
      x = x * 0x2C1B3C6DL & mask;
      x ^= x >>> half;
      x = x * 0x297A2D39L & mask;
      x ^= x >>> half;
    } while (x >= n);
    return x;
  }

  /** The sum of its payload. */
  long payloads() {
    return payloads;
  }

  /** The sum of the payload of its rows' partners. */
  long partners() {
    return partners;
  }

  long bytes() {
    return rows * ROW_BYTES;
  }

  /** The same rows as a table that no cache knows. */
  StreamTable again() {
    return new StreamTable(this);
  }

  private StreamTable(StreamTable other) {
    name = other.name;
    rows = other.rows;
    chunks = other.chunks;
    payloads = other.payloads;
    partners = other.partners;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public List<String> columnNames() {
    return List.of("key", "payload");
  }

  @Override
  public List<DataType> columnTypes() {
    return List.of(DataType.INT32, DataType.INT32);
  }

  @Override
  public long rows() {
    return rows;
  }

  @Override
  public Pin pin(List<Integer> columns) {
    return new BenchTable(name, columnTypes(), chunks).pin(columns);
  }
}
