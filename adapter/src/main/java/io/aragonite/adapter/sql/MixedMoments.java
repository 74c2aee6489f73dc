package io.aragonite.adapter.sql;

import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlBasicTypeNameSpec;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlCollectionTypeNameSpec;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlDateLiteral;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlTypeNameSpec;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.DateString;
import org.apache.calcite.util.TimestampString;
import org.jspecify.annotations.Nullable;

/**
 * Dates beside timestamps in GREATEST, LEAST, IFNULL, LAG and LEAD, whose values are of one type,
 * and where a list is searched: they become timestamps, as they do in COALESCE and as PostgreSQL
 * has it.
 */
final class MixedMoments {
  private MixedMoments() {}

  /**
   * Changes the call.
   *
   * @param types of operands
   */
  static void apply(SqlCall call, Function<SqlNode, RelDataType> types) {
    if (UuidOperands.isSearch(call)) {
      search(call, types.apply(call.operand(0)).getComponentType(), types.apply(call.operand(1)));
      return;
    }
    List<Integer> places =
        switch (call.getOperator().getName().toUpperCase(Locale.ROOT)) {
          case "COALESCE", "GREATEST", "LEAST", "IFNULL", "NVL" ->
              IntStream.range(0, call.operandCount()).boxed().toList();
          case "LAG", "LEAD" -> call.operandCount() == 3 ? List.of(0, 2) : List.of();
          default -> List.of();
        };
    List<SqlTypeName> names =
        places.stream().map(i -> types.apply(call.operand(i)).getSqlTypeName()).toList();
    if (!names.contains(SqlTypeName.DATE) || !names.contains(SqlTypeName.TIMESTAMP)) {
      return;
    }
    for (int i = 0; i < places.size(); i++) {
      if (names.get(i) == SqlTypeName.DATE) {
        int place = places.get(i);
        call.setOperand(place, CastCalls.cast(call.operand(place), SqlTypeName.TIMESTAMP));
      }
    }
  }

  /**
   * Dates that are literals, beside timestamps in a column of VALUES: Calcite's relation of
   * constants has no casts.
   *
   * @param types of values
   */
  static void inRows(SqlCall rows, Function<SqlNode, RelDataType> types) {
    SqlCall first = rows.operand(0);
    for (int i = 0; i < first.operandCount(); i++) {
      int column = i;
      List<SqlCall> dates =
          rows.getOperandList().stream()
              .map(SqlCall.class::cast)
              .filter(row -> row.operandCount() > column)
              .filter(row -> row.operand(column) instanceof SqlDateLiteral)
              .toList();
      int digits =
          dates.isEmpty()
              ? -1
              : rows.getOperandList().stream()
                  .map(SqlCall.class::cast)
                  .filter(row -> row.operandCount() > column)
                  .map(row -> types.apply(row.operand(column)))
                  .filter(type -> type.getSqlTypeName() == SqlTypeName.TIMESTAMP)
                  .mapToInt(RelDataType::getPrecision)
                  .max()
                  .orElse(-1);
      if (digits >= 0) {
        dates.forEach(
            row -> row.setOperand(column, midnight((SqlDateLiteral) row.operand(column), digits)));
      }
    }
  }

  private static SqlNode midnight(SqlDateLiteral date, int digits) {
    String day = date.getValueAs(DateString.class).toString();
    return SqlLiteral.createTimestamp(
        SqlTypeName.TIMESTAMP,
        new TimestampString(day + " 00:00:00"),
        digits,
        date.getParserPosition());
  }

  private static void search(SqlCall call, @Nullable RelDataType element, RelDataType value) {
    if (element == null) {
      return;
    }
    boolean dates = element.getSqlTypeName() == SqlTypeName.DATE;
    if (dates && value.getSqlTypeName() == SqlTypeName.TIMESTAMP) {
      SqlNode list = call.operand(0);
      SqlParserPos at = list.getParserPosition();
      SqlTypeNameSpec timestamps =
          new SqlCollectionTypeNameSpec(
              new SqlBasicTypeNameSpec(SqlTypeName.TIMESTAMP, at), SqlTypeName.ARRAY, at);
      call.setOperand(
          0, SqlStdOperatorTable.CAST.createCall(at, list, new SqlDataTypeSpec(timestamps, at)));
    } else if (element.getSqlTypeName() == SqlTypeName.TIMESTAMP
        && value.getSqlTypeName() == SqlTypeName.DATE) {
      call.setOperand(1, CastCalls.cast(call.operand(1), SqlTypeName.TIMESTAMP));
    }
  }
}
