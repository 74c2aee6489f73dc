package io.aragonite.bench.choice;

import io.aragonite.bench.data.JoinQuery;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.table.Table;
import io.aragonite.bench.data.Zipf;

import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import io.aragonite.exec.vector.ValueRange;
import io.aragonite.exec.cost.JoinShape;
import io.aragonite.exec.profile.Skew;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HashTable;
import io.aragonite.exec.device.ProbeWords;
import io.aragonite.exec.device.CompiledProjection;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The sides of a {@link ChoicePoint}, made on the device itself by expressions, since a host would
 * take seconds for sizes that a GPU joins in milliseconds. A row's payload is made of the number
 * that its key is made of, so that every row of an output can be checked there too.
 */
final class ChoiceData {
  private static final int PIECE = 1 << 24;

  /** Quantiles that Zipf's law is drawn from; values within one are equally likely. */
  private static final int QUANTILE_BITS = 16;

  private static final int QUANTILES = 1 << QUANTILE_BITS;

  /**
   * One side, in the device's memory.
   *
   * @param key of INT or LONG storage, without nulls or indirection
   * @param payload columns without nulls or indirection
   */
  private record Side(Column key, List<Column> payload) {
    List<Column> columns() {
      List<Column> columns = new ArrayList<>(payload);
      columns.addFirst(key);
      return columns;
    }
  }

  private final ChoicePoint point;
  private final ExecContext context;
  private final Device device;
  private final QueryMemory memory;
  private final Side left;
  private final Side right;
  private final Table r;
  private final Table s;

  /** Makes the data; it lives in the context's memory. */
  ChoiceData(ChoicePoint point, ExecContext context) {
    this.point = point;
    this.context = context;
    this.device = context.device();
    this.memory = context.memory();
    left =
        side(
            point.leftRows(),
            point.leftColumns(),
            leftNumber(),
            point.leftZipf(),
            0,
            point.leftSorted());
    right =
        side(
            point.rightRows(),
            point.rightColumns(),
            null,
            point.rightZipf(),
            1,
            point.rightSorted());
    r = table("r", left);
    s = table("s", right);
  }

  private Side side(boolean ofLeft) {
    return ofLeft ? left : right;
  }

  /** The join with a side built, by the plan that SQL becomes. */
  PhysicalPlan plan(JoinAlgorithm algorithm, boolean buildLeft) {
    return JoinQuery.plan(buildLeft ? r : s, buildLeft ? s : r, algorithm);
  }

  /** The same columns as a table, in host memory; on a device of its own the keys stay. */
  private Table table(String name, Side side) {
    List<Column> onHost = new ArrayList<>();
    for (Column column : side.columns()) {
      Buffer values = column.values();
      if (!device.traits().hostMemory()) {
        long bytes = (long) column.shape().storage().width() * column.dataRows();
        values = context.hostMemory().allocate(bytes);
        device.transfers().toHost(context, column.values(), values.address(), bytes);
      }
      onHost.add(new Column(column.shape(), column.dataRows(), values, Buffer.EMPTY, null, null));
    }
    if (!device.traits().hostMemory()) {
      side.payload().forEach(column -> memory.free(column.values()));
    }
    return JoinQuery.table(name, onHost);
  }

  // Row numbers are column 0 of what numbers are made of, INT32.

  private static Expr number(long value) {
    return Expr.literal(value, DataType.INT64);
  }

  private static Expr call(Op op, Expr a, Expr b) {
    return Expr.call(op, DataType.INT64, a, b);
  }

  /** The low bits of a number that is not negative. BIT_AND has no kernel. */
  private static Expr low(Expr a, int bits) {
    return call(Op.MOD, a, number(1L << bits));
  }

  private static Expr row() {
    return Expr.call(Op.CAST, DataType.INT64, Expr.ref(0, DataType.INT32));
  }

  /** So many random bits of a row. */
  private static Expr random(long salt, int bits) {
    Expr any =
        new Expr.KeyWord(List.of(call(Op.PLUS, row(), number(salt << 32))), KeyLayout.HASHED);
    return low(call(Op.PLUS, low(any, bits), number(1L << bits)), bits);
  }

  /**
   * A bijection of the numbers of so many bits, at most 32: a multiplication, a rotation, twice.
   */
  private static Expr permuted(Expr x, int bits, long salt) {
    if (bits < 2) {
      return x;
    }
    Expr once = low(call(Op.PLUS, call(Op.TIMES, x, number(0x2C1B3C6DL)), number(salt)), bits);
    Expr twice = low(call(Op.TIMES, rotated(once, bits), number(0x297A2D39L)), bits);
    return low(call(Op.TIMES, rotated(twice, bits), number(0x1B873593L)), bits);
  }

  private static Expr rotated(Expr x, int bits) {
    int half = bits / 2;
    return call(
        Op.PLUS,
        call(Op.DIVIDE, x, number(1L << half)),
        call(Op.TIMES, low(x, half), number(1L << (bits - half))));
  }

  private @Nullable Expr leftNumber() {
    if (point.leftZipf() > 0) {
      return null;
    }
    return low(permuted(row(), point.leftLog2(), 17), point.numberBits());
  }

  /**
   * Numbers by Zipf's law, or all equally likely: of rows that match; others have numbers beyond.
   *
   * @param from rows, and beside them the beginnings and widths of quantiles, INT32
   */
  private Expr drawn(double zipf, int salt, double match) {
    Expr any = random(3 + 10L * salt, point.numberBits());
    Expr inside = any;
    if (zipf > 0) {
      Expr first = Expr.call(Op.CAST, DataType.INT64, Expr.ref(1, DataType.INT32));
      Expr width = Expr.call(Op.CAST, DataType.INT64, Expr.ref(2, DataType.INT32));
      Expr rank = call(Op.PLUS, first, call(Op.MOD, random(4 + 10L * salt, 40), width));
      inside = permuted(rank, point.numberBits(), 1_000_003L * (salt + 1));
    }
    if (match >= 1) {
      return inside;
    }
    Expr chance = random(5 + 10L * salt, 30);
    Expr matches =
        Expr.call(Op.LT, DataType.BOOLEAN, chance, number(Math.round(match * (1L << 30))));
    Expr outside = call(Op.PLUS, any, number(point.numbers()));
    return Expr.call(Op.CASE, DataType.INT64, matches, inside, outside);
  }

  /** The key of a number. */
  private Expr key(Expr number) {
    if (!point.sparse()) {
      return keyType(number);
    }
    if (point.keyBytes() == 8) {
      return new Expr.KeyWord(List.of(number), KeyLayout.HASHED);
    }
    Expr once = low(call(Op.TIMES, number, number(0x9E3779B1L)), 32);
    Expr twice = low(call(Op.TIMES, rotated(once, 32), number(0x2C1B3C6DL)), 32);
    return keyType(call(Op.MINUS, twice, number(1L << 31)));
  }

  private Expr keyType(Expr value) {
    return cast(value, point.keyBytes());
  }

  private static Expr cast(Expr value, int bytes) {
    return bytes == 8 ? value : Expr.call(Op.CAST, DataType.INT32, value);
  }

  /** Payload column c of a row with a number. */
  private Expr payload(Expr number, int c, boolean ofLeft) {
    return cast(call(Op.PLUS, number, number(c + (ofLeft ? 1 : 101))), point.payloadBytes());
  }

  private Side side(
      int rows, int columns, @Nullable Expr numbered, double zipf, int salt, boolean sorted) {
    boolean ofLeft = salt == 0;
    Buffer numbers =
        numbered != null
            ? made(rows, 8, rowsOnly(), numbered)
            : zipf > 0
                ? zipf(rows, zipf, salt, ofLeft ? 1 : point.match())
                : made(rows, 8, rowsOnly(), drawn(0, salt, point.match()));
    if (sorted) {
      Buffer unsorted = numbers;
      Buffer words = words(unsorted, rows);
      Buffer ids = memory.allocate(4L * rows);
      context.scan().iota(context, ids, 0, rows);
      context.sort().sortPairs(context, words, ids, rows, 0, Long.SIZE);
      memory.free(words);
      Column column = column(unsorted, rows, 8).withRowIds(new RowIds(ids, rows, false));
      numbers = context.gather().materialize(context, column, memory).values();
      memory.free(ids);
      memory.free(unsorted);
    }
    Expr ref = Expr.ref(0, DataType.INT64);
    Pieces from = of(numbers);
    Column key = column(made(rows, point.keyBytes(), from, key(ref)), rows, point.keyBytes());
    List<Column> payload = new ArrayList<>();
    for (int c = 0; c < columns; c++) {
      int width = point.payloadBytes();
      payload.add(column(made(rows, width, from, payload(ref, c, ofLeft)), rows, width));
    }
    memory.free(numbers);
    return new Side(key, payload);
  }

  /** Keys as words of eight bytes. */
  private Buffer words(Buffer numbers, int rows) {
    Expr key = key(Expr.ref(0, DataType.INT64));
    // Unsigned words in the order of signed keys.
    Expr wide =
        point.keyBytes() == 8
            ? key
            : call(Op.MINUS, Expr.call(Op.CAST, DataType.INT64, key), number(Integer.MIN_VALUE));
    return made(rows, 8, of(numbers), wide);
  }

  /** What a piece of rows is made from. */
  private interface Pieces {
    ColumnBatch piece(int from, int count);
  }

  private Pieces of(Buffer numbers) {
    return (from, count) ->
        new ColumnBatch(List.of(column(numbers.slice(8L * from, 8L * count), count, 8)), count);
  }

  private Pieces rowsOnly() {
    return (from, count) -> {
      Buffer ids = context.scratch().allocate(4L * count);
      context.scan().iota(context, ids, from, count);
      return new ColumnBatch(List.of(column(ids, count, 4)), count);
    };
  }

  /** A column in memory of its own: an expression over pieces, one after the other. */
  private Buffer made(int rows, int width, Pieces from, Expr expression) {
    Buffer out = memory.allocate((long) width * rows);
    CompiledProjection compiled = null;
    for (int at = 0; at < rows; at += PIECE) {
      int count = Math.min(PIECE, rows - at);
      long mark = context.scratch().mark();
      ColumnBatch piece = from.piece(at, count);
      if (compiled == null) {
        compiled = device.expressions().projection(List.of(expression), piece.shapes());
      }
      Buffer values = compiled.evaluate(context, piece).column(0).values();
      long bytes = (long) width * count;
      device.transfers().copy(context, values, out.slice((long) width * at, bytes), bytes);
      context.scratch().release(mark);
    }
    return out;
  }

  private Buffer zipf(int rows, double exponent, int salt, double match) {
    Skew law = new Skew(exponent, point.numbers());
    int[] firsts = new int[QUANTILES + 1];
    for (int q = 1; q <= QUANTILES; q++) {
      firsts[q] =
          q == QUANTILES ? point.numbers() : rank(law, (double) q / QUANTILES, firsts[q - 1]);
    }
    int[] widths = new int[QUANTILES];
    for (int q = 0; q < QUANTILES; q++) {
      widths[q] = Math.max(1, firsts[q + 1] - firsts[q]);
      firsts[q] = Math.min(firsts[q], point.numbers() - 1);
    }
    Column first = column(uploaded(firsts), QUANTILES, 4);
    Column width = column(uploaded(widths), QUANTILES, 4);
    Expr quantile = cast(random(6 + 10L * salt, QUANTILE_BITS), 4);
    Pieces plain = rowsOnly();
    Buffer out =
        made(
            rows,
            8,
            (from, count) -> {
              ColumnBatch piece = plain.piece(from, count);
              Buffer ids =
                  device
                      .expressions()
                      .projection(List.of(quantile), piece.shapes())
                      .evaluate(context, piece)
                      .column(0)
                      .values();
              RowIds chosen = new RowIds(ids, count, false);
              return new ColumnBatch(
                  List.of(
                      piece.column(0),
                      context.gather().materialize(context, first.withRowIds(chosen), context.scratch()),
                      context.gather().materialize(context, width.withRowIds(chosen), context.scratch())),
                  count);
            },
            drawn(exponent, salt, match));
    memory.free(first.values());
    memory.free(width.values());
    return out;
  }

  /** How many of the most frequent values have a share of the rows, at most. */
  private static int rank(Skew law, double share, int least) {
    int low = least;
    int high = (int) law.values();
    while (low < high) {
      int middle = (int) (((long) low + high) >>> 1);
      if (law.share(middle + 1) <= share) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private Buffer uploaded(int[] values) {
    QueryMemory.Arena scratch = context.hostScratch();
    long mark = scratch.mark();
    long at = scratch.allocate(4L * QUANTILES).address();
    for (int i = 0; i < QUANTILES; i++) {
      Mem.putInt(at + 4L * i, values[i]);
    }
    Buffer out = memory.allocate(4L * QUANTILES);
    device.transfers().toDevice(context, at, out, 4L * QUANTILES);
    scratch.release(mark);
    return out;
  }

  private static Column column(Buffer values, int rows, int width) {
    DataType type = width == 4 ? DataType.INT32 : DataType.INT64;
    return new Column(ColumnShape.of(type), rows, values, Buffer.EMPTY, null, null);
  }

  /**
   * What perfect statistics would say of the join with a side built; counted, but for the skew,
   * which is that of the law that keys were drawn by.
   *
   * @param outRows pairs that come out
   */
  JoinShape shape(boolean buildLeft, long outRows) {
    Side build = side(buildLeft);
    Side probe = side(!buildLeft);
    int width = point.keyBytes();
    int rows = build.key().dataRows();
    Buffer words = build.key().values();
    long distinct;
    long matched;
    long mark = context.scratch().mark();
    try (HashTable table =
        context.hash().build(
            context,
            words,
            width,
            null,
            rows,
            context.partition().partitionFunction(context, words, width, rows),
            memory)) {
      distinct = table.distinct();
      int count = probe.key().dataRows();
      Buffer found = context.scratch().allocate(4L * count);
      table.lookup(context, new ProbeWords(probe.key().values(), width, count), found);
      Buffer out = context.scratch().allocate(4L * count);
      matched = context.scan().selectIds(context, found, count, true, out);
    }
    context.scratch().release(mark);
    ValueRange range = context.scan().valueRange(context, build.key());
    double values = range == null ? 1 : (double) range.max() - range.min() + 1;
    double zipf = buildLeft ? point.rightZipf() : point.leftZipf();
    double top = zipf == 0 ? 0 : new Skew(zipf, point.numbers()).share(1);
    double ratio = (double) matched / probe.key().dataRows();
    return new JoinShape(
        sized(build, buildLeft, 0),
        sized(probe, !buildLeft, 1),
        width,
        distinct,
        values,
        ratio,
        ChoiceResult.within(buildLeft, ratio),
        outRows,
        Skew.of(buildLeft ? top * point.match() : top, distinct),
        device.traits().hostMemory());
  }

  /**
   * @param keys columns of keys that come out: the probe side's
   */
  private JoinShape.JoinSideShape sized(Side side, boolean ofLeft, int keys) {
    int columns = side.payload().size();
    return new JoinShape.JoinSideShape(
        side.key().dataRows(),
        columns + keys,
        (double) columns * point.payloadBytes() + keys * point.keyBytes(),
        0,
        ofLeft ? point.leftSorted() : point.rightSorted());
  }

  /**
   * The number of values of an output piece that are wrong; of large pieces, among {@link #PIECE}
   * rows from the middle, and each value of a row against the first payload column.
   *
   * @param worker whose memory the batch is in
   * @param batch the key, the build side's payload, the probe side's
   */
  long wrong(ExecContext worker, ColumnBatch batch, boolean buildLeft) {
    DataType type = point.payloadBytes() == 4 ? DataType.INT32 : DataType.INT64;
    int built = side(buildLeft).payload().size();
    Expr first = Expr.ref(0, type);
    Expr wide = type.equals(DataType.INT64) ? first : Expr.call(Op.CAST, DataType.INT64, first);
    Expr number = call(Op.MINUS, wide, number(buildLeft ? 1 : 101));
    int rows = Math.min(batch.rows(), PIECE);
    int from = (batch.rows() - rows) / 2 & ~63;
    Column numbers = batch.column(1).slice(from, rows);
    long wrong = 0;
    for (int c = 0; c < batch.columns().size(); c++) {
      boolean ofBuild = c <= built;
      Expr expected =
          c == 0
              ? key(number)
              : payload(number, ofBuild ? c - 1 : c - 1 - built, ofBuild == buildLeft);
      // Two columns at a time, so that a few kernels serve all numbers of columns.
      ColumnBatch pair = new ColumnBatch(List.of(numbers, batch.column(c).slice(from, rows)), rows);
      Expr is = Expr.ref(1, pair.column(1).shape().type());
      Expr differs = Expr.call(Op.NE, DataType.BOOLEAN, is, expected);
      long mark = worker.scratch().mark();
      Buffer out = worker.scratch().allocate(4L * rows);
      wrong += device.expressions().predicate(differs, pair.shapes()).select(worker, pair, out);
      worker.scratch().release(mark);
    }
    return wrong;
  }
}
