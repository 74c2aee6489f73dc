package io.aragonite.exec.device.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.ExpressionCompiler;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.device.TestContext;
import io.aragonite.exec.device.cpu.codegen.Interpreted;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.testing.device.TestDevices;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Columns;
import io.aragonite.exec.vector.ValueRange;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is too large for one method, and what the compiler makes of shapes. */
class LargeExpressionsTest {
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

  private static Expr ref(Column column, int index) {
    return Expr.ref(index, column.shape().type());
  }

  private ColumnBatch batch(Column... columns) {
    return new ColumnBatch(List.of(columns), columns[0].rows());
  }

  private ColumnBatch onDevice(ColumnBatch batch) {
    return HostColumns.toDevice(context, batch, context.scratch());
  }

  private ColumnBatch onHost(ColumnBatch batch) {
    return HostColumns.toHost(context, batch, context.hostScratch());
  }

  private List<Object> project(ColumnBatch batch, Expr... exprs) {
    ColumnBatch result =
        onHost(
            compiler.projection(List.of(exprs), batch.shapes()).evaluate(context, onDevice(batch)));
    ColumnBatch expected =
        Interpreted.Projection.of(List.of(exprs), batch.shapes()).evaluate(context.onHost(), batch);
    assertEquals(
        Columns.rows(expected).toString(), Columns.rows(result).toString(), () -> exprs[0] + "");
    return Columns.values(result.column(0));
  }

  /** More than one method, or one kernel, may have. */
  int outputs() {
    return 2000;
  }

  @Test
  void manyOutputs() {
    Column a = Columns.ofLongs(context.hostScratch(), 1L, null, 3L);
    Expr[] exprs = new Expr[outputs()];
    for (int i = 0; i < exprs.length; i++) {
      exprs[i] =
          Expr.call(Op.PLUS, a.shape().type(), ref(a, 0), Expr.literal((long) i, DataType.INT64));
    }
    project(batch(a), exprs);
  }

  @Test
  void aCaseOfTwoThousandBranches() {
    Column a = Columns.ofLongs(context.hostScratch(), 0L, 77L, 1999L, 5000L, null);
    List<Expr> args = new ArrayList<>();
    for (long i = 0; i < 2000; i++) {
      args.add(
          Expr.call(
              Op.EQ,
              DataType.BOOLEAN.withNullable(true),
              ref(a, 0),
              Expr.literal(i, DataType.INT64)));
      args.add(Expr.literal(i * i, DataType.INT64));
    }
    args.add(Expr.literal(-1L, DataType.INT64));
    assertEquals(
        List.of(0L, 5929L, 3996001L, -1L, -1L),
        project(batch(a), new Expr.Call(Op.CASE, args, DataType.INT64)));
  }

  @Test
  void sumsAndTextsOfManyTerms() {
    Column a = Columns.ofLongs(context.hostScratch(), 1L, 2L);
    Column s = Columns.ofStrings(context.hostScratch(), "x", "äö");
    Expr sum = ref(a, 0);
    List<Expr> texts = new ArrayList<>();
    for (int i = 0; i < 3000; i++) {
      sum =
          Expr.call(
              Op.PLUS,
              DataType.INT64,
              sum,
              i % 7 == 0 ? ref(a, 0) : Expr.literal(1L, DataType.INT64));
      texts.add(i % 5 == 0 ? Expr.literal(i + ",", DataType.VARCHAR) : ref(s, 1));
    }
    Expr text = new Expr.Call(Op.CONCAT, texts, DataType.VARCHAR);
    // Too deep for the interpreter, which is recursive.
    ColumnBatch batch = batch(a, s);
    ColumnBatch result =
        onHost(
            compiler.projection(List.of(sum), batch.shapes()).evaluate(context, onDevice(batch)));
    assertEquals(List.of(3001L, 3431L), Columns.values(result.column(0)));
    project(batch, text);
  }

  @Test
  void conditionsOfManyTerms() {
    Column a = Columns.ofLongs(context.hostScratch(), 3L, 999L, 4000L, null);
    List<Expr> terms = new ArrayList<>();
    List<Expr> list = new ArrayList<>();
    list.add(ref(a, 0));
    DataType nullable = DataType.BOOLEAN.withNullable(true);
    for (long i = 0; i < 3000; i++) {
      terms.add(Expr.call(Op.EQ, nullable, ref(a, 0), Expr.literal(3 * i, DataType.INT64)));
      list.add(Expr.literal(3 * i, DataType.INT64));
    }
    Expr or = new Expr.Call(Op.OR, terms, nullable);
    Expr in = new Expr.Call(Op.IN_LIST, list, nullable);
    project(batch(a), or, in);
    for (Expr predicate : List.of(or, in)) {
      Buffer out = context.scratch().allocate(16);
      ColumnBatch batch = batch(a);
      int count =
          compiler.predicate(predicate, batch.shapes()).select(context, onDevice(batch), out);
      assertEquals(2, count);
    }
  }

  @Test
  void boundsDecideTheStorage() {
    ColumnShape price =
        new ColumnShape(
            DataType.decimal(15, 2, false),
            Storage.LONG,
            false,
            null,
            new ValueRange(90_000, 10_500_000));
    ColumnShape discount =
        new ColumnShape(
            DataType.decimal(15, 2, false), Storage.LONG, false, null, new ValueRange(0, 10));
    DataType wide = DataType.decimal(31, 4, false);
    Expr product =
        Expr.call(Op.TIMES, wide, Expr.ref(0, price.type()), Expr.ref(1, discount.type()));
    ColumnShape known =
        compiler.projection(List.of(product), List.of(price, discount)).shapes().getFirst();
    assertEquals(Storage.LONG, known.storage());
    assertEquals(new ValueRange(0, 105_000_000), known.range());
    ColumnShape plain = ColumnShape.of(DataType.decimal(15, 2, false));
    ColumnShape unknown =
        compiler.projection(List.of(product), List.of(plain, plain)).shapes().getFirst();
    assertEquals(Storage.LONG128, unknown.storage());
  }

  @Test
  void dictionariesStayDictionaries() {
    Column s = Columns.ofCodes(context.hostScratch(), "abc", "abd", "xyz", "abc");
    Expr cast =
        Expr.call(
            Op.CAST,
            new DataType(io.aragonite.exec.type.TypeKind.VARCHAR, 10, 0, false),
            ref(s, 0));
    Expr prefix =
        Expr.call(
            Op.SUBSTRING,
            DataType.VARCHAR,
            ref(s, 0),
            Expr.literal(1L, DataType.INT32),
            Expr.literal(2L, DataType.INT32));
    List<ColumnShape> shapes =
        compiler.projection(List.of(cast, prefix), batch(s).shapes()).shapes();
    assertSame(s.shape().dictionary(), shapes.get(0).dictionary());
    assertEquals(Storage.CODE, shapes.get(1).storage());
    assertEquals(2, java.util.Objects.requireNonNull(shapes.get(1).dictionary()).size());
    assertEquals(List.of("ab", "ab", "xy", "ab"), project(batch(s), prefix));
  }

  @Test
  void chosenConstantsAreCodes() {
    Column a = Columns.ofLongs(context.hostScratch(), 1L, null, 3L);
    Column s = Columns.ofCodes(context.hostScratch(), "x", "y", "low");
    Expr condition =
        Expr.call(
            Op.LT,
            DataType.BOOLEAN.withNullable(true),
            ref(a, 0),
            Expr.literal(2L, DataType.INT64));
    Expr constants =
        Expr.call(
            Op.CASE,
            DataType.VARCHAR,
            condition,
            Expr.literal("low", DataType.VARCHAR),
            Expr.literal("high", DataType.VARCHAR));
    Expr mixed =
        Expr.call(
            Op.CASE, DataType.VARCHAR, condition, Expr.literal("low", DataType.VARCHAR), ref(s, 1));
    Expr isLow = Expr.call(Op.EQ, DataType.BOOLEAN, mixed, Expr.literal("low", DataType.VARCHAR));
    ColumnBatch batch = batch(a, s);
    var compiled = compiler.projection(List.of(constants, mixed), batch.shapes());
    assertEquals(Storage.CODE, compiled.shapes().get(0).storage());
    assertSame(
        compiled.shapes().get(0).dictionary(),
        compiler.projection(List.of(constants), batch.shapes()).shapes().getFirst().dictionary());
    assertSame(s.shape().dictionary(), compiled.shapes().get(1).dictionary());
    assertEquals(List.of("low", "high", "high"), project(batch, constants, mixed, isLow));
    assertEquals(List.of("low", "y", "low"), project(batch, mixed));
  }

  @Test
  void guardsKeepTheirOrder() {
    Column a = Columns.ofLongs(context.hostScratch(), 0L, 5L, 0L);
    Column s = Columns.ofStrings(context.hostScratch(), "1", "2", "x");
    Expr quotient =
        Expr.call(Op.DIVIDE, DataType.INT64, Expr.literal(10L, DataType.INT64), ref(a, 0));
    Expr positive = Expr.call(Op.GT, DataType.BOOLEAN, quotient, Expr.literal(1L, DataType.INT64));
    Expr number = Expr.call(Op.CAST, DataType.INT64, ref(s, 1));
    Expr guard = Expr.call(Op.GT, DataType.BOOLEAN, number, Expr.literal(1L, DataType.INT64));
    Expr guarded = Expr.call(Op.AND, DataType.BOOLEAN, guard, positive);
    ColumnBatch batch = batch(a, s);
    AragoniteException e =
        assertThrows(
            AragoniteException.class,
            () ->
                compiler
                    .predicate(guarded, batch.shapes())
                    .select(context, onDevice(batch), context.scratch().allocate(16)));
    assertEquals(ErrorCode.INVALID_CAST, e.code());
    ColumnBatch two =
        batch(
            Columns.ofLongs(context.hostScratch(), 0L, 5L),
            Columns.ofStrings(context.hostScratch(), "1", "2"));
    Buffer out = context.scratch().allocate(8);
    assertEquals(1, compiler.predicate(guarded, two.shapes()).select(context, onDevice(two), out));
    assertEquals(1, context.ints(out, 1)[0]);
  }

  @Test
  void aTextOfAMegabyte() {
    String large = "ä".repeat(1 << 19);
    Column s = Columns.ofStrings(context.hostScratch(), "a", large, "b");
    Expr upper = Expr.call(Op.UPPER, DataType.VARCHAR, ref(s, 0));
    Expr twice = Expr.call(Op.CONCAT, DataType.VARCHAR, upper, ref(s, 0));
    assertEquals(1 << 20, ((String) project(batch(s), twice).get(1)).length());
  }

  @Test
  void decimalsOf128Bits() {
    DataType type = DataType.decimal(38, 4, true);
    Column a =
        Columns.of(
            context.hostScratch(),
            type,
            new BigDecimal("9999999999999999999999999999999999.9999"),
            new BigDecimal("-0.0001"),
            null);
    Expr sum = Expr.call(Op.PLUS, type, ref(a, 0), ref(a, 0));
    AragoniteException e = assertThrows(AragoniteException.class, () -> project(batch(a), sum));
    assertEquals(ErrorCode.NUMERIC_OVERFLOW, e.code());
    project(
        batch(a),
        Expr.call(Op.MINUS, type, ref(a, 0), ref(a, 0)),
        Expr.call(
            Op.LT,
            DataType.BOOLEAN.withNullable(true),
            ref(a, 0),
            Expr.literal(BigDecimal.ZERO.setScale(4), type)));
  }
}
