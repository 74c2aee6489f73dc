package io.aragonite.adapter.sql.parse;

import io.aragonite.adapter.sql.function.SeriesFunction;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.rules.function.ListFunctions;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlBasicTypeNameSpec;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.SqlUnresolvedFunction;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.validate.SqlValidatorUtil;
import org.jspecify.annotations.Nullable;

/**
 * {@code generate_series(first, last, step)}, the last one included, and {@code range(first, end,
 * step)}, of whole numbers or of moments: expressions over the numbers of rows, which devices make
 * ({@link SeriesFunction}). Where the numbers are no literals, columns of items before it in FROM
 * too, they are the elements of the list that the function of that name makes.
 */
final class SeriesQuery {
  private static final BigInteger MOST = BigInteger.valueOf(Integer.MAX_VALUE);

  private final SqlParserPos at;
  private final String name;
  private final BigInteger first;
  private final BigInteger step;
  private final BigInteger count;
  private final @Nullable MomentSeries moments;

  private SeriesQuery(SqlCall call, String name, @Nullable MomentSeries moments) {
    List<SqlNode> arguments = call.getOperandList();
    if (arguments.isEmpty() || arguments.size() > 3) {
      throw invalid(name, "takes one to three arguments");
    }
    this.at = call.getParserPosition();
    this.name = name;
    this.moments = moments;
    List<BigInteger> numbers =
        moments == null
            ? arguments.stream().map(each -> number(each, name)).toList()
            : List.of(BigInteger.ZERO, moments.way(), moments.step());
    this.first = numbers.size() == 1 ? BigInteger.ZERO : numbers.get(0);
    this.step = numbers.size() == 3 ? numbers.get(2) : BigInteger.ONE;
    if (step.signum() == 0) {
      throw invalid(name, "has a step of zero");
    }
    BigInteger way = numbers.get(numbers.size() == 1 ? 0 : 1).subtract(first);
    if (step.signum() < 0) {
      way = way.negate();
    }
    boolean inclusive = name.equals("generate_series");
    BigInteger steps =
        inclusive
            ? way.signum() < 0 ? BigInteger.ZERO : way.divide(step.abs()).add(BigInteger.ONE)
            : way.add(step.abs()).subtract(BigInteger.ONE).max(BigInteger.ZERO).divide(step.abs());
    if (steps.compareTo(MOST) > 0) {
      throw invalid(name, "has more than %,d rows".formatted(MOST));
    }
    this.count = steps;
  }

  /** What a function in FROM is written as; null if it is another one. */
  static @Nullable SqlNode of(SqlCall table) {
    String name = table.getKind() == SqlKind.COLLECTION_TABLE ? name(table.operand(0)) : null;
    if (name == null) {
      return null;
    }
    SqlCall call = table.operand(0);
    MomentSeries moments = MomentSeries.of(call, name);
    return moments == null && !call.getOperandList().stream().allMatch(SeriesQuery::isNumber)
        ? named(unnest(call), List.of(), name)
        : query(call, name, moments);
  }

  /**
   * One under an alias, whose numbers are no literals: the elements of a list. Null of all else.
   */
  static @Nullable SqlNode aliased(SqlCall as) {
    SqlNode made =
        as.operand(0).getKind() == SqlKind.COLLECTION_TABLE ? of((SqlCall) as.operand(0)) : null;
    if (made == null || made.getKind() != SqlKind.AS) {
      return null;
    }
    List<SqlNode> names = as.getOperandList().subList(1, as.operandCount());
    String column = String.valueOf(SqlValidatorUtil.alias(made));
    return named(((SqlCall) made).operand(0), names, column);
  }

  /** A step of zero is an error in FROM; the list that it makes elsewhere is empty. */
  private static SqlNode unnest(SqlCall call) {
    SqlNode step = call.operandCount() == 3 ? call.operand(2) : null;
    if (step != null
        && !(step instanceof SqlLiteral)
        && step.getKind() != SqlKind.INTERVAL
        && step.getKind() != SqlKind.MINUS_PREFIX) {
      call.setOperand(2, ListFunctions.SERIES_STEP.createCall(step.getParserPosition(), step));
    }
    return SqlStdOperatorTable.UNNEST.createCall(call.getParserPosition(), call);
  }

  /** An item of FROM with its names: those given, or that of its column. */
  private static SqlNode named(SqlNode item, List<SqlNode> given, String column) {
    List<SqlNode> operands = new ArrayList<>(List.of(item));
    operands.addAll(given);
    while (operands.size() < 3) {
      operands.add(new SqlIdentifier(column, item.getParserPosition()));
    }
    return SqlStdOperatorTable.AS.createCall(item.getParserPosition(), operands);
  }

  private static boolean isNumber(SqlNode node) {
    return node instanceof SqlNumericLiteral
        || node.getKind() == SqlKind.MINUS_PREFIX && isNumber(((SqlCall) node).operand(0));
  }

  /** The moments of a list that is a series of them, as a query; null of another list. */
  static @Nullable SqlNode ofMoments(SqlNode list) {
    String name = name(list);
    MomentSeries moments = name == null ? null : MomentSeries.of((SqlCall) list, name);
    return moments == null ? null : query((SqlCall) list, String.valueOf(name), moments);
  }

  /** The name of a series; null of anything else. */
  private static @Nullable String name(SqlNode node) {
    if (!(node instanceof SqlBasicCall call)
        || !(call.getOperator() instanceof SqlUnresolvedFunction function)) {
      return null;
    }
    String name = function.getName().toLowerCase(Locale.ROOT);
    return name.equals("generate_series") || name.equals("range") ? name : null;
  }

  private static SqlNode query(SqlCall call, String name, @Nullable MomentSeries moments) {
    List<SqlNode> listed = moments == null ? null : moments.listed(call.getParserPosition());
    return listed != null
        ? listed(name, listed, call.getParserPosition())
        : new SeriesQuery(call, name, moments).query();
  }

  /** Moments that are written one by one. */
  private static SqlNode listed(String name, List<SqlNode> moments, SqlParserPos at) {
    List<SqlNode> rows = new ArrayList<>();
    for (SqlNode moment : moments) {
      rows.add(SqlStdOperatorTable.ROW.createCall(at, moment));
    }
    SqlNode none = SqlLiteral.createBoolean(!rows.isEmpty(), at);
    if (rows.isEmpty()) {
      rows.add(SqlStdOperatorTable.ROW.createCall(at, SqlLiteral.createNull(at)));
    }
    SqlNode list =
        SqlStdOperatorTable.AS.createCall(
            at,
            SqlStdOperatorTable.VALUES.createCall(at, rows),
            new SqlIdentifier("moments", at),
            new SqlIdentifier("moment", at));
    SqlNode column =
        SqlStdOperatorTable.AS.createCall(
            at,
            cast(new SqlIdentifier("moment", at), SqlTypeName.TIMESTAMP, at),
            new SqlIdentifier(name, at));
    return Selects.of(at, SqlNodeList.of(column), list, none);
  }

  private static AragoniteException invalid(String name, String what) {
    return new AragoniteException(ErrorCode.INVALID_STATEMENT, "%s %s.".formatted(name, what));
  }

  private static BigInteger number(SqlNode node, String name) {
    if (node instanceof SqlCall call
        && call.getOperator().equals(SqlStdOperatorTable.UNARY_MINUS)) {
      return number(call.operand(0), name).negate();
    }
    if (node instanceof SqlNumericLiteral literal
        && literal.isInteger()
        && literal.bigDecimalValue() instanceof BigDecimal value) {
      return value.toBigInteger();
    }
    throw invalid(
        name, "in FROM takes whole numbers or moments as literals, not '%s'".formatted(node));
  }

  private SqlNode literal(BigInteger value) {
    return SqlLiteral.createExactNumeric(value.toString(), at);
  }

  private SqlNode query() {
    SqlIdentifier index = new SqlIdentifier(List.of("numbers", "number"), at);
    SqlNode value =
        SqlStdOperatorTable.PLUS.createCall(
            at,
            literal(first),
            SqlStdOperatorTable.MULTIPLY.createCall(at, wide(index), literal(step)));
    SqlNode typed = cast(value, SqlTypeName.BIGINT, at);
    if (moments != null) {
      typed = cast(moments.after(typed, at), SqlTypeName.TIMESTAMP, at);
    }
    SqlNode column = SqlStdOperatorTable.AS.createCall(at, typed, new SqlIdentifier(name, at));
    SqlNode numbers =
        SqlStdOperatorTable.AS.createCall(
            at,
            SqlStdOperatorTable.COLLECTION_TABLE.createCall(
                at, SeriesFunction.INSTANCE.createCall(at, literal(count))),
            new SqlIdentifier("numbers", at));
    return Selects.of(at, SqlNodeList.of(column), numbers, null);
  }

  /** The number of a row in a type in which its way from the first one can be counted. */
  private SqlNode wide(SqlNode index) {
    boolean fits = step.multiply(count).bitLength() < Long.SIZE;
    SqlTypeName type = fits ? SqlTypeName.BIGINT : SqlTypeName.DECIMAL;
    return cast(index, type, at);
  }

  private static SqlNode cast(SqlNode value, SqlTypeName type, SqlParserPos at) {
    return SqlStdOperatorTable.CAST.createCall(
        at, value, new SqlDataTypeSpec(new SqlBasicTypeNameSpec(type, at), at));
  }
}
