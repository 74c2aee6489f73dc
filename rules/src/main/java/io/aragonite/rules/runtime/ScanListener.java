package io.aragonite.rules.runtime;

import io.aragonite.exec.device.ColumnPrefetch;
import java.util.List;

/**
 * Hears, while a query is still planned, what it is going to read. The planner's context ({@code
 * planner.getContext().unwrap(ScanListener.class)}) has one where the query runs next.
 */
@FunctionalInterface
public interface ScanListener {
  /**
   * The scans of a query, or of a part of it.
   *
   * @param scans the smallest first; what a plan really reads may differ
   */
  void expects(List<ColumnPrefetch.ScanColumns> scans);
}
