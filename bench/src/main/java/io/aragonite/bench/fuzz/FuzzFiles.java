package io.aragonite.bench.fuzz;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** Folders of tables and of spill files. */
final class FuzzFiles {
  private FuzzFiles() {}

  /** Whether nothing is in a folder. */
  static boolean isEmpty(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.findAny().isEmpty();
    }
  }

  /** Deletes all that is in a folder. */
  static void empty(Path folder) throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      all.toList().forEach(FuzzFiles::delete);
    }
  }

  /** Deletes a folder with all that is in it, if it is there. */
  static void delete(Path folder) {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
