package io.aragonite.exec.device.cpu.codegen;

import io.aragonite.exec.device.TestContext;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.KeyLayouts;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Columns;
import io.aragonite.exec.vector.RowIds;
import io.aragonite.exec.vector.ValueRange;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * CPU nanoseconds a row of TPC-H's expressions over a batch in cache. Run {@link #main}; each line
 * is the median and the best of {@value #RUNS} runs.
 */
public final class ExpressionsBench {
  private static final java.lang.management.ThreadMXBean THREADS =
      java.lang.management.ManagementFactory.getThreadMXBean();
  private static final int ROWS = 4096;
  private static final int RUNS = 15;
  private static final int BATCHES = 1500;

  private static final DataType MONEY = DataType.decimal(15, 2, false);

  private ExpressionsBench() {}

  public static void main(String[] args) {
    CpuExpressionCompiler compiler = new CpuExpressionCompiler();
    // Not closed: blocks of memory are kept for the next query, which closing would take for a
    // leak.
    CpuDevice device = new CpuDevice(1, new MemoryBudget("memory", 1L << 30), compiler);
    TestContext context = new TestContext(device);
    Random random = new Random(1);
    List<Column> columns = new ArrayList<>();
    columns.add(numbers(context, random, DataType.DATE, Storage.INT, 8035, 10591));
    columns.add(numbers(context, random, MONEY, Storage.LONG, 100, 5000));
    columns.add(numbers(context, random, MONEY, Storage.LONG, 90_000, 10_500_000));
    columns.add(numbers(context, random, MONEY, Storage.LONG, 0, 10));
    columns.add(numbers(context, random, MONEY, Storage.LONG, 0, 8));
    String[] flags = {"A", "N", "R"};
    String[] status = {"F", "O"};
    String[] types = {"PROMO BRUSHED TIN", "STANDARD ANODIZED STEEL", "ECONOMY PLATED BRASS"};
    columns.add(texts(context, random, flags, true));
    columns.add(texts(context, random, status, true));
    columns.add(texts(context, random, types, true));
    String[] comments = new String[1000];
    String[] words = "carefully final requests special deposits sleep blithely ironic".split(" ");
    for (int i = 0; i < comments.length; i++) {
      StringBuilder text = new StringBuilder();
      while (text.length() < 49) {
        text.append(words[random.nextInt(words.length)]).append(' ');
      }
      comments[i] = text.toString();
    }
    columns.add(texts(context, random, comments, false));
    columns.add(numbers(context, random, DataType.INT64, Storage.LONG, 1, 6_000_000));
    List<ColumnShape> shapes = columns.stream().map(Column::shape).toList();
    ColumnBatch batch = new ColumnBatch(columns, ROWS);
    RowIds ids = shuffled(context, random);
    ColumnBatch indirect =
        new ColumnBatch(columns.stream().map(c -> c.withRowIds(ids)).toList(), ROWS);

    Expr discounted =
        Expr.call(
            Op.TIMES,
            DataType.decimal(31, 4, false),
            ref(shapes, 2),
            Expr.call(Op.MINUS, DataType.decimal(16, 2, false), money("1.00"), ref(shapes, 3)));
    Expr charge =
        Expr.call(
            Op.TIMES,
            DataType.decimal(38, 6, false),
            discounted,
            Expr.call(Op.PLUS, DataType.decimal(16, 2, false), money("1.00"), ref(shapes, 4)));
    project("Q1 project", compiler, context, List.of(discounted, charge), batch, indirect);
    List<ColumnShape> keys = List.of(shapes.get(5), shapes.get(6));
    Expr word = new Expr.KeyWord(List.of(ref(shapes, 5), ref(shapes, 6)), KeyLayouts.choose(keys));
    project("Q1 key word", compiler, context, List.of(word), batch, indirect);
    Expr hashed =
        new Expr.KeyWord(
            List.of(ref(shapes, 9), ref(shapes, 8)), io.aragonite.exec.expr.KeyLayout.HASHED);
    project("hashed key word", compiler, context, List.of(hashed), batch, indirect);
    Expr year =
        Expr.call(
            Op.EXTRACT, DataType.INT64, Expr.literal("YEAR", DataType.VARCHAR), ref(shapes, 0));
    project("Q9 year", compiler, context, List.of(year), batch, indirect);
    Expr promo =
        Expr.call(
            Op.CASE,
            DataType.decimal(31, 4, false),
            like(shapes, 7, "PROMO%"),
            discounted,
            Expr.literal(new BigDecimal("0.0000"), DataType.decimal(31, 4, false)));
    project("Q14 case", compiler, context, List.of(promo), batch, indirect);

    select(
        "Q1 filter",
        compiler,
        context,
        compare(Op.LE, ref(shapes, 0), date(10471)),
        batch,
        indirect);
    Expr q6 =
        and(
            compare(Op.GE, ref(shapes, 0), date(8766)),
            compare(Op.LT, ref(shapes, 0), date(9131)),
            compare(Op.GE, ref(shapes, 3), money("0.05")),
            compare(Op.LE, ref(shapes, 3), money("0.07")),
            compare(Op.LT, ref(shapes, 1), money("24.00")));
    select("Q6 filter", compiler, context, q6, batch, indirect);
    select(
        "Q13 not like",
        compiler,
        context,
        Expr.call(Op.NOT, DataType.BOOLEAN, like(shapes, 8, "%special%requests%")),
        batch,
        indirect);
    select("Q14 like on codes", compiler, context, like(shapes, 7, "PROMO%"), batch, indirect);
  }

  private static Column numbers(
      TestContext context, Random random, DataType type, Storage storage, long min, long max) {
    List<Object> values = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      long value = random.nextLong(min, max + 1);
      values.add(type.equals(MONEY) ? BigDecimal.valueOf(value, 2) : (Object) value);
    }
    ColumnShape shape = new ColumnShape(type, storage, false, null, new ValueRange(min, max));
    return Columns.of(context.memory(), shape, values);
  }

  private static Column texts(TestContext context, Random random, String[] words, boolean codes) {
    String[] values = new String[ROWS];
    Arrays.setAll(values, i -> words[random.nextInt(words.length)]);
    return codes
        ? Columns.ofCodes(context.memory(), values)
        : Columns.ofStrings(context.memory(), values);
  }

  private static RowIds shuffled(TestContext context, Random random) {
    int[] ids = new int[ROWS];
    Arrays.setAll(ids, i -> random.nextInt(ROWS));
    return Columns.rowIds(context.memory(), false, ids);
  }

  private static Expr ref(List<ColumnShape> shapes, int index) {
    return Expr.ref(index, shapes.get(index).type());
  }

  private static Expr money(String value) {
    return Expr.literal(new BigDecimal(value), MONEY);
  }

  private static Expr date(long days) {
    return Expr.literal(days, DataType.DATE);
  }

  private static Expr compare(Op op, Expr a, Expr b) {
    return Expr.call(op, DataType.BOOLEAN, a, b);
  }

  private static Expr and(Expr... terms) {
    return Expr.call(Op.AND, DataType.BOOLEAN, terms);
  }

  private static Expr like(List<ColumnShape> shapes, int column, String pattern) {
    return Expr.call(
        Op.LIKE, DataType.BOOLEAN, ref(shapes, column), Expr.literal(pattern, DataType.VARCHAR));
  }

  private static void project(
      String name,
      CpuExpressionCompiler compiler,
      TestContext context,
      List<Expr> exprs,
      ColumnBatch... batches) {
    for (ColumnBatch batch : batches) {
      var compiled = compiler.projection(exprs, batch.shapes());
      check(context, compiled.evaluate(context, batch), exprs, batch);
      time(
          name,
          batch,
          () -> {
            context.scratch().reset();
            return compiled.evaluate(context, batch).rows();
          });
    }
  }

  private static void check(
      TestContext context, ColumnBatch result, List<Expr> exprs, ColumnBatch batch) {
    ColumnBatch wanted = Interpreted.Projection.of(exprs, batch.shapes()).evaluate(context, batch);
    if (!Columns.rows(wanted).equals(Columns.rows(result))) {
      throw new AssertionError("wrong result of " + exprs);
    }
  }

  private static void select(
      String name,
      CpuExpressionCompiler compiler,
      TestContext context,
      Expr predicate,
      ColumnBatch... batches) {
    for (ColumnBatch batch : batches) {
      var compiled = compiler.predicate(predicate, batch.shapes());
      Buffer out = context.memory().allocate(4L * ROWS);
      Buffer wanted = context.memory().allocate(4L * ROWS);
      int count = compiled.select(context, batch, out);
      if (count != new Interpreted.Predicate(predicate).select(context, batch, wanted)
          || !Arrays.equals(Columns.ints(out, count), Columns.ints(wanted, count))) {
        throw new AssertionError("wrong rows of " + predicate);
      }
      time(
          name + " (" + 100 * count / ROWS + " % left)",
          batch,
          () -> {
            context.scratch().reset();
            return compiled.select(context, batch, out);
          });
    }
  }

  private static void time(String name, ColumnBatch batch, java.util.function.IntSupplier work) {
    double[] times = new double[RUNS];
    long sink = 0;
    for (int run = -5; run < RUNS; run++) {
      long start = THREADS.getCurrentThreadCpuTime();
      for (int i = 0; i < BATCHES; i++) {
        sink += work.getAsInt();
      }
      double nanos = (THREADS.getCurrentThreadCpuTime() - start) / ((double) BATCHES * ROWS);
      if (run >= 0) {
        times[run] = nanos;
      }
    }
    Arrays.sort(times);
    System.out.printf(
        "%-32s %-9s median %6.2f ns/row, best %6.2f%s%n",
        name,
        batch.column(0).rowIds() == null ? "direct" : "indirect",
        times[RUNS / 2],
        times[0],
        sink == 42 ? "!" : "");
  }
}
