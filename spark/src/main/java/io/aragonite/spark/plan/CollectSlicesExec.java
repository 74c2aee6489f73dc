package io.aragonite.spark.plan;

import io.aragonite.spark.execution.BroadcastSlices;
import io.aragonite.spark.execution.ShuffleMetrics;
import java.util.List;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.physical.Partitioning;
import org.apache.spark.sql.execution.ColumnarToRowExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.adaptive.AQEShuffleReadExec;
import org.apache.spark.sql.execution.adaptive.ShuffleQueryStageExec;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;
import scala.collection.Iterator;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * What a broadcast of columns collects: slices, each as a row with one binary field, in place of
 * rows. Only {@link ColumnarBroadcastExec} is above it.
 */
public final class CollectSlicesExec extends SparkPlan {
  private static final long serialVersionUID = 1L;

  private final SparkPlan child;
  private transient @Nullable Map<String, SQLMetric> allMetrics;

  /**
   * @param child hands over columns of fragments, or slices of a shuffle
   */
  CollectSlicesExec(SparkPlan child) {
    this.child = child;
  }

  /** What hands over columns of ours where an operator takes rows; null if there is nothing such. */
  static @Nullable SparkPlan columns(SparkPlan plan) {
    if (plan instanceof FragmentExec
        || plan instanceof ColumnarUnionExec
        || plan instanceof ColumnarShuffleExec) {
      return plan;
    }
    // A stage of a shuffle has columns if its exchange is ours.
    return plan instanceof ColumnarToRowExec rows
            && (rows.child() instanceof AQEShuffleReadExec
                || rows.child() instanceof ShuffleQueryStageExec)
        ? rows.child()
        : null;
  }

  @Override
  public RDD<InternalRow> doExecute() {
    return BroadcastSlices.of(
        child.executeColumnar(),
        OutputTypes.of(this).types(),
        metrics().apply(ShuffleMetrics.SLICE_TIME));
  }

  @Override
  public synchronized Map<String, SQLMetric> metrics() {
    Map<String, SQLMetric> known = allMetrics;
    if (known == null) {
      known =
          ScalaValues.map(
              java.util.Map.of(
                  ShuffleMetrics.SLICE_TIME, ShuffleMetrics.sliceTime(sparkContext())));
      allMetrics = known;
    }
    return known;
  }

  /** The slices, and how many rows are in them. */
  @Override
  public Tuple2<Object, Iterator<InternalRow>> executeCollectIterator() {
    List<InternalRow> slices =
        BroadcastSlices.read(CollectionConverters.asJava(super.executeCollectIterator()._2()));
    return new Tuple2<>(
        BroadcastSlices.rows(slices), CollectionConverters.asScala(slices.iterator()));
  }

  @Override
  public Seq<Attribute> output() {
    return child.output();
  }

  @Override
  public Seq<SparkPlan> children() {
    return ScalaValues.seq(List.of(child));
  }

  @Override
  public Partitioning outputPartitioning() {
    return child.outputPartitioning();
  }

  @Override
  public SparkPlan withNewChildrenInternal(IndexedSeq<SparkPlan> children) {
    return new CollectSlicesExec(children.head());
  }

  /** That of what it stands for: so broadcasts of the same are reused. */
  @Override
  public SparkPlan doCanonicalize() {
    return child.canonicalized();
  }

  @Override
  public String nodeName() {
    return "AragoniteSlices";
  }

  @Override
  public SparkPlan makeCopy(Object[] arguments) {
    return new CollectSlicesExec(child);
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
    return that instanceof CollectSlicesExec;
  }
}
