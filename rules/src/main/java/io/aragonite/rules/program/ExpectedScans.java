package io.aragonite.rules.program;

import io.aragonite.exec.device.ColumnPrefetch;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.table.Table;
import io.aragonite.rules.metadata.SampledPredicates;
import io.aragonite.rules.rel.GpuTableScan;
import io.aragonite.rules.runtime.ScanListener;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.SingleRel;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexDynamicParam;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexVisitorImpl;
import org.apache.calcite.util.Util;
import org.jspecify.annotations.Nullable;

/**
 * Tells who waits for it what a query reads whose columns are trimmed and whose filters are down.
 */
final class ExpectedScans {
  private final List<ColumnPrefetch.ScanColumns> scans = new ArrayList<>();

  private ExpectedScans() {}

  static void tell(RelNode root, RelOptPlanner planner) {
    ScanListener listener = planner.getContext().unwrap(ScanListener.class);
    if (listener == null) {
      return;
    }
    ExpectedScans expected = new ExpectedScans();
    expected.collect(root, null);
    if (!expected.scans.isEmpty()) {
      expected.scans.sort(Comparator.comparingLong(scan -> scan.table().rows()));
      listener.expects(expected.scans);
    }
  }

  /**
   * @param filter the one right above
   */
  private void collect(RelNode rel, @Nullable Filter filter) {
    switch (rel) {
      case Filter above -> collect(above.getInput(), above);
      case GpuTableScan scan ->
          add(scan, IntStream.range(0, scan.getRowType().getFieldCount()).boxed().toList(), filter);
      case Project project when project.getInput() instanceof GpuTableScan scan -> {
        if (project.getProjects().stream().allMatch(RexInputRef.class::isInstance)) {
          add(scan, project.getProjects().stream().map(ExpectedScans::place).toList(), filter);
        }
      }
      case Sort limit
          when limit.getCollation().getFieldCollations().isEmpty()
              && isScan(limit) -> {} // some first rows may do
      default -> rel.getInputs().forEach(input -> collect(input, null));
    }
  }

  private static boolean isScan(RelNode rel) {
    return rel instanceof GpuTableScan
        || rel instanceof SingleRel single
            && (single instanceof Sort || single instanceof Filter || single instanceof Project)
            && isScan(single.getInput());
  }

  private static int place(RexNode ref) {
    return ((RexInputRef) ref).getIndex();
  }

  /** Rows that not everybody sees, and nested values, are read in other ways. */
  private void add(GpuTableScan scan, List<Integer> columns, @Nullable Filter filter) {
    Table table = scan.data().data();
    boolean plain =
        scan.data().view() == null
            && columns.stream().allMatch(column -> scan.data().decoder(column) == null);
    Expr translated = translated(filter);
    if (plain && !columns.isEmpty() && (filter == null || translated != null)) {
      scans.add(new ColumnPrefetch.ScanColumns(table, columns, translated));
    }
  }

  /** Null of what is not known before the query runs: it may leave most parts of the table out. */
  private static @Nullable Expr translated(@Nullable Filter filter) {
    return filter == null || isOpen(filter.getCondition())
        ? null
        : SampledPredicates.translated(filter.getCluster().getRexBuilder(), filter.getCondition());
  }

  /** Whether a condition has parameters, or functions of the moment. */
  private static boolean isOpen(RexNode condition) {
    RexVisitorImpl<Void> finder =
        new RexVisitorImpl<>(true) {
          @Override
          public Void visitDynamicParam(RexDynamicParam parameter) {
            throw Util.FoundOne.NULL;
          }

          @Override
          public Void visitCall(RexCall call) {
            if (call.getOperator().isDynamicFunction()) {
              throw Util.FoundOne.NULL;
            }
            return super.visitCall(call);
          }
        };
    try {
      condition.accept(finder);
      return false;
    } catch (Util.FoundOne e) {
      return true;
    }
  }
}
