package io.aragonite.adapter.shell;

import io.aragonite.adapter.copy.CopyTarget;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A file that results go to: under another name until it is closed. What is no plain file, a pipe
 * or a device, is written as it is.
 */
final class ResultTarget implements AutoCloseable {
  private final Path path;
  private final @Nullable ResultFormat format;
  private @Nullable CopyTarget target;
  private @Nullable PrintWriter writer;
  private boolean copied;

  /**
   * @throws io.aragonite.exec.error.AragoniteException FILE_UNREADABLE if it cannot be written
   */
  ResultTarget(Path path) throws IOException {
    this.path = Files.isRegularFile(path) ? path.toRealPath() : path;
    this.format = ResultFormat.ofFile(path.toString());
    if (!Files.exists(path) || Files.isRegularFile(path) || Files.isDirectory(path)) {
      target = new CopyTarget(this.path, false, true);
    }
  }

  Path path() {
    return path;
  }

  /** The format that its name says, null if it says none. */
  @Nullable ResultFormat format() {
    return format;
  }

  /** Where results are printed. */
  PrintWriter writer() throws IOException {
    PrintWriter open = writer;
    if (open == null) {
      Path file = target == null ? path : target.temporary();
      if (target != null) {
        file.toFile().deleteOnExit(); // where a signal ends the process
      }
      open = new PrintWriter(Files.newBufferedWriter(file, StandardCharsets.UTF_8));
      writer = open;
    }
    return open;
  }

  /** Says that COPY writes it; false if it has a result already. */
  boolean copy() {
    boolean first = !copied && writer == null;
    copied = true;
    return first;
  }

  /** Gives the file its name. */
  void commit() throws IOException {
    if (copied) {
      return;
    }
    try (PrintWriter open = writer()) {
      open.flush();
      if (open.checkError()) {
        throw new IOException(path + " could not be written");
      }
    }
    writer = null;
    CopyTarget complete = target;
    if (complete != null) {
      complete.commit();
    }
  }

  /** Forgets what was not committed. */
  @Override
  public void close() throws IOException {
    PrintWriter open = writer;
    if (open != null) {
      open.close();
      writer = null;
    }
    CopyTarget unfinished = target;
    if (unfinished != null) {
      unfinished.close();
    }
  }
}
