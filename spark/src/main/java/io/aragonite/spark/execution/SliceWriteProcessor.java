package io.aragonite.spark.execution;

import io.aragonite.spark.scan.UncheckedErrors;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.shuffle.BaseShuffleHandle;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;
import org.apache.spark.shuffle.ShuffleWriteProcessor;
import org.apache.spark.shuffle.ShuffleWriter;
import org.apache.spark.shuffle.sort.BypassMergeSortShuffleHandle;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.execution.metric.SQLShuffleWriteMetricsReporter;
import scala.Product2;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Has Spark write a task's slices. For few partitions Spark writes a file for each, and then puts
 * these into one: its rows are too many to be sorted. Slices are few: where a task has little, it
 * is Spark's other writer that gets them, which sorts what it has by partition and writes one file.
 */
public final class SliceWriteProcessor extends ShuffleWriteProcessor {
  private static final long serialVersionUID = 1L;

  /** Bytes of slices that a task holds before they go to a file for each partition. */
  static final long SORTED_BYTES = 8 << 20;

  /** The name of the metric that has the time of tasks here. */
  public static final String TIME = "sliceWriteTime";

  private final SQLMetric spent;
  private final SQLMetric bytes;
  private final SQLMetric records;
  private final SQLMetric nanos;

  /**
   * @param metrics of the exchange; no more of them go to tasks than these use
   */
  public SliceWriteProcessor(scala.collection.immutable.Map<String, SQLMetric> metrics) {
    this.spent = metrics.apply(TIME);
    this.bytes = metrics.apply(SQLShuffleWriteMetricsReporter.SHUFFLE_BYTES_WRITTEN());
    this.records = metrics.apply(SQLShuffleWriteMetricsReporter.SHUFFLE_RECORDS_WRITTEN());
    this.nanos = metrics.apply(SQLShuffleWriteMetricsReporter.SHUFFLE_WRITE_TIME());
  }

  @Override
  public ShuffleWriteMetricsReporter createMetricsReporter(TaskContext task) {
    return new SQLShuffleWriteMetricsReporter(
        task.taskMetrics().shuffleWriteMetrics(),
        scala.collection.immutable.Map$.MODULE$.from(
            CollectionConverters.asScala(
                Map.of(
                    SQLShuffleWriteMetricsReporter.SHUFFLE_BYTES_WRITTEN(), bytes,
                    SQLShuffleWriteMetricsReporter.SHUFFLE_RECORDS_WRITTEN(), records,
                    SQLShuffleWriteMetricsReporter.SHUFFLE_WRITE_TIME(), nanos))));
  }

  @Override
  public MapStatus write(
      Iterator<Object> slices,
      ShuffleDependency<?, ?, ?> dependency,
      long mapId,
      int mapIndex,
      TaskContext task) {
    long start = System.nanoTime();
    Timed timed = new Timed(slices);
    try {
      return writeTimed(timed, dependency, mapId, mapIndex, task);
    } finally {
      spent.add(System.nanoTime() - start - timed.nanos);
    }
  }

  private MapStatus writeTimed(
      Iterator<Object> slices,
      ShuffleDependency<?, ?, ?> dependency,
      long mapId,
      int mapIndex,
      TaskContext task) {
    boolean filePerPartition =
        dependency.shuffleHandle() instanceof BypassMergeSortShuffleHandle
            && !dependency.shuffleMergeAllowed();
    if (!filePerPartition) {
      return super.write(slices, dependency, mapId, mapIndex, task);
    }
    Deque<Object> first = new ArrayDeque<>();
    long held = 0;
    while (held <= SORTED_BYTES && slices.hasNext()) {
      Object slice = slices.next();
      first.add(slice);
      held += ((UnsafeRow) ((Product2<?, ?>) slice)._2()).getSizeInBytes();
    }
    return held > SORTED_BYTES
        ? super.write(new Rejoined(first, slices), dependency, mapId, mapIndex, task)
        : sorted(new ArrayList<>(first), dependency, mapId, task);
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // as Spark has it: keys and values are any
  private MapStatus sorted(
      List<Object> slices, ShuffleDependency<?, ?, ?> dependency, long mapId, TaskContext task) {
    ShuffleWriter<Object, Object> writer =
        SparkEnv.get()
            .shuffleManager()
            .getWriter(
                new BaseShuffleHandle(dependency.shuffleId(), dependency),
                mapId,
                task,
                createMetricsReporter(task));
    try {
      writer.write((Iterator) CollectionConverters.asScala(slices.iterator()));
      return writer.stop(true).get();
    } catch (Throwable e) {
      try {
        writer.stop(false);
      } catch (RuntimeException again) {
        e.addSuppressed(again);
      }
      throw UncheckedErrors.raise(e);
    }
  }

  /** Slices, and how long whoever makes them took. */
  private static final class Timed extends scala.collection.AbstractIterator<Object> {
    private final Iterator<Object> slices;
    private long nanos;

    Timed(Iterator<Object> slices) {
      this.slices = slices;
    }

    @Override
    public boolean hasNext() {
      long start = System.nanoTime();
      try {
        return slices.hasNext();
      } finally {
        nanos += System.nanoTime() - start;
      }
    }

    @Override
    public Object next() {
      return slices.next();
    }
  }

  /** What has been looked at already, each let go of when it is asked for, and the rest. */
  private static final class Rejoined extends scala.collection.AbstractIterator<Object> {
    private final Deque<Object> first;
    private final Iterator<Object> rest;

    Rejoined(Deque<Object> first, Iterator<Object> rest) {
      this.first = first;
      this.rest = rest;
    }

    @Override
    public boolean hasNext() {
      return !first.isEmpty() || rest.hasNext();
    }

    @Override
    public Object next() {
      return first.isEmpty() ? rest.next() : first.remove();
    }
  }
}
