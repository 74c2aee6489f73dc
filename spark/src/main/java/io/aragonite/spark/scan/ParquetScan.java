package io.aragonite.spark.scan;

import io.aragonite.adapter.format.parquet.ParquetFile;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.table.BatchSource;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.errors.QueryExecutionErrors;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The splits of a partition, one behind the other. What our reader would not give exactly as
 * Spark's does, by the file's types or since it cannot be read at all, Spark's reads: its values and
 * its errors.
 */
public final class ParquetScan implements BatchSource.BatchReader {
  private static final Logger LOG = LoggerFactory.getLogger(ParquetScan.class);

  /** Splits of a task that are open at once, at most. */
  private static final int MOST_AHEAD = 64;

  private final ScanPlan plan;
  private final List<DataType> types;
  private final Deque<PartitionedFile> splits;

  /** The first of these splits, if they are opened already. */
  private final Deque<ScannedFile> ahead = new ArrayDeque<>();

  /** What was told of the columns. */
  private List<ColumnShape> shapes;

  private final TaskContext task;
  private final Supplier<QueryMemory> accounts;
  private final Function<PartitionedFile, BatchSource.BatchReader> spark;

  private @Nullable PartitionedFile split;

  /** What reads the split: ours, or Spark's. */
  private @Nullable ScannedFile file;

  private BatchSource.@Nullable BatchReader bySpark;

  /** Whether rows of the split have come out. */
  private boolean begun;

  /**
   * @param types the engine's types of the columns that come out
   * @param accounts open accounts for what is decoded
   * @param spark reads a split with Spark's reader
   */
  public ParquetScan(
      ScanPlan plan,
      List<DataType> types,
      List<PartitionedFile> splits,
      TaskContext task,
      Supplier<QueryMemory> accounts,
      Function<PartitionedFile, BatchSource.BatchReader> spark) {
    this.plan = plan;
    this.types = types;
    this.splits = new ArrayDeque<>(splits);
    this.shapes = types.stream().map(ColumnShape::of).toList();
    this.task = task;
    this.accounts = accounts;
    this.spark = spark;
  }

  /** Texts that all files have in dictionaries come out as codes of one: files are opened for it. */
  @Override
  public List<ColumnShape> shapes(List<DataType> ofColumns) {
    boolean texts =
        types.subList(0, plan.names().size()).stream().anyMatch(type -> type.kind().isText());
    if (texts && splits.size() <= MOST_AHEAD) {
      long start = System.nanoTime();
      try {
        if (openAll()) {
          shapes = ScanDictionaries.encode(List.copyOf(ahead), types, accounts);
        }
      } finally {
        plan.metrics().nanos().add(System.nanoTime() - start);
      }
    }
    return shapes;
  }

  /** Whether our reader has opened all splits. It has the first ones that it can open. */
  private boolean openAll() {
    for (PartitionedFile next : splits) {
      task.killTaskIfInterrupted();
      Opened opened;
      try {
        opened = tryOpen(next);
      } catch (AragoniteException e) {
        if (!isOfFile(e)) {
          throw e;
        }
        return false; // it is told when the split's turn comes
      }
      if (opened.file() == null) {
        return false;
      }
      ahead.add(opened.file());
    }
    return true;
  }

  @Override
  public @Nullable ColumnBatch next(QueryMemory memory, int wanted) {
    long start = System.nanoTime();
    try {
      ColumnBatch batch = advance(memory, wanted);
      plan.rows().add(batch == null ? 0 : batch.rows());
      return batch;
    } finally {
      plan.metrics().nanos().add(System.nanoTime() - start);
    }
  }

  @Override
  public boolean owns(int column) {
    ScannedFile ours = file;
    return ours != null && ours.owns(column);
  }

  private @Nullable ColumnBatch advance(QueryMemory memory, int wanted) {
    while (true) {
      ScannedFile ours = file;
      BatchSource.BatchReader theirs = bySpark;
      ColumnBatch batch =
          theirs != null
              ? readBySpark(theirs, memory, wanted)
              : ours == null ? null : read(ours, memory, wanted);
      if (batch != null) {
        begun = true;
        return batch;
      }
      // Where Spark takes over, the split begins anew.
      if (theirs != null || bySpark == null) {
        leaveSplit();
        PartitionedFile next = splits.poll();
        if (next == null) {
          return null;
        }
        open(next);
      }
    }
  }

  private @Nullable ColumnBatch read(ScannedFile ours, QueryMemory memory, int wanted) {
    try {
      return ours.next(memory, wanted);
    } catch (AragoniteException e) {
      return failed(e);
    }
  }

  /** Of our errors a batch of Spark's has one where a text is in no dictionary. */
  private @Nullable ColumnBatch readBySpark(
      BatchSource.BatchReader theirs, QueryMemory memory, int wanted) {
    try {
      return theirs.next(memory, wanted);
    } catch (AragoniteException e) {
      PartitionedFile failed = split;
      throw e.code() == ErrorCode.FILE_BROKEN && failed != null ? notRead(failed, e) : e;
    }
  }

  /** Whether a file cannot be read, or not by us. */
  static boolean isOfFile(AragoniteException error) {
    return error.code() == ErrorCode.FILE_BROKEN
        || error.code() == ErrorCode.FILE_UNSUPPORTED
        || error.code() == ErrorCode.RESULT_TOO_LARGE;
  }

  /** A file that cannot be read: Spark tells of it, or can read it, if none of its rows is out. */
  private @Nullable ColumnBatch failed(AragoniteException error) {
    PartitionedFile failed = split;
    if (!isOfFile(error) || failed == null) {
      throw error;
    }
    boolean late = begun;
    leaveSplit();
    if (late) {
      throw notRead(failed, error);
    }
    leave(failed, String.valueOf(error.getMessage()));
    return null;
  }

  private static RuntimeException notRead(PartitionedFile file, AragoniteException error) {
    return UncheckedErrors.raise(
        QueryExecutionErrors.cannotReadFilesError(error, file.urlEncodedPath()));
  }

  private void open(PartitionedFile next) {
    task.killTaskIfInterrupted();
    split = next;
    begun = false;
    file = ahead.poll();
    if (file != null) {
      return;
    }
    try {
      Opened opened = tryOpen(next);
      file = opened.file();
      if (file == null) {
        refuse(next, opened.refusal());
      }
    } catch (AragoniteException e) {
      failed(e);
    }
  }

  /**
   * A split that was opened.
   *
   * @param file null: Spark has to read it
   * @param refusal why
   */
  private record Opened(@Nullable ScannedFile file, String refusal) {}

  /**
   * Opens a split.
   *
   * @throws AragoniteException FILE_BROKEN, FILE_UNSUPPORTED
   */
  private Opened tryOpen(PartitionedFile next) {
    if (!"file".equals(next.pathUri().getScheme())) {
      return new Opened(null, "it is no local file");
    }
    Path path = Path.of(next.toPath().toUri().getPath());
    ParquetFile opened = ParquetFile.openSplit(path, next.start(), next.start() + next.length());
    ScannedFile scanned = null;
    try {
      FileMatch match = FileMatch.of(plan, types, opened);
      if (match.refusal() != null) {
        return new Opened(null, match.refusal());
      }
      scanned =
          new ScannedFile(
              plan,
              types,
              opened,
              match.places(),
              next.partitionValues(),
              accounts,
              task.taskMetrics().inputMetrics(),
              ScannedFile.MOST_BYTES);
      return new Opened(scanned, "");
    } finally {
      if (scanned == null) {
        opened.close();
      }
    }
  }

  private void refuse(PartitionedFile refused, String reason) {
    if (plan.strict()) {
      throw new UnsupportedOperationException(
          "spark.aragonite.strict is true, and Spark would have to read %s, since %s. Set it to false to have Spark read it."
              .formatted(refused.toPath(), reason));
    }
    leave(refused, reason);
  }

  private void leave(PartitionedFile left, String reason) {
    LOG.info("{} is read by Spark: {}", left.toPath(), reason);
    plan.metrics().sparkFiles().add(1);
    split = left;
    BatchSource.BatchReader theirs = spark.apply(left);
    boolean coded = shapes.stream().anyMatch(shape -> shape.storage().isCode());
    bySpark = coded ? TextEncoding.over(theirs, shapes) : theirs;
  }

  @Override
  public void close() {
    leaveSplit();
    ahead.forEach(ScannedFile::close);
    ahead.clear();
  }

  private void leaveSplit() {
    split = null;
    ScannedFile ours = file;
    file = null;
    if (ours != null) {
      ours.close();
    }
    BatchSource.BatchReader theirs = bySpark;
    bySpark = null;
    if (theirs != null) {
      theirs.close();
    }
  }
}
