package io.aragonite.exec.device.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.ExpressionCompiler;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.device.TestContext;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Interpreter;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.testing.TestSeed;
import io.aragonite.exec.testing.device.TestDevices;
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
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Compiled code against the interpreter: random expressions over random batches. */
class CompiledExpressionsTest {
  private static final int ROUNDS = Integer.getInteger("aragonite.rounds", 150);

  private Device device;
  private ExpressionCompiler compiler;
  private TestContext context;

  /** What is tested. */
  Device newDevice() {
    return TestDevices.create();
  }

  @BeforeEach
  void open() {
    device = newDevice();
    compiler = device.expressions();
    context = new TestContext(device);
  }

  @AfterEach
  void close() {
    context.close();
    device.close();
  }

  /** Columns of values; in form 0 plain, otherwise behind indirections, some of them shared. */
  private ColumnBatch batch(
      RandomExpressions source, List<List<@Nullable Object>> rows, int form, Random random) {
    List<Column> columns = new ArrayList<>();
    int[] reversed = new int[rows.size()];
    for (int i = 0; i < reversed.length; i++) {
      reversed[i] = reversed.length - 1 - i;
    }
    RowIds shared = Columns.rowIds(context.hostScratch(), false, reversed);
    for (int c = 0; c < source.shapes.size(); c++) {
      ColumnShape shape = source.shapes.get(c);
      List<@Nullable Object> values = new ArrayList<>();
      for (List<@Nullable Object> row : rows) {
        values.add(row.get(c));
      }
      Column column;
      if (shape.storage() == Storage.NONE) {
        column = Columns.of(context.hostScratch(), shape, values);
      } else if (form == 0 || rows.isEmpty()) {
        column = Columns.of(context.hostScratch(), shape, values);
      } else if (form == 1) {
        column = Columns.of(context.hostScratch(), shape, values.reversed()).withRowIds(shared);
      } else {
        int disguise = random.nextInt(shape.mayBeNull() ? 4 : 3);
        column = Columns.disguise(context.hostScratch(), shape, values, disguise, random);
      }
      columns.add(column);
    }
    return HostColumns.toDevice(context, new ColumnBatch(columns, rows.size()), context.scratch());
  }

  private static Object evaluate(RandomExpressions source, Expr expr, List<@Nullable Object> row) {
    try {
      return Columns.comparable(
          Interpreter.evaluate(
              expr,
              new Interpreter.Row() {
                @Override
                public @Nullable Object get(int column) {
                  return row.get(column);
                }

                @Override
                public int code(int column) {
                  return assertNotNull2(source.shapes.get(column).dictionary())
                      .find(
                          ((String) assertNotNull2(row.get(column)))
                              .getBytes(java.nio.charset.StandardCharsets.UTF_8));
                }
              }));
    } catch (AragoniteException e) {
      return e.code();
    }
  }

  private static <T> T assertNotNull2(@Nullable T value) {
    assertNotNull(value);
    return value;
  }

  private static List<List<@Nullable Object>> rows(RandomExpressions source, int count) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (int r = 0; r < count; r++) {
      List<@Nullable Object> row = new ArrayList<>();
      for (ColumnShape shape : source.shapes) {
        row.add(source.value(shape));
      }
      rows.add(row);
    }
    return rows;
  }

  /** Whether code may leave something out: what AND, OR and null literals decide beforehand. */
  private static boolean hasLogic(Expr expr) {
    return expr instanceof Expr.Literal literal && literal.value() == null
        || expr instanceof Expr.Call call
            && (call.op() == Op.AND
                || call.op() == Op.OR
                || call.args().stream().anyMatch(CompiledExpressionsTest::hasLogic))
        || expr instanceof Expr.HostFunctionCall host
            && host.args().stream().anyMatch(CompiledExpressionsTest::hasLogic);
  }

  @Test
  void projectionsAreWhatTheInterpreterSays() {
    Random random = TestSeed.random(getClass());
    RandomExpressions source = new RandomExpressions(random);
    int[] sizes = {0, 1, 31, 64, 65, 130};
    int failed = 0;
    for (int round = 0; round < ROUNDS; round++) {
      List<Expr> exprs = new ArrayList<>();
      for (int i = random.nextInt(1, 4); i > 0; i--) {
        exprs.add(source.any(random.nextInt(4)));
      }
      List<List<@Nullable Object>> rows = rows(source, sizes[random.nextInt(sizes.length)]);
      Set<Object> errors = new HashSet<>();
      List<List<@Nullable Object>> good = rowsWithoutError(source, exprs, rows, errors);
      var compiled = compiler.projection(exprs, source.shapes);
      if (!errors.isEmpty()) {
        failed++;
        try {
          compiled.evaluate(context, batch(source, rows, random.nextInt(3), random));
          assertTrue(
              exprs.stream().anyMatch(CompiledExpressionsTest::hasLogic),
              () -> "no error from " + exprs);
        } catch (AragoniteException e) {
          assertTrue(errors.contains(e.code()), () -> e.getMessage() + " from " + exprs);
        }
      }
      for (int form = 0; form < 3; form++) {
        ColumnBatch result =
            HostColumns.toHost(
                context,
                compiled.evaluate(context, batch(source, good, form, random)),
                context.hostScratch());
        for (int e = 0; e < exprs.size(); e++) {
          checkColumn(source, exprs.get(e), good, compiled.shapes().get(e), result.column(e));
        }
        context.scratch().reset();
        context.hostScratch().reset();
      }
    }
    assertTrue(failed < ROUNDS / 2, failed + " of " + ROUNDS + " batches fail");
  }

  /** The rows over which no expression fails; the errors of the others go to {@code errors}. */
  private static List<List<@Nullable Object>> rowsWithoutError(
      RandomExpressions source,
      List<Expr> exprs,
      List<List<@Nullable Object>> rows,
      Set<Object> errors) {
    List<List<@Nullable Object>> good = new ArrayList<>();
    for (List<@Nullable Object> row : rows) {
      boolean fine = true;
      for (Expr expr : exprs) {
        if (evaluate(source, expr, row) instanceof ErrorCode code) {
          errors.add(code);
          fine = false;
        }
      }
      if (fine) {
        good.add(row);
      }
    }
    return good;
  }

  private static void checkColumn(
      RandomExpressions source,
      Expr expr,
      List<List<@Nullable Object>> rows,
      ColumnShape shape,
      Column column) {
    assertEquals(shape.storage(), column.shape().storage());
    for (int r = 0; r < rows.size(); r++) {
      List<@Nullable Object> row = rows.get(r);
      Object actual = Columns.value(column, r);
      assertEquals(
          evaluate(source, expr, row), Columns.comparable(actual), () -> expr + " over " + row);
      checkRange(shape, actual);
    }
  }

  private static void checkRange(ColumnShape shape, @Nullable Object value) {
    ValueRange range = shape.range();
    if (range != null && value != null) {
      long number =
          value instanceof BigDecimal decimal
              ? decimal.unscaledValue().longValueExact()
              : (Long) value;
      assertTrue(number >= range.min() && number <= range.max(), value + " outside " + range);
    }
  }

  @Test
  void predicatesSelectWhatTheInterpreterSays() {
    Random random = TestSeed.random(getClass());
    RandomExpressions source = new RandomExpressions(random);
    int[] sizes = {0, 1, 33, 64, 100};
    for (int round = 0; round < ROUNDS; round++) {
      Expr[] terms = new Expr[random.nextInt(1, 5)];
      for (int i = 0; i < terms.length; i++) {
        terms[i] = source.truth(random.nextInt(1, 4));
      }
      Expr predicate =
          terms.length == 1
              ? terms[0]
              : Expr.call(Op.AND, DataType.BOOLEAN.withNullable(true), terms);
      List<List<@Nullable Object>> rows = new ArrayList<>();
      Set<Object> errors = new HashSet<>();
      List<Integer> expected = new ArrayList<>();
      List<List<@Nullable Object>> bad = new ArrayList<>();
      for (List<@Nullable Object> row : rows(source, sizes[random.nextInt(sizes.length)])) {
        Object truth = evaluate(source, predicate, row);
        if (truth instanceof ErrorCode code) {
          errors.add(code);
          bad.add(row);
          continue;
        }
        if (truth.equals(true)) {
          expected.add(rows.size());
        }
        rows.add(row);
      }
      var compiled = compiler.predicate(predicate, source.shapes);
      for (int form = 0; form < 3; form++) {
        ColumnBatch batch = batch(source, rows, form, random);
        Buffer out = context.scratch().allocate(4L * rows.size());
        int count = compiled.select(context, batch, out);
        List<Integer> actual = new ArrayList<>();
        for (int id : context.ints(out, count)) {
          actual.add(id);
        }
        assertEquals(expected, actual, predicate::toString);
      }
      if (!errors.isEmpty()) {
        ColumnBatch batch = batch(source, bad, 0, random);
        try {
          compiled.select(context, batch, context.scratch().allocate(4L * bad.size()));
        } catch (AragoniteException e) {
          assertTrue(errors.contains(e.code()), () -> e.getMessage() + " from " + predicate);
        }
      }
      context.scratch().reset();
      context.hostScratch().reset();
    }
  }
}
