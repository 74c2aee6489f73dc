package io.aragonite.adapter.sql;

import io.aragonite.adapter.parameter.TypedMarker;
import io.aragonite.adapter.sql.function.CommonFunctions;
import io.aragonite.adapter.sql.function.GroupNumber;
import io.aragonite.adapter.sql.function.JsonMaker;
import io.aragonite.adapter.sql.function.NestedText;
import io.aragonite.adapter.sql.function.StructPack;
import io.aragonite.adapter.sql.function.TypeOf;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.rules.function.ListEdits;
import io.aragonite.rules.translate.Averages;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apache.calcite.avatica.util.TimeUnit;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlBasicTypeNameSpec;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlIntervalQualifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.fun.SqlBetweenOperator;
import org.apache.calcite.sql.fun.SqlLiteralChainOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.fun.SqlTrimFunction;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.sql.validate.SqlValidator;
import org.apache.calcite.sql2rel.SqlRexContext;
import org.apache.calcite.sql2rel.SqlRexConvertlet;
import org.apache.calcite.sql2rel.SqlRexConvertletTable;
import org.apache.calcite.util.NlsString;
import org.jspecify.annotations.Nullable;

/**
 * Calcite's convertlets with fixes. A text literal in pieces ({@code _latin1'a' 'b'} over two
 * lines) gets the type that the validator has given it, which is of the default character set;
 * Calcite's own gives it that of the first piece, and then finds that the types differ. And where a
 * CHAR is compared, its padding does not count: two CHARs become CHARs of the longer length, as the
 * standard has it, and one that is no literal is trimmed before it is compared with a VARCHAR. And
 * chains of conditions are converted in a loop, and averages over windows are rounded.
 */
public record Convertlets(SqlRexConvertletTable table) implements SqlRexConvertletTable {
  private static final Set<SqlKind> PRODUCTS = EnumSet.of(SqlKind.TIMES, SqlKind.CHECKED_TIMES);
  private static final Set<SqlKind> QUOTIENTS = EnumSet.of(SqlKind.DIVIDE, SqlKind.CHECKED_DIVIDE);

  @Override
  public @Nullable SqlRexConvertlet get(SqlCall call) {
    StopCheck.current().check();
    if (call.getKind() == SqlKind.LITERAL_CHAIN) {
      return Convertlets::chain;
    }
    if (call.getKind() == SqlKind.AND || call.getKind() == SqlKind.OR) {
      return Convertlets::conditions;
    }
    SqlRexConvertlet own = ofOwn(call);
    if (own != null) {
      return own;
    }
    SqlRexConvertlet interval = IntervalForms.convertlet(call);
    if (interval != null) {
      return interval;
    }
    if (ConstantInstants.mayBe(call)) {
      return ConstantInstants::convert;
    }
    if (call.getOperator() instanceof InstantRounding) {
      return InstantRounding::convert;
    }
    if (call.getOperator().equals(SqlStdOperatorTable.CURRENT_SCHEMA)) {
      return Convertlets::currentSchema;
    }
    if (call.getOperator().equals(SqlStdOperatorTable.CURRENT_CATALOG)) {
      return (context, catalog) -> named(context, catalog, CommonFunctions.DATABASE);
    }
    if (hasTextMarkers(call)) {
      switch (call.getKind()) {
        case IS_DISTINCT_FROM, IS_NOT_DISTINCT_FROM -> {
          return Convertlets::distinct;
        }
        case BETWEEN -> {
          return Convertlets::between;
        }
        default -> {}
      }
    }
    if (call.getOperator().equals(SqlStdOperatorTable.SQRT)) {
      return Convertlets::root;
    }
    if (call.getKind() == SqlKind.ITEM && call.operand(1) instanceof SqlLiteral field) {
      return (context, item) -> item(context, item, field, Objects.requireNonNull(table.get(item)));
    }
    SqlRexConvertlet variance = WindowVariances.convertlet(call);
    if (variance != null) {
      return variance;
    }
    SqlRexConvertlet known = table.get(call);
    return known == null ? null : around(known, call);
  }

  /** Of functions that Calcite has no convertlet for. */
  private static @Nullable SqlRexConvertlet ofOwn(SqlCall call) {
    if (FractionConvertlets.countsFractions(call)) {
      return FractionConvertlets::between;
    }
    if (TypedMarker.is(call)) {
      return TypedMarker::convert;
    }
    if (TypeOf.is(call)) {
      return TypeOf::convert;
    }
    if (JsonMaker.is(call)) {
      return JsonMaker::convert;
    }
    if (NestedText.is(call)) {
      return NestedText::convert;
    }
    if (GroupNumber.is(call)) {
      return GroupNumber::convert;
    }
    if (call.getKind() == SqlKind.GROUPING || call.getKind() == SqlKind.GROUPING_ID) {
      throw new AragoniteException(
          ErrorCode.EXPRESSION_UNSUPPORTED,
          "%s is not known in a subquery of the query that groups; make it a column there, and put a query with the subquery around: SELECT g, (SELECT ...) FROM (SELECT GROUPING(k) AS g ... GROUP BY ...) AS t."
              .formatted(call));
    }
    if (call.getOperator().equals(ListEdits.ELEMENTS)) {
      return Convertlets::elements;
    }
    return StructPack.is(call) ? StructPack::convert : null;
  }

  /** Of a DOUBLE: a power of a half would have a root of minus infinity. */
  private static RexNode root(SqlRexContext context, SqlCall call) {
    RexBuilder builder = context.getRexBuilder();
    RexNode value = context.convertExpression(call.operand(0));
    RelDataType number = builder.getTypeFactory().createSqlType(SqlTypeName.DOUBLE);
    return builder.makeCall(SqlStdOperatorTable.SQRT, builder.ensureType(number, value, true));
  }

  /** What UNNEST has of a list whose elements are no structs is the list. */
  private static RexNode elements(SqlRexContext context, SqlCall call) {
    RexNode list = context.convertExpression(call.operand(0));
    RelDataType element = list.getType().getComponentType();
    return element != null && element.isStruct()
        ? context.getRexBuilder().makeCall(ListEdits.ELEMENTS, list)
        : list;
  }

  /** Calcite's own, with a fix before or after it. */
  private static SqlRexConvertlet around(SqlRexConvertlet known, SqlCall call) {
    if (FractionConvertlets.addsFractions(call)) {
      return (context, sum) -> FractionConvertlets.plus(context, sum, known);
    }
    if (PRODUCTS.contains(call.getKind())) {
      return (context, product) ->
          constantInterval(context.getRexBuilder(), known.convertCall(context, product));
    }
    if (QUOTIENTS.contains(call.getKind())) {
      return (context, quotient) ->
          nullQuotient(context.getRexBuilder(), known.convertCall(context, quotient));
    }
    if (call.getKind() == SqlKind.AVG) {
      return (context, average) ->
          Averages.rounded(
              context.getRexBuilder(), known.convertCall(context, ofDouble(context, average)));
    }
    if (call.getKind() == SqlKind.TIMESTAMP_DIFF
        && call.operand(0) instanceof SqlIntervalQualifier unit
        && unit.getUnit() == TimeUnit.DECADE) {
      return (context, difference) -> decades(context, difference, known);
    }
    if (call.getKind() == SqlKind.CASE) {
      return (context, choice) -> neverNull(context, choice, known.convertCall(context, choice));
    }
    return NestedComparisons.is(call.getKind()) && call.operandCount() == 2
        ? (context, comparison) -> {
          RexNode ofStructs = NestedComparisons.convert(context, comparison);
          return ofStructs == null ? compared(context, comparison, known) : ofStructs;
        }
        : known;
  }

  /**
   * Null if an operand is: Calcite takes such a quotient for a constant, and asks for its literal
   * when it looks how a projection of sorted rows is sorted (1.42, no issue known).
   */
  private static RexNode nullQuotient(RexBuilder builder, RexNode quotient) {
    return quotient instanceof RexCall call
            && call.isA(QUOTIENTS)
            && call.getOperands().stream().anyMatch(operand -> RexUtil.isNullLiteral(operand, true))
        ? builder.makeNullLiteral(quotient.getType())
        : quotient;
  }

  /** Tens of whole years: Calcite's own are the years. */
  private static RexNode decades(SqlRexContext context, SqlCall call, SqlRexConvertlet known) {
    SqlValidator validator = context.getValidator();
    SqlParserPos pos = call.getParserPosition();
    SqlCall years =
        call.getOperator()
            .createCall(
                pos,
                new SqlIntervalQualifier(TimeUnit.YEAR, null, pos),
                call.operand(1),
                call.operand(2));
    validator.setValidatedNodeType(years, validator.getValidatedNodeType(call));
    RexBuilder builder = context.getRexBuilder();
    return builder.makeCall(
        SqlStdOperatorTable.DIVIDE_INTEGER,
        known.convertCall(context, years),
        builder.makeExactLiteral(BigDecimal.TEN));
  }

  private static RexNode compared(SqlRexContext context, SqlCall call, SqlRexConvertlet known) {
    return switch (call.getKind()) {
      case IS_DISTINCT_FROM -> rowsDistinct(context, call, known);
      case IS_NOT_DISTINCT_FROM -> known.convertCall(context, call);
      default -> comparison(context, call, known);
    };
  }

  /**
   * {@code INTERVAL 2 DAY}, which is read as a product, as a literal: as the offset of a window's
   * frame it must be one.
   */
  private static RexNode constantInterval(RexBuilder builder, RexNode interval) {
    SqlIntervalQualifier unit = interval.getType().getIntervalQualifier();
    if (unit == null
        || !(interval instanceof RexCall product && product.isA(PRODUCTS))
        || !(product.getOperands().get(0) instanceof RexLiteral count)
        || !(product.getOperands().get(1) instanceof RexLiteral one)
        || !SqlTypeUtil.isExactNumeric(count.getType())
        || count.isNull()
        || one.isNull()) {
      return interval;
    }
    BigDecimal value =
        Objects.requireNonNull(count.getValueAs(BigDecimal.class))
            .multiply(Objects.requireNonNull(one.getValueAs(BigDecimal.class)))
            .stripTrailingZeros();
    return value.scale() > 0 ? interval : builder.makeIntervalLiteral(value.setScale(0), unit);
  }

  /**
   * A choice as the validator has it, which knows that COALESCE with a value is never null: where
   * Calcite casts what it is null or not (a null of DATE beside a TIMESTAMP) it has forgotten that.
   */
  private static RexNode neverNull(SqlRexContext context, SqlCall choice, RexNode value) {
    RelDataType type = context.getValidator().getValidatedNodeTypeIfKnown(choice);
    return type != null
            && !type.isNullable()
            && value.getType().isNullable()
            && SqlTypeUtil.equalSansNullability(context.getTypeFactory(), type, value.getType())
        ? context.getRexBuilder().makeNotNull(value)
        : value;
  }

  /** An average of a REAL as one of a DOUBLE, which it is added up as. */
  private static SqlCall ofDouble(SqlRexContext context, SqlCall call) {
    SqlValidator validator = context.getValidator();
    RelDataType type = validator.getValidatedNodeTypeIfKnown(call.operand(0));
    if (type == null || type.getSqlTypeName() != SqlTypeName.REAL) {
      return call;
    }
    SqlParserPos pos = call.getParserPosition();
    SqlNode value =
        SqlStdOperatorTable.CAST.createCall(
            pos,
            call.operand(0),
            new SqlDataTypeSpec(new SqlBasicTypeNameSpec(SqlTypeName.DOUBLE, pos), pos));
    SqlCall wide = call.getOperator().createCall(call.getFunctionQuantifier(), pos, value);
    validator.setValidatedNodeType(wide, validator.getValidatedNodeType(call));
    return wide;
  }

  /** The schema whose tables need no name before theirs. */
  private static RexNode currentSchema(SqlRexContext context, SqlCall call) {
    SqlValidator validator = context.getValidator();
    String name =
        validator.getCatalogReader().getSchemaPaths().stream()
            .filter(path -> !path.isEmpty())
            .map(List::getLast)
            .filter(schema -> !schema.equals(SessionNames.PG_CATALOG))
            .findFirst()
            .orElse("");
    return named(context, call, name);
  }

  private static RexNode named(SqlRexContext context, SqlCall call, String name) {
    RelDataType known = context.getValidator().getValidatedNodeTypeIfKnown(call);
    RelDataType type =
        known == null // in VALUES, where the name of the call is that of a column at first
            ? context.getTypeFactory().createSqlType(SqlTypeName.VARCHAR)
            : known;
    return context.getRexBuilder().makeLiteral(name, type, true);
  }

  /** A field of a row by its name, which Calcite's code looks for among its numbers. */
  private static RexNode item(
      SqlRexContext context, SqlCall item, SqlLiteral field, SqlRexConvertlet known) {
    RelDataType type = context.getValidator().getValidatedNodeType(item.operand(0));
    return type.isStruct() && SqlTypeUtil.isCharacter(field.createSqlType(context.getTypeFactory()))
        ? context
            .getRexBuilder()
            .makeFieldAccess(
                context.convertExpression(item.operand(0)),
                Objects.requireNonNull(field.getValueAs(String.class)),
                false)
        : known.convertCall(context, item);
  }

  private static boolean hasTextMarkers(SqlCall call) {
    return call.getOperandList().stream()
        .anyMatch(operand -> operand != null && TypedMarker.isText(operand));
  }

  /** Compares by the operators, which know of padding. */
  private static RexNode between(SqlRexContext context, SqlCall call) {
    SqlBetweenOperator operator = (SqlBetweenOperator) call.getOperator();
    SqlNode value = call.operand(SqlBetweenOperator.VALUE_OPERAND);
    SqlNode lower = call.operand(SqlBetweenOperator.LOWER_OPERAND);
    SqlNode upper = call.operand(SqlBetweenOperator.UPPER_OPERAND);
    RexBuilder rexBuilder = context.getRexBuilder();
    RexNode within = within(context, value, lower, upper);
    if (operator.flag == SqlBetweenOperator.Flag.SYMMETRIC) {
      within =
          rexBuilder.makeCall(SqlStdOperatorTable.OR, within, within(context, value, upper, lower));
    }
    return operator.isNegated() ? rexBuilder.makeCall(SqlStdOperatorTable.NOT, within) : within;
  }

  private static RexNode within(
      SqlRexContext context, SqlNode value, SqlNode lower, SqlNode upper) {
    SqlParserPos pos = value.getParserPosition();
    return context
        .getRexBuilder()
        .makeCall(
            SqlStdOperatorTable.AND,
            context.convertExpression(
                SqlStdOperatorTable.GREATER_THAN_OR_EQUAL.createCall(pos, value, lower)),
            context.convertExpression(
                SqlStdOperatorTable.LESS_THAN_OR_EQUAL.createCall(pos, value, upper)));
  }

  private static RexNode distinct(SqlRexContext context, SqlCall call) {
    boolean padded =
        isChar(context.getValidator(), call.operand(0))
            && isChar(context.getValidator(), call.operand(1));
    RexNode left = context.convertExpression(call.operand(0));
    RexNode right = context.convertExpression(call.operand(1));
    RexBuilder rexBuilder = context.getRexBuilder();
    RelDataType type = padded ? longer(rexBuilder, left, right) : left.getType();
    return RelOptUtil.isDistinctFrom(
        rexBuilder,
        padded ? rexBuilder.ensureType(type, left, true) : left,
        padded ? rexBuilder.ensureType(type, right, true) : right,
        call.getKind() == SqlKind.IS_NOT_DISTINCT_FROM);
  }

  /** Rows are distinct if one field is; Calcite's own are only if all of them are. */
  private static RexNode rowsDistinct(SqlRexContext context, SqlCall call, SqlRexConvertlet known) {
    RelDataType type = context.getValidator().getValidatedNodeTypeIfKnown(call.operand(0));
    if (type == null || !type.isStruct()) {
      return comparison(context, call, known);
    }
    RexBuilder rexBuilder = context.getRexBuilder();
    RexNode same =
        RelOptUtil.isDistinctFrom(
            rexBuilder,
            context.convertExpression(call.operand(0)),
            context.convertExpression(call.operand(1)),
            true);
    return rexBuilder.makeCall(SqlStdOperatorTable.NOT, same);
  }

  private static RexNode chain(SqlRexContext context, SqlCall chain) {
    RelDataType type = context.getValidator().getValidatedNodeType(chain);
    return SqlLiteralChainOperator.concatenateOperands(chain).getValue() instanceof NlsString text
        ? context.getRexBuilder().makeLiteral(text.getValue(), type, false)
        : context.convertLiteral(SqlLiteralChainOperator.concatenateOperands(chain));
  }

  /**
   * Converts {@code a OR b OR c ...} without a level of calls for each condition. Calcite's own
   * wraps an exception anew at each level, with the text of all that is below: a statement of
   * thousands of conditions that is cancelled here would take minutes to end.
   */
  private static RexNode conditions(SqlRexContext context, SqlCall call) {
    List<RexNode> operands = new ArrayList<>();
    SqlNode left = call;
    while (left instanceof SqlCall nested
        && nested.getOperator().equals(call.getOperator())
        && nested.operandCount() == 2) {
      operands.add(context.convertExpression(nested.operand(1)));
      left = nested.operand(0);
    }
    operands.add(context.convertExpression(left));
    RexBuilder builder = context.getRexBuilder();
    List<RexNode> inOrder = RexUtil.flatten(operands.reversed(), call.getOperator());
    return builder.makeCall(
        builder.deriveReturnType(call.getOperator(), inOrder), call.getOperator(), inOrder);
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
    return type != null && (type.getSqlTypeName() == SqlTypeName.CHAR || isPadded(operand, type));
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
    RelDataType type = longer(rexBuilder, left, right);
    return rexBuilder.makeCall(
        comparison.getOperator(),
        rexBuilder.ensureType(type, left, true),
        rexBuilder.ensureType(type, right, true));
  }

  private static RelDataType longer(RexBuilder rexBuilder, RexNode left, RexNode right) {
    boolean leftLonger = left.getType().getPrecision() >= right.getType().getPrecision();
    RelDataType longer = leftLonger ? left.getType() : right.getType();
    return longer.getSqlTypeName() == SqlTypeName.CHAR ? longer : asChar(rexBuilder, longer);
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
