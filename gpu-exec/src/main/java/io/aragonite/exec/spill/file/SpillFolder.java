package io.aragonite.exec.spill.file;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This process's folder of spill files within a folder that the user names. It is made when the
 * first file is, and removed with its last user, at the latest when the process ends. A process
 * that is killed leaves it behind; a lock on a file in it, which ends with the process, tells the
 * next one that it may be removed, which does so when it starts.
 */
final class SpillFolder {
  private static final String PREFIX = "aragonite-spill-";
  private static final String NEW_PREFIX = ".aragonite-spill-new-";
  private static final String LOCK = "lock";

  /**
   * A folder without a lock is made in an instant; so far from now, it was left behind. Clocks
   * jump, and another machine's that shares the folder may be wrong.
   */
  private static final long NEW_MILLIS = 3_600_000;

  private static final Logger LOG = LoggerFactory.getLogger(SpillFolder.class);
  private static final Map<Path, SpillFolder> OPEN = new HashMap<>();
  private static boolean hooked;

  private final Path parent;
  private final Path path;
  private final FileChannel lockFile;
  private int users;
  private long files;

  private SpillFolder(Path parent, Path path, FileChannel lockFile) {
    this.parent = parent;
    this.path = path;
    this.lockFile = lockFile;
  }

  /**
   * This process's folder in {@code parent}, for one more user.
   *
   * @throws AragoniteException DISK_FAILED, naming the folder
   */
  static SpillFolder open(Path parent) {
    Path key = parent.toAbsolutePath().normalize();
    synchronized (OPEN) {
      SpillFolder folder = OPEN.get(key);
      if (folder == null) {
        folder = make(key);
        OPEN.put(key, folder);
        if (!hooked) {
          hooked = true;
          Runtime.getRuntime().addShutdownHook(new Thread(SpillFolder::removeAll));
        }
      }
      folder.users++;
      return folder;
    }
  }

  /** Removes what processes left in a folder that were killed, if it can be used. */
  static void clear(Path parent) {
    Path key = parent.toAbsolutePath().normalize();
    synchronized (OPEN) {
      try {
        if (Files.isDirectory(key)) {
          removeDead(key);
        }
      } catch (IOException e) {
        // Whoever spills there will be told.
        LOG.debug("{} cannot be looked at: {}", key, e.toString());
      }
    }
  }

  private static SpillFolder make(Path parent) {
    if (!Files.isDirectory(parent)) {
      throw failed(parent, "it is not a folder", null);
    }
    try {
      removeDead(parent);
      Path made = Files.createTempDirectory(parent, NEW_PREFIX + ownPid() + "-");
      FileChannel lockFile =
          FileChannel.open(
              made.resolve(LOCK), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      FileLock lock = lockFile.tryLock();
      if (lock == null) {
        throw new IOException("a new file cannot be locked");
      }
      // Under its name it is always locked, so that nobody takes it for a dead one.
      String name = made.getFileName().toString().substring(NEW_PREFIX.length());
      Path path = parent.resolve(PREFIX + name);
      Files.move(made, path, StandardCopyOption.ATOMIC_MOVE);
      return new SpillFolder(parent, path, lockFile);
    } catch (IOException e) {
      throw failed(parent, reason(e), e);
    }
  }

  /** What goes wrong with a spill folder, as an error of the catalogue. */
  static AragoniteException failed(Path parent, String why, @Nullable Exception cause) {
    return new AragoniteException(
        ErrorCode.DISK_FAILED,
        "Spill folder %s cannot be used: %s; name another one with spill=, or raise memory= so that less is spilled"
            .formatted(parent, why),
        cause);
  }

  static String reason(IOException e) {
    String message = e.getMessage();
    return e.getClass() == IOException.class && message != null ? message : e.toString();
  }

  Path parent() {
    return parent;
  }

  /** The path of a new file. */
  Path newFile() {
    synchronized (OPEN) {
      return path.resolve("%06d.spill".formatted(files++));
    }
  }

  /** One user less; the last one's going removes the folder. */
  void close() {
    synchronized (OPEN) {
      if (--users == 0) {
        OPEN.remove(parent);
        remove();
      }
    }
  }

  private void remove() {
    try {
      delete(path);
      lockFile.close();
    } catch (IOException e) {
      LOG.warn("spill folder {} cannot be removed: {}", path, e.toString());
    }
  }

  private static void removeAll() {
    synchronized (OPEN) {
      OPEN.values().forEach(SpillFolder::remove);
      OPEN.clear();
    }
  }

  /** Removes folders of processes that have ended without doing so. */
  private static void removeDead(Path parent) throws IOException {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(parent, "*aragonite-spill-*")) {
      for (Path entry : entries) {
        String name = entry.getFileName().toString();
        boolean ready = name.startsWith(PREFIX);
        if (!(ready || name.startsWith(NEW_PREFIX))
            || !Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
          continue;
        }
        try {
          if ((ready || isOld(entry)) && isDead(entry)) {
            delete(entry);
            LOG.info("removed {}, which a process left behind", entry);
          }
        } catch (IOException e) {
          // Another user's, most likely.
          LOG.debug("{} is left alone: {}", entry, e.toString());
        }
      }
    }
  }

  /** Whether no process that lives here is making it, as far as clocks and numbers tell. */
  private static boolean isOld(Path folder) throws IOException {
    long age = System.currentTimeMillis() - Files.getLastModifiedTime(folder).toMillis();
    return Math.abs(age) > NEW_MILLIS && !isOfAnother(folder.getFileName().toString());
  }

  /** Whether the number in a folder's name is another living process's. */
  private static boolean isOfAnother(String name) {
    String rest = name.substring((name.startsWith(PREFIX) ? PREFIX : NEW_PREFIX).length());
    int end = rest.indexOf('-');
    try {
      long pid = Long.parseLong(rest.substring(0, Math.max(0, end)));
      return pid != ownPid() && ProcessHandle.of(pid).isPresent();
    } catch (NumberFormatException e) {
      return false;
    }
  }

  private static long ownPid() {
    return ProcessHandle.current().pid();
  }

  private static boolean isDead(Path folder) throws IOException {
    Path file = folder.resolve(LOCK);
    if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      return isOld(folder);
    }
    // The channel must not be of a lock file of this process: closing it would end that lock.
    if (OPEN.values().stream().anyMatch(mine -> mine.path.equals(folder))) {
      return false;
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      FileLock lock = channel.tryLock();
      return lock != null;
    } catch (OverlappingFileLockException e) {
      return false;
    }
  }

  private static void delete(Path folder) throws IOException {
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path dir, @Nullable IOException error)
              throws IOException {
            Files.deleteIfExists(dir);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
