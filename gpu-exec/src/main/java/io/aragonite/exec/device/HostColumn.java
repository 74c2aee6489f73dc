package io.aragonite.exec.device;

import io.aragonite.exec.device.ColumnMemory.Copy;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import java.util.Arrays;
import java.util.List;

/** A column of fixed-width values in host memory, in one piece or several. */
public final class HostColumn {
  private final int width;
  private final long[] addresses;

  /** Rows before each piece, and all of them. */
  private final long[] starts;

  /**
   * @param width bytes of a value: 1, 2, 4 or 8
   * @param addresses of the pieces
   * @param rows of each piece; a multiple of 64 for all but the last
   */
  public HostColumn(int width, List<Long> addresses, List<Long> rows) {
    this.width = width;
    this.addresses = addresses.stream().mapToLong(Long::longValue).toArray();
    this.starts = new long[rows.size() + 1];
    for (int i = 0; i < rows.size(); i++) {
      starts[i + 1] = starts[i] + rows.get(i);
    }
  }

  /** A column in one piece. */
  public static HostColumn of(long address, int width, long rows) {
    return new HostColumn(width, List.of(address), List.of(rows));
  }

  public int width() {
    return width;
  }

  public long rows() {
    return starts[starts.length - 1];
  }

  /** Which piece a row is in. */
  public int piece(long row) {
    if (addresses.length == 1) {
      return 0;
    }
    int found = Arrays.binarySearch(starts, row);
    int piece = found >= 0 ? found : -found - 2;
    // Empty pieces begin where the next one does.
    while (piece + 1 < addresses.length && starts[piece + 1] <= row) {
      piece++;
    }
    return piece;
  }

  /** The first row of a piece. */
  public long start(int piece) {
    return starts[piece];
  }

  /** The address of a value; those behind it follow up to the end of its piece. */
  public long address(long row) {
    int piece = piece(row);
    return addresses[piece] + (row - starts[piece]) * width;
  }

  /** A signed integer of 4 or 8 bytes. */
  public long get(long row) {
    long address = address(row);
    return width == Integer.BYTES ? Mem.getInt(address) : Mem.getLong(address);
  }

  /** Adds what must be copied to have some rows in a buffer. */
  public void copies(long from, long rows, Buffer to, List<Copy> copies) {
    long done = 0;
    while (done < rows) {
      int piece = piece(from + done);
      long some = Math.min(rows - done, starts[piece + 1] - from - done);
      copies.add(new Copy(address(from + done), to.slice(done * width, some * width)));
      done += some;
    }
  }

  /** How many of the ascending values from {@code from} to {@code to} are smaller than a key. */
  public long lower(long key, long from, long to) {
    long low = from;
    long high = to;
    while (low < high) {
      long middle = (low + high) >>> 1;
      if (get(middle) < key) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The same of those that are not greater. */
  public long upper(long key, long from, long to) {
    return key == Long.MAX_VALUE ? to : lower(key + 1, from, to);
  }
}
