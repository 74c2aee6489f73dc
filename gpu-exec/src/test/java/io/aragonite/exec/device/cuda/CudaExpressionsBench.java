package io.aragonite.exec.device.cuda;

import static io.aragonite.exec.device.cuda.BenchData.mix;

import io.aragonite.exec.device.CompiledPredicate;
import io.aragonite.exec.device.CompiledProjection;
import io.aragonite.exec.device.TestContext;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.MemoryDebug;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import io.aragonite.exec.vector.ValueRange;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.IntToLongFunction;

/**
 * TPC-H's expressions on a GPU, from call to completion as Java sees it: median, best and worst of
 * several runs, the time of the first call, which makes the kernel, and bytes that must be moved
 * over the median. Answers are checked. The first argument selects by name (a regular expression),
 * the second is the number of rows as a power of two (26).
 */
public final class CudaExpressionsBench {
  private static final int RUNS = 15;
  private static final int WARM_UP = 3;
  private static final int TEXT_BYTES = 48;
  private static final DataType MONEY = DataType.decimal(15, 2, false);
  private static final String WORDS =
      "carefully final requests special deposits sleep blithely ironic ";

  private final String filter;
  private final int rows;
  private final CudaDevice device;
  private final TestContext context;
  private final CudaStream stream;
  private final BenchData data;

  private CudaExpressionsBench(String filter, int rows) {
    this.filter = filter;
    this.rows = rows;
    CudaGpu gpu = CudaDriver.get().gpu(0);
    device =
        new CudaDevice(
            gpu,
            CudaDevice.defaultBudget(gpu),
            new CpuDevice(1, new MemoryBudget("memory", 4L << 30), new CpuExpressionCompiler()));
    context = new TestContext(device);
    stream = CudaStream.of(context);
    data = new BenchData(context);
    System.out.printf(
        "%s, %d rows, median of %d runs%n%-36s %9s %9s %9s %9s %9s%n",
        gpu.productName(), rows, RUNS, "expression", "median ms", "best", "worst", "first", "GB/s");
  }

  public static void main(String[] args) {
    if (MemoryDebug.ON) {
      System.err.println("aragonite.memory.debug is on: these figures mean nothing");
    }
    int power = args.length < 2 ? 26 : Integer.parseInt(args[1]);
    new CudaExpressionsBench(args.length == 0 ? "" : args[0], 1 << power).run();
  }

  private void run() {
    Column date = numbers(DataType.DATE, Storage.INT, 4, 8035, 10591, CudaExpressionsBench::date);
    Column price = numbers(MONEY, Storage.LONG, 8, 90_000, 10_500_000, CudaExpressionsBench::price);
    Column discount = numbers(MONEY, Storage.LONG, 8, 0, 10, CudaExpressionsBench::discount);
    Column quantity = numbers(MONEY, Storage.LONG, 8, 100, 5000, CudaExpressionsBench::quantity);
    ColumnBatch batch = new ColumnBatch(List.of(date, price, discount, quantity), rows);
    filters(batch);
    projections(batch);
    like();
    data.free();
    context.close();
    device.close();
  }

  private void filters(ColumnBatch batch) {
    Expr d = Expr.ref(0, DataType.DATE);
    select("Q1 filter", batch, compare(Op.LE, d, days(10_471)), 4, row -> date(row) <= 10_471);
    Expr q6 =
        Expr.call(
            Op.AND,
            DataType.BOOLEAN,
            compare(Op.GE, d, days(8766)),
            compare(Op.LT, d, days(9131)),
            compare(Op.GE, Expr.ref(2, MONEY), money("0.05")),
            compare(Op.LE, Expr.ref(2, MONEY), money("0.07")),
            compare(Op.LT, Expr.ref(3, MONEY), money("24.00")));
    select(
        "Q6 filter",
        batch,
        q6,
        20,
        row ->
            date(row) >= 8766
                && date(row) < 9131
                && discount(row) >= 5
                && discount(row) <= 7
                && quantity(row) < 2400);
  }

  private void projections(ColumnBatch batch) {
    Expr d = Expr.ref(0, DataType.DATE);
    Expr revenue =
        Expr.call(
            Op.TIMES,
            DataType.decimal(31, 4, false),
            Expr.ref(1, MONEY),
            Expr.call(Op.MINUS, DataType.decimal(16, 2, false), money("1.00"), Expr.ref(2, MONEY)));
    IntToLongFunction revenueOf = row -> price(row) * (100 - discount(row));
    project("revenue", batch, revenue, 24, 8, revenueOf);
    Buffer ids = data.make(rows, 4, i -> rows - 1 - i);
    RowIds reversed = new RowIds(ids, rows, false);
    ColumnBatch indirect =
        new ColumnBatch(
            batch.columns().stream().map(column -> column.withRowIds(reversed)).toList(), rows);
    project(
        "revenue, by row ids",
        indirect,
        revenue,
        28,
        8,
        row -> revenueOf.applyAsLong(rows - 1 - row));
    Expr year = Expr.call(Op.EXTRACT, DataType.INT64, Expr.literal("YEAR", DataType.VARCHAR), d);
    project(
        "Q9 year", batch, year, 12, 8, row -> java.time.LocalDate.ofEpochDay(date(row)).getYear());
    Expr word = new Expr.KeyWord(List.of(Expr.ref(1, MONEY), d), KeyLayout.HASHED);
    project("hashed key word", batch, word, 20, 8, row -> 0);
    Expr divided =
        Expr.call(
            Op.DIVIDE, DataType.decimal(19, 6, false), Expr.ref(1, MONEY), Expr.ref(3, MONEY));
    project("price / quantity", batch, divided, 24, 8, CudaExpressionsBench::divided);
  }

  private static long date(int row) {
    return 8035 + (mix(row) >>> 1) % 2557;
  }

  private static long price(int row) {
    return 90_000 + (mix(row + 1L) >>> 1) % 10_410_001;
  }

  private static long discount(int row) {
    return (mix(row + 2L) >>> 1) % 11;
  }

  private static long quantity(int row) {
    return 100 * (1 + (mix(row + 3L) >>> 1) % 50);
  }

  private static long divided(int row) {
    return BigDecimal.valueOf(price(row))
        .divide(BigDecimal.valueOf(quantity(row)), 6, java.math.RoundingMode.HALF_UP)
        .unscaledValue()
        .longValueExact();
  }

  private void like() {
    int count = rows / 8;
    byte[] words = WORDS.repeat(4).getBytes(StandardCharsets.US_ASCII);
    IntToLongFunction start = row -> (mix(row) >>> 1) % WORDS.length();
    Buffer offsets = data.make(count + 1, 4, i -> (long) i * TEXT_BYTES);
    Buffer bytes =
        data.make(
            count * TEXT_BYTES,
            1,
            i -> words[(int) start.applyAsLong(i / TEXT_BYTES) + i % TEXT_BYTES]);
    ColumnShape shape = new ColumnShape(DataType.VARCHAR, Storage.BYTES, false, null, null);
    Column texts = new Column(shape, count, bytes, offsets, null, null);
    Expr like =
        Expr.call(
            Op.NOT,
            DataType.BOOLEAN,
            Expr.call(
                Op.LIKE,
                DataType.BOOLEAN,
                Expr.ref(0, DataType.VARCHAR),
                Expr.literal("%special%requests%", DataType.VARCHAR)));
    select(
        "Q13 not like, 1/8 of the rows",
        new ColumnBatch(List.of(texts), count),
        like,
        4 + TEXT_BYTES,
        row -> {
          int from = (int) start.applyAsLong(row);
          String text = new String(words, from, TEXT_BYTES, StandardCharsets.US_ASCII);
          int special = text.indexOf("special");
          return special < 0 || text.indexOf("requests", special + 7) < 0;
        });
  }

  private Column numbers(
      DataType type, Storage storage, int width, long min, long max, IntToLongFunction value) {
    ColumnShape shape = new ColumnShape(type, storage, false, null, new ValueRange(min, max));
    return new Column(shape, rows, data.make(rows, width, value), Buffer.EMPTY, null, null);
  }

  private static Expr compare(Op op, Expr a, Expr b) {
    return Expr.call(op, DataType.BOOLEAN, a, b);
  }

  private static Expr days(long days) {
    return Expr.literal(days, DataType.DATE);
  }

  private static Expr money(String value) {
    return Expr.literal(new BigDecimal(value), MONEY);
  }

  private void select(
      String name, ColumnBatch batch, Expr predicate, int bytesARow, IntPredicate wanted) {
    if (!name.matches(".*(" + filter + ").*")) {
      return;
    }
    CompiledPredicate compiled = device.expressions().predicate(predicate, batch.shapes());
    Buffer out = context.memory().allocate(4L * batch.rows());
    int[] count = new int[1];
    double[] times = measure(() -> count[0] = compiled.select(context, batch, out));
    print(
        name + " (" + 100L * count[0] / batch.rows() + " % left)",
        times,
        (double) bytesARow * batch.rows() + 4.0 * count[0]);
    int[] next = {-1};
    data.check(
        name,
        out,
        count[0],
        4,
        (i, value) -> {
          do {
            next[0]++;
          } while (!wanted.test(next[0]));
          return value == next[0] ? null : "not " + next[0];
        });
    while (++next[0] < batch.rows()) {
      if (wanted.test(next[0])) {
        throw new AssertionError(name + ": row " + next[0] + " is missing");
      }
    }
    context.memory().free(out);
  }

  private void project(
      String name,
      ColumnBatch batch,
      Expr expr,
      int bytesARow,
      int width,
      IntToLongFunction expected) {
    if (!name.matches(".*(" + filter + ").*")) {
      return;
    }
    CompiledProjection compiled = device.expressions().projection(List.of(expr), batch.shapes());
    Column[] result = new Column[1];
    double[] times =
        measure(() -> result[0] = compiled.evaluate(context, batch).columns().getFirst());
    print(name, times, (double) bytesARow * batch.rows());
    if (!(expr instanceof Expr.KeyWord)) {
      data.expect(name, result[0].values(), batch.rows(), width, expected);
    }
    context.scratch().reset();
  }

  /** Milliseconds of each run, sorted; the last entry is that of the first call. */
  private double[] measure(Runnable body) {
    double[] times = new double[RUNS + 1];
    for (int run = -WARM_UP; run < RUNS; run++) {
      context.scratch().reset();
      stream.sync();
      long start = System.nanoTime();
      body.run();
      stream.sync();
      double time = (System.nanoTime() - start) / 1e6;
      if (run == -WARM_UP) {
        times[RUNS] = time;
      } else if (run >= 0) {
        times[run] = time;
      }
    }
    Arrays.sort(times, 0, RUNS);
    return times;
  }

  private static void print(String name, double[] times, double bytes) {
    System.out.printf(
        "%-36s %9.3f %9.3f %9.3f %9.1f %9.0f%n",
        name,
        times[RUNS / 2],
        times[0],
        times[RUNS - 1],
        times[RUNS],
        bytes / times[RUNS / 2] / 1e6);
  }
}
