package io.aragonite.adapter.format.iceberg;

import io.aragonite.adapter.format.FileColumn;
import io.aragonite.adapter.format.PagedColumn;
import io.aragonite.adapter.format.TableFile;
import io.aragonite.adapter.format.parquet.ParquetFile;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.table.Decodable;
import io.aragonite.exec.type.DataType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.jspecify.annotations.Nullable;

/**
 * A data file of a table, in the table's columns and without the rows that were deleted. It is
 * opened when its parts are first wanted: how many rows it has is in the manifest.
 */
final class IcebergDataFile implements TableFile {
  private final IcebergTable table;
  private final DataFile file;
  private final List<DeleteFile> deletes;
  private @Nullable Opened opened;
  private boolean closed;

  /**
   * A file that has been opened.
   *
   * @param places of the table's columns in it; -1: it has the column not
   * @param constants what those columns are
   */
  record Opened(
      Path path,
      ParquetFile parquet,
      int[] places,
      @Nullable Object[] constants,
      @Nullable BitSet deleted,
      List<FilePart> parts) {}

  /**
   * @throws AragoniteException FILE_UNSUPPORTED if it is of a kind that is not read
   */
  IcebergDataFile(IcebergTable table, DataFile file, List<DeleteFile> deletes) {
    this.table = table;
    this.file = file;
    this.deletes = List.copyOf(deletes);
    if (file.format() != FileFormat.PARQUET) {
      throw unsupported(
          "is of the format %s, and the data files of Iceberg tables are read where they are Parquet"
              .formatted(file.format()));
    }
    if (file.keyMetadata() != null) {
      throw unsupported("is encrypted, which is not read");
    }
    if (file.recordCount() < 0) {
      throw new IllegalArgumentException(
          "%s has %,d rows".formatted(file.location(), file.recordCount()));
    }
    table.deletes().requireReadable(deletes);
  }

  private AragoniteException unsupported(String what) {
    return new AragoniteException(
        ErrorCode.FILE_UNSUPPORTED, "%s %s".formatted(file.location(), what));
  }

  DataFile metadata() {
    return file;
  }

  @Override
  public List<FileColumn> columns() {
    return table.columns().columns();
  }

  @Override
  public long rows() {
    return deletes.isEmpty() ? file.recordCount() : TableFile.super.rows();
  }

  @Override
  public boolean opensForRows() {
    return !deletes.isEmpty();
  }

  @Override
  public List<FilePart> parts() {
    return open().parts();
  }

  private synchronized Opened open() {
    Opened present = opened;
    if (present == null) {
      if (closed) {
        throw new AragoniteException(ErrorCode.FILE_BROKEN, file.location() + " was closed");
      }
      StopCheck.current().check();
      present = openFile();
      opened = present;
    }
    return present;
  }

  private Opened openFile() {
    Path path = table.paths().path(file.location());
    requireSize(path);
    ParquetFile parquet = ParquetFile.open(path, table.space());
    boolean done = false;
    try {
      if (parquet.rows() != file.recordCount()) {
        throw IcebergColumns.broken(
            path, "it has %,d rows in place of %,d".formatted(parquet.rows(), file.recordCount()));
      }
      @Nullable Object[] constants = constants(path);
      int[] places = table.columns().places(path, parquet, constants);
      if (!deletes.isEmpty() && parquet.rows() > Integer.MAX_VALUE) {
        throw unsupported(
            "has deleted rows and more than %,d others, which is not read; compact the table (rewrite_data_files)"
                .formatted(Integer.MAX_VALUE));
      }
      BitSet deleted = deletes.isEmpty() ? null : table.deletes().of(file.location(), deletes);
      List<FilePart> parts = new ArrayList<>();
      Opened all = new Opened(path, parquet, places, constants, deleted, parts);
      long start = 0;
      for (FilePart part : parquet.parts()) {
        parts.add(IcebergPart.of(table.columns(), all, part, start));
        start += part.rows();
      }
      done = true;
      return all;
    } finally {
      if (!done) {
        parquet.close();
      }
    }
  }

  private @Nullable Object[] constants(Path path) {
    try {
      return table.columns().constants(file);
    } catch (RuntimeException e) {
      throw IcebergColumns.broken(
          path,
          "the values of its partition cannot be read (%s)"
              .formatted(AragoniteException.reason(e)));
    }
  }

  /** Another file under the name would be read with bounds and deleted rows of the one that was. */
  private void requireSize(Path path) {
    try {
      long size = Files.size(path);
      if (file.fileSizeInBytes() > 0 && size != file.fileSizeInBytes()) {
        throw IcebergColumns.broken(
            path, "it has %,d bytes in place of %,d".formatted(size, file.fileSizeInBytes()));
      }
    } catch (IOException e) {
      // opening says what is wrong with it
    }
  }

  @Override
  public Decodable<PagedColumn> encoded(int column) {
    Opened all = open();
    if (all.deleted != null) {
      return Decodable.byHost("files with deleted rows");
    }
    int place = all.places[column];
    DataType type = columns().get(column).type();
    DataType own = place < 0 ? null : all.parquet.columns().get(place).type();
    if (type != null && own != null && own.nullable() && !type.nullable()) {
      return Decodable.byHost("nulls that the table does not allow");
    }
    return type != null && own != null && own.sameAs(type)
        ? all.parquet.encoded(place)
        : Decodable.byHost("files that lack it or have it as another type");
  }

  @Override
  public boolean copies() {
    return true;
  }

  @Override
  public synchronized boolean cutsTimes(int column) {
    return opened != null
        && opened.places[column] >= 0
        && opened.parquet.cutsTimes(opened.places[column]);
  }

  @Override
  public synchronized long giveUpCopies() {
    return opened == null ? 0 : opened.parquet.giveUpCopies();
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (opened != null) {
      opened.parquet.close();
      opened = null;
    }
  }
}
