package io.aragonite.adapter.sql;

import static java.util.Objects.requireNonNull;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlBasicTypeNameSpec;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlCharStringLiteral;
import org.apache.calcite.sql.SqlCollectionTypeNameSpec;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlTypeNameSpec;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;

/**
 * Texts beside bytes in GREATEST, LEAST, IFNULL, LAG, LEAD, {@code ||} and lists, in columns of
 * VALUES, and where a list is searched: they become their bytes, as they do in COALESCE and UNION.
 */
final class MixedBytes {
  private MixedBytes() {}

  /**
   * Changes the call.
   *
   * @param types of operands
   */
  static void apply(SqlCall call, Function<SqlNode, RelDataType> types) {
    if (UuidOperands.isSearch(call)) {
      search(call, types);
      return;
    }
    List<Integer> places =
        switch (call.getOperator().getName().toUpperCase(Locale.ROOT)) {
          case "GREATEST", "LEAST", "IFNULL", "NVL", "||", "ARRAY" ->
              IntStream.range(0, call.operandCount()).boxed().toList();
          case "LAG", "LEAD" -> call.operandCount() == 3 ? List.of(0, 2) : List.of();
          default -> List.of();
        };
    if (places.stream().noneMatch(i -> SqlTypeUtil.isBinary(types.apply(call.operand(i))))) {
      return;
    }
    for (int i : places) {
      if (SqlTypeUtil.inCharFamily(types.apply(call.operand(i)))) {
        call.setOperand(i, CastCalls.cast(call.operand(i), SqlTypeName.VARBINARY));
      }
    }
  }

  private static void search(SqlCall call, Function<SqlNode, RelDataType> types) {
    RelDataType element = types.apply(call.operand(0)).getComponentType();
    RelDataType value = types.apply(call.operand(1));
    if (element == null) {
      return;
    }
    if (SqlTypeUtil.isBinary(element) && SqlTypeUtil.inCharFamily(value)) {
      call.setOperand(1, CastCalls.cast(call.operand(1), SqlTypeName.VARBINARY));
    } else if (SqlTypeUtil.inCharFamily(element) && SqlTypeUtil.isBinary(value)) {
      SqlNode list = call.operand(0);
      SqlParserPos at = list.getParserPosition();
      SqlTypeNameSpec bytes =
          new SqlCollectionTypeNameSpec(
              new SqlBasicTypeNameSpec(SqlTypeName.VARBINARY, at), SqlTypeName.ARRAY, at);
      call.setOperand(
          0, SqlStdOperatorTable.CAST.createCall(at, list, new SqlDataTypeSpec(bytes, at)));
    }
  }

  /**
   * Texts that are literals, beside bytes in a column of VALUES: Calcite's relation of constants
   * has no casts.
   *
   * @param types of values
   */
  static void inRows(SqlCall rows, Function<SqlNode, RelDataType> types) {
    int width = ((SqlCall) rows.operand(0)).operandCount();
    for (int i = 0; i < width; i++) {
      int column = i;
      List<SqlCall> whole =
          rows.getOperandList().stream()
              .map(SqlCall.class::cast)
              .filter(row -> row.operandCount() == width)
              .toList();
      List<SqlCall> texts =
          whole.stream()
              .filter(row -> row.operand(column) instanceof SqlCharStringLiteral)
              .toList();
      if (!texts.isEmpty()
          && whole.stream()
              .anyMatch(row -> SqlTypeUtil.isBinary(types.apply(row.operand(column))))) {
        texts.forEach(row -> row.setOperand(column, bytes(row.operand(column))));
      }
    }
  }

  private static SqlNode bytes(SqlLiteral text) {
    byte[] bytes = requireNonNull(text.getValueAs(String.class)).getBytes(StandardCharsets.UTF_8);
    return SqlLiteral.createBinaryString(
        HexFormat.of().withUpperCase().formatHex(bytes), text.getParserPosition());
  }
}
