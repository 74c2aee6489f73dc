import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Checks which packages a source file may name; run in the root: {@code java build/Layers.java}.
 * The enforcer rules in the modules' poms check the same direction for whole artifacts.
 */
public final class Layers {
  private static final String CUDA = "gpu-exec/src/main/java/io/aragonite/exec/device/cuda/";
  private static final String CUDA_TEST = "gpu-exec/src/test/java/io/aragonite/exec/device/cuda/";

  private static final String MEM = "gpu-exec/src/main/java/io/aragonite/exec/memory/Mem.java";

  private static final List<Rule> RULES =
      List.of(
          new Rule(
              "only io.aragonite.exec.device.cuda knows JCuda",
              file -> !file.startsWith(CUDA) && !file.startsWith(CUDA_TEST),
              "jcuda\\."),
          new Rule(
              "gpu-exec stands alone",
              file -> file.startsWith("gpu-exec/"),
              "org\\.apache\\.calcite|io\\.aragonite\\.(?!exec\\b)"),
          new Rule(
              "tpch stands alone",
              file -> file.startsWith("tpch/"),
              "org\\.apache\\.calcite|io\\.aragonite\\.(?!tpch\\b)"),
          new Rule(
              "rules knows nothing above it",
              file -> file.startsWith("rules/"),
              "io\\.aragonite\\.(adapter|sqltests)\\b"),
          new Rule(
              "only tests of rules know TPC-H",
              file -> file.startsWith("rules/src/main/"),
              "io\\.aragonite\\.tpch\\b"),
          new Rule(
              "the product does not depend on its tests",
              file -> !file.startsWith("sql-tests/"),
              "io\\.aragonite\\.sqltests\\b"),
          new Rule(
              "sql-tests goes through JDBC",
              file -> file.startsWith("sql-tests/"),
              "io\\.aragonite\\.(exec|rules)\\b"),
          new Rule(
              "only Mem uses Unsafe (docs/adr/0003-unsafe.md)",
              file -> !file.equals(MEM),
              "sun\\.misc\\.Unsafe"));

  private record Rule(String why, Predicate<String> files, Pattern banned) {
    Rule(String why, Predicate<String> files, String banned) {
      this(why, files, Pattern.compile("^import (static )?(" + banned + ").*"));
    }
  }

  private Layers() {}

  public static void main(String[] args) throws IOException {
    List<String> errors = new ArrayList<>();
    for (String module : List.of("gpu-exec", "tpch", "rules", "adapter", "sql-tests", "docs")) {
      Path sources = Path.of(module, "src");
      if (!Files.isDirectory(sources)) {
        continue;
      }
      try (Stream<Path> walk = Files.walk(sources)) {
        for (Path file : walk.filter(f -> f.toString().endsWith(".java")).toList()) {
          check(file, errors);
        }
      }
    }
    if (!errors.isEmpty()) {
      errors.forEach(System.err::println);
      System.exit(1);
    }
  }

  private static void check(Path file, List<String> errors) throws IOException {
    String name = file.toString().replace('\\', '/');
    List<Rule> rules = RULES.stream().filter(rule -> rule.files().test(name)).toList();
    List<String> lines = Files.readAllLines(file);
    for (int i = 0; i < lines.size(); i++) {
      for (Rule rule : rules) {
        if (rule.banned().matcher(lines.get(i)).matches()) {
          errors.add(name + ":" + (i + 1) + ": " + lines.get(i) + "  (" + rule.why() + ")");
        }
      }
    }
  }
}
