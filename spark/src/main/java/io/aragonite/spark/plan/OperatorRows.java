package io.aragonite.spark.plan;

import org.apache.spark.sql.catalyst.plans.logical.Statistics;
import org.apache.spark.sql.catalyst.plans.logical.statsEstimation.EstimationUtils;
import org.apache.spark.sql.execution.ExpandExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.UnionExec;
import org.apache.spark.sql.execution.adaptive.AQEShuffleReadExec;
import org.apache.spark.sql.execution.adaptive.QueryStageExec;
import org.apache.spark.sql.execution.exchange.Exchange;
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec;
import org.apache.spark.sql.execution.joins.BaseJoinExec;

/**
 * How many rows an operator of Spark's hands over. Those of stages that have ended were counted;
 * others are what Spark's statistics say of the files below, of which no filter is known to leave
 * rows out.
 *
 * @param rows of all partitions
 * @param partitions tasks that share them
 */
record OperatorRows(double rows, double partitions) {
  /** Of a side of a join, or any other operator. */
  static OperatorRows of(SparkPlan plan) {
    return switch (plan) {
      case AQEShuffleReadExec read -> of(read.child()).in(read.partitionSpecs().size());
      case QueryStageExec stage -> {
        var counted = stage.computeStats();
        int partitions = stage.outputPartitioning().numPartitions();
        yield counted.isDefined() && counted.get().rowCount().isDefined()
            ? new OperatorRows(counted.get().rowCount().get().toDouble(), partitions)
            : of(stage.plan());
      }
      case ReusedExchangeExec reused -> of(reused.child());
      case Exchange exchange ->
          of(exchange.children().head()).in(exchange.outputPartitioning().numPartitions());
      case BaseJoinExec join -> joined(JoinTranslator.SparkJoin.of(join));
      case UnionExec union -> {
        OperatorRows all = new OperatorRows(0, 0);
        for (SparkPlan child : ScalaValues.<SparkPlan>list(union.children())) {
          OperatorRows some = of(child);
          all = new OperatorRows(all.rows + some.rows, all.partitions + some.partitions);
        }
        yield all;
      }
      case ExpandExec expand -> {
        OperatorRows some = of(expand.child());
        yield new OperatorRows(some.rows * expand.projections().size(), some.partitions);
      }
      default -> plan.children().isEmpty() ? leaf(plan) : of(plan.children().head());
    };
  }

  /** The rows of a task. */
  double perTask() {
    return rows / Math.max(1, partitions);
  }

  private OperatorRows in(int others) {
    return new OperatorRows(rows, others);
  }

  /** As if each row of the larger side had one partner, as those with a foreign key have. */
  private static OperatorRows joined(JoinTranslator.SparkJoin join) {
    OperatorRows build = of(join.buildLeft() ? join.left() : join.right());
    OperatorRows probe = of(join.buildLeft() ? join.right() : join.left());
    if (join.leftKeys().isEmpty()) {
      double partitions = join.broadcast() ? probe.partitions : build.partitions * probe.partitions;
      return new OperatorRows(build.rows * probe.rows, partitions);
    }
    double rows = join.broadcast() ? probe.rows : Math.max(build.rows, probe.rows);
    return new OperatorRows(rows, probe.partitions);
  }

  private static OperatorRows leaf(SparkPlan plan) {
    var link = plan.logicalLink();
    if (link.isEmpty()) {
      return new OperatorRows(0, 1);
    }
    Statistics known = link.get().stats();
    double bytes = known.sizeInBytes().toDouble();
    double width =
        EstimationUtils.getSizePerRow(link.get().output(), known.attributeStats()).toDouble();
    double rows =
        known.rowCount().isDefined() ? known.rowCount().get().toDouble() : bytes / width;
    return new OperatorRows(rows, partitions(plan, bytes));
  }

  /** Spark cuts files for the cores that it has, and no larger than its setting says. */
  private static double partitions(SparkPlan plan, double bytes) {
    int known = plan.outputPartitioning().numPartitions();
    if (known > 0) {
      return known;
    }
    double least = bytes / Math.max(1, plan.conf().filesOpenCostInBytes());
    double most = bytes / Math.max(1, plan.conf().filesMaxPartitionBytes());
    int cores = plan.session().sparkContext().defaultParallelism();
    return Math.max(1, Math.ceil(Math.max(most, Math.min(least, cores))));
  }
}
