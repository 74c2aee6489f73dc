import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.Stream;

/**
 * Checks or applies google-java-format over the whole tree: {@code java -cp <jars>
 * build/Format.java check|apply}, run in the root.
 *
 * <p>It runs on JDK 25, because google-java-format parses with the JDK that it runs on, and Maven's
 * own may be too old for this project's sources (docs/adr/0001-formatting.md). Digests of files
 * that are known to be formatted are kept in target/, so that only changed files cost time.
 */
public final class Format {
  private static final Path CACHE = Path.of("target", "formatted.txt");
  private static final List<String> ROOTS =
      List.of(
          "build",
          "gpu-exec/src",
          "dataset/src",
          "tpch/src",
          "tpcds/src",
          "rules/src",
          "adapter/src",
          "sql-tests/src",
          "docs/src");

  private Format() {}

  public static void main(String[] args) throws IOException {
    boolean apply = args.length == 1 && args[0].equals("apply");
    if (!apply && !(args.length == 1 && args[0].equals("check"))) {
      System.err.println("usage: Format check|apply");
      System.exit(2);
    }
    Set<String> known =
        Files.exists(CACHE) ? Set.copyOf(Files.readAllLines(CACHE)) : Set.<String>of();
    Set<String> good = new ConcurrentSkipListSet<>();
    Set<String> bad = new ConcurrentSkipListSet<>();
    List<Path> files =
        ROOTS.stream().map(Path::of).filter(Files::isDirectory).flatMap(Format::sources).toList();
    files.parallelStream().forEach(file -> format(file, apply, known, good, bad));
    Files.createDirectories(CACHE.getParent());
    Files.write(CACHE, new TreeSet<>(good));
    if (!bad.isEmpty()) {
      bad.forEach(System.err::println);
      System.err.println(
          bad.size() + " file(s) not formatted; fix them all with: mvn -N -P format validate");
      System.exit(1);
    }
  }

  private static Stream<Path> sources(Path root) {
    try (Stream<Path> walk = Files.walk(root)) {
      return walk.filter(file -> file.toString().endsWith(".java")).toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void format(
      Path file, boolean apply, Set<String> known, Set<String> good, Set<String> bad) {
    try {
      String source = Files.readString(file);
      String digest = digest(source);
      if (known.contains(digest)) {
        good.add(digest);
        return;
      }
      String formatted = new Formatter().formatSourceAndFixImports(source);
      if (formatted.equals(source)) {
        good.add(digest);
      } else if (apply) {
        Files.writeString(file, formatted);
        good.add(digest(formatted));
      } else {
        bad.add(file + ": not formatted");
      }
    } catch (FormatterException e) {
      bad.add(file + ": " + e.getMessage());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String digest(String source) {
    try {
      byte[] bytes = source.getBytes(StandardCharsets.UTF_8);
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}
