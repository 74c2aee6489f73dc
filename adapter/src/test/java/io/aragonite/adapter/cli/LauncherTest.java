package io.aragonite.adapter.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the script {@code aragonite} gives the JVM: it runs in the layout of a bundle, with a Java
 * that prints its arguments, and that leaves them in a file where an AOT cache is asked for, with
 * the directives that its compilers were given.
 */
class LauncherTest {
  private static final String JAVA =
      """
      #!/usr/bin/env bash
      for argument in "$@"; do
        echo "$argument"
        case $argument in
          -XX:CompilerDirectivesFile=*) directives=$(<"${argument#*=}") ;;
          -XX:AOTCacheOutput=*) echo "$@" "${directives:-}" >"${argument#*=}" ;;
        esac
      done
      """;

  @TempDir private Path folder;
  private Path jar = Path.of("");

  /** Variables; those of an empty text are not set. */
  private final Map<String, String> environment = new HashMap<>();

  @BeforeEach
  void bundle() throws IOException {
    Path script = folder.resolve("aragonite");
    Files.copy(Path.of("..", "aragonite"), script, StandardCopyOption.COPY_ATTRIBUTES);
    Path java = Files.createDirectories(folder.resolve("jre/bin")).resolve("java");
    Files.writeString(java, JAVA);
    Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
    jar = Files.createDirectories(folder.resolve("lib")).resolve("aragonite-jdbc.jar");
    Files.writeString(jar, "jar");
    Files.setLastModifiedTime(jar, FileTime.from(Instant.now().minusSeconds(60)));
    environment.put("ARAGONITE_CACHE", folder.resolve("cache").toString());
  }

  private List<String> run(String... arguments) throws IOException, InterruptedException {
    Process process = start(arguments);
    List<String> lines = process.inputReader().lines().toList();
    assertEquals(0, process.waitFor(), lines.toString());
    return lines;
  }

  /** What the launcher says as it fails. */
  private String failing(String... arguments) throws IOException, InterruptedException {
    Process process = start(arguments);
    String lines = process.inputReader().readAllAsString();
    assertEquals(1, process.waitFor(), lines);
    return lines;
  }

  private Process start(String... arguments) throws IOException {
    List<String> line = new ArrayList<>(List.of(folder.resolve("aragonite").toString()));
    line.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(line).redirectErrorStream(true);
    builder.environment().keySet().removeIf(name -> name.startsWith("ARAGONITE_"));
    builder.environment().remove("JAVA_TOOL_OPTIONS");
    builder.environment().remove("JDK_JAVA_OPTIONS");
    builder.environment().putAll(environment);
    environment.forEach((name, value) -> {
      if (value.isEmpty()) {
        builder.environment().remove(name);
      }
    });
    return builder.start();
  }

  private static boolean has(List<String> lines, String prefix) {
    return lines.stream().anyMatch(line -> line.startsWith(prefix));
  }

  @Test
  void theFirstRunHasACacheMadeAndLaterOnesStartFromIt() throws Exception {
    List<String> first = run("sql", "select 1");
    assertTrue(has(first, "-Daragonite.train="), first.toString());
    assertFalse(has(first, "-XX:AOTCache"), first.toString());
    assertEquals(List.of("sql", "select 1"), first.subList(first.size() - 2, first.size()));
    run("train");
    for (String command : List.of("sql", "shell", "serve", "tpch", "doctor", "calibrate")) {
      List<String> later = run(command);
      assertTrue(has(later, "-XX:AOTCache="), later.toString());
      assertFalse(has(later, "-Daragonite.train"), later.toString());
      assertTrue(later.contains("-Xlog:aot*=off:stderr"), later.toString());
    }
    try (Stream<Path> left = Files.list(folder.resolve("cache"))) {
      assertEquals(1, left.count());
    }
  }

  @Test
  void manyProcessorsCompileByWhatTheTrainingRunLearned() throws Exception {
    processors(2);
    assertFalse(has(run("tpch"), "-XX:CompileThresholdScaling"));
    run("train");
    assertTrue(cache().contains("c2:{Exclude:true}"), cache());
    assertTrue(cache().contains("--seconds=0"), cache());
    Files.writeString(jar, "another jar"); // whose cache is another one
    Files.setLastModifiedTime(jar, FileTime.from(Instant.now().minusSeconds(60)));
    processors(16);
    assertTrue(has(run("tpch"), "-XX:CompileThresholdScaling=0.1"));
    assertFalse(has(run("sql", "select 1"), "-XX:CompileThresholdScaling"));
    run("train");
    assertFalse(cache().contains("Exclude"), cache());
    assertFalse(cache().contains("-XX:Tier"), cache());
    assertTrue(cache().contains("--seconds=15"), cache());
    assertFalse(has(run("tpch"), "-XX:CompileThresholdScaling"));
  }

  @Test
  void theLoopsThatTheTrainingRunProfilesAreThere() throws Exception {
    processors(2);
    run("train");
    List<String> loops =
        Pattern.compile("\"(io/[^\"]+)\"").matcher(cache()).results().map(r -> r.group(1)).toList();
    assertFalse(loops.isEmpty(), cache());
    for (String loop : loops) {
      if (loop.endsWith("/*.*")) {
        String folder = loop.substring(0, loop.length() - "*.*".length());
        assertNotNull(LauncherTest.class.getClassLoader().getResource(folder), loop);
        continue;
      }
      String[] names = loop.replace('/', '.').split("\\.(?=[^.]+$)", -1);
      Class<?> type = Class.forName(names[0], false, LauncherTest.class.getClassLoader());
      boolean known =
          Stream.of(type.getDeclaredMethods())
              .anyMatch(method -> names[1].equals("*") || method.getName().equals(names[1]));
      assertTrue(known, loop);
    }
  }

  /** Makes the launcher find so many processors. */
  private void processors(int count) throws IOException {
    Path nproc = Files.createDirectories(folder.resolve("bin")).resolve("nproc");
    Files.writeString(nproc, "#!/bin/sh\necho " + count + "\n");
    Files.setPosixFilePermissions(nproc, PosixFilePermissions.fromString("rwxr-xr-x"));
    environment.put("PATH", nproc.getParent() + File.pathSeparator + System.getenv("PATH"));
  }

  /** What the one AOT cache was made with. */
  private String cache() throws IOException {
    try (Stream<Path> left = Files.list(folder.resolve("cache"))) {
      return Files.readString(left.findFirst().orElseThrow());
    }
  }

  @Test
  void sparkIsAScriptOfItsOwn() throws Exception {
    String missing = failing("spark");
    assertTrue(missing.contains("docs/spark.md"), missing);
    Path benchmark = Files.createDirectories(folder.resolve("build")).resolve("spark-benchmark");
    Files.writeString(benchmark, "#!/bin/sh\necho \"in Spark: $*\"\n");
    Files.setPosixFilePermissions(benchmark, PosixFilePermissions.fromString("rwxr-xr-x"));
    assertEquals(List.of("in Spark: tpch 1 3"), run("spark", "1", "3"));
    assertEquals(List.of("in Spark: tpcds 0.01"), run("spark", "tpcds", "0.01"));
  }

  @Test
  void aCacheOfAnOlderJarIsMadeAnew() throws Exception {
    run("train");
    Files.setLastModifiedTime(jar, FileTime.from(Instant.now().plusSeconds(60)));
    List<String> run = run("sql", "select 1");
    assertFalse(has(run, "-XX:AOTCache"), run.toString());
    assertTrue(has(run, "-Daragonite.train="), run.toString());
  }

  @Test
  void aCacheOfAnotherJarIsNotTakenThoughTheJarIsOlder() throws Exception {
    run("train");
    Files.writeString(jar, "another jar");
    Files.setLastModifiedTime(jar, FileTime.from(Instant.now().minusSeconds(3600)));
    List<String> run = run("sql", "select 1");
    assertFalse(has(run, "-XX:AOTCache"), run.toString());
    run("train");
    assertTrue(has(run("sql"), "-XX:AOTCache="));
    try (Stream<Path> left = Files.list(folder.resolve("cache"))) {
      assertEquals(1, left.count(), "the cache of the jar that went is left");
    }
  }

  @Test
  void aLinkToTheJarLeavesItsCache() throws Exception {
    run("train");
    Files.createLink(folder.resolve("copy.jar"), jar);
    assertTrue(has(run("sql"), "-XX:AOTCache="));
  }

  @Test
  void aTrainingThatFailedIsNotTriedByEachCommand() throws Exception {
    Path java = folder.resolve("jre/bin/java");
    Files.writeString(java, JAVA + "[[ \"$*\" != *AOTCacheOutput* ]] || exit 1\n");
    assertTrue(has(run("sql"), "-Daragonite.train="));
    failing("train");
    assertFalse(has(run("sql"), "-Daragonite.train="));
    Path mark;
    try (Stream<Path> left = Files.list(folder.resolve("cache"))) {
      mark = left.findFirst().orElseThrow();
    }
    assertTrue(mark.toString().endsWith(".failed"), mark.toString());
    FileTime recent = Files.getLastModifiedTime(mark);
    Files.setLastModifiedTime(mark, FileTime.from(Instant.now().minusSeconds(90_000)));
    assertTrue(has(run("sql"), "-Daragonite.train="), "never tried again");
    Files.setLastModifiedTime(mark, recent);
    Files.writeString(jar, "another jar");
    assertTrue(has(run("sql"), "-Daragonite.train="), "never tried with another jar");
    Files.writeString(java, JAVA);
    run("train");
    assertFalse(Files.exists(mark));
    assertTrue(has(run("sql"), "-XX:AOTCache="));
  }

  @Test
  void withoutAFolderOfTheUsersThereIsNoCache() throws Exception {
    environment.putAll(Map.of("ARAGONITE_CACHE", "", "XDG_CACHE_HOME", "", "HOME", ""));
    List<String> run = run("sql", "select 1");
    assertFalse(has(run, "-XX:AOT") || has(run, "-Daragonite.train"), run.toString());
    environment.put("HOME", folder.resolve("home").toString());
    assertTrue(has(run("sql"), "-Daragonite.train="));
    assertTrue(Files.isDirectory(folder.resolve("home/.cache/aragonite")));
  }

  @Test
  void javaIsLookedForWithoutAHome() throws Exception {
    Files.delete(folder.resolve("jre/bin/java"));
    Path bin = Files.createDirectories(folder.resolve("bin"));
    Files.createSymbolicLink(bin.resolve("bash"), Path.of("/bin/bash"));
    for (String name : List.of("HOME", "JAVA_HOME", "JAVA25_HOME")) {
      environment.put(name, "");
    }
    environment.put("PATH", bin.toString());
    // Where this machine keeps a JDK for all users, the jar is what is missing.
    String said = failing("--version");
    assertTrue(said.matches("aragonite: (no JDK|nothing is built)[\\s\\S]*"), said);
    environment.put("HOME", Files.createDirectory(folder.resolve("a home")).toString());
    Path jdk = Files.createDirectories(folder.resolve("a home/.jdks/one"));
    Files.createSymbolicLink(jdk.resolve("bin"), Path.of(System.getProperty("java.home"), "bin"));
    Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"25.0.1\"\n");
    assertTrue(failing("--version").startsWith("aragonite: nothing is built"));
  }

  @Test
  void flagsThatAJavaLacksArePassedOver() throws Exception {
    String passes = "-XX:+IgnoreUnrecognizedVMOptions";
    assertEquals(passes, run("sql").getFirst());
    run("train");
    assertTrue(cache().startsWith(passes), cache());
    environment.put("ARAGONITE_JAVA_OPTS", "-XX:+UseSerialGC");
    assertFalse(has(run("sql"), passes), "what the user gives has to be told of");
  }

  @Test
  void oneAtATimeMakesIt() throws Exception {
    run("train");
    Path cache;
    try (Stream<Path> made = Files.list(folder.resolve("cache"))) {
      cache = made.findFirst().orElseThrow();
    }
    Files.delete(cache);
    String folder = cache.getFileName().toString().replaceFirst("-\\d+$", ".new");
    Path another = Files.createDirectory(cache.resolveSibling(folder));
    run("train");
    assertFalse(Files.exists(cache), "it was made beside another");
    Files.setLastModifiedTime(another, FileTime.from(Instant.now().minusSeconds(3600)));
    run("train");
    assertTrue(Files.exists(cache), "one that was killed holds up all others");
  }

  @Test
  void commandsOfFirstRunsCompileLess() throws Exception {
    for (int count : List.of(2, 15, 16)) {
      processors(count);
      boolean few = count < 16;
      for (String command : List.of("sql", "shell")) {
        List<String> run = run(command);
        assertEquals(few, has(run, "-XX:Tier4InvocationThreshold="), run.toString());
        assertEquals(few, has(run, "-XX:-C1UpdateMethodData"), run.toString());
        assertEquals(few, has(run, "-XX:Tier0ProfileDelayFactor="), run.toString());
        assertEquals(
            few, has(run, "-XX:CompileCommand=BackgroundCompilation,io.aragonite.exec.*::*,false"));
        // one or the other: patterns of thresholds are dear, and one of the former is for all loops
        assertEquals(few, has(run, "-XX:Tier3BackEdgeThreshold="), run.toString());
        assertEquals(!few, has(run, "-XX:CompileCommand=CompileThresholdScaling,"), run.toString());
      }
    }
    processors(2);
    for (String command : List.of("serve", "tpch", "bench")) {
      Files.createDirectories(folder.resolve("tests"));
      Files.writeString(folder.resolve("tests/aragonite-bench.jar"), "jar");
      List<String> run = run(command);
      assertFalse(has(run, "-XX:Tier4"), run.toString());
      assertFalse(has(run, "-XX:-C1UpdateMethodData"), run.toString());
    }
    environment.put("ARAGONITE_JAVA_OPTS", "-XX:Tier4InvocationThreshold=1");
    assertEquals(1, run("sql").stream().filter(line -> line.startsWith("-XX:Tier4")).count());
  }

  @Test
  void theHeapIsOfHugePagesWhereTheSystemHasThem() throws Exception {
    Path enabled = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");
    boolean given = Files.isReadable(enabled) && !Files.readString(enabled).contains("[never]");
    assertEquals(given, has(run("sql"), "-XX:+UseTransparentHugePages"));
    environment.put("ARAGONITE_JAVA_OPTS", "-XX:-UseTransparentHugePages");
    assertFalse(has(run("sql"), "-XX:+UseTransparentHugePages"));
  }

  @Test
  void theCacheIsNotMoved() throws Exception {
    assertFalse(has(run("sql"), "-XX:ArchiveRelocationMode"));
    run("train");
    List<String> run = run("sql");
    int unlocked = run.indexOf("-XX:+UnlockDiagnosticVMOptions");
    assertTrue(unlocked >= 0 && unlocked < run.indexOf("-XX:ArchiveRelocationMode=0"), run + "");
  }

  @Test
  void helpBeginsNothing() throws Exception {
    assertFalse(has(run("sql", "--help"), "-Daragonite.train"));
    assertFalse(has(run("--version"), "-Daragonite.train"));
  }

  @Test
  void whatTheUserSaysOfCachesHolds() throws Exception {
    run("train");
    environment.put("ARAGONITE_JAVA_OPTS", "-XX:AOTCache=mine.aot");
    List<String> run = run("tpch");
    assertEquals(
        List.of("-XX:AOTCache=mine.aot"),
        run.stream().filter(line -> line.startsWith("-XX:AOT")).toList());
    environment.put("ARAGONITE_JAVA_OPTS", "-XX:+UseSerialGC");
    List<String> serial = run("tpch");
    assertTrue(serial.contains("-XX:+UseSerialGC"), serial.toString());
    assertFalse(serial.contains("-XX:+UseParallelGC"), serial.toString());
  }

  @Test
  void otherMainClassesStartFromTheCacheIfTheJarIsFirst() throws Exception {
    run("train");
    environment.put("ARAGONITE_MAIN", "some.Main");
    environment.put("ARAGONITE_CLASS_PATH", jar + ":other.jar");
    assertTrue(has(run("sql"), "-XX:AOTCache="));
    environment.put("ARAGONITE_CLASS_PATH", "other.jar:" + jar);
    List<String> run = run("sql");
    assertFalse(has(run, "-XX:AOTCache="), run.toString());
    assertTrue(run.contains("some.Main"), run.toString());
  }

  @Test
  void benchmarksHaveTheirJarAndTheirPeers() throws Exception {
    Path tests = Files.createDirectories(folder.resolve("tests"));
    for (String name : List.of("aragonite-bench.jar", "duckdb_jdbc-1.jar", "junit.jar")) {
      Files.writeString(tests.resolve(name), "jar");
    }
    List<String> run = run("bench", "cold");
    String expected =
        jar + ":" + tests.resolve("aragonite-bench.jar") + ":" + tests.resolve("duckdb_jdbc-1.jar");
    assertEquals(expected, run.get(run.indexOf("-cp") + 1));
  }
}
