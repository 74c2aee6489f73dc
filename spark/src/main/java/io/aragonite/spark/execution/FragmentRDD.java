package io.aragonite.spark.execution;

import io.aragonite.exec.table.BatchSource;
import io.aragonite.spark.column.RowBatches;
import io.aragonite.spark.column.Utf8Batches;
import io.aragonite.spark.column.VectorBatches;
import io.aragonite.spark.scan.ParquetScan;
import io.aragonite.spark.scan.ScanPlan;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.Dependency;
import org.apache.spark.NarrowDependency;
import org.apache.spark.OneToOneDependency;
import org.apache.spark.Partition;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.datasources.FilePartition;
import org.apache.spark.sql.execution.datasources.FileScanRDD;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.jspecify.annotations.Nullable;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

/** The columns of a fragment, partition by partition of its inputs, which have as many each. */
public final class FragmentRDD extends RDD<ColumnarBatch> {
  private static final long serialVersionUID = 1L;

  private final FragmentPlan fragment;
  private final FragmentMetrics metrics;
  private final List<RDD<?>> partitioned;
  private final List<Broadcast<?>> broadcasts;
  private final List<@Nullable Object> subqueries;

  /** The first inputs, whose partitions each meet all partitions of the others. */
  private final int leftInputs;

  /** Partitions of those others; 1 if there are none. */
  private final int rightPartitions;

  /**
   * @param partitioned the inputs that come by partition, in their order; one at least
   * @param broadcasts the others, in their order
   * @param subqueries values of subqueries, in the form of literals
   * @param leftInputs of a Cartesian product how many of those by partition are of its left side;
   *     negative: it is none, and partitions with the same number meet
   */
  public FragmentRDD(
      SparkContext context,
      FragmentPlan fragment,
      FragmentMetrics metrics,
      List<RDD<?>> partitioned,
      List<Broadcast<?>> broadcasts,
      List<@Nullable Object> subqueries,
      int leftInputs) {
    super(context, dependencies(partitioned, leftInputs), ClassTag$.MODULE$.apply(ColumnarBatch.class));
    this.fragment = fragment;
    this.metrics = metrics;
    this.partitioned = List.copyOf(partitioned);
    this.broadcasts = List.copyOf(broadcasts);
    this.subqueries = new ArrayList<>(subqueries);
    this.leftInputs = leftInputs < 0 ? partitioned.size() : leftInputs;
    this.rightPartitions = leftInputs < 0 ? 1 : partitionCount(partitioned, leftInputs, partitioned.size());
  }

  private static Seq<Dependency<?>> dependencies(List<RDD<?>> inputs, int leftInputs) {
    List<Dependency<?>> dependencies = new ArrayList<>();
    for (int i = 0; i < inputs.size(); i++) {
      dependencies.add(
          leftInputs < 0
              ? new OneToOneDependency<>(inputs.get(i))
              : new ProductDependency<>(
                  inputs.get(i),
                  partitionCount(inputs, leftInputs, inputs.size()),
                  i < leftInputs));
    }
    return CollectionConverters.asScala(dependencies).toSeq();
  }

  /** Of a side of a Cartesian product: which of its partitions a partition of the product has. */
  private static final class ProductDependency<T> extends NarrowDependency<T> {
    private static final long serialVersionUID = 1L;

    private final int rightPartitions;
    private final boolean left;

    ProductDependency(RDD<T> input, int rightPartitions, boolean left) {
      super(input);
      this.rightPartitions = rightPartitions;
      this.left = left;
    }

    @Override
    public Seq<Object> getParents(int partition) {
      List<Object> parent = List.of(part(partition, rightPartitions, left));
      return CollectionConverters.asScala(parent).toSeq();
    }
  }

  /** The number of an input's partition in a partition of all. */
  private static int part(int partition, int rightPartitions, boolean left) {
    return left ? partition / rightPartitions : partition % rightPartitions;
  }

  /** How many partitions some inputs have, which is the same of all. */
  private static int partitionCount(List<RDD<?>> inputs, int from, int to) {
    int count = inputs.get(from).partitions().length;
    for (RDD<?> input : inputs.subList(from, to)) {
      if (input.partitions().length != count) {
        throw new IllegalStateException(
            "inputs of a fragment have %d and %d partitions"
                .formatted(count, input.partitions().length));
      }
    }
    return count;
  }

  /** The partitions of all inputs that meet. */
  private record ZippedPartition(int index, List<Partition> inputs) implements Partition {
    @Override
    public int hashCode() {
      return index;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof ZippedPartition zipped && zipped.index == index;
    }
  }

  @Override
  public Partition[] getPartitions() {
    int count =
        Math.multiplyExact(partitionCount(partitioned, 0, leftInputs), rightPartitions);
    Partition[] zipped = new Partition[count];
    for (int i = 0; i < count; i++) {
      List<Partition> inputs = new ArrayList<>();
      for (int input = 0; input < partitioned.size(); input++) {
        int number = part(i, rightPartitions, input < leftInputs);
        inputs.add(partitioned.get(input).partitions()[number]);
      }
      zipped[i] = new ZippedPartition(i, inputs);
    }
    return zipped;
  }

  @Override
  public Seq<String> getPreferredLocations(Partition split) {
    return partitioned
        .getFirst()
        .preferredLocations(((ZippedPartition) split).inputs().getFirst());
  }

  @Override
  public scala.collection.Iterator<ColumnarBatch> compute(Partition split, TaskContext context) {
    List<InputSource> sources = new ArrayList<>();
    int nextPartitioned = 0;
    int nextBroadcast = 0;
    for (FragmentPlan.FragmentInput input : fragment.inputs()) {
      if (input.kind() == FragmentPlan.InputKind.BROADCAST) {
        Object relation = broadcasts.get(nextBroadcast++).value();
        sources.add(RelationColumns.of(relation, input, metrics, context));
        continue;
      }
      Partition partition = ((ZippedPartition) split).inputs().get(nextPartitioned);
      RDD<?> rdd = partitioned.get(nextPartitioned++);
      sources.add(
          new InputSource.TaskBatches(
              input.scan() == null
                  ? reader(input, CollectionConverters.asJava(rdd.iterator(partition, context)))
                  : files(
                      input, input.scan(), (FileScanRDD) rdd, (FilePartition) partition, context)));
    }
    return CollectionConverters.asScala(
        new FragmentRun(fragment, context, metrics, sources, subqueries));
  }

  /** Reads the files of a partition, those by Spark that have to be. */
  private BatchSource.BatchReader files(
      FragmentPlan.FragmentInput input,
      ScanPlan scan,
      FileScanRDD rdd,
      FilePartition partition,
      TaskContext context) {
    return new ParquetScan(
        scan,
        input.types(),
        List.of(partition.files()),
        context,
        ExecutorEngine::memory,
        file ->
            reader(
                input,
                CollectionConverters.asJava(
                    rdd.compute(
                        new FilePartition(partition.index(), new PartitionedFile[] {file}),
                        context))));
  }

  @SuppressWarnings("unchecked") // the kind says of what the RDD is
  private BatchSource.BatchReader reader(FragmentPlan.FragmentInput input, Iterator<?> rows) {
    boolean columns =
        input.scan() == null
            ? input.kind() == FragmentPlan.InputKind.COLUMNS
            : input.scan().sparkReadsColumns();
    BatchSource.BatchReader reader =
        columns
            ? new VectorBatches((Iterator<ColumnarBatch>) rows, input.types(), metrics)
            : new RowBatches((Iterator<InternalRow>) rows, input.types(), metrics);
    return input.utf8().isEmpty() ? reader : new Utf8Batches(reader, input.utf8());
  }
}
