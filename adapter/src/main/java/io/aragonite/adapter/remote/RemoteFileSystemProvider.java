package io.aragonite.adapter.remote;

import io.aragonite.adapter.remote.RemoteException.Problem;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.ReadOnlyFileSystemException;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.spi.FileSystemProvider;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What {@link java.nio.file.Files} asks of remote paths: attributes and lists. Bytes are those of
 * {@link FileMapping}.
 */
public final class RemoteFileSystemProvider extends FileSystemProvider {
  static final RemoteFileSystemProvider ONE = new RemoteFileSystemProvider();

  private static final int STEP = 1 << 16;

  private RemoteFileSystemProvider() {}

  /** Whether files of a store can be listed. */
  public static boolean canList(RemotePath path) {
    return path.isS3();
  }

  /** A path as it is now: its attributes are known. */
  public static RemotePath find(RemotePath path) throws IOException {
    return path.with(attributes(path));
  }

  /**
   * Names all files in a folder, at any depth.
   *
   * @param prefix what their names begin with behind the folder's
   */
  public static void list(RemotePath folder, String prefix, Consumer<RemotePath> found)
      throws IOException {
    folder.store().list(folder, prefix, true, found);
  }

  /**
   * The file of this very name, whatever wildcards are in it; null if there is none, or if the
   * store does not tell.
   */
  public static @Nullable RemotePath findNamed(RemotePath path) throws IOException {
    if (path.names().isEmpty()) {
      return null;
    }
    ObjectStore store = path.store();
    try {
      return path.with(Retries.call(() -> store.attributes(path)));
    } catch (NoSuchFileException e) {
      return null;
    } catch (RemoteException e) {
      if (e.problem() == Problem.REFUSED) {
        return null;
      }
      throw e;
    }
  }

  /**
   * Makes a remote file of a local one.
   *
   * @throws FileAlreadyExistsException if one is there, and is not to be replaced
   */
  public static void write(Path source, RemotePath target, boolean overwrite) throws IOException {
    AtomicBoolean tried = new AtomicBoolean();
    Retries.call(() -> {
      try {
        target.store().write(source, target, overwrite);
      } catch (FileAlreadyExistsException e) {
        // An earlier try may have done it, and only its answer may have been lost.
        if (!tried.get() || !isCopy(source, target)) {
          throw e;
        }
      } catch (IOException e) {
        tried.set(true);
        throw e;
      }
      return target;
    });
  }

  private static boolean isCopy(Path source, RemotePath target) throws IOException {
    RemoteAttributes attributes = target.store().attributes(target);
    if (attributes.length() != Files.size(source)) {
      return false;
    }
    try (ObjectStore.Body body = target.store().read(target, null, attributes);
        InputStream local = Files.newInputStream(source)) {
      byte[] step;
      do {
        step = local.readNBytes(STEP);
        if (!Arrays.equals(step, body.bytes().readNBytes(STEP))) {
          return false;
        }
      } while (step.length > 0);
      return true;
    }
  }

  private static RemoteAttributes attributes(RemotePath path) throws IOException {
    RemoteAttributes known = path.known();
    if (known != null) {
      return known;
    }
    ObjectStore store = path.store();
    if (path.isS3() && path.names().isEmpty()) {
      return RemoteAttributes.FOLDER;
    }
    try {
      return Retries.call(() -> store.attributes(path));
    } catch (NoSuchFileException e) {
      if (path.isS3() && isFolder(path)) {
        return RemoteAttributes.FOLDER;
      }
      throw e;
    }
  }

  private static boolean isFolder(RemotePath path) throws IOException {
    ObjectStore store = path.store();
    return Retries.call(() -> store.isFolder(path));
  }

  private static List<RemotePath> entries(RemotePath folder) throws IOException {
    List<RemotePath> found = new ArrayList<>();
    folder.store().list(folder, "", false, found::add);
    return found;
  }

  @Override
  public <A extends BasicFileAttributes> A readAttributes(
      Path path, Class<A> type, LinkOption... options) throws IOException {
    if (!type.isAssignableFrom(RemoteAttributes.class)) {
      throw new UnsupportedOperationException();
    }
    return type.cast(attributes((RemotePath) path));
  }

  @Override
  public DirectoryStream<Path> newDirectoryStream(
      Path dir, DirectoryStream.Filter<? super Path> filter) throws IOException {
    List<Path> kept = new ArrayList<>();
    for (RemotePath entry : entries((RemotePath) dir)) {
      if (filter.accept(entry)) {
        kept.add(entry);
      }
    }
    return new DirectoryStream<>() {
      @Override
      public Iterator<Path> iterator() {
        return kept.iterator();
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public void checkAccess(Path path, AccessMode... modes) throws IOException {
    var _ = attributes((RemotePath) path);
  }

  @Override
  public boolean isSameFile(Path path, Path other) {
    return path.equals(other);
  }

  @Override
  public boolean isHidden(Path path) {
    return String.valueOf(path.getFileName()).startsWith(".");
  }

  @Override
  public String getScheme() {
    return "aragonite-remote";
  }

  @Override
  public FileSystem newFileSystem(URI uri, Map<String, ?> env) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileSystem getFileSystem(URI uri) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Path getPath(URI uri) {
    throw new UnsupportedOperationException();
  }

  @Override
  public SeekableByteChannel newByteChannel(
      Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes) {
    throw new UnsupportedOperationException();
  }

  @Override
  public <V extends FileAttributeView> @Nullable V getFileAttributeView(
      Path path, Class<V> type, LinkOption... options) {
    return null;
  }

  @Override
  public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileStore getFileStore(Path path) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void createDirectory(Path dir, FileAttribute<?>... attributes) {
    throw new ReadOnlyFileSystemException();
  }

  @Override
  public void delete(Path path) {
    throw new ReadOnlyFileSystemException();
  }

  @Override
  public void copy(Path source, Path target, CopyOption... options) {
    throw new ReadOnlyFileSystemException();
  }

  @Override
  public void move(Path source, Path target, CopyOption... options) {
    throw new ReadOnlyFileSystemException();
  }

  @Override
  public void setAttribute(Path path, String attribute, Object value, LinkOption... options) {
    throw new ReadOnlyFileSystemException();
  }
}
