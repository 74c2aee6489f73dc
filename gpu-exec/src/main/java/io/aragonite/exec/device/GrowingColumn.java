package io.aragonite.exec.device;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Dictionary;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The buffers of a column that rows are appended to. A device's append reserves room first, then
 * writes, then counts.
 */
public final class GrowingColumn {
  private static final int FIRST_ROWS = 64;

  private final ColumnShape shape;
  private final QueryMemory memory;
  private Buffer values = Buffer.EMPTY;
  private Buffer offsets = Buffer.EMPTY;
  private Buffer validity = Buffer.EMPTY;
  private boolean hasNulls;
  private int rows;
  private int capacity;
  private int dataBytes;
  private final Map<Dictionary, int[]> translations = new IdentityHashMap<>();

  /**
   * @param memory where the buffers live until {@link #free}
   */
  public GrowingColumn(ColumnShape shape, QueryMemory memory) {
    this.shape = shape;
    this.memory = memory;
  }

  public ColumnShape shape() {
    return shape;
  }

  public int rows() {
    return rows;
  }

  /** Bytes of text or binary values so far. */
  public int dataBytes() {
    return dataBytes;
  }

  public Buffer values() {
    return values;
  }

  public Buffer offsets() {
    return offsets;
  }

  /** The bitmap, null while there has been no null. */
  public @Nullable Buffer validity() {
    return hasNulls ? validity : null;
  }

  /** Makes room for {@code more} rows. */
  public void reserveRows(int more) {
    long wanted = (long) rows + more;
    if (wanted <= capacity) {
      return;
    }
    long doubled = Math.min(Math.max(2L * capacity, FIRST_ROWS), Integer.MAX_VALUE - 64);
    int newCapacity = (ColumnStore.checkRows(Math.max(wanted, doubled)) + 63) & -64;
    if (shape.storage() == Storage.BYTES) {
      boolean first = offsets.address() == 0;
      offsets = memory.grow(offsets, (newCapacity + 1L) * 4);
      if (first) {
        memory.fill(offsets.slice(0, 4), (byte) 0);
      }
    } else if (shape.storage() != Storage.NONE) {
      values = memory.grow(values, (long) newCapacity * shape.storage().width());
    }
    if (hasNulls) {
      validity = memory.grow(validity, newCapacity / 8);
    }
    capacity = newCapacity;
  }

  /** Makes room for {@code more} bytes of BYTES storage. */
  public void reserveBytes(long more) {
    long wanted = dataBytes + more;
    if (wanted > Integer.MAX_VALUE) {
      throw new AragoniteException(
          ErrorCode.RESULT_TOO_LARGE,
          "A text column of an intermediate result has more than 2^31 bytes in one piece; select"
              + " fewer rows or shorter text.");
    }
    if (wanted > values.size()) {
      long doubled = Math.min(2 * values.size(), Integer.MAX_VALUE);
      values = memory.grow(values, Math.max(Math.max(wanted, doubled), FIRST_ROWS));
    }
  }

  /** The bitmap, made now if there was none: all rows so far are not null. */
  public Buffer needValidity() {
    if (!hasNulls) {
      reserveRows(0);
      validity = memory.allocate(Math.max(capacity, FIRST_ROWS) / 8);
      // Whole words, which devices read and write.
      memory.fill(validity.slice(0, (rows + 63L) / 64 * 8), (byte) -1);
      hasNulls = true;
    }
    return validity;
  }

  /** Counts rows that were written, and their bytes. */
  public void added(int moreRows, long moreBytes) {
    rows += moreRows;
    dataBytes += (int) moreBytes;
  }

  long bytes() {
    return values.size() + offsets.size() + validity.size();
  }

  Column view() {
    if (shape.storage() == Storage.BYTES) {
      reserveRows(capacity == 0 ? 1 : 0);
    }
    return new Column(
        shape,
        rows,
        values.slice(0, valueBytes()),
        offsets.address() == 0 ? Buffer.EMPTY : offsets.slice(0, (rows + 1L) * 4),
        hasNulls ? validity.slice(0, (rows + 7) / 8) : null,
        null);
  }

  private long valueBytes() {
    return shape.storage() == Storage.BYTES ? dataBytes : (long) rows * shape.storage().width();
  }

  /**
   * Codes of this column's dictionary by those of another one: the same array each time, not to be
   * changed.
   */
  public int[] translation(Dictionary from) {
    int[] codes = translations.get(from);
    if (codes == null) {
      Dictionary to = Objects.requireNonNull(shape.dictionary());
      codes = new int[from.size()];
      for (int i = 0; i < codes.length; i++) {
        codes[i] = to.find(from.bytes(i));
        if (codes[i] < 0) {
          throw new AragoniteException(
              ErrorCode.INTERNAL, "A dictionary lacks the value '" + from.text(i) + "'.");
        }
      }
      translations.put(from, codes);
    }
    return codes;
  }

  void clear() {
    hasNulls = false;
    memory.free(validity);
    validity = Buffer.EMPTY;
    rows = 0;
    dataBytes = 0;
  }

  void forget() {
    values = Buffer.EMPTY;
    offsets = Buffer.EMPTY;
    validity = Buffer.EMPTY;
    hasNulls = false;
    rows = 0;
    capacity = 0;
    dataBytes = 0;
  }

  /** Gives the buffers back. */
  public void free() {
    memory.free(values);
    memory.free(offsets);
    memory.free(validity);
    forget();
  }
}
