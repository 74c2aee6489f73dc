package io.aragonite.adapter.sql;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.sql.JoinType;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlSelectKeyword;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.util.SqlShuttle;
import org.apache.calcite.sql.validate.SqlNameMatcher;
import org.apache.calcite.sql.validate.SqlValidatorUtil;
import org.jspecify.annotations.Nullable;

/**
 * {@code count(t.*)}: the rows of {@code t}, without those that an outer join adds for rows of its
 * other side. Where there are such, it is the count of a column that is never null elsewhere. With
 * DISTINCT it is refused.
 */
final class RowCounts extends SqlShuttle {
  private final SqlNode from;
  private final SqlNameMatcher names;
  private final Function<SqlNode, @Nullable RelDataType> rowType;

  private RowCounts(
      SqlNode from, SqlNameMatcher names, Function<SqlNode, @Nullable RelDataType> rowType) {
    this.from = from;
    this.names = names;
    this.rowType = rowType;
  }

  /**
   * Changes those of a SELECT that are in none of its subqueries.
   *
   * @param rowType the columns of an item of FROM
   */
  static void resolve(
      SqlSelect select, SqlNameMatcher names, Function<SqlNode, @Nullable RelDataType> rowType) {
    if (select.getFrom() == null) {
      return;
    }
    RowCounts counts = new RowCounts(select.getFrom(), names, rowType);
    select.setSelectList(counts.changed(select.getSelectList()));
    if (select.getHaving() != null) {
      select.setHaving(counts.changed(select.getHaving()));
    }
    if (select.getOrderList() != null) {
      select.setOrderBy(counts.changed(select.getOrderList()));
    }
    if (select.getQualify() != null) {
      select.setQualify(counts.changed(select.getQualify()));
    }
  }

  @SuppressWarnings("unchecked") // of a list comes a list
  private <N extends SqlNode> N changed(N node) {
    return (N) Objects.requireNonNull(node.accept(this));
  }

  @Override
  public @Nullable SqlNode visit(SqlCall call) {
    if (call.getKind().belongsTo(SqlKind.QUERY)) {
      return call;
    }
    boolean ofTable =
        call.getKind() == SqlKind.COUNT
            && call.operandCount() == 1
            && call.operand(0) instanceof SqlIdentifier star
            && star.isStar()
            && star.names.size() == 2;
    return ofTable ? counted(call, call.operand(0)) : super.visit(call);
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
      throw new AragoniteException(
          ErrorCode.EXPRESSION_UNSUPPORTED,
          "count(DISTINCT %s.*) is not possible; write its columns: count(DISTINCT (%s.a, %s.b)) (line %d, column %d)."
              .formatted(table, table, table, at.getLineNum(), at.getColumnNum()));
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
