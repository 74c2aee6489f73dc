import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Packs the portable bundle: the launcher, the driver's jar with the kernels in it, the jar of the
 * Flight server, and a Java runtime cut down to what it needs. Runs on any Linux x86-64; a GPU
 * wants its driver and nothing else.
 *
 * <p>{@code java build/Bundle.java ROOT JAR OUT.tar.xz [CLASSPATH]}: with a class path, those of
 * its folders and jars that the driver's jar does not hold come along as {@code tests/}, so that
 * tests run on a machine without Java ({@code build/bundle-tests} starts them).
 */
public final class Bundle {
  /** What the product uses; {@code jdk.unsupported} is Unsafe (docs/adr/0003-unsafe.md). */
  private static final String MODULES =
      String.join(
          ",",
          "java.base",
          "java.sql",
          "java.logging",
          "java.naming",
          "java.management",
          "jdk.management",
          "jdk.unsupported",
          "java.net.http",
          "java.xml",
          "java.compiler",
          "java.scripting", // sqlline asks for its engines
          "java.security.jgss",
          "jdk.httpserver",
          "jdk.crypto.ec",
          "jdk.zipfs");

  /** Native libraries that a bundle for Linux x86-64 has no use for. */
  private static final Pattern ELSEWHERE =
      Pattern.compile(
          "org/fusesource/jansi/internal/native/.*"
              + "|com/sun/jna/(?!linux-x86-64/).*/.*"
              + "|.*_(macos|windows|linux)_.*(?<!linux_amd64)"
              + "|org/xerial/snappy/native/(?!Linux/x86_64/).*/.*"
              + "|(aix|darwin|freebsd|win)/.*|linux/(?!amd64/).*" // zstd-jni
              + "|net/jpountz/util/(?!linux/amd64/).*/.*"
              + "|META-INF/native/(?!linux64/)[a-z0-9]+/.*"); // leveldbjni

  private Bundle() {}

  public static void main(String[] args) throws Exception {
    Path root = Path.of(args[0]).toAbsolutePath();
    Path jar = Path.of(args[1]).toAbsolutePath();
    Path out = Path.of(args[2]).toAbsolutePath();
    mustBeLinux();
    Path work = Files.createTempDirectory("aragonite-bundle");
    try {
      Path top = Files.createDirectories(work.resolve("aragonite"));
      runtime(MODULES, top.resolve("jre"));
      Files.createDirectories(top.resolve("lib"));
      store(jar, top.resolve("lib/aragonite-jdbc.jar"));
      Path flight = root.resolve("flight/target/aragonite-flight.jar");
      if (Files.exists(flight)) { // bundles of tests are made without it
        store(flight, top.resolve("lib/aragonite-flight.jar"));
      }
      for (String name : List.of("aragonite", "LICENSE", "NOTICE", "README.md")) {
        Files.copy(root.resolve(name), top.resolve(name), StandardCopyOption.COPY_ATTRIBUTES);
      }
      Files.setPosixFilePermissions(
          top.resolve("aragonite"), PosixFilePermissions.fromString("rwxr-xr-x"));
      runAll(top);
      if (args.length > 3) {
        tests(args[3], jar, top.resolve("tests"));
        Files.copy(root.resolve("build/bundle-tests"), top.resolve("bundle-tests"));
        Files.setPosixFilePermissions(
            top.resolve("bundle-tests"), PosixFilePermissions.fromString("rwxr-xr-x"));
      }
      Files.createDirectories(out.getParent());
      pack(work, top.getFileName().toString(), out, "-9e");
    } finally {
      delete(work);
    }
    System.out.printf("%s %.1f MB%n", root.relativize(out), Files.size(out) / 1e6);
  }

  static void mustBeLinux() {
    String os = System.getProperty("os.name") + " " + System.getProperty("os.arch");
    if (!os.equals("Linux amd64")) {
      throw new IllegalStateException(
          "The bundle is for Linux x86-64 and is made there, not on " + os);
    }
  }

  /** Runs a bit of every command, which fails where the runtime lacks a module. */
  private static void runAll(Path top) throws IOException, InterruptedException {
    Process all =
        new ProcessBuilder(
                top.resolve("jre/bin/java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-Daragonite.statistics=off",
                "-cp",
                top.resolve("lib/aragonite-jdbc.jar").toString(),
                "io.aragonite.adapter.cli.Main",
                "train")
            .inheritIO()
            .start();
    if (all.waitFor() != 0) {
      throw new IllegalStateException("the bundle's runtime does not run every command");
    }
  }

  static void runtime(String modules, Path jre) {
    // Uncompressed: xz packs classes better than jlink does.
    int rc =
        ToolProvider.findFirst("jlink")
            .orElseThrow(() -> new IllegalStateException("this JDK has no jlink"))
            .run(
                new PrintWriter(System.out, true),
                new PrintWriter(System.err, true),
                "--add-modules",
                modules,
                "--strip-debug",
                "--no-header-files",
                "--no-man-pages",
                "--compress",
                "zip-0",
                "--vm",
                "server",
                "--output",
                jre.toString());
    if (rc != 0) {
      throw new IllegalStateException("jlink failed");
    }
  }

  /** Copies a jar without compressing its entries, which are compressed once, with all the rest. */
  static void store(Path jar, Path out) throws IOException {
    try (ZipFile in = new ZipFile(jar.toFile());
        ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(out))) {
      zip.setMethod(ZipOutputStream.STORED);
      Set<String> seen = new HashSet<>();
      List<? extends ZipEntry> entries =
          in.stream()
              // Folders too: tests are found by them. Some jars have one twice.
              .filter(entry -> !ELSEWHERE.matcher(entry.getName()).matches())
              .filter(entry -> seen.add(entry.getName()))
              .sorted(
                  Comparator.comparing((ZipEntry entry) -> !entry.getName().startsWith("META-INF/"))
                      .thenComparing(ZipEntry::getName))
              .toList();
      for (ZipEntry entry : entries) {
        byte[] bytes = in.getInputStream(entry).readAllBytes();
        CRC32 crc = new CRC32();
        crc.update(bytes);
        ZipEntry stored = new ZipEntry(entry.getName());
        stored.setTime(0);
        stored.setSize(bytes.length);
        stored.setCrc(crc.getValue());
        zip.putNextEntry(stored);
        zip.write(bytes);
      }
    }
  }

  private static void tests(String classPath, Path jar, Path out) throws IOException {
    Files.createDirectories(out);
    try (ZipFile known = new ZipFile(jar.toFile())) {
      int number = 0;
      for (String element : classPath.split(File.pathSeparator)) {
        Path path = Path.of(element);
        if (Files.isDirectory(path)) {
          copy(path, out.resolve("classes-" + number++));
        } else if (Files.exists(path) && !isLeftOut(path) && !holds(known, path)) {
          store(path, out.resolve(path.getFileName()));
        }
      }
    }
  }

  /** The scripts of sqllogictest are larger than all the rest; their test is skipped then. */
  private static boolean isLeftOut(Path jar) {
    return jar.getFileName().toString().startsWith("sql-logic-test-");
  }

  /** Whether the first class of a jar is in the driver's jar. */
  private static boolean holds(ZipFile known, Path jar) throws IOException {
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      return zip.stream()
          .map(ZipEntry::getName)
          .filter(name ->
              name.endsWith(".class") && !name.contains("-info") && !name.startsWith("META-INF"))
          .findFirst()
          .map(name -> known.getEntry(name) != null)
          .orElse(false);
    }
  }

  static void pack(Path work, String folder, Path out, String effort)
      throws IOException, InterruptedException {
    ProcessBuilder tar =
        new ProcessBuilder(
            "tar", "--sort=name", "--owner=0", "--group=0", "-cJf", out.toString(), folder);
    tar.directory(work.toFile()).inheritIO().environment().put("XZ_OPT", effort + " -T1");
    if (tar.start().waitFor() != 0) {
      throw new IOException("tar could not write " + out);
    }
  }

  static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> tree = Files.walk(from)) {
      for (Path path : (Iterable<Path>) tree::iterator) {
        Path target = to.resolve(from.relativize(path).toString());
        if (Files.isDirectory(path)) {
          Files.createDirectories(target);
        } else {
          Files.createDirectories(target.getParent());
          Files.copy(path, target);
        }
      }
    }
  }

  static void delete(Path tree) throws IOException {
    try (Stream<Path> paths = Files.walk(tree)) {
      paths
          .sorted(Comparator.reverseOrder())
          .forEach(path -> {
            try {
              Files.delete(path);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    }
  }
}
