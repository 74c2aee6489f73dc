package io.aragonite.exec.operator.aggregate;

import io.aragonite.exec.column.Column;
import io.aragonite.exec.column.ColumnBatch;
import io.aragonite.exec.column.ColumnStore;
import io.aragonite.exec.column.RowIds;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.Primitives;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.operator.Batches;
import java.util.ArrayList;
import java.util.List;

/**
 * Numbers distinct keys from 0 in the order of their appearance and keeps them. Exact whatever
 * words collide: a row whose keys are not those of the group that its word has found goes on with
 * another word, made of this one and that group. Since a group never loses its word, equal keys
 * always go the same way. Not safe for several threads.
 */
final class GroupIndex implements AutoCloseable {
  private final GroupKeys keys;
  private final Primitives.GroupTable table;
  private final ColumnStore store;

  GroupIndex(GroupKeys keys, ExecContext context, QueryMemory memory) {
    this.keys = keys;
    this.table = context.device().primitives().newGroupTable(context, memory);
    this.store = new ColumnStore(keys.shapes(), memory);
  }

  int groups() {
    return table.groups();
  }

  /** The keys, a row a group; valid until the next call of {@link #assign}. */
  ColumnBatch keys() {
    return store.view();
  }

  /** The keys, whose buffers are the caller's; nothing can be assigned after that. */
  ColumnBatch takeKeys() {
    return store.take();
  }

  /** An estimate of the memory held. */
  long bytes() {
    return store.bytes() + 32L * table.groups();
  }

  /**
   * Finds the group of each row.
   *
   * @param batch key columns
   * @param outGroups a 32-bit number a row
   */
  void assign(ExecContext context, ColumnBatch batch, Buffer outGroups) {
    if (batch.rows() == 0) {
      return;
    }
    Buffer words = words(context, batch);
    assign(context, batch, words, outGroups);
  }

  private Buffer words(ExecContext context, ColumnBatch batch) {
    Column words = keys.words().evaluate(context, batch).column(0);
    if (words.rowIds() != null) {
      words = context.device().primitives().materialize(context, words, context.scratch());
    }
    return words.values();
  }

  private void assign(ExecContext context, ColumnBatch batch, Buffer words, Buffer outGroups) {
    Primitives primitives = context.device().primitives();
    int rows = batch.rows();
    Buffer newRows = context.scratch().allocate(4L * rows);
    int added = primitives.assignGroups(context, table, words, rows, outGroups, newRows);
    if (added == rows) {
      store.append(context, batch);
      return;
    }
    if (added > 0) {
      store.append(context, Batches.select(context, batch, newRows, added));
    }
    if (keys.differ() == null) {
      return;
    }
    Buffer differing = newRows;
    int count = keys.differ().select(context, withGroups(batch, outGroups), differing);
    if (count > 0) {
      context.checkCancelled();
      Buffer nextWords = context.scratch().allocate(8L * count);
      primitives.rehash(context, words, outGroups, differing, count, nextWords);
      Buffer nextGroups = context.scratch().allocate(4L * count);
      assign(context, Batches.select(context, batch, differing, count), nextWords, nextGroups);
      primitives.scatter(context, nextGroups, differing, count, 4, outGroups);
    }
  }

  private ColumnBatch withGroups(ColumnBatch batch, Buffer groups) {
    RowIds ids = new RowIds(groups, batch.rows(), false);
    List<Column> columns = new ArrayList<>(batch.columns());
    for (Column column : store.view().columns()) {
      columns.add(column.withRowIds(ids));
    }
    return new ColumnBatch(columns, batch.rows());
  }

  @Override
  public void close() {
    table.close();
    store.close();
  }
}
