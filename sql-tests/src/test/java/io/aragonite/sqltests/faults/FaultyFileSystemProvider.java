package io.aragonite.sqltests.faults;

import static io.aragonite.sqltests.faults.FaultyPath.real;

import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.spi.FileSystemProvider;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Has a process started with it use {@link FaultyFileSystem} for all of its files. */
public final class FaultyFileSystemProvider extends FileSystemProvider {
  private final FileSystemProvider real;
  private final FaultyFileSystem system;

  /**
   * As the property {@code java.nio.file.spi.DefaultFileSystemProvider} wants it.
   *
   * @param real the system's own
   */
  public FaultyFileSystemProvider(FileSystemProvider real) {
    this.real = real;
    system = new FaultyFileSystem(this, real.getFileSystem(URI.create("file:///")));
  }

  @Override
  public String getScheme() {
    return real.getScheme();
  }

  @Override
  public FileSystem newFileSystem(URI uri, Map<String, ?> settings) throws IOException {
    return real.newFileSystem(uri, settings);
  }

  @Override
  public FileSystem getFileSystem(URI uri) {
    return system;
  }

  @Override
  public Path getPath(URI uri) {
    return new FaultyPath(system, real.getPath(uri));
  }

  @Override
  public SeekableByteChannel newByteChannel(
      Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    return newFileChannel(path, options, attributes);
  }

  @Override
  public FileChannel newFileChannel(
      Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    FileCalls.check("open", path);
    return new FaultyChannel(path, real.newFileChannel(real(path), options, attributes));
  }

  @Override
  public DirectoryStream<Path> newDirectoryStream(
      Path path, DirectoryStream.Filter<? super Path> filter) throws IOException {
    FileCalls.check("list", path);
    DirectoryStream<Path> all =
        real.newDirectoryStream(real(path), one -> filter.accept(new FaultyPath(system, one)));
    return new DirectoryStream<>() {
      @Override
      public Iterator<Path> iterator() {
        Iterator<Path> each = all.iterator();
        return new Iterator<>() {
          @Override
          public boolean hasNext() {
            return each.hasNext();
          }

          @Override
          public Path next() {
            return new FaultyPath(system, each.next());
          }
        };
      }

      @Override
      public void close() throws IOException {
        all.close();
      }
    };
  }

  @Override
  public void createDirectory(Path path, FileAttribute<?>... attributes) throws IOException {
    FileCalls.check("make", path);
    real.createDirectory(real(path), attributes);
  }

  @Override
  public void createSymbolicLink(Path link, Path target, FileAttribute<?>... attributes)
      throws IOException {
    FileCalls.check("make", link);
    real.createSymbolicLink(real(link), real(target), attributes);
  }

  @Override
  public void createLink(Path link, Path existing) throws IOException {
    FileCalls.check("make", link);
    real.createLink(real(link), real(existing));
  }

  @Override
  public Path readSymbolicLink(Path link) throws IOException {
    FileCalls.check("read the link", link);
    return new FaultyPath(system, real.readSymbolicLink(real(link)));
  }

  /** What is to be removed is removed: else something would be left. */
  @Override
  public void delete(Path path) throws IOException {
    real.delete(real(path));
  }

  @Override
  public void copy(Path source, Path target, CopyOption... options) throws IOException {
    FileCalls.check("copy", source);
    real.copy(real(source), real(target), options);
  }

  @Override
  public void move(Path source, Path target, CopyOption... options) throws IOException {
    FileCalls.check("move", target);
    real.move(real(source), real(target), options);
  }

  @Override
  public boolean isSameFile(Path path, Path other) throws IOException {
    FileCalls.check("look at", path);
    return real.isSameFile(real(path), real(other));
  }

  @Override
  public boolean isHidden(Path path) throws IOException {
    return real.isHidden(real(path));
  }

  @Override
  public FileStore getFileStore(Path path) throws IOException {
    return real.getFileStore(real(path));
  }

  @Override
  public void checkAccess(Path path, AccessMode... modes) throws IOException {
    FileCalls.check("look for", path);
    real.checkAccess(real(path), modes);
  }

  @Override
  public <V extends FileAttributeView> @Nullable V getFileAttributeView(
      Path path, Class<V> type, LinkOption... options) {
    return real.getFileAttributeView(real(path), type, options);
  }

  @Override
  public <A extends BasicFileAttributes> A readAttributes(
      Path path, Class<A> type, LinkOption... options) throws IOException {
    FileCalls.check("look at", path);
    return real.readAttributes(real(path), type, options);
  }

  @Override
  public Map<String, Object> readAttributes(Path path, String names, LinkOption... options)
      throws IOException {
    FileCalls.check("look at", path);
    return real.readAttributes(real(path), names, options);
  }

  @Override
  public void setAttribute(Path path, String name, Object value, LinkOption... options)
      throws IOException {
    real.setAttribute(real(path), name, value, options);
  }
}
