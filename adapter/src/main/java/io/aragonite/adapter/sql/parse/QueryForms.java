package io.aragonite.adapter.sql.parse;

import io.aragonite.adapter.sql.function.AggregateNames;
import io.aragonite.adapter.sql.function.FunctionForms;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.math.BigDecimal;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlSampleSpec;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlUnpivot;
import org.apache.calcite.sql.SqlUtil;
import org.apache.calcite.sql.SqlWith;
import org.apache.calcite.sql.SqlWithItem;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.util.SqlShuttle;
import org.apache.calcite.sql.validate.SqlValidatorUtil;
import org.jspecify.annotations.Nullable;

/**
 * Queries that Calcite has no form of, written as others: {@code SELECT DISTINCT ON}, {@code GROUP
 * BY ALL}, {@code ORDER BY ALL}, {@code TABLE t}, semi-joins, samples. The marks are those of
 * {@link TokenForms}.
 */
final class QueryForms {
  private QueryForms() {}

  /** The statement; trees are changed in place where they can be. */
  static SqlNode of(SqlNode node) {
    SqlNode made = formed(node);
    if (made instanceof SqlSelect select) {
      if (PercentLimit.isOf(select)) {
        PercentLimit.apply(select, SqlNodeList.EMPTY, null);
      }
      distinctOn(select, SqlNodeList.EMPTY);
    }
    return made;
  }

  /** Calcite takes a query that is all of ON for one whose rows are joined. */
  private static void scalarCondition(SqlJoin join) {
    if (join.getCondition() instanceof SqlCall on && on.getKind().belongsTo(SqlKind.QUERY)) {
      join.setOperand(5, SqlStdOperatorTable.SCALAR_QUERY.createCall(on.getParserPosition(), on));
    }
  }

  /** What may still have the mark of DISTINCT ON, which asks for the order around it. */
  private static SqlNode formed(SqlNode node) {
    switch (node) {
      case SqlOrderBy order -> {
        return ordered(order);
      }
      case SqlCall call when call.getKind() == SqlKind.EXPLICIT_TABLE -> {
        return select(call.operand(0), call.getParserPosition());
      }
      case SqlCall call when call.getKind() == SqlKind.COLLECTION_TABLE -> {
        SqlNode series = SeriesQuery.of(call);
        if (series instanceof SqlCall as && as.getKind() == SqlKind.AS) {
          operands(as);
        }
        return series == null ? call : series;
      }
      case SqlCall as
          when as.getKind() == SqlKind.AS && SeriesQuery.aliased(as) instanceof SqlCall made -> {
        operands(made);
        return made;
      }
      case SqlCall call when call.getKind() == SqlKind.TABLESAMPLE -> {
        operands(call);
        return sample(call);
      }
      case SqlDataTypeSpec type -> {
        return TypeNames.known(type);
      }
      case SqlUnpivot unpivot -> {
        operands(unpivot);
        unpivot.inList.forEach(QueryForms::namesAsTexts);
      }
      case SqlCall call when call.getKind() == SqlKind.UNION -> {
        boolean byName = UnionByName.unmark(call);
        operands(call);
        return byName ? UnionByName.of(call) : call;
      }
      case SqlSelect select -> {
        operands(select);
        SelectedUnnest.toJoin(select);
        SemiJoins.toConditions(select);
        AsofColumns.toConditions(select.getFrom());
        LateralQueries.mark(select);
        group(select);
      }
      case SqlCall call -> {
        return ofCall(call);
      }
      case SqlNodeList list -> {
        for (int i = 0; i < list.size(); i++) {
          SqlNode item = list.get(i);
          if (item != null) {
            list.set(i, of(item));
          }
        }
      }
      default -> {}
    }
    return node;
  }

  private static SqlNode ofCall(SqlCall call) {
    SqlNode number = TableNumbers.of(call);
    if (number != null) {
      return of(number);
    }
    operands(call);
    itself(call);
    return call;
  }

  /** Changes a call whose operands have their forms. */
  private static void itself(SqlCall call) {
    if (call instanceof SqlWith with) {
      with(with);
    }
    if (call instanceof SqlJoin join) {
      scalarCondition(join);
    }
    if (call.getKind() == SqlKind.AS) {
      InsertedValues.convert(call);
      UnnestedStructs.name(call);
    }
    if (call.getKind() == SqlKind.VALUES) {
      MixedNumbers.cast(call.getOperandList());
    }
  }

  /** {@code UNPIVOT (x FOR y IN (a AS first))}: the names behind AS are values of y. */
  private static void namesAsTexts(SqlNode item) {
    if (item.getKind() == SqlKind.AS && ((SqlCall) item).operand(1) instanceof SqlNodeList values) {
      values.replaceAll(value ->
          value instanceof SqlIdentifier name && name.isSimple()
              ? SqlLiteral.createCharString(name.getSimple(), name.getParserPosition())
              : value);
    }
  }

  private static void with(SqlWith with) {
    requireDistinctNames(with);
    PivotedColumns.name(with);
  }

  private static void requireDistinctNames(SqlWith with) {
    Set<String> names = new HashSet<>();
    for (SqlNode item : with.withList) {
      SqlIdentifier name = ((SqlWithItem) item).name;
      if (!names.add(name.getSimple().toLowerCase(Locale.ROOT))) {
        throw FunctionForms.invalid(
            name,
            "WITH has two queries '%s'; give one of them another name".formatted(name.getSimple()));
      }
    }
  }

  /** What is behind WITH may still have its marks, too. */
  private static SqlNode withBody(SqlWith with) {
    with.setOperand(0, of(with.withList));
    with.body = with.body instanceof SqlWith inner ? withBody(inner) : formed(with.body);
    with(with);
    return with;
  }

  /** {@code (x).a} as {@code x['a']}: in keys of an order Calcite takes the field for a column. */
  private static final class RowFields extends SqlShuttle {
    @Override
    public @Nullable SqlNode visit(SqlCall call) {
      if (call.getKind().belongsTo(SqlKind.QUERY)) {
        return call;
      }
      SqlIdentifier field = field(call);
      return field == null
          ? super.visit(call)
          : SqlStdOperatorTable.ITEM.createCall(
              call.getParserPosition(),
              call.operand(0).accept(this),
              SqlLiteral.createCharString(field.getSimple(), field.getParserPosition()));
    }

    /** The name behind the point; null if there is none. */
    static @Nullable SqlIdentifier field(SqlNode node) {
      return node instanceof SqlCall call
              && call.getKind() == SqlKind.DOT
              && call.operand(1) instanceof SqlIdentifier field
              && field.isSimple()
          ? field
          : null;
    }
  }

  /** A query whose rows are grouped or distinct has fields in the form of the keys of its order. */
  private static void keyFields(SqlSelect select) {
    SqlNodeList columns = select.getSelectList();
    if (columns == null || select.getGroup() == null && !select.isDistinct()) {
      return;
    }
    RowFields fields = new RowFields();
    columns.replaceAll(column -> {
      SqlIdentifier name = RowFields.field(column);
      SqlNode made = column.accept(fields);
      return name == null || made == null
          ? made
          : SqlStdOperatorTable.AS.createCall(column.getParserPosition(), made, name);
    });
    if (select.getGroup() != null) {
      select.getGroup().replaceAll(key -> key.accept(fields));
    }
    if (select.getHaving() != null) {
      select.setHaving(select.getHaving().accept(fields));
    }
  }

  private static SqlNode ordered(SqlOrderBy order) {
    SqlNode query = order.query instanceof SqlWith with ? withBody(with) : formed(order.query);
    if (query
        instanceof SqlOrderBy inner) { // (SELECT ... LIMIT 5) OFFSET 3, for which Calcite has none
      query = select(inner, inner.getParserPosition());
    }
    SqlNodeList orders = (SqlNodeList) of(order.orderList);
    orders.replaceAll(key -> key.accept(new RowFields()));
    SqlNode body = query;
    while (body instanceof SqlWith with) {
      body = with.body;
    }
    if (orders.size() == 1 && isAll(expression(orders.get(0)))) {
      orders = byEach(body, orders.get(0));
    }
    SqlNode offset = order.offset;
    if (body instanceof SqlSelect select) {
      SelectedUnnest.order(select, orders);
      if (PercentLimit.isOf(select)) {
        List<SqlNode> columns = select.getSelectList().subList(1, select.getSelectList().size());
        PercentLimit.apply(select, keys(orders, List.copyOf(columns)), offset);
        offset = null;
      }
      distinctOn(select, orders);
    }
    return new SqlOrderBy(order.getParserPosition(), query, orders, offset, order.fetch);
  }

  @SuppressWarnings("ReferenceEquality") // whether there is another node
  private static void operands(SqlCall call) {
    List<SqlNode> operands = call.getOperandList();
    for (int i = 0; i < operands.size(); i++) {
      SqlNode operand = operands.get(i);
      SqlNode made = operand == null ? null : of(operand);
      if (made != operand) {
        call.setOperand(i, made);
      }
    }
  }

  private static SqlSelect select(SqlNode table, SqlParserPos at) {
    return Selects.of(at, SqlNodeList.of(SqlIdentifier.star(at)), table, null);
  }

  /** A part of a table's rows, each taken or left by chance. */
  private static SqlNode sample(SqlCall call) {
    SqlSampleSpec spec = ((SqlLiteral) call.operand(1)).getValueAs(SqlSampleSpec.class);
    SqlParserPos at = call.getParserPosition();
    SqlNode table = call.operand(0);
    SqlSelect select = select(SqlUtil.stripAs(table), at);
    switch (spec) {
      case SqlSampleSpec.SqlTableSampleSpec rows when !rows.isRepeatable() -> {
        if (rows.sampleRate.compareTo(BigDecimal.ONE) > 0) {
          throw FunctionForms.invalid(call, "A sample has 0 to 100 percent of the rows");
        }
        select.setWhere(
            SqlStdOperatorTable.LESS_THAN.createCall(
                at,
                SqlStdOperatorTable.RAND.createCall(at),
                SqlLiteral.createExactNumeric(rows.sampleRate.toPlainString(), at)));
      }
      case SqlSampleSpec.SqlSubstitutionSampleSpec rows
          when rows.getName().startsWith(SampleTokens.ROWS) -> {
        select.setOrderBy(SqlNodeList.of(SqlStdOperatorTable.RAND.createCall(at)));
        select.setFetch(
            SqlLiteral.createExactNumeric(
                rows.getName().substring(SampleTokens.ROWS.length()), at));
      }
      default -> {
        return call;
      }
    }
    String name = SqlValidatorUtil.alias(table);
    return name == null
        ? select
        : SqlStdOperatorTable.AS.createCall(at, select, new SqlIdentifier(name, at));
  }

  /** Whether an expression is the mark of ORDER BY ALL or GROUP BY ALL. */
  static boolean isAll(@Nullable SqlNode node) {
    return node instanceof SqlIdentifier name
        && name.isSimple()
        && name.getSimple().equals(TokenForms.ALL_COLUMNS);
  }

  /** Without DESC and NULLS FIRST or LAST. */
  static SqlNode expression(SqlNode order) {
    return switch (order.getKind()) {
      case DESCENDING, NULLS_FIRST, NULLS_LAST -> expression(((SqlCall) order).operand(0));
      default -> order;
    };
  }

  /** The same modifiers around another expression. */
  static SqlNode modified(SqlNode order, SqlNode by) {
    return switch (order.getKind()) {
      case DESCENDING, NULLS_FIRST, NULLS_LAST -> {
        SqlCall call = (SqlCall) order;
        yield call.getOperator()
            .createCall(call.getParserPosition(), modified(call.operand(0), by));
      }
      default -> by;
    };
  }

  private static SqlNodeList byEach(SqlNode query, SqlNode order) {
    SqlNodeList columns = query instanceof SqlSelect select ? select.getSelectList() : null;
    boolean marked =
        columns != null && (isDistinctOn(columns.get(0)) || PercentLimit.isOf((SqlSelect) query));
    if (columns == null || hasStar(columns)) {
      if (marked) {
        throw new AragoniteException(
            ErrorCode.INVALID_STATEMENT,
            "ORDER BY ALL beside DISTINCT ON or LIMIT in percent needs a SELECT that lists its"
                + " columns by name; write their numbers.");
      }
      return SqlNodeList.of(order); // whoever knows the columns makes numbers of it
    }
    SqlNodeList orders = new SqlNodeList(order.getParserPosition());
    int first = marked ? 1 : 0;
    for (int i = first; i < columns.size(); i++) {
      SqlLiteral number =
          SqlLiteral.createExactNumeric(String.valueOf(i - first + 1), order.getParserPosition());
      orders.add(modified(order, number));
    }
    return orders;
  }

  private static boolean hasStar(List<SqlNode> columns) {
    return columns.stream()
        .anyMatch(column ->
            column instanceof SqlIdentifier name && name.isStar()
                || column.getClass().getSimpleName().startsWith("SqlStar"));
  }

  private static void group(SqlSelect select) {
    groupByAll(select);
    RepeatedGroups.expand(select.getGroup(), select.getSelectList());
    keyFields(select);
  }

  /** GROUP BY ALL groups by all columns that are no aggregates. */
  private static void groupByAll(SqlSelect select) {
    SqlNodeList group = select.getGroup();
    if (group == null || group.size() != 1 || !isAll(group.get(0))) {
      return;
    }
    SqlNodeList columns = select.getSelectList();
    if (hasStar(columns)) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "GROUP BY ALL needs a SELECT that lists its columns by name; write the columns.");
    }
    SqlNodeList keys = new SqlNodeList(group.getParserPosition());
    for (int i = 0; i < columns.size(); i++) {
      if (!AggregateNames.hasAggregate(columns.get(i))) {
        keys.add(SqlLiteral.createExactNumeric(String.valueOf(i + 1), group.getParserPosition()));
      }
    }
    select.setGroupBy(keys.isEmpty() ? null : keys);
  }

  private static boolean isDistinctOn(SqlNode column) {
    return column instanceof SqlBasicCall call
        && call.getOperator().getName().equals(TokenForms.DISTINCT_ON);
  }

  /** The first row of each group in the order of the query. */
  private static void distinctOn(SqlSelect select, SqlNodeList orders) {
    SqlNodeList columns = select.getSelectList();
    if (columns == null || columns.isEmpty() || !isDistinctOn(columns.get(0))) {
      return;
    }
    SqlParserPos at = columns.get(0).getParserPosition();
    if (select.getQualify() != null) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "DISTINCT ON and QUALIFY cannot be in one SELECT; put one of them into a subquery.");
    }
    SqlCall mark = (SqlCall) columns.get(0);
    columns.remove(0);
    SqlNodeList partition = new SqlNodeList(at);
    mark.getOperandList().forEach(key -> partition.add(column(key, columns)));
    SqlNode window = Selects.window(partition, keys(orders, columns), at);
    SqlNode number =
        SqlStdOperatorTable.OVER.createCall(
            at, SqlStdOperatorTable.ROW_NUMBER.createCall(at), window);
    select.setQualify(
        SqlStdOperatorTable.EQUALS.createCall(at, number, SqlLiteral.createExactNumeric("1", at)));
  }

  /** Keys of a window, for those of ORDER BY. */
  private static SqlNodeList keys(SqlNodeList orders, List<SqlNode> columns) {
    SqlNodeList keys = new SqlNodeList(orders.getParserPosition());
    for (SqlNode each : orders) {
      keys.add(modified(each, column(expression(each), columns)));
    }
    return keys;
  }

  /** The column that a number or an alias stands for. */
  private static SqlNode column(SqlNode key, List<SqlNode> columns) {
    if (key instanceof SqlNumericLiteral number && number.isInteger()) {
      int place = number.intValue(false);
      if (place < 1 || place > columns.size() || hasStar(columns.subList(0, place))) {
        throw FunctionForms.invalid(
            key,
            "There is no column with the number %s in the list of SELECT; write the column's name"
                .formatted(number));
      }
      return SqlUtil.stripAs(columns.get(place - 1));
    }
    if (key instanceof SqlIdentifier name && name.isSimple()) {
      for (SqlNode column : columns) {
        if (column.getKind() == SqlKind.AS
            && ((SqlCall) column).operand(1).toString().equalsIgnoreCase(name.getSimple())) {
          return SqlUtil.stripAs(column);
        }
      }
    }
    return key;
  }
}
