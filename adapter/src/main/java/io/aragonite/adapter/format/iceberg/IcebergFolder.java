package io.aragonite.adapter.format.iceberg;

import io.aragonite.adapter.format.FileErrors;
import io.aragonite.adapter.format.FileKinds;
import io.aragonite.adapter.format.FileScope;
import io.aragonite.adapter.remote.FileMapping;
import io.aragonite.adapter.remote.RemoteFileSystemProvider;
import io.aragonite.adapter.remote.RemotePath;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.spill.file.SpillSpace;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the newest metadata file of a table's folder, without a catalog: {@code
 * metadata/version-hint.text} names it, or else it is the one with the highest version.
 */
public final class IcebergFolder {
  /** The folder in a table's folder where metadata is. */
  public static final String METADATA = "metadata";

  private static final String HINT = "version-hint.text";
  private static final int MOST_HINT = 1000;
  private static final Pattern NAME =
      Pattern.compile("v?([0-9]{1,18})(-[^/]*)?(\\.gz)?\\.metadata\\.json(\\.gz)?");
  private static final Pattern HINTED = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]*");

  private IcebergFolder() {}

  /** A metadata file and its version. */
  private record Version(BigInteger number, Path file) {}

  /** Whether a name is that of a metadata file. */
  public static boolean isMetadata(Path file) {
    return NAME.matcher(String.valueOf(file.getFileName())).matches()
        || String.valueOf(file.getFileName()).endsWith(".metadata.json");
  }

  /** The folder of the table that a metadata file is of. */
  public static Path folder(Path metadata) {
    Path file = metadata.toAbsolutePath().normalize();
    Path parent = file.getParent();
    if (parent == null) {
      return file;
    }
    Path above = parent.getParent();
    boolean usual = String.valueOf(parent.getFileName()).equals(METADATA);
    return usual && above != null ? above : parent;
  }

  /**
   * Whether a folder is a table's, as far as names tell.
   *
   * @throws AragoniteException FILE_BROKEN if the system does not tell them: read as files of no
   *     table, deleted rows would be there again
   */
  public static boolean isTable(Path folder) {
    try {
      return entries(folder.resolve(METADATA)).stream()
          .anyMatch(file -> isMetadata(file) || String.valueOf(file.getFileName()).equals(HINT));
    } catch (IOException e) {
      throw broken(folder, FileErrors.reason(e), e);
    }
  }

  /**
   * The newest metadata file; null if the folder is no table's.
   *
   * @param space where copies of remote files are
   * @throws AragoniteException FILE_BROKEN if that cannot be told, and what reading throws
   */
  public static @Nullable Path newest(Path folder, SpillSpace space) {
    Path metadata = folder.resolve(METADATA);
    try {
      String hint = hint(metadata.resolve(HINT), space);
      boolean listed =
          !(metadata instanceof RemotePath remote) || RemoteFileSystemProvider.canList(remote);
      if (!listed) {
        return hint == null ? null : metadata.resolve(name(hint));
      }
      if (hint != null && !isNumber(hint)) {
        return metadata.resolve(name(hint));
      }
      return newest(folder, versions(metadata), hint);
    } catch (IOException e) {
      throw broken(folder, FileErrors.reason(e), e);
    }
  }

  private static @Nullable Path newest(Path folder, List<Version> versions, @Nullable String hint) {
    Version newest = null;
    Version same = null;
    for (Version version : versions) {
      int order = newest == null ? 1 : version.number.compareTo(newest.number);
      same = order == 0 ? version : order > 0 ? null : same;
      newest = order > 0 ? version : newest;
    }
    if (hint != null && (newest == null || newest.number.compareTo(new BigInteger(hint)) < 0)) {
      throw broken(folder, "%s names version %s, which is not there".formatted(HINT, hint), null);
    }
    if (newest != null && same != null) {
      throw broken(
          folder,
          "%s and %s are of one version, and a catalog knows which counts; name it, read_iceberg('.../%s')"
              .formatted(
                  newest.file.getFileName(), same.file.getFileName(), newest.file.getFileName()),
          null);
    }
    return newest == null ? null : newest.file;
  }

  private static List<Version> versions(Path metadata) throws IOException {
    List<Version> versions = new ArrayList<>();
    for (Path file : entries(metadata)) {
      Matcher name = NAME.matcher(String.valueOf(file.getFileName()));
      if (name.matches()) {
        versions.add(new Version(new BigInteger(name.group(1)), file));
      }
    }
    return versions;
  }

  private static List<Path> entries(Path metadata) throws IOException {
    if (metadata instanceof RemotePath remote && !RemoteFileSystemProvider.canList(remote)) {
      return List.of();
    }
    try (Stream<Path> entries = Files.list(metadata)) {
      return entries.sorted().toList();
    } catch (NoSuchFileException | NotDirectoryException e) {
      return List.of();
    }
  }

  private static boolean isNumber(String hint) {
    return hint.chars().allMatch(c -> c >= '0' && c <= '9');
  }

  private static String name(String hint) {
    return (isNumber(hint) ? "v" + hint : hint) + ".metadata.json";
  }

  /** What the hint says; null if there is none. */
  private static @Nullable String hint(Path file, SpillSpace space) throws IOException {
    if (!(file instanceof RemotePath) && !FileKinds.exists(file)) {
      return null;
    }
    try (FileMapping mapping = FileScope.open(file, space);
        InputStream in = mapping.stream()) {
      String hint = new String(in.readNBytes(MOST_HINT), StandardCharsets.UTF_8).strip();
      if (!HINTED.matcher(hint).matches()) {
        throw new IOException(HINT + " in it is not understood");
      }
      return hint;
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  private static AragoniteException broken(Path folder, String what, @Nullable Exception cause) {
    return new AragoniteException(
        ErrorCode.FILE_BROKEN,
        "%s is not a readable Iceberg table: %s".formatted(folder, what),
        cause);
  }
}
