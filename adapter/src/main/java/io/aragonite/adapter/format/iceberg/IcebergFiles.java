package io.aragonite.adapter.format.iceberg;

import io.aragonite.adapter.format.FileScope;
import io.aragonite.adapter.remote.FileMapping;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.spill.file.SpillSpace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.SeekableInputStream;

/**
 * Metadata and manifests, as Iceberg's library reads them. What it leaves open, as it does where
 * files are damaged, is closed with this object.
 */
@SuppressWarnings("serial") // nothing sends it anywhere
final class IcebergFiles implements FileIO {
  private static final int STEP = 1 << 20;

  private final IcebergPaths paths;
  private final SpillSpace space;
  private final Set<Bytes> open = ConcurrentHashMap.newKeySet();
  private final StopCheck stop = StopCheck.current();

  /**
   * Reads for the query of this thread, whichever threads ask.
   *
   * @param space where copies of remote files are
   */
  IcebergFiles(IcebergPaths paths, SpillSpace space) {
    this.paths = paths;
    this.space = space;
  }

  @Override
  public InputFile newInputFile(String location) {
    return new Input(location, paths.path(location));
  }

  /** A file that the statement names, rather than the table. */
  InputFile named(Path path) {
    return new Input(path.toString(), path);
  }

  @Override
  public OutputFile newOutputFile(String location) {
    throw new UnsupportedOperationException("Iceberg tables are only read: " + location);
  }

  @Override
  public void deleteFile(String location) {
    throw new UnsupportedOperationException("Iceberg tables are only read: " + location);
  }

  /** When no other thread reads any more. */
  @Override
  public void close() {
    List.copyOf(open).forEach(Bytes::close);
  }

  private final class Input implements InputFile {
    private final String location;
    private final Path path;

    Input(String location, Path path) {
      this.location = location;
      this.path = path;
    }

    @Override
    public long getLength() {
      try {
        return Files.size(path);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public SeekableInputStream newStream() {
      try (StopCheck.Scope _ = stop.enter()) {
        stop.check();
        Bytes bytes = new Bytes(FileScope.open(path, space));
        open.add(bytes);
        return bytes;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public String location() {
      return location;
    }

    @Override
    public boolean exists() {
      return Files.exists(path);
    }
  }

  private final class Bytes extends SeekableInputStream {
    private final FileMapping mapping;
    private long position;
    private boolean closed;

    Bytes(FileMapping mapping) {
      this.mapping = mapping;
    }

    @Override
    public long getPos() {
      return position;
    }

    @Override
    public void seek(long newPosition) throws IOException {
      if (newPosition < 0 || newPosition > mapping.bytes().byteSize()) {
        throw new IOException("there is no byte " + newPosition);
      }
      position = newPosition;
    }

    @Override
    public int read() {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] to, int offset, int length) {
      if (closed) {
        return -1;
      }
      MemorySegment all = mapping.bytes();
      int count = (int) Math.min(length, all.byteSize() - position);
      if (count <= 0) {
        return length == 0 ? 0 : -1;
      }
      try (StopCheck.Scope _ = stop.enter()) {
        mapping.require(position, Math.max(count, STEP));
      }
      MemorySegment.copy(all, ValueLayout.JAVA_BYTE, position, to, offset, count);
      position += count;
      return count;
    }

    /** Parsers close what they have read to its end, and so do their callers. */
    @Override
    public void close() {
      if (!closed) {
        closed = true;
        open.remove(this);
        mapping.close();
      }
    }
  }
}
