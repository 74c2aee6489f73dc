package io.aragonite.adapter.sql;

import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.sql2rel.SqlToRelConverter;

/** Lists of literals behind IN, as long as programs make them. */
final class LiteralLists {
  /** Elements from which on a list is a relation to Calcite, and no chain of ORs. */
  static final int LONG = SqlToRelConverter.DEFAULT_IN_SUB_QUERY_THRESHOLD;

  private LiteralLists() {}

  /** Whether a relation of constants of {@code type} can hold the literal without a cast. */
  static boolean isValueOf(SqlNode node, RelDataType type) {
    if (!(node instanceof SqlLiteral literal)) {
      return false;
    }
    // a number is rescaled there, to a scale that holds all digits of all elements
    return switch (literal.getTypeName()) {
      case NULL -> true;
      case DECIMAL -> SqlTypeUtil.isExactNumeric(type);
      case CHAR -> type.getSqlTypeName() == SqlTypeName.VARCHAR;
      default -> false;
    };
  }

  /** Makes literals of the negative numbers of a long list, which the parser leaves as calls. */
  static void foldSigns(SqlCall in) {
    if (!(in.operand(1) instanceof SqlNodeList list) || list.size() < LONG) {
      return;
    }
    for (int i = 0; i < list.size(); i++) {
      if (list.get(i) instanceof SqlCall sign
          && sign.getKind() == SqlKind.MINUS_PREFIX
          && sign.operand(0) instanceof SqlNumericLiteral number
          && !number.toValue().startsWith("-")) {
        String text = "-" + number.toValue();
        list.set(
            i,
            number.getTypeName() == SqlTypeName.DECIMAL
                ? SqlLiteral.createExactNumeric(text, sign.getParserPosition())
                : SqlLiteral.createApproxNumeric(text, sign.getParserPosition()));
      }
    }
  }
}
