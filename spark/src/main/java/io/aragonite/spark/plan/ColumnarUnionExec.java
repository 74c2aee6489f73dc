package io.aragonite.spark.plan;

import java.util.List;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.physical.Partitioning;
import org.apache.spark.sql.execution.ColumnarToRowExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.UnionExec;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;

/** A union of Spark's over fragments, whose columns it passes on: AragoniteUnion in EXPLAIN. */
public final class ColumnarUnionExec extends SparkPlan {
  private static final long serialVersionUID = 1L;

  private final transient UnionExec original;

  /** They go to executors: operators of Spark's above it look at their trees there. */
  private final List<SparkPlan> inputs;

  private final List<Attribute> output;

  /**
   * @param original Spark's union of the rows
   * @param inputs fragments
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
    return ((SparkPlan) original.withNewChildren(ScalaValues.seq(inputs))).executeColumnar();
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
