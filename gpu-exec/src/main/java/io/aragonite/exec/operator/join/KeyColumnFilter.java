package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.CompiledProjection;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.KeyFilter;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.expr.KeyLayouts;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.pipeline.PlanCompiler;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Dictionary;
import io.aragonite.exec.vector.ValueRange;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A filter by one column of a key: the one whose values on the build side are the smallest share of
 * those that the rows may have. A bit for each value is a small thing beside a table or a filter of
 * whole keys, which must mix the columns and visit memory at random: sales whose ticket is not
 * among the few that were returned are dropped by a look at their ticket.
 *
 * <p>For the CPU. On a GPU a kernel more for a column costs more than it spares.
 */
final class KeyColumnFilter {
  /** Rows to be filtered for each build row from which on looking at all columns pays. */
  private static final double LEAST_RATIO = 4;

  /** Fewer rows are not worth a look. */
  private static final double LEAST_ROWS = 1 << 15;

  /** The share of values that is known from which on a column of several is no use. */
  private static final double ALL = 0.5;

  /** The same of a key of one column, of which a table is an array, mostly. */
  private static final double MUCH = 0.1;

  private final PlanCompiler compiler;
  private final PhysicalPlan node;
  private final JoinKeyFilter.BuildKeys keys;
  private final List<Integer> keyColumns;
  private final List<Integer> columns;
  private final boolean nullSafe;
  private final double filteredRows;

  /**
   * @param node which has the keys
   * @param keys the rows of the build side
   * @param keyColumns the keys among their columns
   * @param columns those of the rows to be filtered, in the same order
   * @param nullSafe whether nulls match each other in one of the keys
   * @param filteredRows rows that are expected to be filtered
   */
  KeyColumnFilter(
      PlanCompiler compiler,
      PhysicalPlan node,
      JoinKeyFilter.BuildKeys keys,
      List<Integer> keyColumns,
      List<Integer> columns,
      boolean nullSafe,
      double filteredRows) {
    this.compiler = compiler;
    this.node = node;
    this.keys = keys;
    this.keyColumns = keyColumns;
    this.columns = columns;
    this.nullSafe = nullSafe;
    this.filteredRows = filteredRows;
  }

  /**
   * Whether to look for such a filter.
   *
   * @param buildRows rows that have the keys
   * @param rows expected to be filtered
   */
  static boolean isWorth(PlanCompiler compiler, long buildRows, double rows) {
    return compiler.resources().context().device().traits().morselDriven()
        && buildRows <= Integer.MAX_VALUE
        && rows >= Math.max(LEAST_ROWS, LEAST_RATIO * buildRows)
        && 4 * Long.BYTES * buildRows <= compiler.resources().spill().room();
  }

  /** A filter of a column, and the share of values that it knows. */
  private record Candidate(int key, KeyLayout layout, KeyFilter filter, double share) {}

  /**
   * The rows with the filter behind them; as they are if they have one key, or none is worth it.
   */
  PipelineHead behind(PipelineHead head) {
    Candidate best = null;
    double most = keyColumns.size() > 1 ? ALL : MUCH;
    for (int key = 0; key < keyColumns.size(); key++) {
      Candidate next = candidate(head, key);
      if (next == null) {
        continue;
      }
      boolean better = next.share < (best == null ? most : best.share);
      Candidate worse = better ? best : next;
      if (worse != null) {
        worse.filter.close();
      }
      best = better ? next : best;
    }
    if (best == null) {
      return head;
    }
    KeyFilter filter = compiler.resources().closeLater(best.filter);
    JoinKeyFilter.count(compiler, node, filter);
    return JoinKeyFilter.filtered(
        compiler, head, List.of(columns.get(best.key)), best.layout, nullSafe, filter);
  }

  private @Nullable Candidate candidate(PipelineHead head, int key) {
    ColumnShape build = keys.shapes().get(keyColumns.get(key));
    ColumnShape probe = head.shapes().get(columns.get(key));
    KeyLayout layout = KeyLayouts.choose(List.of(build), List.of(probe));
    double values = values(probe);
    if (!layout.exact() || !(values > 1)) {
      return null;
    }
    CompiledProjection words =
        JoinKeyFilter.projection(compiler, keys.shapes(), List.of(keyColumns.get(key)), layout);
    KeyFilter filter = compiler.resources().work(node, context -> made(context, words));
    long distinct = filter.distinct();
    // A Bloom filter does not say how many values it knows; no more than there are rows.
    return new Candidate(key, layout, filter, (distinct < 0 ? keys.rows() : distinct) / values);
  }

  private KeyFilter made(ExecContext context, CompiledProjection projection) {
    Buffer words = keys.words().of(context, projection);
    double tested = JoinKeyFilter.tested(compiler, filteredRows);
    KeyFilter filter =
        context.hash().buildFilter(context, words, (int) keys.rows(), tested, context.memory());
    context.memory().free(words);
    return filter;
  }

  /** How many values a column may have, as far as is known: keys leave few of their range out. */
  private static double values(ColumnShape shape) {
    Dictionary dictionary = shape.dictionary();
    if (dictionary != null && shape.storage().isCode()) {
      return dictionary.size();
    }
    ValueRange range = shape.range();
    return range == null ? 0 : (double) range.max() - range.min() + 1;
  }
}
