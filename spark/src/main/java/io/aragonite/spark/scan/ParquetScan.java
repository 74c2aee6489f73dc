package io.aragonite.spark.scan;

import io.aragonite.adapter.format.parquet.ParquetFile;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.table.BatchSource;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnBatch;
import java.nio.file.Path;
import java.util.Iterator;
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

  private final ScanPlan plan;
  private final List<DataType> types;
  private final Iterator<PartitionedFile> splits;
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
    this.splits = splits.iterator();
    this.task = task;
    this.accounts = accounts;
    this.spark = spark;
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

  private @Nullable ColumnBatch advance(QueryMemory memory, int wanted) {
    while (true) {
      ScannedFile ours = file;
      BatchSource.BatchReader theirs = bySpark;
      ColumnBatch batch =
          theirs != null
              ? theirs.next(memory, wanted)
              : ours == null ? null : read(ours, memory, wanted);
      if (batch != null) {
        begun = true;
        return batch;
      }
      // Where Spark takes over, the split begins anew.
      if (theirs != null || bySpark == null) {
        close();
        if (!splits.hasNext()) {
          return null;
        }
        open(splits.next());
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

  /** A file that cannot be read: Spark tells of it, or can read it, if none of its rows is out. */
  private @Nullable ColumnBatch failed(AragoniteException error) {
    PartitionedFile failed = split;
    boolean ofFile =
        error.code() == ErrorCode.FILE_BROKEN
            || error.code() == ErrorCode.FILE_UNSUPPORTED
            || error.code() == ErrorCode.RESULT_TOO_LARGE;
    if (!ofFile || failed == null) {
      throw error;
    }
    boolean late = begun;
    close();
    if (late) {
      throw UncheckedErrors.raise(
          QueryExecutionErrors.cannotReadFilesError(error, failed.urlEncodedPath()));
    }
    leave(failed, String.valueOf(error.getMessage()));
    return null;
  }

  private void open(PartitionedFile next) {
    task.killTaskIfInterrupted();
    split = next;
    begun = false;
    if (!"file".equals(next.pathUri().getScheme())) {
      refuse(next, "it is no local file");
      return;
    }
    Path path = Path.of(next.toPath().toUri().getPath());
    ParquetFile opened = null;
    try {
      opened = ParquetFile.openSplit(path, next.start(), next.start() + next.length());
      FileMatch match = FileMatch.of(plan, types, opened);
      if (match.refusal() != null) {
        refuse(next, match.refusal());
        return;
      }
      file =
          new ScannedFile(
              plan,
              types,
              opened,
              match.places(),
              next.partitionValues(),
              accounts,
              task.taskMetrics().inputMetrics());
    } catch (AragoniteException e) {
      failed(e);
    } finally {
      if (file == null && opened != null) {
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
    bySpark = spark.apply(left);
  }

  @Override
  public void close() {
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
