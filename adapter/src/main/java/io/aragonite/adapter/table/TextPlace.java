package io.aragonite.adapter.table;

import io.aragonite.adapter.format.TableFile.Decoded;
import io.aragonite.adapter.format.TableFile.FilePart;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a column of texts, where its parts say how many they have at most: parts are decoded
 * into it beside each other, and then moved together. Texts of which some are elsewhere, those of
 * dictionaries for example, are put together by {@link PieceWriter}, in other memory.
 */
final class TextPlace {
  /** What part of the budget it may be, since it may turn out to be of no use. */
  private static final int SHARE = 8;

  private final Buffer bytes;

  /** Where each part's texts are decoded to. */
  private final long[] targets;

  private TextPlace(Buffer bytes, long[] targets) {
    this.bytes = bytes;
    this.targets = targets;
  }

  /**
   * Null if some parts do not say how large they are, or they are more than one piece.
   *
   * @param column of the parts
   * @param limit of the budget
   */
  static @Nullable TextPlace of(
      int column, DataType type, List<FilePart> parts, long limit, Allocator memory) {
    if (Storage.of(type) != Storage.BYTES) {
      return null;
    }
    long[] targets = new long[parts.size()];
    long rows = 0;
    long bytes = 0;
    for (int i = 0; i < targets.length; i++) {
      long most = parts.get(i).textBytes(column);
      targets[i] = bytes;
      rows += parts.get(i).rows();
      bytes += most;
      if (most < 0 || rows > PieceWriter.PIECE_ROWS || bytes > PieceWriter.PIECE_BYTES) {
        return null;
      }
    }
    if (rows == 0 || bytes > limit / SHARE) {
      return null;
    }
    Buffer place = memory.allocate(bytes);
    for (int i = 0; i < targets.length; i++) {
      targets[i] += place.address();
    }
    return new TextPlace(place, targets);
  }

  Buffer bytes() {
    return bytes;
  }

  long target(int part) {
    return targets[part];
  }

  /** Whether all parts' texts are in it. */
  boolean holds(Decoded[] parts) {
    for (int i = 0; i < parts.length; i++) {
      if (parts[i].dictionary() != null
          || parts[i].column().shape().storage() != Storage.BYTES
          || parts[i].column().values().address() != targets[i]) {
        return false;
      }
    }
    return true;
  }

  /**
   * Moves the parts' texts together. In their order: none then comes to lie on one that is still to
   * be moved.
   *
   * @param ends bytes of texts before each part, and of all
   */
  void close(long[] ends) {
    for (int i = 0; i < targets.length; i++) {
      long to = bytes.address() + ends[i];
      if (to != targets[i]) {
        Mem.copy(targets[i], to, ends[i + 1] - ends[i]);
      }
    }
  }
}
