package io.aragonite.adapter.shell;

import io.aragonite.adapter.copy.CopyTarget;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A file that results go to: under another name until it is closed. What is no plain file, a pipe
 * or a device, is written as it is. Of formats that are one value as a whole it takes one result.
 */
final class ResultTarget implements AutoCloseable {
  private final Path path;
  private final @Nullable ResultFormat format;
  private @Nullable CopyTarget target;
  private @Nullable PrintWriter writer;

  /** The format of a result beside which there is no other one. */
  private @Nullable ResultFormat only;

  /**
   * @throws AragoniteException FILE_UNREADABLE if it cannot be written
   */
  ResultTarget(Path path) throws IOException {
    this.path = Files.isRegularFile(path) ? path.toRealPath() : path;
    this.format = ResultFormat.ofFile(path.toString());
    if (!Files.exists(path) || Files.isRegularFile(path) || Files.isDirectory(path)) {
      target = new CopyTarget(this.path, false, true);
    }
  }

  /** The format that its name says, null if it says none. */
  @Nullable ResultFormat format() {
    return format;
  }

  /**
   * Where a result is printed.
   *
   * @throws AragoniteException WRONG_USAGE if the file has no room for it beside what it has
   */
  PrintWriter writer(ResultFormat printed) throws IOException {
    requireRoom(printed);
    PrintWriter open = open();
    if (printed.isWhole()) {
      only = printed;
    }
    return open;
  }

  private PrintWriter open() throws IOException {
    PrintWriter open = writer;
    if (open == null) {
      Path file = target == null ? path : target.temporary();
      open = new PrintWriter(Files.newBufferedWriter(file, StandardCharsets.UTF_8));
      writer = open;
    }
    return open;
  }

  /**
   * The file that COPY is to write; {@link #copied} says that it has.
   *
   * @throws AragoniteException WRONG_USAGE if it cannot
   */
  Path copyFile(ResultFormat copied) {
    CopyTarget file = target;
    if (file == null) {
      throw new AragoniteException(
          ErrorCode.WRONG_USAGE,
          "%s is neither file nor folder, and the format %s is for files; name another one."
              .formatted(path, copied.label()));
    }
    requireRoom(copied);
    return file.temporary();
  }

  /** Says that COPY has written the file. */
  void copied(ResultFormat copied) {
    only = copied;
  }

  private void requireRoom(ResultFormat next) {
    ResultFormat alone = only != null ? only : writer != null && next.isWhole() ? next : null;
    if (alone != null) {
      throw new AragoniteException(
          ErrorCode.WRONG_USAGE,
          "%s has one result already, and a file of the format %s has no more; name another file."
              .formatted(path, alone.label()));
    }
  }

  /**
   * Gives the file its name.
   *
   * @param present the format that results have now
   * @return false if there is nothing that a file of that format could be
   */
  boolean commit(ResultFormat present) throws IOException {
    if (only == null && writer == null && present.isCopied()) {
      return false;
    }
    boolean copied = only != null && only.isCopied();
    if (!copied) {
      PrintWriter open = open();
      open.close();
      check(open);
      writer = null;
    }
    CopyTarget complete = target;
    if (complete != null) {
      complete.commit();
    }
    return true;
  }

  /**
   * @throws AragoniteException FILE_UNREADABLE if what was printed could not be written
   */
  void check(PrintWriter open) {
    if (open.checkError()) {
      throw new AragoniteException(
          ErrorCode.FILE_UNREADABLE,
          "%s could not be written; is there room on its disk?".formatted(path));
    }
  }

  @Override
  public String toString() {
    return path.toString();
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
