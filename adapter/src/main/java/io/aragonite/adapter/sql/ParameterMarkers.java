package io.aragonite.adapter.sql;

import java.util.Map;
import java.util.TreeMap;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.calcite.sql.validate.SqlValidator;

/** Counts a statement's parameter markers. */
public final class ParameterMarkers extends SqlBasicVisitor<Void> {
  private int count;

  public static int count(SqlNode statement) {
    ParameterMarkers markers = new ParameterMarkers();
    statement.accept(markers);
    return markers.count;
  }

  /**
   * The types of parameters by their numbers: Calcite counts the copies that COALESCE and NULLIF
   * have of them, too.
   */
  static RelDataType types(SqlNode statement, SqlValidator validator) {
    Map<Integer, RelDataType> types = new TreeMap<>();
    statement.accept(
        new SqlBasicVisitor<Void>() {
          @Override
          public Void visit(SqlDynamicParam parameter) {
            types.putIfAbsent(parameter.getIndex(), validator.getValidatedNodeType(parameter));
            return null;
          }
        });
    RelDataTypeFactory.Builder row = validator.getTypeFactory().builder();
    types.forEach((index, type) -> row.add("?" + index, type));
    return row.build();
  }

  @Override
  public Void visit(SqlDynamicParam parameter) {
    count = Math.max(count, parameter.getIndex() + 1); // rewriting may have copied it
    return null;
  }
}
