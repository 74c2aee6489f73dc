package io.aragonite.adapter.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelect;
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

  /** Changes the names of a SELECT that are in none of its subqueries. */
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

  @SuppressWarnings("unchecked") // of a list comes a list
  private <N extends SqlNode> N changed(N node) {
    return (N) Objects.requireNonNull(node.accept(this));
  }

  @Override
  public @Nullable SqlNode visit(SqlCall call) {
    return call.getKind().belongsTo(SqlKind.QUERY) ? call : super.visit(call);
  }

  @Override
  public SqlNode visit(SqlIdentifier name) {
    String table = name.names.size() < 2 ? null : table(name.names.getFirst());
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

  /** The one table that has a struct of a name; null if there is none, or a table of the name. */
  private @Nullable String table(String name) {
    for (SqlValidatorScope at = scope;
        at instanceof DelegatingScope inner;
        at = inner.getParent()) {
      if (at instanceof SelectScope select && isTable(select.getNode().getFrom(), name)) {
        return null;
      }
    }
    for (SqlValidatorScope at = scope;
        at instanceof DelegatingScope inner;
        at = inner.getParent()) {
      List<String> tables = new ArrayList<>();
      if (at instanceof SelectScope select) {
        structs(select.getNode().getFrom(), name, tables);
      }
      if (!tables.isEmpty()) {
        return tables.size() == 1 ? tables.getFirst() : null;
      }
    }
    return null;
  }

  private boolean isTable(@Nullable SqlNode from, String name) {
    if (from instanceof SqlJoin join) {
      return isTable(join.getLeft(), name) || isTable(join.getRight(), name);
    }
    String alias = from == null ? null : SqlValidatorUtil.alias(from);
    return alias != null && names.matches(alias, name);
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
