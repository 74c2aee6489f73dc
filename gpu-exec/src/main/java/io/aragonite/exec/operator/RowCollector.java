package io.aragonite.exec.operator;

import io.aragonite.exec.column.ColumnBatch;
import io.aragonite.exec.column.ColumnShape;
import io.aragonite.exec.column.ColumnStore;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.Parallel;
import io.aragonite.exec.pipeline.Sink;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Collects all rows in contiguous columns: build sides, sorts, windows. Workers collect apart; at
 * the end the smaller parts are appended to the largest.
 */
public final class RowCollector implements Sink {
  private final List<ColumnShape> shapes;
  private final QueryMemory memory;
  private final List<ColumnStore> parts = new ArrayList<>();
  private ColumnBatch rows = new ColumnBatch(List.of(), 0);

  public RowCollector(List<ColumnShape> shapes, QueryMemory memory) {
    this.shapes = shapes;
    this.memory = memory;
  }

  @Override
  public BatchConsumer newWorker(ExecContext context) {
    ColumnStore part = newPart();
    return batch -> part.append(context, batch);
  }

  /** A part of the rows, which a worker fills on its own. */
  ColumnStore newPart() {
    ColumnStore part = new ColumnStore(shapes, memory);
    synchronized (parts) {
      parts.add(part);
    }
    return part;
  }

  @Override
  public void finish(ExecContext context, Parallel parallel) {
    if (parts.isEmpty()) {
      newPart();
    }
    parts.sort(Comparator.comparingInt(ColumnStore::rows).reversed());
    ColumnStore all = parts.getFirst();
    List<ColumnStore> others = parts.subList(1, parts.size());
    all.appendAll(context, others.stream().map(ColumnStore::view).toList());
    others.forEach(ColumnStore::close);
    rows = all.take();
    parts.clear();
  }

  /** The rows, once the pipeline has ended; their memory lives as long as the query. */
  public ColumnBatch rows() {
    return rows;
  }
}
