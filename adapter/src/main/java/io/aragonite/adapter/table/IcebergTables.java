package io.aragonite.adapter.table;

import io.aragonite.adapter.format.FilePaths;
import io.aragonite.adapter.format.FileScope;
import io.aragonite.adapter.format.TableFile;
import io.aragonite.adapter.format.Unpacking;
import io.aragonite.adapter.format.iceberg.IcebergAccess;
import io.aragonite.adapter.format.iceberg.IcebergOptions;
import io.aragonite.adapter.format.iceberg.IcebergTable;
import io.aragonite.adapter.remote.RemotePath;
import io.aragonite.exec.memory.MemoryBudget;
import java.nio.file.Path;

/** Opens snapshots of Iceberg tables as tables of files. */
final class IcebergTables {
  private IcebergTables() {}

  /** What statements may name. */
  static IcebergAccess named(FilePaths paths) {
    return new IcebergAccess() {
      @Override
      public Path resolve(String text) {
        return paths.resolve(text);
      }

      @Override
      public void requireReadable(Path path) {
        paths.requireReadable(path);
      }
    };
  }

  /** What is in a connection's directory. */
  static IcebergAccess inside(Path directory) {
    return new IcebergAccess() {
      @Override
      public Path resolve(String text) {
        throw new IllegalStateException("no other files are allowed");
      }

      @Override
      public void requireReadable(Path path) {
        // Stores have no links, and a table's files are in its folder.
        if (!RemotePath.is(path)) {
          FileScope.requireInside(directory, path);
        }
      }
    };
  }

  /**
   * @param metadata a metadata file
   */
  static TableFile open(
      Path metadata,
      IcebergOptions options,
      IcebergAccess access,
      Unpacking unpacking,
      MemoryBudget budget,
      LoadWorkers workers) {
    access.requireReadable(metadata);
    IcebergTable table = IcebergTable.open(metadata, options, access, unpacking.space(), budget);
    return PartedFile.ofTable(
        table.fileColumns(),
        table.files(),
        table::matching,
        RemotePath.is(metadata) ? new LoadWorkers(NamedFiles.REMOTE_AT_ONCE) : workers);
  }
}
