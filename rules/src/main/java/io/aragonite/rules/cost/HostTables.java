package io.aragonite.rules.cost;

import io.aragonite.exec.cost.JoinModel.HostTableCost;
import io.aragonite.exec.operator.join.HostSortMergePlanner;
import io.aragonite.exec.type.DataType;
import io.aragonite.rules.hint.NullAwareAnti;
import io.aragonite.rules.metadata.JoinEstimates;
import io.aragonite.rules.metadata.TableData;
import io.aragonite.rules.translate.TypeMapping;
import java.util.Set;
import org.apache.calcite.plan.volcano.RelSubset;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinInfo;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.TableScan;
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
    JoinInfo info = JoinEstimates.keys(join);
    if (NullAwareAnti.isMarked(join)) {
      return "NOT IN looks at all rows of its right side at once";
    }
    if (info.leftKeys.size() != 1) {
      return "it has %d keys, not one".formatted(info.leftKeys.size());
    }
    if (isNullSafe(join.getCondition())) {
      return "nulls match nulls in it";
    }
    DataType left = type(join.getLeft(), info.leftKeys.getFirst());
    DataType right = type(join.getRight(), info.rightKeys.getFirst());
    if (!HostSortMergePlanner.isComparable(left)
        || !left.withNullable(true).equals(right.withNullable(true))) {
      return "its keys are of types %s and %s, not of one of integers".formatted(left, right);
    }
    for (boolean ofLeft : new boolean[] {true, false}) {
      RelNode side = ofLeft ? join.getLeft() : join.getRight();
      int key = (ofLeft ? info.leftKeys : info.rightKeys).getFirst();
      if (source(side, key) == null) {
        return "its %s side is no table with a filter or a projection at most"
            .formatted(ofLeft ? "left" : "right");
      }
    }
    return null;
  }

  private static boolean isNullSafe(RexNode condition) {
    return condition.getKind() == SqlKind.IS_NOT_DISTINCT_FROM
        || condition.getKind() == SqlKind.AND
            && Set.copyOf(((org.apache.calcite.rex.RexCall) condition).getOperands()).stream()
                .anyMatch(HostTables::isNullSafe);
  }

  private static DataType type(RelNode side, int column) {
    return TypeMapping.of(side.getRowType().getFieldList().get(column).getType());
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
          return table == null ? null : new Source(table, column);
        }
        default -> {
          return null;
        }
      }
    }
  }
}
