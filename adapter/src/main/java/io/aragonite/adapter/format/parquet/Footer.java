package io.aragonite.adapter.format.parquet;

import static io.aragonite.exec.page.MalformedPageException.present;

import io.aragonite.adapter.format.FileErrors;
import io.aragonite.adapter.format.FileScope;
import io.aragonite.adapter.remote.FileMapping;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.page.MalformedPageException;
import io.aragonite.exec.spill.file.SpillSpace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.ColumnOrder;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.KeyValue;
import org.apache.parquet.format.RowGroup;
import org.jspecify.annotations.Nullable;

/**
 * A Parquet file, mapped into memory, and its metadata. Only the footer is read when it is opened.
 */
final class Footer implements AutoCloseable {
  private static final int MAGIC = 'P' | 'A' << 8 | 'R' << 16 | '1' << 24;

  /** Most footers are no longer. */
  private static final int TAIL = 1 << 16;

  private static final int ENCRYPTED = 'P' | 'A' << 8 | 'R' << 16 | 'E' << 24;

  private final Path path;
  private final FileMapping mapping;
  private final long address;
  private final long dataEnd;
  private final List<ParquetColumn> columns;
  private final List<RowGroup> rowGroups;
  private final List<ColumnOrder> orders;
  private final List<KeyValue> notes;

  /**
   * @param space where copies of remote files are; null: there are none
   * @throws AragoniteException FILE_BROKEN, FILE_UNSUPPORTED, and of remote files what {@link
   *     FileMapping#require} throws
   */
  Footer(Path path, @Nullable SpillSpace space) {
    this.path = path;
    this.mapping = open(path, space);
    boolean done = false;
    try {
      long size = mapping.bytes().byteSize();
      if (size < 12) {
        throw broken(size == 0 ? "it is empty" : "its %,d bytes are too few".formatted(size), null);
      }
      address = mapping.bytes().address();
      mapping.require(Math.max(0, size - TAIL), Math.min(TAIL, size));
      dataEnd = address + size - 8 - footerLength(size);
      mapping.require(dataEnd - address, address + size - dataEnd);
      FileMetaData metadata = metadata(size);
      columns = ParquetSchema.columns(present(metadata.getSchema(), "its schema"));
      rowGroups = present(metadata.getRow_groups(), "its list of row groups");
      List<ColumnOrder> given = metadata.getColumn_orders();
      orders = given == null ? List.of() : given;
      List<KeyValue> written = metadata.getKey_value_metadata();
      notes = written == null ? List.of() : written;
      check();
      done = true;
    } catch (MalformedPageException e) {
      throw broken(String.valueOf(e.getMessage()), e);
    } finally {
      if (!done) {
        mapping.close();
      }
    }
  }

  private FileMapping open(Path file, @Nullable SpillSpace space) {
    try {
      return FileScope.open(file, space);
    } catch (IOException e) {
      throw broken(FileErrors.reason(e), e);
    }
  }

  private long footerLength(long size) {
    int magic = Mem.getInt(address + size - 4);
    if (magic == ENCRYPTED) {
      throw unsupported("is encrypted; write it without encryption");
    }
    // Of a long remote file the first bytes would be a request of their own.
    boolean begins = mapping.isRemote() && size > TAIL || Mem.getInt(address) == MAGIC;
    if (magic != MAGIC || !begins) {
      throw broken(
          "it does not begin and end with PAR1, so it is cut off or of another format", null);
    }
    long length = Mem.getInt(address + size - 8) & 0xFFFFFFFFL;
    if (length > size - 12) {
      throw broken(
          "its footer of %,d bytes is larger than the file's %,d".formatted(length, size), null);
    }
    return length;
  }

  private FileMetaData metadata(long size) {
    FileMetaData metadata = new FileMetaData();
    try {
      ThriftInput.readFooter(dataEnd, address + size - 8, metadata);
      return metadata;
    } catch (IOException | RuntimeException e) {
      throw broken("its footer cannot be read (" + AragoniteException.reason(e) + ")", e);
    }
  }

  private void check() {
    int leaves = ParquetSchema.leaves(columns);
    for (int g = 0; g < rowGroups.size(); g++) {
      RowGroup group = rowGroups.get(g);
      if (group.getColumnsSize() != leaves) {
        throw broken(
            "row group %d has %d columns, the schema %d"
                .formatted(g, group.getColumnsSize(), leaves),
            null);
      }
      if (group.getNum_rows() < 0 || group.getNum_rows() > Integer.MAX_VALUE - 64) {
        throw broken("row group %d has %,d rows".formatted(g, group.getNum_rows()), null);
      }
      for (ColumnChunk chunk : present(group.getColumns(), "a row group's columns")) {
        String other = chunk.getFile_path();
        if (other != null && !other.isEmpty()) {
          throw unsupported(
              "keeps values in another file, %s; write it as one file".formatted(other));
        }
      }
    }
  }

  Path path() {
    return path;
  }

  List<ParquetColumn> columns() {
    return columns;
  }

  List<RowGroup> rowGroups() {
    return rowGroups;
  }

  /** What the writer has noted under a key, the last if there are several; null: nothing. */
  @Nullable String note(String key) {
    return notes.reversed().stream()
        .filter(note -> key.equals(note.getKey()))
        .map(KeyValue::getValue)
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  /** The byte of the file in the middle of a row group, as parquet-mr counts it. */
  static long middle(RowGroup group) {
    List<ColumnChunk> chunks = present(group.getColumns(), "a row group's columns");
    if (chunks.isEmpty()) {
      return 0;
    }
    ColumnMetaData first = present(chunks.getFirst().getMeta_data(), "a column's metadata");
    long start = first.getData_page_offset();
    if (first.isSetDictionary_page_offset()) {
      start = Math.min(start, first.getDictionary_page_offset());
    }
    long bytes = group.getTotal_compressed_size();
    if (!group.isSetTotal_compressed_size()) {
      bytes = 0;
      for (ColumnChunk chunk : chunks) {
        bytes += present(chunk.getMeta_data(), "a column's metadata").getTotal_compressed_size();
      }
    }
    return start + bytes / 2;
  }

  /** Whether bounds of a column are said to be in the order of its type. */
  boolean ordered(int leaf) {
    return leaf < orders.size() && orders.get(leaf).isSetTYPE_ORDER();
  }

  /** Where the file's first byte is. */
  long address() {
    return address;
  }

  /** Where data ends and the footer begins; at least 8 bytes follow that may be read. */
  long dataEnd() {
    return dataEnd;
  }

  /** The bytes of the file, of which some may have to be required. */
  FileMapping mapping() {
    return mapping;
  }

  /** The pages of a column chunk, which are there then. */
  Pages pages(ColumnMetaData chunk) {
    Pages pages = Pages.of(chunk, address, dataEnd);
    mapping.require(List.of(pages.range(address)));
    return pages;
  }

  AragoniteException broken(String what, @Nullable Exception cause) {
    return new AragoniteException(
        ErrorCode.FILE_BROKEN,
        "%s is not a readable Parquet file: %s; write it again or take it away"
            .formatted(path, what),
        cause);
  }

  /** The error of a column chunk, with its page where that is known. */
  AragoniteException broken(String column, int group, MalformedPageException found) {
    String page = found.page() < 0 ? "" : "page %,d: ".formatted(found.page());
    return broken(
        "column \"%s\" of row group %d: %s%s".formatted(column, group, page, found.getMessage()),
        found);
  }

  AragoniteException unsupported(String what) {
    return new AragoniteException(ErrorCode.FILE_UNSUPPORTED, "%s %s".formatted(path, what));
  }

  @Override
  public void close() {
    mapping.close();
  }
}
