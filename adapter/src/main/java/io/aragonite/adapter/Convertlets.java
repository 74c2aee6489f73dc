package io.aragonite.adapter;

import io.aragonite.adapter.parameter.TypedMarker;
import java.util.Objects;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.fun.SqlLiteralChainOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.fun.SqlTrimFunction;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.sql.validate.SqlValidator;
import org.apache.calcite.sql2rel.SqlRexContext;
import org.apache.calcite.sql2rel.SqlRexConvertlet;
import org.apache.calcite.sql2rel.SqlRexConvertletTable;
import org.apache.calcite.util.NlsString;
import org.jspecify.annotations.Nullable;

/**
 * Calcite's convertlets with two mends. A text literal in pieces ({@code _latin1'a' 'b'} over two
 * lines) gets the type that the validator has given it, which is of the default character set;
 * Calcite's own gives it that of the first piece, and then finds that the types differ. And where a
 * CHAR is compared, its padding does not count: two CHARs become CHARs of the longer length, as the
 * standard has it, and one that is no literal is trimmed before it is compared with a VARCHAR.
 */
record Convertlets(SqlRexConvertletTable table) implements SqlRexConvertletTable {
  @Override
  public @Nullable SqlRexConvertlet get(SqlCall call) {
    if (call.getKind() == SqlKind.LITERAL_CHAIN) {
      return Convertlets::chain;
    }
    if (TypedMarker.is(call)) {
      return (context, marker) -> context.convertExpression(marker.operand(0));
    }
    SqlRexConvertlet known = table.get(call);
    return known != null && call.getKind().belongsTo(SqlKind.COMPARISON) && call.operandCount() == 2
        ? (context, comparison) -> comparison(context, comparison, known)
        : known;
  }

  private static RexNode chain(SqlRexContext context, SqlCall chain) {
    RelDataType type = context.getValidator().getValidatedNodeType(chain);
    return SqlLiteralChainOperator.concatenateOperands(chain).getValue() instanceof NlsString text
        ? context.getRexBuilder().makeLiteral(text.getValue(), type, false)
        : context.convertLiteral(SqlLiteralChainOperator.concatenateOperands(chain));
  }

  private static RexNode comparison(
      SqlRexContext context, SqlCall comparison, SqlRexConvertlet known) {
    boolean left = isChar(context.getValidator(), comparison.operand(0));
    boolean right = isChar(context.getValidator(), comparison.operand(1));
    if (left && right) {
      return padded(context, comparison);
    }
    boolean column = (left && !isLiteral(comparison, 0)) || (right && !isLiteral(comparison, 1));
    return column && isText(context, comparison)
        ? context
            .getRexBuilder()
            .makeCall(
                comparison.getOperator(),
                trimmed(context, comparison.operand(0), left),
                trimmed(context, comparison.operand(1), right))
        : known.convertCall(context, comparison);
  }

  private static boolean isLiteral(SqlCall comparison, int operand) {
    return comparison.operand(operand) instanceof SqlLiteral
        || TypedMarker.is(comparison.operand(operand));
  }

  private static boolean isChar(SqlValidator validator, SqlNode operand) {
    RelDataType type = validator.getValidatedNodeTypeIfKnown(operand);
    return type != null
        && (type.getSqlTypeName() == SqlTypeName.CHAR || isPadded(operand, type));
  }

  /** A text that is a parameter compares as a literal of it does, whose type is CHAR. */
  private static boolean isPadded(SqlNode operand, RelDataType type) {
    return TypedMarker.is(operand)
        && type.getSqlTypeName() == SqlTypeName.VARCHAR
        && type.getPrecision() != RelDataType.PRECISION_NOT_SPECIFIED;
  }

  private static boolean isText(SqlRexContext context, SqlCall comparison) {
    return comparison.getOperandList().stream()
        .allMatch(operand -> {
          RelDataType type = context.getValidator().getValidatedNodeTypeIfKnown(operand);
          return type != null && SqlTypeUtil.inCharFamily(type);
        });
  }

  private static RexNode padded(SqlRexContext context, SqlCall comparison) {
    RexBuilder rexBuilder = context.getRexBuilder();
    RexNode left = context.convertExpression(comparison.operand(0));
    RexNode right = context.convertExpression(comparison.operand(1));
    boolean leftLonger = left.getType().getPrecision() >= right.getType().getPrecision();
    RelDataType longer = leftLonger ? left.getType() : right.getType();
    RelDataType type =
        longer.getSqlTypeName() == SqlTypeName.CHAR ? longer : asChar(rexBuilder, longer);
    return rexBuilder.makeCall(
        comparison.getOperator(),
        rexBuilder.ensureType(type, left, true),
        rexBuilder.ensureType(type, right, true));
  }

  private static RelDataType asChar(RexBuilder rexBuilder, RelDataType text) {
    RelDataTypeFactory factory = rexBuilder.getTypeFactory();
    return factory.createTypeWithCharsetAndCollation(
        factory.createSqlType(SqlTypeName.CHAR, text.getPrecision()),
        Objects.requireNonNull(text.getCharset()),
        Objects.requireNonNull(text.getCollation()));
  }

  private static RexNode trimmed(SqlRexContext context, SqlNode operand, boolean isChar) {
    RexBuilder rexBuilder = context.getRexBuilder();
    RexNode value = context.convertExpression(operand);
    return isChar
        ? rexBuilder.makeCall(
            SqlStdOperatorTable.TRIM,
            rexBuilder.makeFlag(SqlTrimFunction.Flag.TRAILING),
            rexBuilder.makeLiteral(" "),
            value)
        : value;
  }
}
