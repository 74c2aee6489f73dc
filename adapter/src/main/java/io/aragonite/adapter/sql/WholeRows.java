package io.aragonite.adapter.sql;

import io.aragonite.adapter.sql.function.StructPack;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.rules.function.JsonRows;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.sql.JoinType;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlSelectKeyword;
import org.apache.calcite.sql.SqlUtil;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.util.SqlShuttle;
import org.apache.calcite.sql.validate.SqlNameMatcher;
import org.apache.calcite.sql.validate.SqlValidatorUtil;
import org.apache.calcite.util.Util;
import org.jspecify.annotations.Nullable;

/**
 * The name of a table as a value, {@code to_json(t)}: a struct of its columns, if no column and no
 * column of SELECT has the name. And {@code count(t.*)}: the rows of {@code t}, without those that
 * an outer join adds for rows of its other side. Where there are such, it is the count of a column
 * that is never null elsewhere; such a table is no value. And {@code value}, the column of {@code
 * json_array_elements}.
 */
final class WholeRows extends SqlShuttle {
  /** Names of columns that functions in FROM have. */
  private static final Set<String> FUNCTIONS = Set.of("generate_series", "range", "unnest");

  private static final Set<String> ELEMENTS =
      Set.of(JsonRows.ELEMENTS.getName(), JsonRows.ELEMENT_TEXTS.getName());

  private static final String VALUE = "value";

  private final SqlNode from;
  private final SqlNameMatcher names;
  private final Function<SqlNode, @Nullable RelDataType> rowType;

  /** Whether a name is that of a column. */
  private final Predicate<String> isColumn;

  private WholeRows(
      SqlNode from,
      SqlNameMatcher names,
      Function<SqlNode, @Nullable RelDataType> rowType,
      Predicate<String> isColumn) {
    this.from = from;
    this.names = names;
    this.rowType = rowType;
    this.isColumn = isColumn;
  }

  /**
   * Changes those of a SELECT that are in none of its subqueries.
   *
   * @param rowType the columns of an item of FROM
   * @param isColumn whether FROM, or that of a query around it, has a column of a name
   */
  static void resolve(
      SqlSelect select,
      SqlNameMatcher names,
      Function<SqlNode, @Nullable RelDataType> rowType,
      Predicate<String> isColumn) {
    if (select.getFrom() == null) {
      return;
    }
    Set<String> aliases = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    WholeRows rows =
        new WholeRows(
            select.getFrom(),
            names,
            rowType,
            name -> aliases.contains(name) || isColumn.test(name));
    if (select.getGroup() != null) {
      select.getGroup().replaceAll(rows::functionValue);
    }
    SqlNodeList list = select.getSelectList();
    for (int i = 0; i < list.size(); i++) {
      SqlNode column = list.get(i);
      SqlNode changed = rows.changed(column);
      list.set(i, named(column, changed));
      if (column.getKind() == SqlKind.AS) { // which the columns behind it see
        aliases.add(Objects.requireNonNull(SqlValidatorUtil.alias(column)));
      }
    }
    if (select.getWhere() != null) {
      select.setWhere(rows.changed(select.getWhere()));
    }
    if (select.getHaving() != null) {
      select.setHaving(rows.changed(select.getHaving()));
    }
    if (select.getOrderList() != null) {
      select.setOrderBy(rows.changed(select.getOrderList()));
    }
    if (select.getQualify() != null) {
      select.setQualify(rows.changed(select.getQualify()));
    }
  }

  /** A column of SELECT keeps the name that is written. */
  @SuppressWarnings("ReferenceEquality") // whether there is another node
  private static SqlNode named(SqlNode column, SqlNode changed) {
    if (!(column instanceof SqlIdentifier name)
        || !(changed instanceof SqlCall) && (name.isStar() || !isValue(name) || name == changed)) {
      return changed;
    }
    SqlParserPos at = name.getParserPosition();
    SqlIdentifier last = new SqlIdentifier(Util.last(name.names), at);
    return SqlStdOperatorTable.AS.createCall(at, changed, last);
  }

  @SuppressWarnings("unchecked") // of a list comes a list
  private <N extends SqlNode> N changed(N node) {
    return (N) Objects.requireNonNull(node.accept(this));
  }

  @Override
  public @Nullable SqlNode visit(SqlCall call) {
    switch (call.getKind()) {
      case AS, DOT, OVER, ARGUMENT_ASSIGNMENT -> { // behind the first operand is a name
        call.setOperand(0, changed(call.operand(0)));
        return call;
      }
      case LAMBDA -> {
        return call;
      }
      default -> {
        if (call.getKind().belongsTo(SqlKind.QUERY) || StarModifiers.isOfNames(call)) {
          return call;
        }
      }
    }
    boolean ofTable =
        call.getKind() == SqlKind.COUNT
            && call.operandCount() == 1
            && call.operand(0) instanceof SqlIdentifier star
            && star.isStar()
            && star.names.size() == 2;
    return ofTable ? counted(call, call.operand(0)) : super.visit(call);
  }

  private static boolean isValue(SqlIdentifier name) {
    return Util.last(name.names).equalsIgnoreCase(VALUE);
  }

  /** The column of JSON_ARRAY_ELEMENTS, which has the name of its table, as PostgreSQL's. */
  private @Nullable SqlIdentifier elements(SqlIdentifier name) {
    if (name.isStar() || name.names.size() > 2 || !isValue(name)) {
      return null;
    }
    Item item =
        name.isSimple()
            ? isColumn.test(name.getSimple()) ? null : elements(from)
            : item(from, name.names.getFirst(), false);
    if (item == null || !isOfElements(item.node)) {
      return null;
    }
    String table = Objects.requireNonNull(SqlValidatorUtil.alias(item.node));
    return columns(item).getFirst().getName().equals(table)
        ? new SqlIdentifier(List.of(table, table), name.getParserPosition())
        : null;
  }

  private static @Nullable Item elements(SqlNode node) {
    if (node instanceof SqlJoin join) {
      Item left = elements(join.getLeft());
      return left != null ? left : elements(join.getRight());
    }
    return isOfElements(node) && SqlValidatorUtil.alias(node) != null
        ? new Item(node, false)
        : null;
  }

  private static boolean isOfElements(SqlNode node) {
    SqlNode rows = SqlUtil.stripAs(node);
    while (rows.getKind() == SqlKind.LATERAL) {
      rows = ((SqlCall) rows).operand(0);
    }
    return rows.getKind() == SqlKind.UNNEST
        && ((SqlCall) rows).operand(0) instanceof SqlCall list
        && ELEMENTS.contains(list.getOperator().getName());
  }

  @Override
  public SqlNode visit(SqlIdentifier name) {
    SqlIdentifier elements = elements(name);
    if (elements != null) {
      return elements;
    }
    if (!name.isSimple() || name.isStar() || isColumn.test(name.getSimple())) {
      return name;
    }
    Item item = item(from, name.getSimple(), false);
    if (item == null || item.added && !isFunction(item)) {
      return name;
    }
    SqlParserPos at = name.getParserPosition();
    return isFunction(item)
        ? new SqlIdentifier(List.of(name.getSimple(), columns(item).getFirst().getName()), at)
        : struct(item, at);
  }

  /** A key of groups with names of functions; rows are keys by the names of their columns only. */
  private SqlNode functionValue(SqlNode key) {
    return Objects.requireNonNull(
        key.accept(
            new WholeRows(
                from,
                names,
                rowType,
                name ->
                    isColumn.test(name)
                        || !(item(from, name, false) instanceof Item item && isFunction(item)))));
  }

  private List<RelDataTypeField> columns(Item item) {
    return Objects.requireNonNull(rowType.apply(item.node)).getFieldList();
  }

  /** Whether an item is a function with one column, whose rows are its values: generate_series. */
  private boolean isFunction(Item item) {
    List<RelDataTypeField> columns = columns(item);
    return !(SqlUtil.stripAs(item.node) instanceof SqlIdentifier)
        && columns.size() == 1
        && FUNCTIONS.contains(columns.getFirst().getName());
  }

  private SqlCall struct(Item item, SqlParserPos at) {
    String table = Objects.requireNonNull(SqlValidatorUtil.alias(item.node));
    List<SqlNode> fields = new ArrayList<>();
    for (RelDataTypeField column : columns(item)) {
      fields.add(SqlLiteral.createCharString(column.getName(), at));
      fields.add(new SqlIdentifier(List.of(table, column.getName()), at));
    }
    return StructPack.of(at, fields);
  }

  private SqlNode counted(SqlCall call, SqlIdentifier star) {
    String table = star.names.getFirst();
    SqlParserPos at = star.getParserPosition();
    Item item = item(from, table, false);
    if (item == null) {
      return call; // an error that names the table
    }
    SqlLiteral quantifier = call.getFunctionQuantifier();
    if (quantifier != null && quantifier.getValue() == SqlSelectKeyword.DISTINCT) {
      if (item.added) {
        throw new AragoniteException(
            ErrorCode.EXPRESSION_UNSUPPORTED,
            "count(DISTINCT %s.*) is not possible where an outer join adds rows to %s; write its columns: count(DISTINCT (%s.a, %s.b)) (line %d, column %d)."
                .formatted(table, table, table, table, at.getLineNum(), at.getColumnNum()));
      }
      return SqlStdOperatorTable.COUNT.createCall(quantifier, at, struct(item, at));
    }
    if (!item.added) {
      return SqlStdOperatorTable.COUNT.createCall(at, SqlIdentifier.star(at));
    }
    RelDataType columns = rowType.apply(item.node);
    for (RelDataTypeField column : Objects.requireNonNull(columns).getFieldList()) {
      if (!column.getType().isNullable()) {
        return SqlStdOperatorTable.COUNT.createCall(
            at, new SqlIdentifier(List.of(table, column.getName()), at));
      }
    }
    throw new AragoniteException(
        ErrorCode.EXPRESSION_UNSUPPORTED,
        "count(%s.*) is not possible where an outer join adds rows to %s, which has no column that is NOT NULL; count one of its columns (line %d, column %d)."
            .formatted(table, table, at.getLineNum(), at.getColumnNum()));
  }

  /**
   * An item of FROM.
   *
   * @param added whether an outer join adds rows of nulls to it
   */
  private record Item(SqlNode node, boolean added) {}

  private @Nullable Item item(SqlNode node, String table, boolean added) {
    if (node instanceof SqlJoin join) {
      JoinType type = join.getJoinType();
      Item left = item(join.getLeft(), table, added || type.generatesNullsOnLeft());
      return left != null
          ? left
          : item(join.getRight(), table, added || type.generatesNullsOnRight());
    }
    String alias = SqlValidatorUtil.alias(node);
    return alias != null && names.matches(alias, table) ? new Item(node, added) : null;
  }
}
