package io.aragonite.adapter.sql.parse;

import java.util.List;
import org.apache.calcite.avatica.util.TimeUnit;
import org.apache.calcite.sql.SqlAbstractDateTimeLiteral;
import org.apache.calcite.sql.SqlBasicTypeNameSpec;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlCharStringLiteral;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlIntervalLiteral;
import org.apache.calcite.sql.SqlIntervalQualifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.SqlUnknownLiteral;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * Rows of VALUES that are inserted: a column of texts and numbers is one of texts, which become
 * values of the table's type, as in PostgreSQL; DEFAULT is null: it is the default itself by now
 * where a column has one.
 */
public final class InsertedValues {
  /** The name of the query of an INSERT, and what the names of its columns begin with. */
  public static final String ALIAS = "aragonite_";

  private InsertedValues() {}

  /** Changes the rows in place if an item of FROM is such a query. */
  static void convert(SqlCall as) {
    boolean inserted =
        as.operand(1).toString().equals(ALIAS)
            && as.operand(0) instanceof SqlCall values
            && values.getKind() == SqlKind.VALUES;
    if (!inserted) {
      return;
    }
    List<SqlNode> rows = ((SqlCall) as.operand(0)).getOperandList();
    int columns = rows.isEmpty() ? 0 : ((SqlCall) rows.get(0)).operandCount();
    for (int i = 0; i < columns; i++) {
      int column = i;
      boolean texts = rows.stream().anyMatch(row -> isText(cell(row, column)));
      for (SqlNode row : rows) {
        SqlNode cell = cell(row, column);
        if (cell != null && cell.getKind() == SqlKind.DEFAULT) {
          ((SqlCall) row).setOperand(column, SqlLiteral.createNull(cell.getParserPosition()));
        } else if (texts && plain(cell) instanceof String text) {
          ((SqlCall) row)
              .setOperand(column, SqlLiteral.createCharString(text, row.getParserPosition()));
        }
      }
    }
  }

  private static @Nullable SqlNode cell(SqlNode row, int column) {
    SqlCall cells = (SqlCall) row;
    return column < cells.operandCount() ? cells.operand(column) : null;
  }

  /** {@code TIMESTAMPTZ '...'}, which is a cast of its text. */
  private static boolean isInstant(SqlCall call) {
    return call.getKind() == SqlKind.CAST
        && isText(call.operand(0))
        && call.operand(1) instanceof SqlDataTypeSpec type
        && type.getTypeNameSpec() instanceof SqlBasicTypeNameSpec name
        && name.getTypeName()
            .getSimple()
            .equals(SqlTypeName.TIMESTAMP_WITH_LOCAL_TIME_ZONE.getName());
  }

  private static boolean isText(@Nullable SqlNode cell) {
    return cell instanceof SqlCharStringLiteral;
  }

  /** What a number with its sign, or a moment, is as a text; null if a node is none. */
  private static @Nullable String plain(@Nullable SqlNode cell) {
    return switch (cell) {
      case SqlNumericLiteral literal -> literal.toValue();
      case SqlAbstractDateTimeLiteral literal -> literal.toFormattedString();
      case SqlIntervalLiteral literal -> interval(literal);
      case SqlUnknownLiteral literal -> literal.getValueAs(String.class); // DATE '2024-01-01'
      case SqlCall call when call.getKind() == SqlKind.MINUS_PREFIX -> {
        String rest = plain(call.operand(0));
        yield rest == null ? null : rest.startsWith("-") ? rest.substring(1) : "-" + rest;
      }
      case SqlCall call when isInstant(call) ->
          ((SqlLiteral) call.operand(0)).getValueAs(String.class);
      case SqlCall call when call.getKind() == SqlKind.PLUS_PREFIX -> plain(call.operand(0));
      case null, default -> null;
    };
  }

  private static @Nullable String interval(SqlIntervalLiteral literal) {
    if (!(literal.getValue() instanceof SqlIntervalLiteral.IntervalValue value)) {
      return null;
    }
    SqlIntervalQualifier unit = value.getIntervalQualifier();
    String text = (value.getSign() < 0 ? "-" : "") + value.getIntervalLiteral();
    if (unit.isSingleDatetimeField()) {
      return text + " " + unit.getStartUnit();
    }
    return unit.getStartUnit() == TimeUnit.MINUTE ? null : text; // minutes would be hours
  }
}
