package io.aragonite.spark.plan;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.execution.ProjectExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec;
import org.apache.spark.sql.execution.aggregate.HashAggregateExec;
import org.apache.spark.sql.execution.aggregate.SortAggregateExec;
import org.jspecify.annotations.Nullable;
import scala.collection.immutable.Seq;

/**
 * An aggregate whose results go through expressions, as an aggregate with bare results under those
 * expressions: one of the two can be left to Spark then.
 */
final class AggregateSplit {
  private AggregateSplit() {}

  /**
   * The two; null if the operator is no aggregate of results, or has bare ones. The lower one is no
   * operator that Spark's code generation takes.
   */
  static @Nullable SparkPlan of(SparkPlan plan) {
    if (!(plan instanceof BaseAggregateExec node) || isBare(node.resultExpressions())) {
      return null;
    }
    SparkPlan bare = with(bare(node.groupingExpressions(), node.aggregateAttributes()), node);
    return bare == null ? null : new ProjectExec(node.resultExpressions(), bare);
  }

  /** The aggregate with other results; null if it is of a kind that stays whole. */
  private static @Nullable SparkPlan with(Seq<NamedExpression> results, BaseAggregateExec aggregate) {
    return switch (aggregate) {
      case HashAggregateExec node ->
          node.copy(
              node.requiredChildDistributionExpressions(),
              node.isStreaming(),
              node.numShufflePartitions(),
              node.groupingExpressions(),
              node.aggregateExpressions(),
              node.aggregateAttributes(),
              node.initialInputBufferOffset(),
              results,
              node.child());
      case SortAggregateExec node ->
          node.copy(
              node.requiredChildDistributionExpressions(),
              node.isStreaming(),
              node.numShufflePartitions(),
              node.groupingExpressions(),
              node.aggregateExpressions(),
              node.aggregateAttributes(),
              node.initialInputBufferOffset(),
              results,
              node.child());
      default -> null;
    };
  }

  private static Seq<NamedExpression> bare(
      Seq<NamedExpression> grouping, Seq<Attribute> aggregates) {
    List<NamedExpression> bare = new ArrayList<>();
    ScalaValues.<NamedExpression>list(grouping).forEach(key -> bare.add(key.toAttribute()));
    bare.addAll(ScalaValues.<Attribute>list(aggregates));
    return ScalaValues.seq(bare);
  }

  /** Whether there is nothing to split, which is so of buffers too. */
  private static boolean isBare(Seq<NamedExpression> results) {
    return ScalaValues.<NamedExpression>list(results).stream()
        .allMatch(result -> result instanceof Attribute);
  }
}
