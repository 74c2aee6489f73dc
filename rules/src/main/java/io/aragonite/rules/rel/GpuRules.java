package io.aragonite.rules.rel;

import java.util.List;
import org.apache.calcite.plan.RelOptRule;
import org.apache.calcite.rel.convert.ConverterRule;

/** The rules of the GPU convention. */
public final class GpuRules {
  public static final ConverterRule TABLE_SCAN = GpuTableScanRule.INSTANCE;
  public static final ConverterRule FILTER = GpuFilterRule.INSTANCE;
  public static final ConverterRule PROJECT = GpuProjectRule.INSTANCE;
  public static final ConverterRule JOIN = GpuJoinRule.INSTANCE;
  public static final ConverterRule MULTIWAY_JOIN = GpuMultiwayJoinRule.INSTANCE;
  public static final ConverterRule AGGREGATE = GpuAggregateRule.INSTANCE;

  /** Also LIMIT: OFFSET and FETCH are part of the sort. */
  public static final ConverterRule SORT = GpuSortRule.INSTANCE;

  public static final ConverterRule UNION = GpuUnionRule.INSTANCE;
  public static final ConverterRule INTERSECT = GpuIntersectRule.INSTANCE;
  public static final ConverterRule MINUS = GpuMinusRule.INSTANCE;

  /** WITH RECURSIVE. */
  public static final ConverterRule RECURSION = GpuRecursionRule.INSTANCE;

  public static final ConverterRule WORKING_ROWS = GpuWorkingRowsRule.INSTANCE;

  /** Queries of WITH whose rows are made once. */
  public static final ConverterRule MATERIALIZED_CTE = GpuMaterializedCteRule.INSTANCE;

  public static final ConverterRule UNNEST = GpuUnnestRule.INSTANCE;
  public static final ConverterRule SERIES = GpuSeriesRule.INSTANCE;
  public static final ConverterRule VALUES = GpuValuesRule.INSTANCE;
  public static final ConverterRule WINDOW = GpuWindowRule.INSTANCE;
  public static final ConverterRule TO_ENUMERABLE = GpuToEnumerableConverterRule.INSTANCE;

  /** Reads a scan of another adapter's table. */
  public static final ConverterRule FROM_ENUMERABLE_SCAN = EnumerableToGpuConverterRule.SCAN;

  /** Reads what any Enumerable operator yields; not part of {@link #rules}. */
  public static final ConverterRule FROM_ENUMERABLE = EnumerableToGpuConverterRule.INSTANCE;

  private static final List<RelOptRule> RULES =
      List.of(
          TABLE_SCAN,
          FILTER,
          PROJECT,
          JOIN,
          MULTIWAY_JOIN,
          AGGREGATE,
          SORT,
          UNION,
          INTERSECT,
          MINUS,
          RECURSION,
          WORKING_ROWS,
          MATERIALIZED_CTE,
          UNNEST,
          SERIES,
          VALUES,
          WINDOW,
          TO_ENUMERABLE,
          FROM_ENUMERABLE_SCAN);

  private GpuRules() {}

  /** All of them. */
  public static List<RelOptRule> rules() {
    return RULES;
  }
}
