package io.aragonite.spark.plan;

import io.aragonite.spark.execution.ColumnarShuffle;
import io.aragonite.spark.execution.ShuffleMetrics;
import io.aragonite.spark.execution.SliceWriteProcessor;
import java.util.HashMap;
import java.util.List;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeMap$;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.Statistics;
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning;
import org.apache.spark.sql.catalyst.plans.physical.Partitioning;
import org.apache.spark.sql.catalyst.plans.physical.RangePartitioning;
import org.apache.spark.sql.catalyst.plans.physical.SinglePartition$;
import org.apache.spark.sql.execution.ColumnarToRowExec;
import org.apache.spark.sql.execution.ShufflePartitionSpec;
import org.apache.spark.sql.execution.ShuffledRowRDD;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec;
import org.apache.spark.sql.execution.exchange.ShuffleOrigin;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.execution.metric.SQLMetrics;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.jspecify.annotations.Nullable;
import scala.Option;
import scala.collection.immutable.Map;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Spark's shuffle with a fragment's columns in place of rows: AragoniteExchange in EXPLAIN. Rows go
 * where Spark's own expression says, sizes are told in bytes of Spark's rows: its adaptive
 * execution decides what it would decide otherwise.
 */
public final class ColumnarShuffleExec extends ShuffleExchangeExec {
  private static final long serialVersionUID = 1L;

  private transient @Nullable Map<String, SQLMetric> allMetrics;
  private transient @Nullable ShuffleDependency<Object, InternalRow, InternalRow> written;
  private transient @Nullable RDD<InternalRow> input;

  /** As Spark's own; it copies nodes by calling this. */
  public ColumnarShuffleExec(
      Partitioning partitioning, SparkPlan child, ShuffleOrigin origin, Option<Object> advisory) {
    super(partitioning, child, origin, advisory);
  }

  /** The exchange with a fragment below it; null if it stays one of rows. */
  static @Nullable ColumnarShuffleExec of(ShuffleExchangeExec exchange, SparkPlan child) {
    Partitioning partitioning = exchange.outputPartitioning();
    boolean columns = child instanceof FragmentExec || child instanceof ColumnarUnionExec;
    if (!placed(partitioning) || !columns) {
      return null;
    }
    ColumnarShuffleExec columnar =
        new ColumnarShuffleExec(
            partitioning, child, exchange.shuffleOrigin(), exchange.advisoryPartitionSize());
    columnar.copyTagsFrom(exchange);
    return columnar;
  }

  private static boolean placed(Partitioning partitioning) {
    return partitioning instanceof HashPartitioning
        || partitioning instanceof RangePartitioning
        || partitioning.equals(SinglePartition$.MODULE$);
  }

  /** Why an exchange stays one of rows. */
  static String refusal(ShuffleExchangeExec exchange) {
    Partitioning partitioning = exchange.outputPartitioning();
    return placed(partitioning)
        ? "it is over an operator that hands over rows"
        : partitioning.getClass().getSimpleName() + " needs rows";
  }

  @Override
  public String nodeName() {
    return "AragoniteExchange";
  }

  @Override
  public boolean supportsColumnar() {
    return true;
  }

  @Override
  public synchronized Map<String, SQLMetric> metrics() {
    Map<String, SQLMetric> known = allMetrics;
    if (known == null) {
      java.util.Map<String, SQLMetric> own = new HashMap<>();
      own.put("rows", SQLMetrics.createMetric(sparkContext(), "rows written"));
      own.put("sliceBytes", SQLMetrics.createSizeMetric(sparkContext(), "columns before compression", -1));
      own.put(ShuffleMetrics.SLICE_TIME, ShuffleMetrics.sliceTime(sparkContext()));
      own.put(
          SliceWriteProcessor.TIME,
          SQLMetrics.createNanoTimingMetric(sparkContext(), "time to compress and write slices", -1));
      java.util.Map<String, SQLMetric> all = new HashMap<>(CollectionConverters.asJava(super.metrics()));
      all.putAll(own);
      known = ScalaValues.map(all);
      allMetrics = known;
    }
    return known;
  }

  private ColumnarShuffle columns() {
    OutputTypes columns = OutputTypes.of(this);
    return new ColumnarShuffle(columns.sparkTypes(), columns.types());
  }

  /** The columns; what is asked of it is how many partitions there are. */
  @Override
  @SuppressWarnings({"unchecked", "rawtypes"})
  public synchronized RDD<InternalRow> inputRDD() {
    RDD<InternalRow> known = input;
    if (known == null) {
      known = (RDD) child().executeColumnar();
      input = known;
    }
    return known;
  }

  @Override
  @SuppressWarnings({"unchecked", "rawtypes"})
  public synchronized ShuffleDependency<Object, InternalRow, InternalRow> shuffleDependency() {
    ShuffleDependency<Object, InternalRow, InternalRow> known = written;
    if (known == null) {
      Map<String, SQLMetric> metrics = metrics();
      known =
          columns()
              .dependency(
                  (RDD<ColumnarBatch>) (RDD) inputRDD(),
                  placement(),
                  new ShuffleMetrics(
                      metrics.apply("rows"),
                      metrics.apply("dataSize"),
                      metrics.apply("sliceBytes"),
                      metrics.apply(ShuffleMetrics.SLICE_TIME)),
                  new SliceWriteProcessor(metrics));
      SQLMetric partitions = metrics.apply("numPartitions");
      partitions.set(known.partitioner().numPartitions());
      String execution = sparkContext().getLocalProperty("spark.sql.execution.id");
      SQLMetrics.postDriverMetricUpdates(
          sparkContext(), execution, ScalaValues.seq(List.of(partitions)));
      written = known;
    }
    return known;
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private ColumnarShuffle.ShufflePlacement placement() {
    Partitioning partitioning = outputPartitioning();
    if (partitioning instanceof RangePartitioning range) {
      return ColumnarShuffle.ranges(
          (RDD<ColumnarBatch>) (RDD) inputRDD(),
          ScalaValues.list(range.ordering()),
          child().output(),
          range.numPartitions(),
          conf().rangeExchangeSampleSizePerPartition());
    }
    List<Expression> id =
        partitioning instanceof HashPartitioning hash
            ? List.of(hash.partitionIdExpression())
            : List.of();
    return new ColumnarShuffle.ShufflePlacement(
        partitioning.numPartitions(), id, child().output(), null);
  }

  /** Of adaptive execution, which takes it for columns, since the node has columns. */
  @Override
  @SuppressWarnings({"unchecked", "rawtypes"})
  public RDD<InternalRow> getShuffleRDD(ShufflePartitionSpec[] specs) {
    return (RDD) columns().read(new ShuffledRowRDD(shuffleDependency(), readMetrics(), specs));
  }

  @Override
  public RDD<ColumnarBatch> doExecuteColumnar() {
    return columns().read(new ShuffledRowRDD(shuffleDependency(), readMetrics()));
  }

  @Override
  public RDD<InternalRow> doExecute() {
    return new ColumnarToRowExec(this).execute();
  }

  @Override
  public Statistics runtimeStatistics() {
    return new Statistics(
        scala.math.BigInt.apply((long) metrics().apply("dataSize").value()),
        Option.apply(scala.math.BigInt.apply((long) metrics().apply("rows").value())),
        AttributeMap$.MODULE$.empty(),
        true);
  }

  @Override
  public ShuffleExchangeExec withNewChildInternal(SparkPlan child) {
    return new ColumnarShuffleExec(
        outputPartitioning(), child, shuffleOrigin(), advisoryPartitionSize());
  }
}
