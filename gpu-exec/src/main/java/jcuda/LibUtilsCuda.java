package jcuda;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Stands in for JCuda's class of this name, which its bindings call to load their native library.
 * JCuda's own unpacks the library under a fixed name into {@code java.io.tmpdir}, and takes what
 * lies there already, which another user could have put there; nothing but that property, which is
 * the whole process's, tells it of another folder. This class unpacks it into a folder of its own,
 * which only this user can write to and which is gone as soon as the library is loaded.
 *
 * <p>It has to come before JCuda on the class path; in {@code aragonite-jdbc.jar} it is the only
 * one. A program that has JCuda of its own before it loads libraries as JCuda does.
 */
public final class LibUtilsCuda {
  private LibUtilsCuda() {}

  /**
   * Loads a library from the class path.
   *
   * @param name with version and platform, without prefix and ending
   * @param dependentLibraryNames none in what is used of JCuda
   */
  public static void loadLibrary(String name, String... dependentLibraryNames) {
    try {
      load(System.mapLibraryName(name));
    } catch (IOException e) {
      UnsatisfiedLinkError error =
          new UnsatisfiedLinkError(name + " could not be unpacked: " + e.getMessage());
      error.initCause(e);
      throw error;
    }
  }

  private static void load(String file) throws IOException {
    Path folder = Files.createTempDirectory("aragonite-cuda"); // with access for its owner only
    Path library = folder.resolve(file);
    try {
      try (InputStream in = LibUtilsCuda.class.getResourceAsStream("/lib/" + file)) {
        if (in == null) {
          throw new FileNotFoundException("there is no /lib/" + file + " on the class path");
        }
        Files.copy(in, library);
      }
      System.load(library.toString());
    } finally {
      Files.deleteIfExists(library);
      Files.delete(folder);
    }
  }
}
