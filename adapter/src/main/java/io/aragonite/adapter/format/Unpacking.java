package io.aragonite.adapter.format;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.spill.file.ScratchFile;
import io.aragonite.exec.spill.file.SpillSpace;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Unpacks compressed files into the folder of spill files, within bounds.
 *
 * @param space where they go; what it may use of the disk is one bound
 * @param least bytes that any file may unpack to
 */
public record Unpacking(SpillSpace space, long least) {
  /** How many times as large a file may become; text that people keep packs to a tenth or so. */
  private static final long RATIO = 200;

  private static final long LEAST = 1L << 30;
  private static final int STEP = 1 << 16;

  public Unpacking(SpillSpace space) {
    this(space, LEAST);
  }

  /**
   * Copies what a file holds.
   *
   * @param in what it holds, unpacked; closed here
   * @return closed by the caller
   * @throws AragoniteException RESULT_TOO_LARGE if it becomes too large, DISK_FAILED if the disk or
   *     what may be used of it is full, CANCELLED, TIMED_OUT
   */
  public ScratchFile copy(Path packed, InputStream in) throws IOException {
    long most = Math.max(least, RATIO * Files.size(packed));
    StopCheck stopCheck = StopCheck.current();
    ScratchFile file = space.scratchFile();
    boolean done = false;
    try (in;
        OutputStream out = file.create()) {
      byte[] step = new byte[STEP];
      long size = 0;
      for (int read = in.read(step); read >= 0; read = in.read(step)) {
        stopCheck.work(4L * read);
        size += read;
        if (size > most) {
          throw new AragoniteException(
              ErrorCode.RESULT_TOO_LARGE,
              "%s unpacks to more than %,d bytes, %d times its size; if that is right, unpack it yourself (gunzip) and keep the plain file in the directory"
                  .formatted(packed, most, RATIO));
        }
        out.write(step, 0, read);
      }
      done = true;
    } finally {
      if (!done) {
        file.close();
      }
    }
    return file;
  }
}
