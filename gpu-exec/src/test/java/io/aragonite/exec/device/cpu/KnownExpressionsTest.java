package io.aragonite.exec.device.cpu;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.aragonite.exec.device.CompiledPredicate;
import io.aragonite.exec.device.CompiledProjection;
import io.aragonite.exec.device.ExpressionCompiler;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.ExpressionCache;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.ValueRange;
import java.util.List;
import org.junit.jupiter.api.Test;

class KnownExpressionsTest {
  private final ExpressionCompiler compiler = new CpuExpressionCompiler();
  private final ColumnShape shape = ColumnShape.of(DataType.INT64);

  private static Expr less(long constant) {
    return Expr.call(
        Op.LT,
        DataType.BOOLEAN,
        Expr.ref(0, DataType.INT64),
        Expr.literal(constant, DataType.INT64));
  }

  @Test
  void equalExpressionsOverEqualColumnsAreCompiledOnce() {
    CompiledPredicate first = compiler.predicate(less(5), List.of(shape));
    assertSame(first, compiler.predicate(less(5), List.of(ColumnShape.of(DataType.INT64))));
    CompiledProjection projection = compiler.projection(List.of(less(5)), List.of(shape));
    assertSame(projection, compiler.projection(List.of(less(5)), List.of(shape)));
  }

  @Test
  void constantsAndWhatIsKnownOfColumnsTellThemApart() {
    CompiledPredicate first = compiler.predicate(less(5), List.of(shape));
    assertNotSame(first, compiler.predicate(less(6), List.of(shape)));
    ColumnShape bounded =
        new ColumnShape(DataType.INT64, Storage.LONG, false, null, new ValueRange(0, 3));
    assertNotSame(first, compiler.predicate(less(5), List.of(bounded)));
    assertNotSame(first, compiler.predicate(less(5), List.of(shape.withMayBeNull(true))));
    assertNotSame(first, compiler.predicate(less(5), List.of(shape, shape)));
  }

  /** A function of the user's may read what changes, whatever it says of itself. */
  @Test
  void whatCallsTheHostIsCompiledEachTime() {
    Expr call = new Expr.HostFunctionCall("F", arguments -> 1L, List.of(), true, DataType.INT64);
    List<Expr> nested = List.of(Expr.call(Op.NEGATE, DataType.INT64, call));
    assertFalse(ExpressionCache.comparable(nested));
    assertNotSame(
        compiler.projection(nested, List.of(shape)), compiler.projection(nested, List.of(shape)));
  }

  @Test
  void deepExpressionsAreNotCompared() {
    Expr deep = Expr.ref(0, DataType.INT64);
    Expr wide = deep;
    for (int i = 0; i < 100_000; i++) {
      deep = Expr.call(Op.NEGATE, DataType.INT64, deep);
    }
    assertFalse(ExpressionCache.comparable(List.of(deep)));
    for (int i = 0; i < 40; i++) {
      wide = Expr.call(Op.MINUS, DataType.INT64, wide, wide);
    }
    assertFalse(ExpressionCache.comparable(List.of(wide)), "2^40 arguments, if they are counted");
  }
}
