package io.aragonite.rules.metadata;

import io.aragonite.exec.expr.Expr;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What of a table's data is to be seen. The planner knows no more than what is seen: the rest is
 * within the scan, where no rule of its reaches, so that whatever a statement computes is computed
 * of rows that have passed the condition.
 *
 * @param columns the stored columns that are seen, by their places in the data, in the order of the
 *     row type
 * @param read the stored columns that the condition reads
 * @param condition over {@code read}: which rows are seen; null: all
 */
public record TableView(List<Integer> columns, List<Integer> read, @Nullable Expr condition) {}
