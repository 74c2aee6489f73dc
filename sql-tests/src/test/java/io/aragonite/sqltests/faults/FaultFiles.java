package io.aragonite.sqltests.faults;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

/** What tests of faults do with files. */
final class FaultFiles {
  private FaultFiles() {}

  static void pack(Path file, Path packed) throws IOException {
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(packed))) {
      Files.copy(file, out);
    }
  }

  /** Moves the files of folders within one up into it, under numbers. */
  static void flatten(Path folder) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(folder)) {
      files = all.filter(Files::isRegularFile).sorted().toList();
    }
    for (int i = 0; i < files.size(); i++) {
      Path parent = files.get(i).getParent();
      Files.move(files.get(i), folder.resolve(i + ".csv"));
      if (parent != null) {
        Files.delete(parent);
      }
    }
  }

  /** A folder, with all that is in it. */
  static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path one : all.toList()) {
        Files.copy(one, to.resolve(from.relativize(one)));
      }
    }
  }
}
