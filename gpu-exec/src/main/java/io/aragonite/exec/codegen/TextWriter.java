package io.aragonite.exec.codegen;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;

/** Offsets and bytes of a column of BYTES storage, row after row. */
public final class TextWriter {
  private static final int FIRST_BYTES_PER_ROW = 16;

  private final Allocator allocator;
  private final Buffer offsets;
  private Buffer bytes;
  private long length;
  private int row;

  public TextWriter(Allocator allocator, int rows) {
    this.allocator = allocator;
    this.offsets = allocator.allocate(4L * (rows + 1));
    this.bytes = allocator.allocate(Math.max(64, (long) rows * FIRST_BYTES_PER_ROW));
    Mem.putInt(offsets.address(), 0);
  }

  /** Adds the next row's value; length 0 for a null. */
  void add(long address, int size) {
    if (size > 0) {
      Mem.copy(address, room(size), size);
    }
    end(size);
  }

  void add(byte[] value) {
    if (value.length > 0) {
      Mem.copy(value, 0, room(value.length), value.length);
    }
    end(value.length);
  }

  private void end(int size) {
    length += size;
    Mem.putInt(offsets.address() + 4L * ++row, (int) length);
  }

  private long room(int size) {
    long wanted = length + size;
    if (wanted > bytes.size()) {
      if (wanted > Integer.MAX_VALUE) {
        throw new AragoniteException(
            ErrorCode.RESULT_TOO_LARGE,
            "A batch of computed texts exceeds 2 GiB; make the texts shorter");
      }
      Buffer larger = allocator.allocate(Math.max(wanted, 2 * bytes.size()));
      Mem.copy(bytes.address(), larger.address(), length);
      bytes = larger;
    }
    return bytes.address() + length;
  }

  public Buffer offsets() {
    return offsets;
  }

  public Buffer bytes() {
    return bytes;
  }
}
