package io.aragonite.adapter.format.iceberg;

import io.aragonite.adapter.format.FileScope;
import io.aragonite.adapter.remote.RemotePath;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where the files are that a table's metadata names. Who writes metadata may name any file, and who
 * reads it does not look: so files are read that lie in the table's folder, and others only where
 * the statement says so. A table that was moved names files of the folder where it was, which are
 * looked for in the folder where it is.
 */
final class IcebergPaths {
  private static final Pattern SCHEME = Pattern.compile("(?i)([a-z][a-z0-9+.-]*):/*(.*)");

  /** Signs that names in URLs may have as they are. */
  private static final String PLAIN = "-._~!$&'()*+,;=:@";

  private final Path folder;
  private final IcebergAccess access;
  private final boolean others;
  private String location = "";

  /**
   * @param folder of the table
   * @param others whether files outside of it may be read
   */
  IcebergPaths(Path folder, IcebergAccess access, boolean others) {
    this.folder = folder;
    this.access = access;
    this.others = others;
  }

  Path folder() {
    return folder;
  }

  /** Tells where the metadata says that the table is. */
  void setLocation(String given) {
    location = plain(given);
  }

  /**
   * The place of a file, which may be read.
   *
   * @throws AragoniteException FILE_OUTSIDE_DIRECTORY, and what may be wrong with the file
   */
  Path path(String named) {
    Path path = inFolder(named);
    access.requireReadable(path);
    if (!others && !RemotePath.is(path)) {
      FileScope.requireInside(folder, path);
    }
    return path;
  }

  private Path inFolder(String named) {
    String text = plain(named);
    for (String root : List.of(location, plain(folder.toString()))) {
      if (!root.isEmpty() && text.startsWith(root + "/")) {
        Path path = folder;
        for (String name : text.substring(root.length() + 1).split("/", -1)) {
          if (name.isEmpty() || name.equals(".") || name.equals("..") || name.indexOf(0) >= 0) {
            throw outside(named);
          }
          path = path.resolve(folder.toString().startsWith("http") ? encoded(name) : name);
        }
        return path;
      }
    }
    if (!others) {
      throw outside(named);
    }
    return access.resolve(
        named.toLowerCase(Locale.ROOT).startsWith("file:") ? "/" + rest(named) : named);
  }

  /** A name as URLs have it: in it each sign stands for itself. */
  private static String encoded(String name) {
    StringBuilder url = new StringBuilder();
    for (byte one : name.getBytes(StandardCharsets.UTF_8)) {
      char sign = (char) (one & 0xFF);
      boolean plain =
          sign >= 'a' && sign <= 'z'
              || sign >= 'A' && sign <= 'Z'
              || sign >= '0' && sign <= '9'
              || PLAIN.indexOf(sign) >= 0;
      url.append(plain ? String.valueOf(sign) : "%%%02X".formatted((int) sign));
    }
    return url.toString();
  }

  private static String rest(String url) {
    Matcher parts = SCHEME.matcher(url);
    return parts.matches() ? parts.group(2) : url;
  }

  /** Names of one place are the same text: file:/a, file:///a and /a, s3: and s3a:. */
  private static String plain(String named) {
    Matcher parts = SCHEME.matcher(named);
    String text = named;
    if (parts.matches()) {
      String scheme = parts.group(1).toLowerCase(Locale.ROOT);
      text =
          switch (scheme) {
            case "file" -> "/" + parts.group(2);
            case "s3a", "s3n" -> "s3://" + parts.group(2);
            default -> scheme + "://" + parts.group(2);
          };
    }
    while (text.length() > 1 && text.endsWith("/")) {
      text = text.substring(0, text.length() - 1);
    }
    return text;
  }

  private AragoniteException outside(String named) {
    return new AragoniteException(
        ErrorCode.FILE_OUTSIDE_DIRECTORY,
        "The metadata of the Iceberg table %s names '%s', which is not in the table's folder; if it is to be read nevertheless, use read_iceberg('...', allow_other_paths => true)."
            .formatted(folder, named));
  }
}
