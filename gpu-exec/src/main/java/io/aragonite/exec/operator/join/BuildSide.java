package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.RowIds;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The build side of one execution of a join: filled by {@link BuildSink}, read by the probe's
 * workers, its match flags written by them, and completed from by {@link CompletionSource}.
 */
final class BuildSide implements AutoCloseable {
  private ColumnBatch rows = new ColumnBatch(List.of(), 0);
  private boolean ownsRows;
  private @Nullable KeyIndex index;
  private @Nullable QueryMemory memory;

  /** A byte a build row, 1 = it has a match; EMPTY if nobody asks. */
  private Buffer flags = Buffer.EMPTY;

  /**
   * Whether a flag says that rows with this row's word have a match, at the row that a lookup of
   * the word finds.
   */
  private boolean flagsByWord;

  private RowIds nullKeys = new RowIds(Buffer.EMPTY, 0, false);

  /** For a null-aware join over several keys: what finds the rows that agree with nulls. */
  private final MaskedTables maskedTables = new MaskedTables();

  /** For a null-aware anti join: a null on the probe side hides all build rows. */
  private volatile boolean hideAll;

  /**
   * @param owner where all of this is given back to
   * @param owns whether the rows are given back too, or stay where they are
   */
  void fill(
      QueryMemory owner,
      ColumnBatch newRows,
      boolean owns,
      @Nullable KeyIndex newIndex,
      Buffer newFlags,
      RowIds newNulls) {
    memory = owner;
    rows = newRows;
    ownsRows = owns;
    index = newIndex;
    flags = newFlags;
    nullKeys = newNulls;
  }

  /** Rows without an index, for a join that looks at all of them. */
  void fill(ExecContext context, JoinSpec spec, ColumnBatch newRows, boolean owns) {
    Buffer newFlags = Buffer.EMPTY;
    if (spec.flagsBuild()) {
      newFlags = context.memory().allocate(newRows.rows());
      context.scan().fill(context, newFlags, 1, 0, newRows.rows());
    }
    fill(context.memory(), newRows, owns, null, newFlags, new RowIds(Buffer.EMPTY, 0, false));
  }

  /** Frees what it has; it is empty then, and can be filled again. */
  @Override
  public void close() {
    QueryMemory owner = memory;
    if (owner != null) {
      memory = null;
      if (index != null) {
        index.close();
      }
      if (ownsRows) {
        rows.columns().forEach(column -> Batches.free(owner, column));
      }
      owner.free(flags);
      owner.free(nullKeys.ids());
      maskedTables.close();
      rows = new ColumnBatch(List.of(), 0);
      index = null;
      flags = Buffer.EMPTY;
      nullKeys = new RowIds(Buffer.EMPTY, 0, false);
      flagsByWord = false;
      hideAll = false;
    }
  }

  /** All rows that may be output, without indirection. */
  ColumnBatch rows() {
    return rows;
  }

  KeyIndex index() {
    if (index == null) {
      throw new IllegalStateException("the build side has no index of its keys");
    }
    return index;
  }

  Buffer flags() {
    return flags;
  }

  /** Build rows with a null among their keys, collected for null-aware joins only. */
  RowIds nullKeys() {
    return nullKeys;
  }

  MaskedTables maskedTables() {
    return maskedTables;
  }

  boolean flagsByWord() {
    return flagsByWord;
  }

  void setFlagsByWord(boolean byWord) {
    flagsByWord = byWord;
  }

  boolean hideAll() {
    return hideAll;
  }

  void setHideAll() {
    hideAll = true;
  }
}
