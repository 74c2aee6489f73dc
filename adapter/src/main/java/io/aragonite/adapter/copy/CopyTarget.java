package io.aragonite.adapter.copy;

import io.aragonite.adapter.format.FileErrors;
import io.aragonite.adapter.remote.RemoteErrors;
import io.aragonite.adapter.remote.RemoteFileSystemProvider;
import io.aragonite.adapter.remote.RemotePath;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where a COPY writes: under another name beside its target, which it gets when it is complete. If
 * it is closed before, it is gone.
 */
public final class CopyTarget implements AutoCloseable {
  /** Bytes of a name that the temporary one has in it too. */
  private static final int LONGEST_NAME = 100;

  /** What stores of S3's protocol take in one request. */
  private static final long MOST_UPLOADED = 5L << 30;

  private static final Set<Path> OPEN = new HashSet<>();
  private static boolean hooked;

  private final Path target;
  private final Path temporary;
  private final boolean overwrite;
  private boolean done;

  /**
   * @throws AragoniteException FILE_UNREADABLE if something is there that must not be replaced, or
   *     if there is no folder for it
   */
  public CopyTarget(Path target, boolean folder, boolean overwrite) {
    if (target instanceof RemotePath remote) {
      this.target = target;
      this.overwrite = overwrite;
      this.temporary = forUpload(remote, folder);
      open(temporary);
      return;
    }
    this.target = target.toAbsolutePath().normalize();
    this.overwrite = overwrite;
    Path parent = this.target.getParent();
    Path name = this.target.getFileName();
    if (parent == null || name == null || !Files.isDirectory(parent)) {
      throw wrong("there is no folder %s; make it first".formatted(parent), null);
    }
    if (Files.exists(target)) {
      if (!Files.isRegularFile(target) && !Files.isDirectory(target)) {
        throw wrong("it is neither file nor folder; take another name", null);
      }
      boolean empty = folder && Files.isDirectory(target) && isEmpty();
      if (!empty && folder != Files.isDirectory(target)) {
        throw wrong(
            folder
                ? "it is a file, and partition_by writes a folder; take another name"
                : "it is a folder; name a file in it, or use partition_by",
            null);
      }
      if (!empty && !overwrite) {
        throw exists();
      }
      if (folder && !empty) {
        requireParts();
      }
    }
    // names have at most 255 bytes
    boolean fits = name.toString().getBytes(StandardCharsets.UTF_8).length <= LONGEST_NAME;
    this.temporary = parent.resolve("." + (fits ? name : "") + "." + UUID.randomUUID() + ".tmp");
    open(temporary);
  }

  /** A local file that becomes an object of a store when it is complete. */
  private Path forUpload(RemotePath remote, boolean folder) {
    if (!RemoteFileSystemProvider.canList(remote)) {
      throw wrong("HTTP servers are only read; write to s3:// or to a local file", null);
    }
    if (folder) {
      throw wrong("partition_by writes folders on local disks only; write there and copy", null);
    }
    if (!overwrite) {
      requireNone(remote);
    }
    try {
      Path file = Files.createTempFile("aragonite-upload", null);
      Files.delete(file);
      return file;
    } catch (IOException e) {
      throw wrong(FileErrors.reason(e), e);
    }
  }

  private void upload(RemotePath remote) throws IOException {
    if (Files.size(temporary) > MOST_UPLOADED) {
      throw wrong(
          "an object has at most %,d bytes when it is sent at once; write several smaller files"
              .formatted(MOST_UPLOADED),
          null);
    }
    try {
      RemoteFileSystemProvider.write(temporary, remote, overwrite);
    } catch (FileAlreadyExistsException e) {
      throw exists();
    } catch (IOException e) {
      throw RemoteErrors.ofWriting(remote, e);
    }
    Files.delete(temporary);
  }

  /** What cannot be looked at may be there. */
  private void requireNone(RemotePath remote) {
    try {
      var _ = RemoteFileSystemProvider.find(remote);
    } catch (NoSuchFileException e) {
      return;
    } catch (IOException e) {
      throw RemoteErrors.ofWriting(remote, e);
    }
    throw exists();
  }

  /** Has a file or folder deleted when a signal ends the process. */
  private static void open(Path temporary) {
    synchronized (OPEN) {
      if (!hooked) {
        hooked = true;
        Runtime.getRuntime().addShutdownHook(new Thread(CopyTarget::deleteOpen));
      }
      OPEN.add(temporary);
    }
  }

  private static void deleteOpen() {
    synchronized (OPEN) {
      for (Path temporary : OPEN) {
        try {
          if (Files.exists(temporary)) {
            delete(temporary);
          }
        } catch (IOException | UncheckedIOException e) {
          // the process ends, and nobody is left to tell
        }
      }
    }
  }

  private boolean isEmpty() {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(target)) {
      return !entries.iterator().hasNext();
    } catch (IOException e) {
      throw wrong(FileErrors.reason(e), e);
    }
  }

  /** What is replaced is deleted: it must be what partition_by writes. */
  private void requireParts() {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(target)) {
      for (Path entry : entries) {
        if (!Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)
            || !entry.getFileName().toString().contains("=")) {
          throw wrong(
              "it has %s beside folders key=value, and overwrite would delete it; remove it, or take another name"
                  .formatted(entry.getFileName()),
              null);
        }
      }
    } catch (IOException e) {
      throw wrong(FileErrors.reason(e), e);
    }
  }

  private AragoniteException exists() {
    return wrong("it is there already; take another name, or say (overwrite true)", null);
  }

  AragoniteException wrong(String what, @Nullable Exception cause) {
    return new AragoniteException(
        ErrorCode.FILE_UNREADABLE, "%s cannot be written: %s.".formatted(target, what), cause);
  }

  /** The file, or folder, to write to. */
  public Path temporary() {
    return temporary;
  }

  /** Gives what was written its name. */
  public void commit() throws IOException {
    if (target instanceof RemotePath remote) {
      upload(remote);
    } else if (Files.isDirectory(temporary) && Files.exists(target)) {
      Path old = temporary.resolveSibling(temporary.getFileName() + ".old");
      Files.move(target, old, StandardCopyOption.ATOMIC_MOVE);
      try {
        Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
      } catch (IOException e) {
        Files.move(old, target, StandardCopyOption.ATOMIC_MOVE);
        throw e;
      }
      done = true;
      try {
        delete(old);
      } catch (IOException | UncheckedIOException e) {
        throw new AragoniteException(
            ErrorCode.FILE_UNREADABLE,
            "%s is written, but %s, which had its name, cannot be removed; remove it."
                .formatted(target, old),
            e);
      }
    } else if (overwrite || Files.isDirectory(temporary)) {
      Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
    } else {
      commitNew();
    }
    done = true;
  }

  /** A link, unlike a move, does not replace what has come there meanwhile. */
  private void commitNew() throws IOException {
    boolean linked = false;
    try {
      Files.createLink(target, temporary);
      linked = true;
      Files.delete(temporary);
    } catch (FileAlreadyExistsException e) {
      throw exists();
    } catch (UnsupportedOperationException | IOException e) {
      if (linked) {
        Files.deleteIfExists(target); // of two names that stay, neither is to be found
        throw e;
      }
      if (Files.exists(target)) {
        throw exists();
      }
      Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
    }
  }

  private static void delete(Path path) throws IOException {
    List<Path> all;
    try (Stream<Path> found = Files.walk(path)) {
      all = found.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path one : all) {
      Files.deleteIfExists(one);
    }
  }

  @Override
  public void close() throws IOException {
    if (!done && Files.exists(temporary)) {
      delete(temporary);
    }
    synchronized (OPEN) {
      OPEN.remove(temporary);
    }
  }

  @Override
  public String toString() {
    return Objects.toString(target);
  }
}
