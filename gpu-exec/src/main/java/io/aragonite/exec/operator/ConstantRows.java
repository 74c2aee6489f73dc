package io.aragonite.exec.operator;

import io.aragonite.exec.codegen.ColumnWriter;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.HostObjects;
import java.util.ArrayList;
import java.util.List;

/** Columns of VALUES, in host memory. */
public final class ConstantRows {
  private ConstantRows() {}

  /**
   * @param rows literals
   */
  public static ColumnBatch of(
      List<List<Expr>> rows, List<DataType> types, QueryMemory memory, HostObjects hostObjects) {
    List<Column> columns = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      boolean nulls = false;
      for (List<Expr> row : rows) {
        nulls |= literal(row.get(i)).value() == null;
      }
      ColumnShape shape = ColumnShape.of(types.get(i)).withMayBeNull(nulls);
      ColumnWriter writer = new ColumnWriter(shape, rows.size(), memory, hostObjects);
      for (List<Expr> row : rows) {
        writer.add(literal(row.get(i)).value());
      }
      columns.add(writer.finish());
    }
    return new ColumnBatch(columns, rows.size());
  }

  private static Expr.Literal literal(Expr expression) {
    if (expression instanceof Expr.Literal literal) {
      return literal;
    }
    throw new AragoniteException(
        ErrorCode.INTERNAL, "VALUES has " + expression + " where a literal should be.");
  }
}
