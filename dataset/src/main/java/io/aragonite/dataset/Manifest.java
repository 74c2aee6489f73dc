package io.aragonite.dataset;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;

/**
 * The file that makes a directory of tables complete: format version, scale, and rows and bytes of
 * each file. It is written last, and what does not match it is made anew.
 */
final class Manifest {
  static final String NAME = "manifest.properties";
  private static final byte[] FILE_END = "ARROW1".getBytes(StandardCharsets.US_ASCII);

  private Manifest() {}

  /** Writes the manifest of complete files. */
  static void write(Path directory, Dataset dataset, Map<String, Long> rows) throws IOException {
    StringBuilder text = new StringBuilder("# " + dataset.title() + " tables made by Aragonite\n");
    text.append("format=").append(dataset.format());
    text.append("\nscale=").append(dataset.scale()).append('\n');
    for (String name : dataset.names()) {
      text.append(name).append(".rows=").append(rows.get(name)).append('\n');
      long bytes = Files.size(directory.resolve(Dataset.fileName(name)));
      text.append(name).append(".bytes=").append(bytes).append('\n');
    }
    Files.writeString(directory.resolve(NAME), text);
  }

  /** Whether the directory holds all files, whole, of this version and scale. */
  static boolean matches(Path directory, Dataset dataset) {
    Path file = directory.resolve(NAME);
    try (var in = Files.newInputStream(file)) {
      Properties properties = new Properties();
      properties.load(in);
      if (!Integer.toString(dataset.format()).equals(properties.getProperty("format"))
          || !dataset.scale().equals(properties.getProperty("scale"))) {
        return false;
      }
      for (String name : dataset.names()) {
        String bytes = properties.getProperty(name + ".bytes", "");
        if (properties.getProperty(name + ".rows") == null
            || !isWhole(directory.resolve(Dataset.fileName(name)), bytes)) {
          return false;
        }
      }
      return true;
    } catch (IOException | IllegalArgumentException e) {
      return false; // absent or unreadable: to be made anew
    }
  }

  private static boolean isWhole(Path file, String bytes) throws IOException {
    try (FileChannel channel = FileChannel.open(file)) {
      if (!Long.toString(channel.size()).equals(bytes) || channel.size() < FILE_END.length) {
        return false;
      }
      ByteBuffer end = ByteBuffer.allocate(FILE_END.length);
      channel.read(end, channel.size() - FILE_END.length);
      return ByteBuffer.wrap(FILE_END).equals(end.flip());
    }
  }
}
