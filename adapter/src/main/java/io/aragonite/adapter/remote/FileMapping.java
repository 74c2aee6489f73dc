package io.aragonite.adapter.remote;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.MappedFiles;
import io.aragonite.exec.spill.file.SpillSpace;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A file's bytes in memory. A local file is mapped; of a remote one, a local copy that has the
 * bytes that were asked for. Safe for several threads.
 */
public abstract sealed class FileMapping implements AutoCloseable
    permits FileMapping.Local, RemoteMapping {
  private static final int STEP = 1 << 20;

  /**
   * @param space where copies of remote files are; null: there are none
   * @throws IOException if there is no such file, or if it cannot be read
   * @throws AragoniteException what {@link #require} throws
   */
  public static FileMapping open(Path path, @Nullable SpillSpace space) throws IOException {
    if (!(path instanceof RemotePath remote)) {
      return new Local(path);
    }
    if (space == null) {
      throw new AragoniteException(
          ErrorCode.FILE_UNREADABLE, "%s is a remote file, which is not read here".formatted(path));
    }
    return RemoteMapping.open(remote, space);
  }

  /** Whether bytes have to be fetched. */
  public final boolean isRemote() {
    return this instanceof RemoteMapping;
  }

  /** All bytes, of which only those are there that were required. */
  public abstract MemorySegment bytes();

  /**
   * Waits until bytes are there. Ranges may reach behind the file.
   *
   * @throws AragoniteException REMOTE_FAILED, FILE_BROKEN if the file has changed, DISK_FAILED,
   *     CANCELLED, TIMED_OUT
   */
  public abstract void require(List<ByteRange> ranges);

  /** Has bytes be fetched that will be required. */
  public abstract void prefetch(List<ByteRange> ranges);

  /**
   * Gives up copies of bytes that can be fetched again, which nobody may read meanwhile.
   *
   * @return bytes of the disk that this gives back
   */
  public long giveUp() {
    return 0;
  }

  public final void require(long from, long length) {
    require(List.of(new ByteRange(from, from + length)));
  }

  /** The bytes from the beginning. */
  public final InputStream stream() {
    return new InputStream() {
      private long position;

      @Override
      public int read() {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
      }

      @Override
      public int read(byte[] to, int offset, int length) {
        MemorySegment all = bytes();
        int count = (int) Math.min(length, all.byteSize() - position);
        if (count <= 0) {
          return length == 0 ? 0 : -1;
        }
        long last = position + count - 1;
        require(position, Math.max(count, (last / STEP + 1) * STEP - position));
        MemorySegment.copy(all, ValueLayout.JAVA_BYTE, position, to, offset, count);
        position += count;
        return count;
      }
    };
  }

  @Override
  public abstract void close();

  static final class Local extends FileMapping {
    private final Arena arena = Arena.ofShared();
    private final MemorySegment bytes;
    private final MappedFiles.MappedFile file;

    Local(Path path) throws IOException {
      boolean done = false;
      try (FileChannel channel = FileChannel.open(path)) {
        bytes = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
        file = MappedFiles.add(path, bytes.byteSize());
        done = true;
      } finally {
        if (!done) {
          arena.close();
        }
      }
    }

    @Override
    public MemorySegment bytes() {
      return bytes;
    }

    @Override
    public void require(List<ByteRange> ranges) {}

    @Override
    public void prefetch(List<ByteRange> ranges) {}

    @Override
    public void close() {
      file.close();
      arena.close();
    }
  }
}
