package io.aragonite.adapter.table;

import io.aragonite.adapter.format.PartDictionary;
import io.aragonite.adapter.format.TableFile.Decoded;
import io.aragonite.adapter.format.dictionary.DictionaryCodes;
import io.aragonite.adapter.format.dictionary.DistinctBytes;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Dictionary;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes decoded parts, which may have any number of rows, as pieces of a multiple of 64 rows in
 * the storage chosen for the column. A piece has at most {@link #PIECE_ROWS} rows and {@link
 * #PIECE_BYTES} bytes of text.
 */
final class PieceWriter {
  static final int PIECE_ROWS = 1 << 24;
  static final long PIECE_BYTES = 1L << 30;

  private final ColumnShape shape;
  private final List<Decoded> parts;
  private final PartScan[] scans;
  private final @Nullable Dictionary dictionary;
  private final @Nullable FixedPieces fixed;
  private final @Nullable TextPlace place;
  private final Allocator memory;
  private final IntConsumer read;

  /** Row of the table at which each part starts; one more for the end. */
  private final long[] starts;

  /** Bytes of text before each part; one more for the end. */
  private final long[] texts;

  private int[][] recode = new int[0][];

  /**
   * @param fixed the pieces' values, if they are there already
   * @param place where all parts' texts are, if it is one
   * @param read told of parts that have been read to their ends
   */
  PieceWriter(
      ColumnShape shape,
      List<Decoded> parts,
      PartScan[] scans,
      @Nullable FixedPieces fixed,
      @Nullable TextPlace place,
      Allocator memory,
      IntConsumer read) {
    this.shape = shape;
    this.parts = parts;
    this.scans = scans;
    this.dictionary = shape.dictionary();
    this.fixed = fixed;
    this.place = place;
    this.memory = memory;
    this.read = read;
    this.starts = new long[parts.size() + 1];
    this.texts = new long[parts.size() + 1];
    for (int i = 0; i < parts.size(); i++) {
      starts[i + 1] = starts[i] + parts.get(i).column().dataRows();
    }
  }

  private record Piece(long start, int rows) {}

  List<Column> write(LoadWorkers workers) {
    if (shape.storage() == Storage.BYTES) {
      workers.forEach(
          parts.size(),
          i -> texts[i + 1] = bytes(parts.get(i), 0, parts.get(i).column().dataRows()));
      Arrays.parallelPrefix(texts, Long::sum);
    }
    if (place != null) {
      place.close(texts);
    }
    if (dictionary != null) {
      recode = recodeTables(dictionary);
    }
    List<Piece> pieces = cut();
    List<Column> targets = pieces.stream().map(this::allocate).toList();
    if (fixed != null && !shape.mayBeNull()) {
      return targets;
    }
    // Tasks are runs of a target's rows at multiples of 64, so that no two write one byte of a
    // bitmap.
    record Task(int piece, int from, int rows) {}
    List<Task> tasks = new ArrayList<>();
    int step = 1 << 17;
    for (int p = 0; p < pieces.size(); p++) {
      int rows = pieces.get(p).rows;
      for (int from = 0; from < rows; from += step) {
        tasks.add(new Task(p, from, Math.min(step, rows - from)));
      }
    }
    workers.forEach(
        tasks.size(),
        t -> {
          Task task = tasks.get(t);
          fill(targets.get(task.piece), pieces.get(task.piece).start, task.from, task.rows);
        });
    return targets;
  }

  private int[][] recodeTables(Dictionary all) {
    int[][] tables = new int[scans.length][];
    for (int i = 0; i < scans.length; i++) {
      DistinctBytes distinct = scans[i].distinct;
      int count = distinct == null ? 0 : distinct.count();
      int[] table = new int[count];
      for (int j = 0; distinct != null && j < count; j++) {
        table[j] = all.find(distinct.value(j));
        if (table[j] < 0) {
          throw changed();
        }
      }
      int[] words = scans[i].words;
      tables[i] = words == null ? table : ofWords(words, table);
    }
    return tables;
  }

  /** Codes by a part's own numbers; 0 for those that no row has but one that is null. */
  private static int[] ofWords(int[] words, int[] table) {
    int[] codes = new int[words.length];
    for (int i = 0; i < codes.length; i++) {
      codes[i] = words[i] < 0 ? 0 : table[words[i]];
    }
    return codes;
  }

  /** A part has values that the dictionary of all parts lacks. */
  private static AragoniteException changed() {
    return new AragoniteException(
        ErrorCode.FILE_BROKEN,
        "A file has changed while it was read: it has texts that were not there before; run the"
            + " statement again on a new connection");
  }

  private List<Piece> cut() {
    List<Piece> pieces = new ArrayList<>();
    long rows = starts[parts.size()];
    long start = 0;
    while (start < rows) {
      int length = (int) Math.min(PIECE_ROWS, rows - start);
      while (shape.storage() == Storage.BYTES && bytes(start, length) > PIECE_BYTES) {
        if (length <= 64) {
          throw new AragoniteException(
              ErrorCode.RESULT_TOO_LARGE,
              "The 64 values from row %,d on have more than %,d bytes of text together; store such values outside the table"
                  .formatted(start, PIECE_BYTES));
        }
        length = (length / 2 + 63) & ~63;
      }
      pieces.add(new Piece(start, length));
      start += length;
    }
    return pieces;
  }

  /** Bytes of text in a run of rows. */
  private long bytes(long start, int rows) {
    return textBefore(start + rows) - textBefore(start);
  }

  /** Bytes of text before a row. */
  private long textBefore(long row) {
    int part = partOf(row);
    return part == parts.size()
        ? texts[part]
        : texts[part] + bytes(parts.get(part), 0, (int) (row - starts[part]));
  }

  private int partOf(long row) {
    int part = Arrays.binarySearch(starts, row);
    return part >= 0 ? part : -part - 2;
  }

  private static long bytes(Decoded part, int from, int count) {
    PartDictionary dictionary = part.dictionary();
    if (dictionary != null) {
      DictionaryCodes numbers = DictionaryCodes.of(part.column());
      long validity = validity(part.column());
      long bytes = 0;
      for (int row = from; row < from + count; row++) {
        bytes +=
            validity == 0 || Mem.getBit(validity, row) ? dictionary.length(numbers.get(row)) : 0;
      }
      return bytes;
    }
    long offsets = part.column().offsets().address();
    return (long) Mem.getInt(offsets + 4L * (from + count)) - Mem.getInt(offsets + 4L * from);
  }

  private static long validity(Column column) {
    return column.validity() == null ? 0 : column.validity().address();
  }

  private Column allocate(Piece piece) {
    int rows = piece.rows;
    boolean text = shape.storage() == Storage.BYTES;
    Buffer values =
        fixed != null
            ? fixed.values().get((int) (piece.start / PIECE_ROWS))
            : place != null
                ? place.bytes().slice(0, bytes(piece.start, rows))
                : memory.allocate(
                    text ? bytes(piece.start, rows) : (long) rows * shape.storage().width());
    Buffer offsets = text ? memory.allocate(4L * (rows + 1)) : Buffer.EMPTY;
    Buffer validity = null;
    if (shape.mayBeNull() && shape.storage() != Storage.NONE) {
      validity = memory.allocate((rows + 63L) / 64 * 8);
      Mem.fill(validity.address(), validity.size(), (byte) 0);
    }
    return new Column(shape, rows, values, offsets, validity, null);
  }

  @FunctionalInterface
  private interface Run {
    /**
     * @param from first row within the part
     * @param at first row within the run of rows asked for
     */
    void accept(int part, int from, int count, int at);
  }

  private void eachRun(long start, int rows, Run run) {
    int part = partOf(start);
    int at = 0;
    for (; at < rows; part++) {
      int from = (int) (start + at - starts[part]);
      int count = (int) Math.min(rows - at, parts.get(part).column().dataRows() - from);
      if (count > 0) {
        run.accept(part, from, count, at);
        at += count;
      }
    }
  }

  private void fill(Column target, long pieceStart, int from, int rows) {
    boolean text = shape.storage() == Storage.BYTES;
    long[] textAt = {text ? bytes(pieceStart, from) : 0};
    eachRun(
        pieceStart + from,
        rows,
        (part, partFrom, count, at) -> {
          Decoded decoded = parts.get(part);
          Column source = decoded.column();
          int to = from + at;
          Buffer validity = target.validity();
          if (validity != null) {
            copyBits(source, partFrom, validity.address(), to, count);
          }
          if (text) {
            textAt[0] =
                decoded.dictionary() == null
                    ? copyText(source, partFrom, target, to, count, textAt[0])
                    : copyWords(
                        source, decoded.dictionary(), partFrom, target, to, count, textAt[0]);
          } else if (dictionary != null) {
            copyCodes(part, source, partFrom, target, to, count);
          } else if (fixed == null) {
            copyValues(source, partFrom, target, to, count);
          }
          if (partFrom + count == source.dataRows()) {
            read.accept(part);
          }
        });
  }

  private static void copyBits(Column source, int from, long target, int to, int count) {
    Buffer validity = source.validity();
    boolean none = source.shape().storage() == Storage.NONE;
    for (int i = 0; i < count; i++) {
      if (!none && (validity == null || Mem.getBit(validity.address(), from + i))) {
        long at = target + ((to + i) >> 3);
        Mem.putByte(at, (byte) (Mem.getByte(at) | 1 << ((to + i) & 7)));
      }
    }
  }

  private long copyText(Column source, int from, Column target, int to, int count, long textAt) {
    long offsets = source.offsets().address();
    int first = Mem.getInt(offsets + 4L * from);
    int bytes = Mem.getInt(offsets + 4L * (from + count)) - first;
    if (place == null) {
      Mem.copy(source.values().address() + first, target.values().address() + textAt, bytes);
    }
    long out = target.offsets().address() + 4L * to;
    int shift = (int) textAt - first;
    for (int i = 0; i <= count; i++) {
      Mem.putInt(out + 4L * i, Mem.getInt(offsets + 4L * (from + i)) + shift);
    }
    return textAt + bytes;
  }

  private static long copyWords(
      Column source,
      PartDictionary dictionary,
      int from,
      Column target,
      int to,
      int count,
      long textAt) {
    DictionaryCodes numbers = DictionaryCodes.of(source);
    long validity = validity(source);
    long text = target.values().address();
    long out = target.offsets().address() + 4L * to;
    long at = textAt;
    Mem.putInt(out, (int) at);
    for (int i = 0; i < count; i++) {
      if (validity == 0 || Mem.getBit(validity, from + i)) {
        int number = numbers.get(from + i);
        int length = dictionary.length(number);
        Mem.copy(dictionary.address(number), text + at, length);
        at += length;
      }
      Mem.putInt(out + 4L * i + 4, (int) at);
    }
    return at;
  }

  private void copyCodes(int part, Column source, int from, Column target, int to, int count) {
    DictionaryCodes codes = scans[part].codes;
    int[] table = recode[part];
    int width = target.shape().storage().width();
    long address = target.values().address() + (long) width * to;
    if (codes == null || table.length == 0) {
      if (scans[part].nulls < source.dataRows()) {
        throw changed();
      }
      // All values of the part are null: any code will do, but let it be one of the dictionary's.
      Mem.fill(address, (long) width * count, (byte) 0);
      return;
    }
    codes.translate(from, count, table, width, address);
  }

  private static void copyValues(Column source, int from, Column target, int to, int count) {
    Storage have = source.shape().storage();
    Storage want = target.shape().storage();
    if (have == want) {
      int width = want.width();
      Mem.copy(
          source.values().address() + (long) from * width,
          target.values().address() + (long) to * width,
          (long) count * width);
    } else if (have == Storage.LONG128 && want == Storage.LONG) {
      long in = source.values().address() + 16L * from;
      long out = target.values().address() + 8L * to;
      for (int i = 0; i < count; i++) {
        Mem.putLong(out + 8L * i, Mem.getLong(in + 16L * i));
      }
    } else if (want.widensTo(have)) {
      PromisedStorage.copy(
          source, from, count, want, target.values().address() + (long) to * want.width());
    } else if (have == Storage.NONE) {
      Mem.fill(
          target.values().address() + (long) to * want.width(),
          (long) count * want.width(),
          (byte) 0);
    } else {
      throw new AragoniteException(
          ErrorCode.INTERNAL, "A column of " + have + " cannot be stored as " + want + ".");
    }
  }
}
