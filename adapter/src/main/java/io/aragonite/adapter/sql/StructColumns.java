package io.aragonite.adapter.sql;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLambda;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlUtil;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.util.SqlShuttle;
import org.apache.calcite.sql.validate.DelegatingScope;
import org.apache.calcite.sql.validate.SelectScope;
import org.apache.calcite.sql.validate.SqlNameMatcher;
import org.apache.calcite.sql.validate.SqlValidatorScope;
import org.apache.calcite.sql.validate.SqlValidatorUtil;
import org.jspecify.annotations.Nullable;

/**
 * {@code s.a} and {@code s.*} of a struct {@code s} that is a column: Calcite wants the name of its
 * table in front. A table of the name, here or in a query around, goes before.
 */
final class StructColumns extends SqlShuttle {
  private final SqlValidatorScope scope;
  private final SqlNameMatcher names;
  private final Function<SqlNode, @Nullable RelDataType> rowType;

  /** Parameters of the lambdas around, which hide columns. */
  private final Deque<SqlIdentifier> parameters = new ArrayDeque<>();

  private boolean inUnnest;
  private @Nullable SqlNode before;

  /**
   * @param scope of a SELECT
   * @param rowType the columns of an item of FROM
   */
  StructColumns(
      SqlValidatorScope scope,
      SqlNameMatcher names,
      Function<SqlNode, @Nullable RelDataType> rowType) {
    this.scope = scope;
    this.names = names;
    this.rowType = rowType;
  }

  /**
   * Changes what each UNNEST of FROM is of. It is done before all else: the other names are looked
   * for among the columns of FROM.
   */
  void qualifyLists(SqlSelect select) {
    SqlNode from = select.getFrom();
    lists(from);
    SqlCall unnest = from == null ? null : unnest(from);
    if (unnest != null) {
      lists(unnest, null);
    }
  }

  private void lists(@Nullable SqlNode from) {
    if (from instanceof SqlJoin join) {
      lists(join.getLeft());
      lists(join.getRight());
      SqlCall unnest = unnest(join.getRight());
      if (unnest != null) {
        lists(unnest, join.getLeft());
      }
    }
  }

  /** Changes the other names of a SELECT that are in none of its subqueries. */
  void qualify(SqlSelect select) {
    select.setSelectList(changed(select.getSelectList()));
    if (select.getWhere() != null) {
      select.setWhere(changed(select.getWhere()));
    }
    if (select.getGroup() != null) {
      select.setGroupBy(changed(select.getGroup()));
    }
    if (select.getHaving() != null) {
      select.setHaving(changed(select.getHaving()));
    }
    if (select.getQualify() != null) {
      select.setQualify(changed(select.getQualify()));
    }
    if (select.getOrderList() != null) {
      select.setOrderBy(changed(select.getOrderList()));
    }
    conditions(select.getFrom());
  }

  private void conditions(@Nullable SqlNode from) {
    if (from instanceof SqlJoin join) {
      conditions(join.getLeft());
      conditions(join.getRight());
      SqlNode condition = join.getCondition();
      if (condition != null && !(condition instanceof SqlNodeList)) {
        join.setOperand(5, changed(condition));
      }
    }
  }

  /**
   * Changes what an UNNEST in FROM is of.
   *
   * @param left the items before it, which alone it sees; null: it sees those of outer queries
   */
  private void lists(SqlCall unnest, @Nullable SqlNode left) {
    inUnnest = true;
    before = left;
    for (int i = 0; i < unnest.operandCount(); i++) {
      unnest.setOperand(i, changed(unnest.operand(i)));
    }
    before = null;
    inUnnest = false;
  }

  /** The call of UNNEST that an item of FROM is, under an alias or not. */
  static @Nullable SqlCall unnest(SqlNode item) {
    SqlNode table = SqlUtil.stripAs(item);
    return switch (table.getKind()) {
      case UNNEST -> (SqlCall) table;
      case LATERAL -> unnest(((SqlCall) table).operand(0));
      default -> null;
    };
  }

  @SuppressWarnings("unchecked") // of a list comes a list
  private <N extends SqlNode> N changed(N node) {
    return (N) Objects.requireNonNull(node.accept(this));
  }

  @Override
  public @Nullable SqlNode visit(SqlCall call) {
    if (!(call instanceof SqlLambda lambda)) {
      return call.getKind().belongsTo(SqlKind.QUERY) ? call : super.visit(call);
    }
    for (SqlNode parameter : lambda.getParameters()) {
      parameters.push((SqlIdentifier) parameter);
    }
    lambda.setOperand(1, changed(lambda.getExpression())); // its scope is that of this node
    lambda.getParameters().forEach(parameter -> parameters.pop());
    return lambda;
  }

  @Override
  public SqlNode visit(SqlIdentifier name) {
    for (SqlIdentifier parameter : parameters) {
      if (names.matches(parameter.getSimple(), name.names.getFirst())) {
        return name.isSimple() ? name : field(parameter.getSimple(), name);
      }
    }
    String table = name.names.size() < 2 ? null : table(name.names);
    if (table == null) {
      return name;
    }
    List<String> path = new ArrayList<>(name.names);
    path.addFirst(table);
    List<SqlParserPos> places = new ArrayList<>();
    places.add(name.getComponentParserPosition(0));
    for (int i = 0; i < name.names.size(); i++) {
      places.add(name.getComponentParserPosition(i));
    }
    return new SqlIdentifier(path, null, name.getParserPosition(), places);
  }

  /** {@code x['a']['b']} for {@code x.a.b}, which Calcite takes for a parameter's name. */
  private static SqlNode field(String parameter, SqlIdentifier name) {
    SqlNode value = new SqlIdentifier(parameter, name.getComponentParserPosition(0));
    for (int i = 1; i < name.names.size(); i++) {
      SqlParserPos at = name.getComponentParserPosition(i);
      SqlNode field = SqlLiteral.createCharString(name.names.get(i), at);
      value = SqlStdOperatorTable.ITEM.createCall(at, value, field);
    }
    return value;
  }

  /**
   * The one table that has a struct which a path begins with; null if there is none, or if a table
   * has that name or the first two, its schema's and its own.
   */
  private @Nullable String table(List<String> path) {
    String name = path.getFirst();
    for (SqlValidatorScope at = scope;
        at instanceof DelegatingScope inner;
        at = inner.getParent()) {
      if (at instanceof SelectScope select && isTable(from(select), path)) {
        return null;
      }
    }
    for (SqlValidatorScope at = scope;
        at instanceof DelegatingScope inner;
        at = inner.getParent()) {
      List<String> tables = new ArrayList<>();
      if (at instanceof SelectScope select) {
        structs(from(select), name, tables);
      }
      if (!tables.isEmpty()) {
        return tables.size() == 1 ? tables.getFirst() : null;
      }
    }
    return null;
  }

  @SuppressWarnings("ReferenceEquality") // the scope of the SELECT itself
  private @Nullable SqlNode from(SelectScope select) {
    return inUnnest && select == scope ? before : select.getNode().getFrom();
  }

  private boolean isTable(@Nullable SqlNode from, List<String> path) {
    if (from instanceof SqlJoin join) {
      return isTable(join.getLeft(), path) || isTable(join.getRight(), path);
    }
    String alias = from == null ? null : SqlValidatorUtil.alias(from);
    return alias != null
        && from != null
        && (names.matches(alias, path.getFirst())
            || SqlUtil.stripAs(from) instanceof SqlIdentifier table
                && names.matches(alias, table.names.getLast())
                && isQualified(table.names, path));
  }

  private boolean isQualified(List<String> table, List<String> path) {
    int last = table.size() - 1;
    return last > 0
        && path.size() > 2
        && names.matches(table.get(last - 1), path.get(0))
        && names.matches(table.get(last), path.get(1));
  }

  private void structs(@Nullable SqlNode from, String name, List<String> tables) {
    if (from instanceof SqlJoin join) {
      structs(join.getLeft(), name, tables);
      structs(join.getRight(), name, tables);
      return;
    }
    String alias = from == null ? null : SqlValidatorUtil.alias(from);
    RelDataType columns = alias == null ? null : rowType.apply(Objects.requireNonNull(from));
    RelDataTypeField column = columns == null ? null : names.field(columns, name);
    if (column != null && column.getType().isStruct()) {
      tables.add(Objects.requireNonNull(alias));
    }
  }
}
