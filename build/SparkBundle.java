import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Packs what compares Spark with and without Aragonite on a Linux x86-64 machine that has neither
 * Java nor Spark: a Java runtime, Spark's jars, the plugin as users get it, the generators of data
 * and the queries of TPC-H and TPC-DS. Unpacked there, {@code build/spark-tpch} and {@code
 * build/spark-tpcds} take the arguments that they take in a checkout.
 *
 * <p>{@code java build/SparkBundle.java ROOT PLUGIN PARTS OUT.tar.xz CLASSPATH}: jars of the class
 * path that the folder PARTS has too are in the plugin's jar already.
 */
public final class SparkBundle {
  /**
   * What Spark and Hadoop ask for: vectors of bytes, users by JAAS, mapped files; profiles of runs.
   */
  private static final String MODULES =
      "java.se,jdk.crypto.ec,jdk.incubator.vector,jdk.jfr,jdk.management,jdk.net,jdk.nio.mapmode,jdk.security.auth,"
          + "jdk.security.jgss,jdk.unsupported,jdk.zipfs";

  /** Jars of native libraries for other machines, and of tests that the bundle does not run. */
  private static final Pattern ELSEWHERE =
      Pattern.compile(
          "netty-.*-(windows|osx|linux)-(?!x86_64).*|netty-.*-(windows|osx)-.*"
              + "|junit-.*|aragonite-(flight|gpu-exec)-.*");

  /** Spark's too, which the plugin's jar has under other names. */
  private static final Pattern SHARED = Pattern.compile("(janino|commons-compiler)-.*");

  private SparkBundle() {}

  public static void main(String[] args) throws Exception {
    Path root = Path.of(args[0]).toAbsolutePath();
    Path out = Path.of(args[3]).toAbsolutePath();
    Bundle.mustBeLinux();
    Path work = Files.createTempDirectory("aragonite-spark-bundle");
    try {
      Path top = Files.createDirectories(work.resolve("aragonite-spark"));
      Bundle.runtime(MODULES, top.resolve("jre"));
      Path lib = Files.createDirectories(top.resolve("lib"));
      Path plugin = Path.of(args[1]);
      Bundle.store(plugin, lib.resolve(plugin.getFileName()));
      libraries(args[4], Path.of(args[2]), top);
      Files.createDirectories(top.resolve("build"));
      for (String name :
          List.of("aragonite", "build/spark-benchmark", "build/spark-tpch", "build/spark-tpcds")) {
        Path script = top.resolve(name);
        Files.copy(root.resolve(name), script, StandardCopyOption.COPY_ATTRIBUTES);
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
      }
      for (String name : List.of("LICENSE", "NOTICE")) {
        Files.copy(root.resolve(name), top.resolve(name));
      }
      tryIt(top, work.resolve("cache"));
      Files.createDirectories(out.getParent());
      Bundle.pack(work, top.getFileName().toString(), out, "-6");
    } finally {
      Bundle.delete(work);
    }
    System.out.printf("%s %.1f MB%n", root.relativize(out), Files.size(out) / 1e6);
  }

  private static void libraries(String classPath, Path parts, Path top) throws IOException {
    for (String element : classPath.split(File.pathSeparator)) {
      Path path = Path.of(element);
      Path name = path.getFileName();
      if (name.toString().equals("test-classes")) {
        Bundle.copy(path, top.resolve("classes"));
      } else if (Files.isRegularFile(path)
          && (!Files.exists(parts.resolve(name)) || SHARED.matcher(name.toString()).matches())
          && !ELSEWHERE.matcher(name.toString()).matches()) {
        Bundle.store(path, top.resolve("lib").resolve(name));
      }
    }
  }

  /** Fails where the runtime lacks a module, or the class path a jar. */
  private static void tryIt(Path top, Path cache) throws IOException, InterruptedException {
    ProcessBuilder run =
        new ProcessBuilder(
                top.resolve("build/spark-tpch").toString(),
                "0.01",
                "1",
                "local-cluster[1,1,1024]",
                "6")
            .inheritIO();
    Map<String, String> environment = run.environment();
    environment.clear();
    environment.put("PATH", "/usr/bin:/bin");
    environment.put("ARAGONITE_CACHE", cache.toString());
    Process process = run.start();
    // Where executors do not start Spark tries again for ever.
    if (!process.waitFor(10, TimeUnit.MINUTES) || process.exitValue() != 0) {
      process.destroyForcibly();
      throw new IllegalStateException("the bundle does not run");
    }
    Bundle.delete(top.resolve("spark-home"));
  }
}
