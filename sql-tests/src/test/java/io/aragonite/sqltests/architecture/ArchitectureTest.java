package io.aragonite.sqltests.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The structure of the code, tests included: modules and packages point down only, no two classes
 * share a simple name (private nested ones aside), methods are short. What breaks a rule today is a
 * {@link Baseline}.
 */
class ArchitectureTest {
  private static final Path ROOT = Path.of("..");
  private static final List<String> MODULES =
      List.of(
          "gpu-exec",
          "dataset",
          "tpch",
          "tpcds",
          "rules",
          "adapter",
          "flight",
          "spark",
          "jdbc",
          "client",
          "bench",
          "sql-tests");
  private static final int LONGEST_METHOD = 60;

  private static JavaClasses classes;

  /** Without tests. */
  private static JavaClasses product;

  @BeforeAll
  static void readClasses() {
    assumeTrue(
        Files.isDirectory(ROOT.resolve("gpu-exec/target/classes")),
        "the structure is that of a checkout; this is none");
    // The rules ask for names alone of what is not ours, and that is dear to read.
    ArchConfiguration.get().setResolveMissingDependenciesFromClassPath(false);
    classes = read();
    product =
        classes.that(
            describe(
                "are no tests",
                type ->
                    !type.getSource().orElseThrow().getUri().getPath().contains("/test-classes/")));
    assertTrue(product.size() > 1000, product.size() + " classes found");
  }

  private static JavaClasses read() {
    List<Path> folders = new ArrayList<>();
    for (String module : MODULES) {
      for (String kind : List.of("classes", "test-classes")) {
        folders.add(ROOT.resolve(module).resolve("target").resolve(kind));
      }
    }
    folders.removeIf(folder -> !Files.isDirectory(folder));
    return new ClassFileImporter().importPaths(folders);
  }

  @Test
  void onlyTheCudaDeviceKnowsJCuda() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.aragonite.exec.device.cuda..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("jcuda..")
        .check(classes);
  }

  @Test
  void gpuExecStandsAlone() {
    noClasses()
        .that()
        .resideInAPackage("io.aragonite.exec..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "org.apache.calcite..",
            "io.aragonite.rules..",
            "io.aragonite.adapter..",
            "io.aragonite.dataset..",
            "io.aragonite.tpch..",
            "io.aragonite.tpcds..",
            "io.aragonite.spark..",
            "org.apache.spark..")
        .check(classes);
  }

  @Test
  void dataAndQueriesOfBenchmarksStandAlone() {
    noClasses()
        .that()
        .resideInAnyPackage("io.aragonite.dataset..", "io.aragonite.tpch..", "io.aragonite.tpcds..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "org.apache.calcite..",
            "io.aragonite.exec..",
            "io.aragonite.rules..",
            "io.aragonite.adapter..")
        .check(classes);
  }

  @Test
  void rulesKnowsNothingAboveIt() {
    noClasses()
        .that()
        .resideInAPackage("io.aragonite.rules..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.aragonite.adapter..", "io.aragonite.sqltests..")
        .check(classes);
  }

  @Test
  void sparkStandsOnGpuExecAndReadersOfFiles() {
    assumeTrue(
        product.stream().anyMatch(type -> type.getPackageName().startsWith("io.aragonite.spark")),
        "module spark is not compiled, which a build of the SQL tests alone leaves out");
    noClasses()
        .that()
        .resideInAPackage("io.aragonite.spark..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "org.apache.calcite..",
            "io.aragonite.rules..",
            "io.aragonite.dataset..",
            "io.aragonite.tpch..")
        .check(product);
    noClasses()
        .that()
        .resideInAPackage("io.aragonite.spark..")
        .should()
        .dependOnClassesThat(
            resideInAPackage("io.aragonite.adapter..")
                .and(not(resideInAPackage("io.aragonite.adapter.format.."))))
        .check(product);
  }

  @Test
  void theProductHoldsNoBenchmark() {
    noClasses()
        .that()
        .resideInAnyPackage(
            "io.aragonite.exec..",
            "io.aragonite.rules..",
            "io.aragonite.adapter..",
            "io.aragonite.spark..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.aragonite.bench..")
        .check(classes);
  }

  @Test
  void sqlTestsGoesThroughJdbc() {
    noClasses()
        .that()
        .resideInAPackage("io.aragonite.sqltests..")
        // what Arrow's readers throw is ours, leaks are found by the engine's own check, and faults
        // are made inside it
        .and()
        .resideOutsideOfPackages(
            "io.aragonite.sqltests.closing..", "io.aragonite.sqltests.faults..")
        .should()
        .dependOnClassesThat(
            resideInAnyPackage("io.aragonite.exec..", "io.aragonite.rules..")
                // seeds and samples, which know nothing of the engine
                .and(not(resideInAPackage("io.aragonite.exec.testing"))))
        .check(classes);
  }

  @Test
  void onlyMemUsesUnsafe() {
    noClasses()
        .that()
        .doNotHaveFullyQualifiedName("io.aragonite.exec.memory.Mem")
        .should()
        .dependOnClassesThat()
        .haveFullyQualifiedName("sun.misc.Unsafe")
        .because("of docs/adr/0003-unsafe.md")
        .check(classes);
  }

  /** By the text, since the names of properties are constants, which class files do not tell of. */
  @Test
  void onlySettingsReadSystemPropertiesOfOurs() throws IOException {
    Pattern reads = Pattern.compile("System\\.getProperty|\\.get(Integer|Long|Boolean)\\(\"");
    List<String> wrong = new ArrayList<>();
    for (Path source : sources(List.of("gpu-exec", "rules", "adapter"), List.of("src/main/java"))) {
      String path = source.toString().replace('\\', '/');
      String text = Files.readString(source);
      boolean may = path.contains("/exec/settings/") || path.endsWith("/adapter/cli/Main.java");
      if (text.contains("aragonite.test") || !may && names(text) && reads.matcher(text).find()) {
        wrong.add(path);
      }
    }
    assertEquals(List.of(), wrong, "System properties are read by io.aragonite.exec.settings.");
    noClasses()
        .that()
        .resideInAnyPackage("io.aragonite.exec..", "io.aragonite.rules..", "io.aragonite.adapter..")
        .should()
        .callMethod(Integer.class, "getInteger", String.class, int.class)
        .orShould()
        .callMethod(Integer.class, "getInteger", String.class)
        .orShould()
        .callMethod(Long.class, "getLong", String.class, long.class)
        .orShould()
        .callMethod(Boolean.class, "getBoolean", String.class)
        .check(product);
  }

  private static boolean names(String text) {
    return text.contains("\"aragonite.");
  }

  @Test
  void packagesHaveNoCycles() {
    assertEquals(
        Set.of(),
        PackageGraph.of(product, "io.aragonite.").edgesInCycles(),
        "No package takes part in an import cycle.");
  }

  @Test
  void testsCloseNoCycles() throws IOException {
    SortedSet<String> edges = PackageGraph.of(classes, "io.aragonite.").edgesInCycles();
    edges.removeAll(PackageGraph.of(product, "io.aragonite.").edges());
    new Baseline("cycles.txt").check("No test closes an import cycle of packages.", edges);
  }

  @Test
  void simpleNamesAreUnique() throws IOException {
    SortedMap<String, SortedSet<String>> owners = new TreeMap<>();
    for (JavaClass type : classes) {
      String name = type.getSimpleName();
      boolean hidden = type.getModifiers().contains(JavaModifier.PRIVATE);
      if (!hidden && !name.isEmpty() && !name.equals("package-info")) {
        owners.computeIfAbsent(name, key -> new TreeSet<>()).add(type.getName());
      }
    }
    SortedSet<String> shared = new TreeSet<>();
    owners.forEach((name, types) -> {
      if (types.size() > 1) {
        types.forEach(type -> shared.add(name + ": " + type));
      }
    });
    new Baseline("shared-names.txt").check("No two classes share a simple name.", shared);
  }

  @Test
  void methodsAreShort() throws IOException {
    new Baseline("long-methods.txt")
        .check(
            "A method has at most %d lines.".formatted(LONGEST_METHOD),
            MethodLengths.longerThan(
                LONGEST_METHOD, sources(MODULES, List.of("src/main/java", "src/test/java"))));
  }

  private static List<Path> sources(List<String> modules, List<String> parts) throws IOException {
    List<Path> sources = new ArrayList<>();
    for (String module : modules) {
      for (String part : parts) {
        Path folder = ROOT.resolve(module).resolve(part);
        if (Files.isDirectory(folder)) {
          try (Stream<Path> files = Files.walk(folder)) {
            files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
          }
        }
      }
    }
    return sources;
  }
}
