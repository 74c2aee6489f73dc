package io.aragonite.spark.plan;

import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.type.DataType;
import io.aragonite.spark.execution.FragmentPlan.InputKind;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.execution.SparkPlan;

/**
 * A part of a physical plan of Spark's that is a plan of ours.
 *
 * @param plan ours
 * @param output Spark's columns that come out
 * @param ordering the order of rows in a partition that operators above may rely on
 * @param inputs what of Spark's plan hands over rows, in the order of parameters
 * @param subqueries scalar subqueries or fields of them, whose values the parameters behind those of inputs are
 * @param operators Spark's operators that it stands for, from the top
 * @param reasons why operators beside it stay with Spark
 * @param leftInputs of a Cartesian product how many inputs by partition are of its left side, all
 *     partitions of which meet all of the others; {@link #NO_PRODUCT} where there is none
 */
record Fragment(
    PhysicalPlan plan,
    List<Attribute> output,
    List<SortOrder> ordering,
    List<Input> inputs,
    List<Expression> subqueries,
    List<SparkPlan> operators,
    List<String> reasons,
    int leftInputs) {
  /** Partitions of the inputs meet by their numbers. */
  static final int NO_PRODUCT = -1;

  /**
   * An input.
   *
   * @param source Spark's operator, without the one that makes rows of its columns
   * @param types the engine's types of its columns
   */
  record Input(SparkPlan source, InputKind kind, List<DataType> types) {}

  /** The same with inputs that come otherwise. */
  Fragment with(List<Input> others) {
    return new Fragment(plan, output, ordering, List.copyOf(others), subqueries, operators, reasons, leftInputs);
  }

  /** The same with more reasons. */
  Fragment because(List<String> more) {
    List<String> all = new ArrayList<>(reasons);
    all.addAll(more);
    return new Fragment(plan, output, ordering, inputs, subqueries, operators, all, leftInputs);
  }
}
