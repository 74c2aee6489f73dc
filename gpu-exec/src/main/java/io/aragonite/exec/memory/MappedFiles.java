package io.aragonite.exec.memory;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The files that are mapped into memory. Whoever makes one shorter takes pages away that a query
 * reads: the JVM makes an error of that, which says nothing of files.
 */
public final class MappedFiles {
  private static final Set<MappedFile> OPEN = ConcurrentHashMap.newKeySet();

  private MappedFiles() {}

  /** A file, until its map is given back. Each has an identity of its own. */
  public static final class MappedFile implements AutoCloseable {
    private final Path path;
    private final long bytes;

    private MappedFile(Path path, long bytes) {
      this.path = path;
      this.bytes = bytes;
    }

    @Override
    public void close() {
      OPEN.remove(this);
    }

    /** How long it is now; -1 if that cannot be told. */
    private long now() {
      try {
        return Files.size(path);
      } catch (IOException e) {
        return -1; // what was deleted is there for its maps
      }
    }
  }

  /** Remembers a file that is mapped with so many bytes. */
  public static MappedFile add(Path path, long bytes) {
    MappedFile file = new MappedFile(path, bytes);
    OPEN.add(file);
    return file;
  }

  /**
   * What has happened, if an error comes from a file that is shorter than its map.
   *
   * @return null for other errors, and where no file is shorter now
   */
  public static @Nullable AragoniteException explain(Throwable error) {
    // HotSpot's word for SIGBUS in code that reads memory
    if (!(error instanceof InternalError)
        || !String.valueOf(error.getMessage()).contains("unsafe memory access operation")) {
      return null;
    }
    for (MappedFile file : OPEN) {
      long now = file.now();
      if (now >= 0 && now < file.bytes) {
        return new AragoniteException(
            ErrorCode.FILE_BROKEN,
            "%s became shorter while it was read: it has %d bytes instead of %d; write another file and move it to its place."
                .formatted(file.path, now, file.bytes),
            error);
      }
    }
    return null;
  }
}
