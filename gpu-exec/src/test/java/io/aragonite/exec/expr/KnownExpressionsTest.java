package io.aragonite.exec.expr;

import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.aragonite.exec.column.ColumnShape;
import io.aragonite.exec.column.ValueRange;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
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
}
