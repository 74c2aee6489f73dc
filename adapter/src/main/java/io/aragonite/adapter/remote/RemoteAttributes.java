package io.aragonite.adapter.remote;

import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a store says of a file.
 *
 * @param length -1: it does not say
 * @param tag the file's ETag
 * @param folder whether other files have its name in front of theirs
 * @param ranges whether parts of it can be asked for
 */
record RemoteAttributes(
    long length, @Nullable String tag, @Nullable Instant modified, boolean folder, boolean ranges)
    implements BasicFileAttributes {
  static final RemoteAttributes FOLDER = new RemoteAttributes(0, null, null, true, false);

  /** Whether these are of the same file, as far as both say. */
  boolean isSame(RemoteAttributes other) {
    return (length < 0 || other.length < 0 || length == other.length)
        && (tag == null || other.tag == null || tag.equals(other.tag))
        && (modified == null || other.modified == null || modified.equals(other.modified));
  }

  /** Whether a server can be asked for this very file: weak tags do not tell its bytes. */
  boolean isStrong() {
    return tag != null && tag.startsWith("\"");
  }

  @Override
  public FileTime lastModifiedTime() {
    return FileTime.from(modified == null ? Instant.EPOCH : modified);
  }

  @Override
  public FileTime lastAccessTime() {
    return lastModifiedTime();
  }

  @Override
  public FileTime creationTime() {
    return lastModifiedTime();
  }

  @Override
  public boolean isRegularFile() {
    return !folder;
  }

  @Override
  public boolean isDirectory() {
    return folder;
  }

  @Override
  public boolean isSymbolicLink() {
    return false;
  }

  @Override
  public boolean isOther() {
    return false;
  }

  @Override
  public long size() {
    return Math.max(0, length);
  }

  @Override
  public @Nullable Object fileKey() {
    return tag;
  }
}
