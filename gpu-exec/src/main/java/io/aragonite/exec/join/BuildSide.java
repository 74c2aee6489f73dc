package io.aragonite.exec.join;

import io.aragonite.exec.column.ColumnBatch;
import io.aragonite.exec.column.RowIds;
import io.aragonite.exec.memory.Buffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The build side of one execution of a join: filled by {@link BuildSink}, read by the probe's
 * workers, its match flags written by them, and completed from by {@link CompletionSource}.
 */
final class BuildSide {
  private ColumnBatch rows = new ColumnBatch(List.of(), 0);
  private @Nullable KeyIndex index;

  /** A byte a build row, 1 = it has a match; EMPTY if nobody asks. */
  private Buffer flags = Buffer.EMPTY;

  /**
   * Whether a flag says that rows with this row's word have a match, at the row that a lookup of
   * the word finds.
   */
  private boolean flagsByWord;

  private RowIds nullKeys = new RowIds(Buffer.EMPTY, 0, false);

  /** For a null-aware anti join: a null on the probe side hides all build rows. */
  private volatile boolean hideAll;

  void fill(ColumnBatch newRows, @Nullable KeyIndex newIndex, Buffer newFlags, RowIds newNulls) {
    rows = newRows;
    index = newIndex;
    flags = newFlags;
    nullKeys = newNulls;
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
