package io.aragonite.bench.timing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * How long the JVM's compilers have worked, by what Linux counts for each thread. They work when it
 * suits them, not when the query runs whose code they compile.
 */
final class CompilerThreads {
  private static final Path TASKS = Path.of("/proc/self/task");

  /** What is known of a thread that is none. */
  private static final long NONE = -1;

  /** Nanoseconds of each thread; those of threads that have ended stay. */
  private final Map<String, Long> nanos = new HashMap<>();

  /** Nanoseconds of all of them so far. */
  synchronized long nanos() {
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(TASKS)) {
      for (Path task : tasks) {
        String thread = task.getFileName().toString();
        Long known = nanos.get(thread);
        if (known == null && !isCompiler(task)) {
          nanos.put(thread, NONE);
        } else if (known == null || known != NONE) {
          nanos.put(thread, worked(task, known == null ? 0 : known));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return nanos.values().stream().filter(value -> value != NONE).mapToLong(value -> value).sum();
  }

  private static boolean isCompiler(Path task) throws IOException {
    String name = read(task.resolve("comm"));
    return name.startsWith("C1 Compiler") || name.startsWith("C2 Compiler");
  }

  private static long worked(Path task, long before) throws IOException {
    String figures = read(task.resolve("schedstat"));
    return figures.isEmpty() ? before : Long.parseLong(figures.substring(0, figures.indexOf(' ')));
  }

  /** Empty if the thread has ended. */
  private static String read(Path file) throws IOException {
    try {
      return Files.readString(file);
    } catch (NoSuchFileException e) {
      return "";
    } catch (IOException e) {
      if (Files.exists(file)) {
        throw e;
      }
      return "";
    }
  }
}
