package io.aragonite.rules.cost;

import io.aragonite.exec.cost.JoinModel.HostTableCost;
import io.aragonite.exec.operator.join.HostSortMergePlanner;
import io.aragonite.exec.type.DataType;
import io.aragonite.rules.hint.NullAwareAnti;
import io.aragonite.rules.metadata.JoinEstimates;
import io.aragonite.rules.metadata.TableData;
import io.aragonite.rules.translate.TypeMapping;
import org.apache.calcite.plan.volcano.RelSubset;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinInfo;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.jspecify.annotations.Nullable;

/**
 * The tables of a join that can be done in host memory ({@link HostSortMergePlanner}): both sides
 * are tables behind filters and projections, joined by one column.
 */
public record HostTables(HostTableCost left, HostTableCost right) {
  /** A column of a table. */
  private record Source(TableData table, int column) {}

  /** The tables; null if there is a {@link #refusal}. */
  static @Nullable HostTables of(Join join) {
    if (refusal(join) != null) {
      return null;
    }
    JoinInfo info = JoinEstimates.keys(join);
    return new HostTables(
        table(join.getLeft(), info.leftKeys.getFirst()),
        table(join.getRight(), info.rightKeys.getFirst()));
  }

  /** Why a join cannot be done in host memory, as far as a plan tells; null if it can. */
  public static @Nullable String refusal(Join join) {
    return HostSortMergePlanner.refusal(new RelationalJoin(join, JoinEstimates.keys(join)));
  }

  /** A join of Calcite's, for {@link HostSortMergePlanner#refusal}. */
  private record RelationalJoin(Join join, JoinInfo info)
      implements HostSortMergePlanner.HostJoinCandidate {
    @Override
    public boolean nullAware() {
      return NullAwareAnti.isMarked(join);
    }

    @Override
    public int keys() {
      return info.leftKeys.size();
    }

    @Override
    public boolean nullSafe() {
      return isNullSafe(join.getCondition());
    }

    private RelNode side(boolean left) {
      return left ? join.getLeft() : join.getRight();
    }

    private int key(boolean left) {
      return (left ? info.leftKeys : info.rightKeys).getFirst();
    }

    @Override
    public DataType keyType(boolean left) {
      return TypeMapping.of(side(left).getRowType().getFieldList().get(key(left)).getType());
    }

    @Override
    public boolean isTable(boolean left) {
      return source(side(left), key(left)) != null;
    }
  }

  private static boolean isNullSafe(RexNode condition) {
    return condition.getKind() == SqlKind.IS_NOT_DISTINCT_FROM
        || condition.getKind() == SqlKind.AND
            && ((RexCall) condition).getOperands().stream().anyMatch(HostTables::isNullSafe);
  }

  private static HostTableCost table(RelNode side, int key) {
    Source source = source(side, key);
    if (source == null) {
      throw new IllegalStateException("a side has been refused");
    }
    double bytes = OperatorCosts.rowBytes(side, side.getCluster().getMetadataQuery());
    return new HostTableCost(
        Math.max(1, source.table.statistics().rows()),
        bytes,
        source.table.data().ascends(source.column));
  }

  private static @Nullable Source source(RelNode side, int key) {
    RelNode at = side;
    int column = key;
    while (true) {
      switch (at) {
        case RelSubset subset -> at = subset.getBestOrOriginal();
        case Filter filter -> at = filter.getInput();
        case Project project -> {
          if (!(project.getProjects().get(column) instanceof RexInputRef ref)) {
            return null;
          }
          column = ref.getIndex();
          at = project.getInput();
        }
        case TableScan scan -> {
          TableData table = scan.getTable().unwrap(TableData.class);
          // What is within such a scan is not taken apart.
          return table == null || table.view() != null ? null : new Source(table, column);
        }
        default -> {
          return null;
        }
      }
    }
  }
}
