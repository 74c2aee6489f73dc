package io.aragonite.adapter.sql;

import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.util.SqlBasicVisitor;

/** Counts a statement's parameter markers. */
public final class ParameterMarkers extends SqlBasicVisitor<Void> {
  private int count;

  public static int count(SqlNode statement) {
    ParameterMarkers markers = new ParameterMarkers();
    statement.accept(markers);
    return markers.count;
  }

  @Override
  public Void visit(SqlDynamicParam parameter) {
    count = Math.max(count, parameter.getIndex() + 1); // rewriting may have copied it
    return null;
  }
}
