package io.aragonite.adapter.format.iceberg;

import io.aragonite.adapter.format.FileColumn;
import io.aragonite.adapter.format.FileErrors;
import io.aragonite.adapter.format.FileScope;
import io.aragonite.adapter.format.PartDictionary;
import io.aragonite.adapter.format.TableFile.Decoded;
import io.aragonite.adapter.format.TableFile.FilePart;
import io.aragonite.adapter.format.parquet.ParquetFile;
import io.aragonite.adapter.remote.FileMapping;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.spill.file.SpillSpace;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.util.ContentFileUtil;
import org.jspecify.annotations.Nullable;

/**
 * The rows that delete files take out of data files. One delete file may be about many data files,
 * and is read once. Safe for several threads.
 */
final class IcebergDeletes {
  /** Where a deletion vector has its number of blocks: behind its length and a magic number. */
  private static final int BLOCKS = 8;

  private final IcebergPaths paths;
  private final SpillSpace space;
  private final MemoryBudget budget;

  /** By data file of the table: how many rows it has. */
  private final Map<String, Long> rows;

  /** By delete file: the positions in each data file, by its name in the table's metadata. */
  private final Map<String, Map<String, Positions>> read = new HashMap<>();

  /**
   * Rows of a data file that are deleted.
   *
   * @param limit rows that it has; negative: it is no data file of the table, and rows of it count
   *     for nothing
   */
  private record Positions(BitSet rows, long limit) {
    void add(long row, Path path) {
      if (limit < 0) {
        return;
      }
      if (row < 0 || row >= Math.min(limit, Integer.MAX_VALUE)) {
        throw IcebergColumns.broken(
            path, "it deletes row %,d of a file of %,d rows".formatted(row, limit));
      }
      rows.set((int) row);
    }
  }

  /**
   * @param rows by data file of the table how many rows it has, known before any is asked for
   */
  IcebergDeletes(
      IcebergPaths paths, SpillSpace space, MemoryBudget budget, Map<String, Long> rows) {
    this.rows = rows;
    this.paths = paths;
    this.space = space;
    this.budget = budget;
  }

  /**
   * @throws AragoniteException FILE_UNSUPPORTED if a delete file is of a kind that is not read
   */
  void requireReadable(List<DeleteFile> deletes) {
    for (DeleteFile delete : deletes) {
      if (delete.content() == FileContent.EQUALITY_DELETES) {
        throw unsupported(
            delete,
            "deletes rows by their values (equality deletes), which is not read; compact the table"
                + " (rewrite_data_files), or name a snapshot without them");
      }
      if (!ContentFileUtil.isDV(delete) && delete.format() != FileFormat.PARQUET) {
        throw unsupported(
            delete,
            "is a delete file of the format %s, and Parquet files are read"
                .formatted(delete.format()));
      }
      if (delete.keyMetadata() != null) {
        throw unsupported(delete, "is encrypted, which is not read");
      }
    }
  }

  private static AragoniteException unsupported(DeleteFile delete, String what) {
    return new AragoniteException(
        ErrorCode.FILE_UNSUPPORTED, "%s %s".formatted(delete.location(), what));
  }

  /** Rows of a data file that are deleted; null if none is. */
  @Nullable BitSet of(String dataFile, List<DeleteFile> deletes) {
    BitSet all = new BitSet();
    for (DeleteFile delete : deletes) {
      Positions some =
          ContentFileUtil.isDV(delete) ? vector(delete, dataFile) : positions(delete).get(dataFile);
      if (some != null) {
        all.or(some.rows);
      }
    }
    return all.isEmpty() ? null : all;
  }

  /** A deletion vector: a blob in a Puffin file. */
  private Positions vector(DeleteFile delete, String dataFile) {
    Path path = paths.path(delete.location());
    Long offset = delete.contentOffset();
    Long length = delete.contentSizeInBytes();
    try (FileMapping mapping = FileScope.open(path, space)) {
      MemorySegment all = mapping.bytes();
      if (offset == null
          || length == null
          || offset < 0
          || length < 0
          || length > Integer.MAX_VALUE
          || offset > all.byteSize() - length) {
        throw IcebergColumns.broken(path, "its deletion vector is not within the file");
      }
      mapping.require(offset, length);
      byte[] bytes = all.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
      requireSmall(path, bytes);
      Positions found = positions(dataFile);
      PositionDeleteIndex.deserialize(bytes, delete).forEach(row -> found.add(row, path));
      return found;
    } catch (IOException e) {
      throw IcebergColumns.broken(path, FileErrors.reason(e));
    } catch (AragoniteException e) {
      throw e;
    } catch (RuntimeException e) {
      throw IcebergColumns.broken(
          path, "its deletion vector cannot be read (%s)".formatted(AragoniteException.reason(e)));
    }
  }

  /**
   * Each block of 2^32 rows is a bitmap under its number, and the library makes bitmaps for all
   * numbers before the last: no file has rows of more than the first one.
   */
  private static void requireSmall(Path path, byte[] vector) {
    ByteBuffer blocks = ByteBuffer.wrap(vector).order(ByteOrder.LITTLE_ENDIAN);
    boolean small =
        vector.length < BLOCKS + Long.BYTES + Integer.BYTES
            || blocks.getLong(BLOCKS) == 0
            || blocks.getLong(BLOCKS) == 1 && blocks.getInt(BLOCKS + Long.BYTES) == 0;
    if (!small) {
      throw IcebergColumns.broken(path, "its deletion vector has rows that no file has");
    }
  }

  private Positions positions(String dataFile) {
    return new Positions(new BitSet(), rows.getOrDefault(dataFile, -1L));
  }

  private synchronized Map<String, Positions> positions(DeleteFile delete) {
    Map<String, Positions> known = read.get(delete.location());
    if (known == null) {
      known = readPositions(paths.path(delete.location()));
      read.put(delete.location(), known);
    }
    return known;
  }

  private Map<String, Positions> readPositions(Path path) {
    Map<String, Positions> found = new HashMap<>();
    try (ParquetFile file = ParquetFile.open(path, space)) {
      List<FileColumn> columns = file.columns();
      int name = place(columns, "file_path", TypeKind.VARCHAR);
      int position = place(columns, "pos", TypeKind.INT64);
      if (name < 0 || position < 0) {
        throw IcebergColumns.broken(path, "it has no columns file_path and pos of deleted rows");
      }
      for (FilePart part : file.parts()) {
        StopCheck.current().check();
        try (QueryMemory memory = new NativeQueryMemory(budget, 0);
            Decoded names = part.read(name, memory);
            Decoded numbers = part.read(position, memory)) {
          collect(path, names, numbers.column(), found);
        }
      }
    }
    found.values().removeIf(positions -> positions.limit < 0);
    return found;
  }

  private static int place(List<FileColumn> columns, String name, TypeKind kind) {
    for (int i = 0; i < columns.size(); i++) {
      var type = columns.get(i).type();
      if (columns.get(i).name().equals(name) && type != null && type.kind() == kind) {
        return i;
      }
    }
    return -1;
  }

  private void collect(Path path, Decoded names, Column numbers, Map<String, Positions> found) {
    Column texts = names.column();
    PartDictionary dictionary = names.dictionary();
    Map<Integer, Positions> byNumber = new HashMap<>();
    byte[] before = new byte[0];
    Positions last = null;
    for (int i = 0; i < numbers.dataRows(); i++) {
      if (isNull(texts, i) || isNull(numbers, i)) {
        throw IcebergColumns.broken(path, "a row that it deletes has no file or no number");
      }
      Positions set;
      if (dictionary != null) {
        set =
            byNumber.computeIfAbsent(
                number(texts, i),
                number -> {
                  byte[] text = new byte[dictionary.length(number)];
                  Mem.copy(dictionary.address(number), text, 0, text.length);
                  return set(text, found);
                });
      } else {
        long at = texts.offsets().address() + 4L * i;
        byte[] text = new byte[Mem.getInt(at + 4) - Mem.getInt(at)];
        Mem.copy(texts.values().address() + Mem.getInt(at), text, 0, text.length);
        set = last != null && Arrays.equals(text, before) ? last : set(text, found);
        before = text;
        last = set;
      }
      set.add(Mem.getLong(numbers.values().address() + 8L * i), path);
    }
  }

  private Positions set(byte[] name, Map<String, Positions> found) {
    return found.computeIfAbsent(new String(name, StandardCharsets.UTF_8), this::positions);
  }

  private static boolean isNull(Column column, int row) {
    return column.validity() != null && !Mem.getBit(column.validity().address(), row);
  }

  private static int number(Column numbers, int row) {
    long address = numbers.values().address();
    return switch (numbers.shape().storage()) {
      case BYTE -> Mem.getByte(address + row) & 0xFF;
      case SHORT -> Mem.getShort(address + 2L * row) & 0xFFFF;
      default -> Mem.getInt(address + 4L * row);
    };
  }
}
