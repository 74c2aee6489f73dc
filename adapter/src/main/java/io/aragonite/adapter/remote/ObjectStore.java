package io.aragonite.adapter.remote;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where remote files are: what can be asked of a store. Each method asks once; errors are {@link
 * RemoteException} and {@link java.nio.file.NoSuchFileException}.
 */
interface ObjectStore {
  /** What there is of a file now; a folder is none. */
  RemoteAttributes attributes(RemotePath file) throws IOException;

  /**
   * Names the files whose names begin with a text.
   *
   * @param folder where names begin
   * @param prefix what they have in common behind the folder's name
   * @param deep whether files in folders are meant too; else the folders are
   */
  void list(RemotePath folder, String prefix, boolean deep, Consumer<RemotePath> found)
      throws IOException;

  /** Whether there are files whose names begin with a folder's. */
  default boolean isFolder(RemotePath path) throws IOException {
    return false;
  }

  /**
   * Bytes of a file, from the first wanted one on.
   *
   * @param range null: all
   * @param expected what the file is to be; CHANGED if it is another
   */
  Body read(RemotePath file, @Nullable ByteRange range, RemoteAttributes expected)
      throws IOException;

  /**
   * Puts a local file in the place of what is there, or of nothing.
   *
   * @throws java.nio.file.FileAlreadyExistsException if something is there, and is to stay
   */
  void write(Path source, RemotePath target, boolean overwrite) throws IOException;

  /**
   * What is being received. It may be closed before its end, and by any thread.
   *
   * @param attributes those of the file that is being sent
   */
  record Body(InputStream bytes, RemoteAttributes attributes, Runnable abort)
      implements AutoCloseable {
    @Override
    public void close() {
      abort.run();
    }
  }
}
