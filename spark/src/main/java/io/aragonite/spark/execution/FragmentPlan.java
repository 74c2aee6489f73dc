package io.aragonite.spark.execution;

import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.spark.scan.ScanPlan;
import java.io.Serializable;
import java.util.List;
import org.apache.spark.sql.types.DataType;
import org.jspecify.annotations.Nullable;

/**
 * A fragment as it goes to executors.
 *
 * @param plan its leaves are batches that parameters hand over: first the inputs, in their order,
 *     then the values of subqueries
 * @param inputs where the batches come from
 * @param outputTypes Spark's types of the columns that come out
 * @param join the algorithm of all joins by equality; null: the engine's choice
 */
public record FragmentPlan(
    PhysicalPlan plan, List<FragmentInput> inputs, List<DataType> outputTypes, @Nullable JoinAlgorithm join)
    implements Serializable {
  /** How an input's rows come. */
  public enum InputKind {
    /** Spark's rows, by partition. */
    ROWS,
    /** Spark's columns, by partition. */
    COLUMNS,
    /** Files that Spark has planned, by partition, which we read. */
    FILES,
    /** The rows of a relation that Spark has brought to all executors. */
    BROADCAST
  }

  /**
   * An input.
   *
   * @param kind how its rows come
   * @param sparkTypes Spark's types of its columns
   * @param types the engine's types of its columns
   * @param scan how files are read; null where there are none
   * @param utf8 columns of texts that have to be UTF-8, since functions count their characters
   */
  public record FragmentInput(
      InputKind kind,
      List<DataType> sparkTypes,
      List<io.aragonite.exec.type.DataType> types,
      @Nullable ScanPlan scan,
      List<Integer> utf8)
      implements Serializable {}
}
