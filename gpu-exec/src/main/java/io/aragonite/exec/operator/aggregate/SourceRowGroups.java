package io.aragonite.exec.operator.aggregate;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.RowIds;
import org.jspecify.annotations.Nullable;

/**
 * The groups of the rows of a join's build side, where all grouping keys come from there: such a
 * row's keys are hashed and compared when it appears first, and looked up by its number afterwards.
 * So a fact table's rows are grouped by the texts of a dimension without looking at the texts. Not
 * safe for several threads.
 */
final class SourceRowGroups implements AutoCloseable {
  /** Rows of a build side, for a row that has been grouped, up to which its groups are kept. */
  private static final int ROWS_KEPT = 16;

  /** What part of the device's free memory groups may take: queries do without them. */
  private static final int ROOM_SHARE = 8;

  private final QueryMemory memory;

  /** Of which rows' groups are kept, or would be; null: none. */
  private @Nullable ColumnBatch source;

  /** By row of the source: its group, -1: not known. EMPTY: no groups are kept yet. */
  private Buffer groups = Buffer.EMPTY;

  /** Rows that have been grouped whose keys come from the source. */
  private long rows;

  /** Whether the query may have no memory for groups. */
  private boolean refused;

  SourceRowGroups(QueryMemory memory) {
    this.memory = memory;
  }

  /**
   * The numbers of the rows that all keys of a batch come from.
   *
   * @return null if they do not come from one build side, or if it is too large to keep its groups,
   *     or memory is short
   */
  @SuppressWarnings("ReferenceEquality") // an indirection is its object, and so is a source
  @Nullable Buffer idsOf(ExecContext context, ColumnBatch keys) {
    RowIds ids = keys.column(0).rowIds();
    if (ids == null || ids.mayBeNull()) {
      return null;
    }
    ColumnBatch from = ids.source();
    if (from == null) {
      return null;
    }
    for (Column key : keys.columns()) {
      if (key.rowIds() != ids || !holds(from, key)) {
        return null;
      }
    }
    if (from != source) {
      close();
      source = from;
      rows = 0;
    }
    rows += keys.rows();
    if (groups.size() == 0) {
      if (from.rows() > ROWS_KEPT * rows || !begin(context, from.rows())) {
        return null;
      }
    }
    return ids.ids();
  }

  /** Takes the memory for groups of so many rows; false if it is short. */
  private boolean begin(ExecContext context, int sourceRows) {
    MemoryBudget budget = context.device().memory();
    if (refused || 4L * sourceRows > (budget.limit() - budget.used()) / ROOM_SHARE) {
      return false;
    }
    try {
      groups = memory.allocate(4L * sourceRows);
    } catch (AragoniteException e) {
      if (e.code() != ErrorCode.MEMORY_EXCEEDED) {
        throw e;
      }
      refused = true;
      return false;
    }
    context.scan().fill(context, groups, 4, -1, sourceRows);
    return true;
  }

  private static boolean holds(ColumnBatch from, Column key) {
    for (Column column : from.columns()) {
      if (column.values().equals(key.values()) && column.offsets().equals(key.offsets())) {
        return true;
      }
    }
    return false;
  }

  /**
   * Looks groups up.
   *
   * @param ids what {@link #idsOf} returned
   * @param outGroups a 32-bit group a row, -1: not known
   * @param outUnknown positions of those
   * @return how many
   */
  int find(ExecContext context, Buffer ids, int count, Buffer outGroups, Buffer outUnknown) {
    context.gather().gatherIds(context, groups, ids, count, outGroups);
    return context.scan().selectIds(context, outGroups, count, false, outUnknown);
  }

  /** Keeps the groups of rows; one that appears twice has the same group both times. */
  void keep(ExecContext context, Buffer ids, Buffer groupsOfIds, int count) {
    context.gather().scatter(context, groupsOfIds, ids, count, 4, groups);
  }

  /** The memory held. */
  long bytes() {
    return groups.size();
  }

  /** Forgets all groups; they can be kept anew. */
  @Override
  public void close() {
    memory.free(groups);
    groups = Buffer.EMPTY;
    source = null;
  }
}
