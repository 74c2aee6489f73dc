package io.aragonite.exec.spill.file;

import io.aragonite.exec.error.AragoniteException;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

/**
 * A file in the process's private folder of spill files that holds something else than rows, as a
 * table that was unpacked. Its bytes count as spilled ones. Nobody but the process's user may read
 * it.
 */
public final class ScratchFile implements AutoCloseable {
  private final SpillSpace space;
  private final SpillFolder folder;
  private final Path path;
  private long reserved;

  ScratchFile(SpillSpace space, SpillFolder folder) {
    this.space = space;
    this.folder = folder;
    this.path = folder.newFile();
  }

  public Path path() {
    return path;
  }

  /**
   * Makes the file, for one writer.
   *
   * @return a stream whose writes throw DISK_FAILED beyond what may be used of the disk
   * @throws AragoniteException DISK_FAILED if it cannot be made
   */
  public OutputStream create() {
    try {
      boolean posix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
      FileAttribute<?>[] mine = {
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
      };
      Set<StandardOpenOption> options =
          EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      return new Counted(
          java.nio.channels.Channels.newOutputStream(
              Files.newByteChannel(path, options, posix ? mine : new FileAttribute<?>[0])));
    } catch (IOException e) {
      throw SpillFolder.failed(folder.parent(), SpillFolder.reason(e), e);
    }
  }

  /**
   * Makes the file with a length; bytes take room on the disk, and count, once they are written.
   *
   * @throws AragoniteException DISK_FAILED if it cannot be made
   */
  public void createSparse(long length) {
    try (OutputStream _ = create();
        RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      file.setLength(length);
    } catch (IOException e) {
      throw SpillFolder.failed(folder.parent(), SpillFolder.reason(e), e);
    }
  }

  /** A stream that writes from a place on, as that of {@link #create}; several threads may. */
  public OutputStream writeAt(long position) {
    try {
      // Unlike a channel it survives an interrupt of its thread.
      RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
      try {
        file.seek(position);
        return new Counted(
            new FileOutputStream(file.getFD()) {
              @Override
              public void close() throws IOException {
                file.close();
              }
            });
      } catch (IOException e) {
        file.close();
        throw e;
      }
    } catch (IOException e) {
      throw SpillFolder.failed(folder.parent(), SpillFolder.reason(e), e);
    }
  }

  private void reserve(long bytes) {
    // Others may have to give up files of theirs, whose locks nobody may hold meanwhile.
    space.reserve(bytes, folder.parent());
    synchronized (this) {
      reserved += bytes;
    }
  }

  /**
   * Takes the bytes of a file that was made by {@link #createSparse} away, which nobody may read
   * meanwhile; it stays as long as it is, and what is mapped of it is zeros.
   *
   * @return how many bytes count no longer
   */
  public synchronized long empty() {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      long length = file.length();
      file.setLength(0);
      file.setLength(length);
    } catch (IOException e) {
      throw SpillFolder.failed(folder.parent(), SpillFolder.reason(e), e);
    }
    long bytes = reserved;
    space.release(bytes);
    reserved = 0;
    return bytes;
  }

  /**
   * Refuses early what there is no room for.
   *
   * @throws AragoniteException DISK_FAILED if so many bytes more cannot be written
   */
  public void requireRoom(long bytes) {
    space.requireRoom(bytes, folder.parent());
  }

  /** Bytes that were written count no longer: they are to be written again. */
  public synchronized void release(long bytes) {
    long some = Math.min(bytes, reserved);
    space.release(some);
    reserved -= some;
  }

  /** Removes the name; what is mapped of the file stays until {@link #close}, and counts. */
  public void delete() {
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      throw SpillFolder.failed(folder.parent(), SpillFolder.reason(e), e);
    }
  }

  /** Removes the file, which nothing may have mapped any more. */
  @Override
  public synchronized void close() {
    space.release(reserved);
    reserved = 0;
    delete();
  }

  private final class Counted extends FilterOutputStream {
    Counted(OutputStream out) {
      super(out);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      reserve(length);
      try {
        out.write(bytes, from, length);
      } catch (IOException e) {
        release(length);
        throw SpillFolder.failed(folder.parent(), SpillFolder.reason(e), e);
      }
    }
  }
}
