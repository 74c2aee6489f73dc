package io.aragonite.adapter.remote;

import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
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
  private static final String WEAK = "W/";
  static final RemoteAttributes FOLDER = new RemoteAttributes(0, null, null, true, false);

  /** Lists of stores have parts of seconds, which their other answers leave out. */
  RemoteAttributes {
    modified = modified == null ? null : modified.truncatedTo(ChronoUnit.SECONDS);
  }

  /**
   * Whether later attributes are of the same file. What these say the others have to say, too: its
   * tag, or, without one, its time.
   */
  boolean isSame(RemoteAttributes later) {
    if (length >= 0 && later.length >= 0 && length != later.length) {
      return false;
    }
    if (tag != null) {
      return Objects.equals(fileKey(), later.fileKey());
    }
    return modified == null || modified.equals(later.modified);
  }

  /** Whether a server can be asked for this very file: weak tags do not tell its bytes. */
  boolean isStrong() {
    return tag != null && tag.startsWith("\"");
  }

  /** What a store is to compare; null: it cannot. Some lists have tags without their quotes. */
  @Nullable String strongTag() {
    return tag == null || tag.startsWith(WEAK) ? null : "\"" + fileKey() + "\"";
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

  /** The tag's text, which is the same whether it is quoted, or said to be weak. */
  @Override
  public @Nullable String fileKey() {
    if (tag == null) {
      return null;
    }
    String value = tag.startsWith(WEAK) ? tag.substring(WEAK.length()) : tag;
    boolean quoted = value.length() > 1 && value.startsWith("\"") && value.endsWith("\"");
    return quoted ? value.substring(1, value.length() - 1) : value;
  }
}
