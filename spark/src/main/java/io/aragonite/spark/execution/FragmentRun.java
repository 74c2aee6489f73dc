package io.aragonite.spark.execution;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.table.BatchSource;
import io.aragonite.exec.table.BatchSource.BatchReader;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.spark.column.EngineColumnVector;
import io.aragonite.spark.column.StructColumnVector;
import io.aragonite.spark.scan.UncheckedErrors;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Supplier;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskContext$;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.apache.spark.util.TaskCompletionListener;
import org.jspecify.annotations.Nullable;

/** A fragment over one partition: a query of the executor's engine, closed with the task. */
final class FragmentRun implements Iterator<ColumnarBatch> {
  private final FragmentPlan fragment;
  private final TaskContext task;
  private final FragmentMetrics metrics;
  private final BatchResult result;
  private @Nullable ColumnarBatch next;
  private boolean ended;

  /** What an input has thrown, if it is no error of the engine. */
  private volatile @Nullable Throwable inputError;

  /**
   * @param sources of the inputs, in their order
   * @param subqueries values of subqueries, in the form of literals
   */
  FragmentRun(
      FragmentPlan fragment,
      TaskContext task,
      FragmentMetrics metrics,
      List<InputSource> sources,
      List<@Nullable Object> subqueries) {
    this.fragment = fragment;
    this.task = task;
    this.metrics = metrics;
    List<@Nullable Object> parameters = new ArrayList<>();
    for (InputSource source : sources) {
      parameters.add(
          switch (source) {
            case InputSource.TaskBatches batches -> new TaskInput(batches.reader());
            case InputSource.SharedTable shared -> shared.table();
          });
    }
    parameters.addAll(subqueries);
    // A task is one of the executor's cores: the others have tasks of their own.
    QueryOptions options =
        new QueryOptions(parameters, 1, 0, null, task::isInterrupted, fragment.join());
    result =
        timed(() -> SparkErrors.translate(() -> ExecutorEngine.get().execute(fragment.plan(), options)));
    TaskCompletionListener last =
        over ->
            timed(
                () -> {
                  end();
                  return null;
                });
    task.addTaskCompletionListener(last);
  }

  /** Counts as time in the fragment. */
  private <T extends @Nullable Object> T timed(Supplier<T> work) {
    long start = System.nanoTime();
    try {
      return work.get();
    } finally {
      metrics.nanos().add(System.nanoTime() - start);
    }
  }

  private void end() {
    if (!ended) {
      metrics.count(fragment.plan(), result.metrics());
    }
    ended = true;
    result.close();
  }

  /** An input, which is read once, and maybe by a thread of the engine in the task's name. */
  private final class TaskInput implements BatchSource, BatchReader {
    private final BatchReader reader;
    private boolean opened;

    TaskInput(BatchReader reader) {
      this.reader = reader;
    }

    @Override
    public BatchReader open() {
      if (opened) {
        throw new AragoniteException(
            ErrorCode.MEMORY_EXCEEDED,
            "Tasks beside this one hold the memory that it needs, and its input cannot be read"
                + " twice; raise spark.aragonite.memory, or let fewer tasks run at once.");
      }
      opened = true;
      return this;
    }

    @Override
    public List<ColumnShape> shapes(List<io.aragonite.exec.type.DataType> types) {
      return reading(() -> reader.shapes(types));
    }

    @Override
    public @Nullable ColumnBatch next(QueryMemory memory, int rows) {
      return reading(() -> reader.next(memory, rows));
    }

    @Override
    public boolean owns(int column) {
      return reader.owns(column);
    }

    /** Has the reader work in the task's name, and counts it as time in the input. */
    private <T extends @Nullable Object> T reading(Supplier<T> work) {
      TaskContext before = TaskContext.get();
      if (before == null) {
        TaskContext$.MODULE$.setTaskContext(task);
      }
      long start = System.nanoTime();
      try {
        return work.get();
      } catch (AragoniteException e) {
        throw e;
      } catch (Throwable e) {
        inputError = e;
        throw e;
      } finally {
        metrics.inputNanos().add(System.nanoTime() - start);
        if (before == null) {
          TaskContext$.MODULE$.unset();
        }
      }
    }

    @Override
    public void close() {
      reader.close();
    }
  }

  @Override
  public boolean hasNext() {
    if (next == null && !ended) {
      next = timed(this::read);
    }
    return next != null;
  }

  /** The next batch; null where the fragment ends. */
  private @Nullable ColumnarBatch read() {
    ColumnBatch batch = nextBatch();
    if (batch == null) {
      end();
      return null;
    }
    metrics.outputRows().add(batch.rows());
    return columnar(batch);
  }

  /** Errors of Spark's operators below, which the engine passes on as its own, are Spark's. */
  private @Nullable ColumnBatch nextBatch() {
    try {
      return SparkErrors.translate(result::next);
    } catch (AragoniteException e) {
      Throwable below = inputError;
      throw below == null ? e : UncheckedErrors.raise(below);
    }
  }

  @Override
  public ColumnarBatch next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    ColumnarBatch batch = next;
    next = null;
    if (batch == null) {
      throw new NoSuchElementException();
    }
    return batch;
  }

  private ColumnarBatch columnar(ColumnBatch batch) {
    Iterator<Column> columns = batch.columns().iterator();
    ColumnVector[] vectors =
        fragment.outputTypes().stream()
            .map(type -> vector(type, columns))
            .toArray(ColumnVector[]::new);
    return new ColumnarBatch(vectors, batch.rows());
  }

  /** The next column, or as many as a struct has fields. */
  private static ColumnVector vector(DataType type, Iterator<Column> columns) {
    if (!(type instanceof StructType struct)) {
      return new EngineColumnVector(type, columns.next());
    }
    List<ColumnVector> fields = new ArrayList<>();
    for (StructField field : struct.fields()) {
      fields.add(vector(field.dataType(), columns));
    }
    return new StructColumnVector(struct, fields);
  }
}
