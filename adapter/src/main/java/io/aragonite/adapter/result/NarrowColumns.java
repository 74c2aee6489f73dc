package io.aragonite.adapter.result;

import io.aragonite.adapter.metadata.ColumnsGuard;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.sql.Types;
import java.util.List;
import java.util.Set;
import org.apache.calcite.avatica.ColumnMetaData;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.jspecify.annotations.Nullable;

/**
 * The columns that Avatica's protocol carries: it has no fields of rows, no maps, and arrays of
 * plain values only; intervals are texts to it, which it does not expect in an array.
 */
public final class NarrowColumns {
  private static final Set<SqlTypeName> NESTED =
      Set.of(SqlTypeName.ARRAY, SqlTypeName.MULTISET, SqlTypeName.MAP, SqlTypeName.ROW);

  private NarrowColumns() {}

  /**
   * Looks at the columns of a result.
   *
   * @throws AragoniteException TYPE_UNSUPPORTED if clients would fail over one of them
   */
  public static void require(List<ColumnMetaData> columns) {
    for (ColumnMetaData column : columns) {
      boolean map = column.type.getName().endsWith(" MAP");
      boolean nested =
          column.type instanceof ColumnMetaData.ArrayType array
              && (array.getComponent().id == Types.ARRAY
                  || array.getComponent().id == Types.STRUCT
                  || ColumnsGuard.isInterval(array.getComponent().getName())
                  || array.getComponent().getName().endsWith(" MAP"));
      if (map || nested || column.type.id == Types.STRUCT) {
        throw refused(column.label, column.type.getName());
      }
    }
  }

  /**
   * Looks at the columns of a query that has not run.
   *
   * @throws AragoniteException TYPE_UNSUPPORTED if clients would fail over one of them
   */
  public static void require(RelDataType row) {
    for (RelDataTypeField field : row.getFieldList()) {
      RelDataType type = field.getType();
      boolean list = type.getSqlTypeName() == SqlTypeName.ARRAY;
      RelDataType element = list ? type.getComponentType() : type;
      if (isNested(element) || list && SqlTypeUtil.isInterval(element)) {
        throw refused(field.getName(), type.toString());
      }
    }
  }

  private static boolean isNested(@Nullable RelDataType type) {
    return type == null || type.isStruct() || NESTED.contains(type.getSqlTypeName());
  }

  private static AragoniteException refused(String column, String type) {
    return new AragoniteException(
        ErrorCode.TYPE_UNSUPPORTED,
        "Column %s is a %s, which the server's protocol does not carry; ask for its parts."
            .formatted(column, type));
  }

  /**
   * The error of times and timestamps that the protocol does not carry.
   *
   * @param column of the times, or several
   */
  public static AragoniteException tooFine(String column) {
    return new AragoniteException(
        ErrorCode.TYPE_UNSUPPORTED,
        "Column %s has times with more than milliseconds, which the server's protocol does not carry; cast it to VARCHAR, or to three digits, as TIMESTAMP(3) has."
            .formatted(column));
  }
}
