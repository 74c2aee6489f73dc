package io.aragonite.adapter.sql;

import java.util.Objects;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.util.SqlShuttle;
import org.apache.calcite.sql.validate.ListScope;
import org.apache.calcite.sql.validate.SqlNameMatcher;
import org.apache.calcite.sql.validate.SqlValidatorScope;
import org.jspecify.annotations.Nullable;

/**
 * Columns of FROM in QUALIFY, which go before aliases of SELECT as in its list: Calcite takes the
 * aliases. Where there are groups, those that are grouped by do.
 */
final class QualifyColumns extends SqlShuttle {
  private final SqlSelect select;
  private final boolean grouped;
  private final SqlValidatorScope scope;
  private final SqlNameMatcher names;

  /** Whether the next aggregate is one over a window, whose arguments are of groups. */
  private boolean windowed;

  /** Whether an aggregate is around, whose arguments are of rows. */
  private boolean aggregated;

  private QualifyColumns(
      SqlSelect select, boolean grouped, SqlValidatorScope scope, SqlNameMatcher names) {
    this.select = select;
    this.grouped = grouped;
    this.scope = scope;
    this.names = names;
  }

  /**
   * Puts the names of their tables before them.
   *
   * @param grouped whether the SELECT has groups or aggregates
   * @param scope of its FROM
   */
  static void resolve(
      SqlSelect select, boolean grouped, SqlValidatorScope scope, SqlNameMatcher names) {
    if (select.getQualify() != null) {
      QualifyColumns columns = new QualifyColumns(select, grouped, scope, names);
      select.setQualify(Objects.requireNonNull(select.getQualify().accept(columns)));
    }
  }

  @Override
  public @Nullable SqlNode visit(SqlCall call) {
    if (call.getKind().belongsTo(SqlKind.QUERY)) {
      return call;
    }
    if (call.getKind() == SqlKind.OVER) {
      windowed = true;
      call.setOperand(0, call.operand(0).accept(this));
      windowed = false;
      if (!(call.operand(1) instanceof SqlIdentifier)) { // a window's name
        call.setOperand(1, call.operand(1).accept(this));
      }
      return call;
    }
    boolean aggregates = call.getOperator().isAggregator() && !windowed;
    windowed &= !call.getOperator().isAggregator();
    boolean outer = aggregated;
    aggregated |= aggregates;
    SqlNode visited = super.visit(call);
    aggregated = outer;
    return visited;
  }

  @Override
  public SqlNode visit(SqlIdentifier name) {
    return name.isSimple()
            && !name.isStar()
            && isColumn(name)
            && (!grouped || aggregated || isKey(name))
        ? scope.fullyQualify(name).identifier
        : name;
  }

  private boolean isColumn(SqlIdentifier name) {
    return scope instanceof ListScope from
        && from.getChildren().stream()
                .filter(table -> names.field(table.getRowType(), name.getSimple()) != null)
                .count()
            == 1;
  }

  private boolean isKey(SqlIdentifier name) {
    return select.getGroup() != null
        && select.getGroup().stream()
            .anyMatch(key ->
                key instanceof SqlIdentifier column
                    && names.matches(column.names.get(column.names.size() - 1), name.getSimple()));
  }
}
