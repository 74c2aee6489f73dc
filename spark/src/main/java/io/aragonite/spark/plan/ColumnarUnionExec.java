package io.aragonite.spark.plan;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.rdd.RDD;
import org.apache.spark.rdd.SQLPartitioningAwareUnionRDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.physical.Partitioning;
import org.apache.spark.sql.catalyst.plans.physical.UnknownPartitioning;
import org.apache.spark.sql.execution.ColumnarToRowExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.UnionExec;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * A union of Spark's over fragments, whose columns it passes on: AragoniteUnion in EXPLAIN. Where
 * Spark's union says that rows are partitioned as those of its inputs, partitions with one number
 * are one.
 */
public final class ColumnarUnionExec extends SparkPlan {
  private static final long serialVersionUID = 1L;

  private final transient UnionExec original;

  /** They go to executors: operators of Spark's above it look at their trees there. */
  private final List<SparkPlan> inputs;

  private final List<Attribute> output;

  /**
   * @param original Spark's union of the rows
   * @param inputs what hands over columns
   */
  ColumnarUnionExec(UnionExec original, List<SparkPlan> inputs) {
    this.original = original;
    this.inputs = inputs;
    this.output = ScalaValues.list(original.output());
  }

  @Override
  public Seq<Attribute> output() {
    return ScalaValues.seq(output);
  }

  @Override
  public Seq<SparkPlan> children() {
    return ScalaValues.seq(inputs);
  }

  @Override
  public Partitioning outputPartitioning() {
    return original.outputPartitioning();
  }

  @Override
  public boolean supportsColumnar() {
    return true;
  }

  @Override
  public RDD<ColumnarBatch> doExecuteColumnar() {
    List<RDD<ColumnarBatch>> columns = new ArrayList<>();
    for (SparkPlan input : inputs) {
      columns.add(input.executeColumnar());
    }
    ClassTag<ColumnarBatch> tag = ClassTag$.MODULE$.apply(ColumnarBatch.class);
    List<RDD<ColumnarBatch>> some =
        columns.stream().filter(input -> input.getNumPartitions() > 0).toList();
    Partitioning partitioning = outputPartitioning();
    if (some.isEmpty() || partitioning instanceof UnknownPartitioning) {
      return sparkContext().union(ScalaValues.<RDD<ColumnarBatch>>seq(columns), tag);
    }
    // Spark has put no exchange above: equal keys of all inputs are to be in one partition.
    return new SQLPartitioningAwareUnionRDD<>(
        sparkContext(), ScalaValues.seq(some), partitioning.numPartitions(), tag);
  }

  @Override
  public RDD<InternalRow> doExecute() {
    return new ColumnarToRowExec(this).execute();
  }

  @Override
  public SparkPlan withNewChildrenInternal(IndexedSeq<SparkPlan> children) {
    return new ColumnarUnionExec(original, ScalaValues.list(children));
  }

  @Override
  public SparkPlan doCanonicalize() {
    return original.canonicalized();
  }

  @Override
  public String nodeName() {
    return "AragoniteUnion";
  }

  @Override
  public int productArity() {
    return 0;
  }

  @Override
  public Object productElement(int n) {
    throw new IndexOutOfBoundsException(n);
  }

  @Override
  public boolean canEqual(Object that) {
    return that instanceof ColumnarUnionExec;
  }

  @Override
  public SparkPlan makeCopy(Object[] arguments) {
    return new ColumnarUnionExec(original, inputs);
  }
}
