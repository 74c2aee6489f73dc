package io.aragonite.exec.operator.aggregate;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ColumnStore;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.GroupTable;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.RowIds;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Numbers distinct keys from 0 in the order of their appearance and keeps them. Exact whatever
 * words collide: a row whose keys are not those of the group that its word has found goes on with
 * another word, made of this one and that group. Since a group never loses its word, equal keys
 * always go the same way. Not safe for several threads.
 *
 * <p>Where keys hardly ever repeat, it can leave it at numbering rows: then equal keys have several
 * numbers, and whoever merges groups finds them.
 */
final class GroupIndex implements AutoCloseable {
  private final GroupKeys keys;
  private final GroupTable table;
  private final ColumnStore store;

  /** Not null for hashed words. */
  private final @Nullable SourceRowGroups ofSource;

  private final boolean eachRow;
  private int eachRowCount;

  GroupIndex(GroupKeys keys, ExecContext context, QueryMemory memory) {
    this(keys, context, memory, false);
  }

  /**
   * @param eachRow whether each row is a group of its own, whatever its keys
   */
  GroupIndex(GroupKeys keys, ExecContext context, QueryMemory memory, boolean eachRow) {
    this.eachRow = eachRow;
    this.keys = keys;
    this.table = context.aggregate().newGroupTable(context, memory);
    this.store = new ColumnStore(keys.shapes(), memory);
    this.ofSource = keys.layout().exact() ? null : new SourceRowGroups(memory);
  }

  int groups() {
    return eachRow ? eachRowCount : table.groups();
  }

  /** The keys, a row a group; valid until the next call of {@link #assign}. */
  ColumnBatch keys() {
    return store.view();
  }

  /** The keys, whose buffers are the caller's; nothing can be assigned after that. */
  ColumnBatch takeKeys() {
    if (ofSource != null) {
      ofSource.close();
    }
    return store.take();
  }

  /** An estimate of the memory held. */
  long bytes() {
    return store.bytes()
        + (eachRow ? 0 : 32L * table.groups())
        + (ofSource == null ? 0 : ofSource.bytes());
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
    if (eachRow) {
      context.scan().iota(context, outGroups, eachRowCount, batch.rows());
      eachRowCount = Math.addExact(eachRowCount, batch.rows());
      store.append(context, batch);
      return;
    }
    Buffer ids = ofSource == null ? null : ofSource.idsOf(context, batch);
    if (ofSource == null || ids == null) {
      assignByKeys(context, batch, outGroups);
    } else {
      assignById(context, ofSource, ids, batch, outGroups);
    }
  }

  private void assignByKeys(ExecContext context, ColumnBatch batch, Buffer outGroups) {
    Buffer words = words(context, batch);
    assign(context, batch, words, outGroups);
  }

  /** Looks at the keys of those rows only whose groups are not known by their numbers. */
  private void assignById(
      ExecContext context, SourceRowGroups known, Buffer ids, ColumnBatch batch, Buffer outGroups) {
    int rows = batch.rows();
    QueryMemory.Arena scratch = context.scratch();
    Buffer unknown = scratch.allocate(4L * rows);
    int count = known.find(context, ids, rows, outGroups, unknown);
    if (count == rows) {
      assignByKeys(context, batch, outGroups);
      known.keep(context, ids, outGroups, rows);
    } else if (count > 0) {
      ColumnBatch rest = Batches.select(context, batch, unknown, count);
      Buffer groups = scratch.allocate(4L * count);
      assignByKeys(context, rest, groups);
      context.gather().scatter(context, groups, unknown, count, 4, outGroups);
      RowIds restIds = Objects.requireNonNull(rest.column(0).rowIds());
      known.keep(context, restIds.ids(), groups, count);
    }
  }

  private Buffer words(ExecContext context, ColumnBatch batch) {
    Column words = keys.words().evaluate(context, batch).column(0);
    if (words.rowIds() != null) {
      words = context.gather().materialize(context, words, context.scratch());
    }
    return words.values();
  }

  private void assign(ExecContext context, ColumnBatch batch, Buffer words, Buffer outGroups) {
    Buffer differing = context.scratch().allocate(4L * batch.rows());
    int count = round(context, batch, words, outGroups, differing);
    if (count > 0) {
      resolve(context, batch, words, outGroups, differing, count);
    }
  }

  /**
   * Finds groups by words alone.
   *
   * @param differing the rows whose keys are not those of the group found
   * @return how many
   */
  private int round(
      ExecContext context, ColumnBatch batch, Buffer words, Buffer outGroups, Buffer differing) {
    int rows = batch.rows();
    int added = table.assign(context, words, rows, outGroups, differing);
    if (added == rows) {
      store.append(context, batch);
      return 0;
    }
    if (added > 0) {
      store.append(context, Batches.select(context, batch, differing, added));
    }
    return keys.differ() == null
        ? 0
        : keys.differ().select(context, withGroups(batch, outGroups), differing);
  }

  /** Sends rows on, round after round, until each has found its keys; hardly ever needed. */
  private void resolve(
      ExecContext context,
      ColumnBatch batch,
      Buffer words,
      Buffer outGroups,
      Buffer differing,
      int differingCount) {
    QueryMemory.Arena scratch = context.scratch();
    int count = differingCount;
    // Two of each buffer, for this round and the next: there can be as many rounds as groups.
    Buffer[] nextWords = {scratch.allocate(8L * count), scratch.allocate(8L * count)};
    Buffer[] rows = {differing, scratch.allocate(4L * count)};
    Buffer groups = scratch.allocate(4L * count);
    Buffer among = scratch.allocate(4L * count);
    context.aggregate().rehash(context, words, outGroups, differing, count, nextWords[0]);
    for (int now = 0; count > 0; now = 1 - now) {
      context.checkCancelled();
      long mark = scratch.mark();
      ColumnBatch rest = Batches.select(context, batch, rows[now], count);
      int open = round(context, rest, nextWords[now], groups, among);
      context.gather().scatter(context, groups, rows[now], count, 4, outGroups);
      context.aggregate().rehash(context, nextWords[now], groups, among, open, nextWords[1 - now]);
      context.gather().gatherIds(context, rows[now], among, open, rows[1 - now]);
      scratch.release(mark);
      count = open;
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
    if (ofSource != null) {
      ofSource.close();
    }
  }
}
