package io.aragonite.adapter.sql.function;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.apache.calcite.avatica.util.TimeUnit;
import org.apache.calcite.sql.SqlBasicTypeNameSpec;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlIntervalQualifier;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlUtil;
import org.apache.calcite.sql.fun.SqlCase;
import org.apache.calcite.sql.fun.SqlLibraryOperators;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.NlsString;
import org.jspecify.annotations.Nullable;

/**
 * Makes syntax trees at the place of a call. Operands that come to stand twice are copied: what is
 * learned about a node is kept by the node.
 */
final class Trees {
  final SqlParserPos at;

  Trees(SqlCall call) {
    this.at = call.getParserPosition();
  }

  SqlCall call(SqlOperator operator, @Nullable SqlNode... operands) {
    return operator.createCall(at, Arrays.asList(operands));
  }

  SqlNode text(String text) {
    return SqlLiteral.createCharString(text, at);
  }

  SqlNode number(long number) {
    return number < 0
        ? call(SqlStdOperatorTable.UNARY_MINUS, number(-number))
        : SqlLiteral.createExactNumeric(String.valueOf(number), at);
  }

  SqlNode cast(SqlNode value, SqlTypeName type) {
    return cast(value, type, -1);
  }

  SqlNode tryCast(SqlNode value, SqlTypeName type) {
    return call(
        SqlLibraryOperators.TRY_CAST,
        value,
        new SqlDataTypeSpec(new SqlBasicTypeNameSpec(type, -1, at), at));
  }

  SqlNode cast(SqlNode value, SqlTypeName type, int precision) {
    return call(
        SqlStdOperatorTable.CAST,
        value,
        new SqlDataTypeSpec(new SqlBasicTypeNameSpec(type, precision, at), at));
  }

  SqlNode extract(TimeUnit unit, SqlNode value) {
    return call(SqlStdOperatorTable.EXTRACT, unit(unit), value);
  }

  SqlIntervalQualifier unit(TimeUnit unit) {
    return new SqlIntervalQualifier(unit, null, at);
  }

  SqlNode interval(int count, TimeUnit unit) {
    return SqlLiteral.createInterval(1, String.valueOf(count), unit(unit), at);
  }

  SqlNode plus(SqlNode left, SqlNode right) {
    return call(SqlStdOperatorTable.PLUS, left, right);
  }

  SqlNode minus(SqlNode left, SqlNode right) {
    return call(SqlStdOperatorTable.MINUS, left, right);
  }

  SqlNode times(SqlNode left, SqlNode right) {
    return call(SqlStdOperatorTable.MULTIPLY, left, right);
  }

  SqlNode over(SqlNode left, SqlNode right) {
    return call(SqlStdOperatorTable.DIVIDE, left, right);
  }

  /** CASE WHEN condition THEN then ELSE otherwise END. */
  SqlNode ifElse(SqlNode condition, SqlNode then, SqlNode otherwise) {
    return new SqlCase(at, null, SqlNodeList.of(condition), SqlNodeList.of(then), otherwise);
  }

  /** CASE value WHEN 1 THEN first WHEN 2 THEN second ... END. */
  SqlNode choose(SqlNode value, int first, List<String> texts) {
    SqlNodeList when = new SqlNodeList(at);
    SqlNodeList then = new SqlNodeList(at);
    for (int i = 0; i < texts.size(); i++) {
      when.add(call(SqlStdOperatorTable.EQUALS, copy(value), number(first + i)));
      then.add(cast(text(texts.get(i)), SqlTypeName.VARCHAR));
    }
    return new SqlCase(at, null, when, then, SqlLiteral.createNull(at));
  }

  /** Texts one after the other; null if one is. */
  SqlNode concat(List<SqlNode> parts) {
    SqlNode all = parts.get(0);
    for (SqlNode part : parts.subList(1, parts.size())) {
      all = call(SqlStdOperatorTable.CONCAT, all, part);
    }
    return all;
  }

  /** The same tree of new nodes. */
  static SqlNode copy(SqlNode node) {
    return java.util.Objects.requireNonNull(node.accept(new NodeCopy()));
  }

  /** What a literal says, whichever way it is written; null if the node is none. */
  static @Nullable String literalText(SqlNode node) {
    return switch (node) {
      case SqlLiteral literal when literal.getValue() instanceof NlsString text -> text.getValue();
      default -> null;
    };
  }

  /** A unit of time, as a text or as a word; null if the node is none. */
  static @Nullable String unitName(SqlNode node) {
    String text =
        switch (node) {
          case SqlIntervalQualifier qualifier ->
              qualifier.timeFrameName != null
                  ? qualifier.timeFrameName
                  : qualifier.timeUnitRange.name();
          case SqlIdentifier name when name.isSimple() -> name.getSimple();
          default -> literalText(node);
        };
    return text == null ? null : text.strip().toUpperCase(Locale.ROOT);
  }

  static boolean isNull(SqlNode node) {
    return node instanceof SqlLiteral literal && literal.getValue() == null;
  }

  static @Nullable BigDecimal literalNumber(SqlNode node) {
    if (node instanceof SqlCall call
        && call.getOperator().equals(SqlStdOperatorTable.UNARY_MINUS)
        && literalNumber(call.operand(0)) instanceof BigDecimal positive) {
      return positive.negate();
    }
    return SqlUtil.isLiteral(node) && ((SqlLiteral) node).getValue() instanceof BigDecimal number
        ? number
        : null;
  }
}
