package io.aragonite.adapter.table;

import io.aragonite.adapter.format.TableFile.FilePart;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The values of a column's pieces, where they are known to be of one width before any is read:
 * parts are decoded into them, and nothing is copied afterwards.
 */
final class FixedPieces {
  private final Storage storage;
  private final int width;
  private final long[] starts;
  private final List<Buffer> pieces = new ArrayList<>();

  private FixedPieces(Storage storage, List<FilePart> parts, Allocator memory) {
    this.storage = storage;
    this.width = storage.width();
    this.starts = new long[parts.size() + 1];
    for (int i = 0; i < parts.size(); i++) {
      starts[i + 1] = starts[i] + parts.get(i).rows();
    }
    long rows = starts[parts.size()];
    for (long from = 0; from < rows; from += PieceWriter.PIECE_ROWS) {
      pieces.add(memory.allocate(Math.min(PieceWriter.PIECE_ROWS, rows - from) * width));
    }
  }

  /**
   * Null for a column whose storage its values decide.
   *
   * @param storage that of the type, or a narrower one
   */
  static @Nullable FixedPieces of(
      DataType type, Storage storage, List<FilePart> parts, Allocator memory) {
    boolean known =
        switch (storage) {
          case BYTE, SHORT, INT, LONG, FLOAT, DOUBLE -> type.kind() != TypeKind.NULL;
          default -> false;
        };
    return known ? new FixedPieces(storage, parts, memory) : null;
  }

  /** How the values lie. */
  Storage storage() {
    return storage;
  }

  /** The values of each piece. */
  List<Buffer> values() {
    return pieces;
  }

  /** Where a part's values go; 0 if they are in more than one piece. */
  long target(int part) {
    long from = starts[part];
    long rows = starts[part + 1] - from;
    long within = from % PieceWriter.PIECE_ROWS;
    return rows == 0 || within + rows > PieceWriter.PIECE_ROWS
        ? 0
        : piece(from).address() + within * width;
  }

  private Buffer piece(long row) {
    return pieces.get((int) (row / PieceWriter.PIECE_ROWS));
  }

  /** Takes a part's values from where they are, if that is not their target. */
  void take(int part, Column decoded) {
    Storage have = decoded.shape().storage();
    long source = decoded.values().address();
    if (have == storage && source == target(part)) {
      return;
    }
    if (have != storage && have != Storage.NONE) {
      throw new AragoniteException(
          ErrorCode.INTERNAL, "A column of " + have + " cannot be stored as " + storage + ".");
    }
    long row = starts[part];
    while (row < starts[part + 1]) {
      long within = row % PieceWriter.PIECE_ROWS;
      long rows = Math.min(starts[part + 1] - row, PieceWriter.PIECE_ROWS - within);
      long to = piece(row).address() + within * width;
      if (have == Storage.NONE) {
        Mem.fill(to, rows * width, (byte) 0);
      } else {
        Mem.copy(source, to, rows * width);
        source += rows * width;
      }
      row += rows;
    }
  }
}
