package io.aragonite.adapter.sql.function;

import io.aragonite.adapter.sql.function.FunctionForms.Form;
import io.aragonite.exec.expr.DatePart;
import io.aragonite.rules.function.IntervalFunctions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.calcite.avatica.util.TimeUnit;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlUnresolvedFunction;
import org.apache.calcite.sql.SqlWith;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * {@code age(x, y)}: PostgreSQL's has months, days and time in one value, which no type here holds.
 * So it has no value of its own, but what is made of it has: its parts, its text, comparisons and
 * order, and the moment to which it is added. A column of the result is the text.
 */
public final class Ages {
  private static final String NAME = "AGE";
  private static final Set<SqlKind> DIRECTIONS =
      Set.of(SqlKind.DESCENDING, SqlKind.NULLS_FIRST, SqlKind.NULLS_LAST);

  private Ages() {}

  static void add(Map<String, Form> forms) {
    forms.put(
        NAME,
        (trees, call) -> {
          FunctionForms.require(call, 1, 2);
          throw FunctionForms.invalid(
              call,
              "AGE has months together with days, which no type here holds: as such it is a column"
                  + " of the result only. Compare it, add it to a moment, take a part, EXTRACT(YEAR"
                  + " FROM age(x, y)), or its text, CAST(age(x, y) AS VARCHAR); x - y has days and"
                  + " time");
        });
  }

  /** Whether a node is a call of such a name. */
  public static boolean is(@Nullable SqlNode node) {
    return node instanceof SqlCall call
        && call.getOperator() instanceof SqlUnresolvedFunction function
        && isName(function)
        && (call.operandCount() == 1 || call.operandCount() == 2);
  }

  private static boolean isName(SqlFunction function) {
    SqlIdentifier name = function.getSqlIdentifier();
    return function.getName().equalsIgnoreCase(NAME) && (name == null || name.isSimple());
  }

  /** The call of an age with two moments. */
  private static SqlNode of(SqlOperator function, SqlNode age) {
    SqlCall call = (SqlCall) age;
    Trees trees = new Trees(call);
    boolean today = call.operandCount() == 1;
    SqlNode to = today ? trees.call(SqlStdOperatorTable.CURRENT_DATE) : call.operand(0);
    SqlNode from = call.operand(today ? 0 : 1);
    return trees.call(
        function,
        trees.cast(Trees.copy(to), SqlTypeName.TIMESTAMP),
        trees.cast(Trees.copy(from), SqlTypeName.TIMESTAMP));
  }

  /** A part of an age; null of what is none. */
  static @Nullable SqlNode part(Trees trees, DatePart part, SqlNode age) {
    if (!is(age)) {
      return null;
    }
    SqlNode months = of(IntervalFunctions.AGE_MONTHS, age);
    SqlNode rest = of(IntervalFunctions.AGE_REST, age);
    return switch (part) {
      case YEAR, MONTH, DECADE, CENTURY, MILLENNIUM ->
          trees.extract(TimeUnit.valueOf(part.name()), months);
      case DAY, HOUR, MINUTE, SECOND, MILLISECOND, MICROSECOND ->
          trees.extract(TimeUnit.valueOf(part.name()), rest);
      case EPOCH -> trees.plus(DateForms.epoch(trees, months), DateForms.epoch(trees, rest));
      default ->
          throw FunctionForms.invalid(
              age, "AGE has no part %s".formatted(part.name().toLowerCase(Locale.ROOT)));
    };
  }

  /** What a call with ages among its operands becomes; null if it has none, or stays. */
  static @Nullable SqlNode around(SqlCall call) {
    if (call.getOperandList().stream().noneMatch(Ages::is)) {
      return null;
    }
    Trees trees = new Trees(call);
    return switch (call.getKind()) {
      case CAST ->
          call.operand(1) instanceof SqlDataTypeSpec
              ? trees.call(
                  call.getOperator(),
                  of(IntervalFunctions.AGE_TEXT, call.operand(0)),
                  call.operand(1))
              : null;
      case EQUALS,
          NOT_EQUALS,
          LESS_THAN,
          LESS_THAN_OR_EQUAL,
          GREATER_THAN,
          GREATER_THAN_OR_EQUAL,
          BETWEEN,
          IS_NULL,
          IS_NOT_NULL -> {
        List<SqlNode> operands = new ArrayList<>(call.getOperandList());
        operands.replaceAll(
            operand -> is(operand) ? of(IntervalFunctions.AGE_SPAN, operand) : operand);
        yield call.getOperator().createCall(trees.at, operands);
      }
      case PLUS, MINUS -> {
        boolean first = is(call.operand(0));
        if (call.operandCount() != 2 || first && call.getKind() == SqlKind.MINUS) {
          yield null;
        }
        SqlNode age = call.operand(first ? 0 : 1);
        SqlNode moment = call.operand(first ? 1 : 0);
        SqlOperator operator = call.getOperator();
        yield trees.call(
            operator,
            trees.call(operator, moment, of(IntervalFunctions.AGE_MONTHS, age)),
            of(IntervalFunctions.AGE_REST, age));
      }
      default -> null;
    };
  }

  /**
   * Ages that are columns of the result become texts; those that it is ordered by spans, whose
   * months have 30 days.
   *
   * @return the keys of ORDER BY that came from the list of columns: their names are those of FROM,
   *     not of the result
   * @param common whether a call is of no function of the connection's own
   */
  public static Set<SqlNode> show(SqlNode statement, Predicate<SqlCall> common) {
    SqlNode query = statement instanceof SqlWith with ? with.body : statement;
    SqlNodeList order = query instanceof SqlOrderBy by ? by.orderList : null;
    SqlNode body = query instanceof SqlOrderBy by ? by.query : query;
    body = body instanceof SqlWith with ? with.body : body;
    if (!(body instanceof SqlSelect select) || select.isDistinct()) {
      return Set.of();
    }
    order = order == null ? select.getOrderList() : order;
    SqlNodeList columns = select.getSelectList();
    Map<String, SqlNode> known = new HashMap<>();
    for (int i = 0; i < columns.size(); i++) {
      SqlNode column = columns.get(i);
      boolean named = column.getKind() == SqlKind.AS;
      SqlNode value = named ? ((SqlCall) column).operand(0) : column;
      if (!is(value) || !common.test((SqlCall) value)) {
        continue;
      }
      String name = named ? ((SqlCall) column).operand(1).toString() : NAME;
      known.put(String.valueOf(i + 1), value);
      known.put(name.toUpperCase(Locale.ROOT), value);
      SqlParserPos at = value.getParserPosition();
      SqlNode text = of(IntervalFunctions.AGE_TEXT, value);
      SqlNode shown =
          named
              ? ((SqlCall) column).operand(1)
              : new SqlIdentifier(NAME.toLowerCase(Locale.ROOT), at);
      columns.set(i, SqlStdOperatorTable.AS.createCall(at, text, shown));
    }
    Set<SqlNode> ofColumns = Collections.newSetFromMap(new IdentityHashMap<>());
    for (int i = 0; order != null && i < order.size(); i++) {
      SqlNode key = order.get(i);
      order.set(i, ordered(key, known, common));
      if (column(value(key), known) != null) {
        ofColumns.add(order.get(i));
      }
    }
    return ofColumns;
  }

  private static SqlNode ordered(
      SqlNode key, Map<String, SqlNode> known, Predicate<SqlCall> common) {
    if (key instanceof SqlCall call && DIRECTIONS.contains(call.getKind())) {
      return call.getOperator()
          .createCall(call.getParserPosition(), ordered(call.operand(0), known, common));
    }
    SqlNode age = is(key) && common.test((SqlCall) key) ? key : column(key, known);
    return age == null ? key : of(IntervalFunctions.AGE_SPAN, age);
  }

  /** What a key orders by, without its direction. */
  private static SqlNode value(SqlNode key) {
    return key instanceof SqlCall call && DIRECTIONS.contains(call.getKind())
        ? value(call.operand(0))
        : key;
  }

  private static @Nullable SqlNode column(SqlNode key, Map<String, SqlNode> known) {
    return key instanceof SqlNumericLiteral || key instanceof SqlIdentifier
        ? known.get(key.toString().toUpperCase(Locale.ROOT))
        : null;
  }
}
