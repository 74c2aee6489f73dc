package io.aragonite.spark.isolated;

import io.aragonite.adapter.format.parquet.ParquetFile;
import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Classes of a module with its libraries, of which Spark has others. */
public final class IsolatedLoader {
  private IsolatedLoader() {}

  /**
   * @param module such as adapter, beside this one
   * @param test classes of which a test needs some in there
   */
  public static ClassLoader of(String module, Class<?> test) {
    try {
      Path adapter = Path.of(location(ParquetFile.class).toURI()).getParent();
      Path target = adapter.getParent().resolveSibling(module).resolve("target");
      List<URL> urls = new ArrayList<>(List.of(target.resolve("classes").toUri().toURL()));
      String libraries = Files.readString(target.resolve("classpath.txt"));
      for (String path : libraries.strip().split(File.pathSeparator)) {
        urls.add(Path.of(path).toUri().toURL());
      }
      urls.add(location(test));
      return new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
    } catch (Exception e) {
      throw new IllegalStateException("the classes of " + module + " are not there", e);
    }
  }

  private static URL location(Class<?> type) {
    return type.getProtectionDomain().getCodeSource().getLocation();
  }
}
