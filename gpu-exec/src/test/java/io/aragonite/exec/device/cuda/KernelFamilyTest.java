package io.aragonite.exec.device.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The kernels that the device knows are those that there are, and all are launched. */
class KernelFamilyTest {
  /** Written by build/Kernels.java, where there is an nvcc. */
  private static final Path ENTRIES = Path.of("target/kernels");

  private static final Path CUDA = Path.of("src/main/cuda/kernels");
  private static final Path JAVA = Path.of("src/main/java/io/aragonite/exec/device/cuda");

  private static final Pattern INCLUDE = Pattern.compile("#include \"(\\w+)/\\w+\\.cuh\"");

  /** A literal that begins as a kernel's name; something follows it: a width, layout or form. */
  private static final Pattern LITERAL = Pattern.compile("\"(ara_[a-z0-9_]+)\"");

  /** What launches append: bytes and numbers of sides, layouts of tables, functions and forms. */
  private static final String SUFFIX =
      "_?((\\d+|n|direct|packed(32)?|ordered|wide|large|fill|fetch|bounded"
          + "|count|sum[123d]|max|x?or|all|few|block|many)(_|$))*";

  @Test
  void eachFamilyIsAFile() throws IOException {
    Set<String> families =
        Stream.of(KernelFamily.values())
            .map(KernelFamily::fileName)
            .collect(Collectors.toCollection(TreeSet::new));
    try (Stream<Path> files = Files.list(CUDA)) {
      assertEquals(
          files
              .map(file -> file.getFileName().toString().replaceAll("\\.cu$", ""))
              .collect(Collectors.toCollection(TreeSet::new)),
          families);
    }
  }

  /** As in docs/design/cuda.md. */
  @Test
  void headersAreOfTheSameFolderOrLower() throws IOException {
    List<String> folders = List.of("thread", "warp", "block", "agent", "kernels");
    Set<String> upwards = new TreeSet<>();
    try (Stream<Path> files = Files.walk(CUDA.getParent())) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        int own = folders.indexOf(file.getParent().getFileName().toString());
        Matcher include = INCLUDE.matcher(Files.readString(file));
        while (include.find()) {
          int other = folders.indexOf(include.group(1));
          if (own < 0 || other < 0 || other > own || other == folders.size() - 1) {
            upwards.add(file.getFileName() + " -> " + include.group());
          }
        }
      }
    }
    assertEquals(Set.of(), upwards);
  }

  @Test
  void familiesListWhatIsCompiled() throws IOException {
    assumeTrue(Files.exists(ENTRIES.resolve("fill.entries")), "built without nvcc");
    TreeMap<String, Set<String>> compiled = new TreeMap<>();
    TreeMap<String, Set<String>> listed = new TreeMap<>();
    for (KernelFamily family : KernelFamily.values()) {
      listed.put(family.fileName(), new TreeSet<>(family.kernels()));
      List<String> entries = Files.readAllLines(ENTRIES.resolve(family.fileName() + ".entries"));
      compiled.put(family.fileName(), new TreeSet<>(entries));
    }
    assertEquals(compiled, listed);
  }

  @Test
  void noKernelIsOfTwoFamilies() {
    Set<String> seen = new HashSet<>();
    Set<String> twice = new TreeSet<>();
    for (KernelFamily family : KernelFamily.values()) {
      family.kernels().stream().filter(kernel -> !seen.add(kernel)).forEach(twice::add);
    }
    assertEquals(Set.of(), twice);
  }

  /** A kernel that is named nowhere is dead: launches name kernels but for such suffixes. */
  @Test
  void eachKernelIsLaunched() throws IOException {
    Set<String> left = new TreeSet<>();
    Stream.of(KernelFamily.values()).forEach(family -> left.addAll(family.kernels()));
    try (Stream<Path> files = Files.list(JAVA)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
        if (!file.endsWith(KernelFamily.class.getSimpleName() + ".java")) {
          Matcher literal = LITERAL.matcher(Files.readString(file));
          while (literal.find()) {
            String name = literal.group(1);
            left.removeIf(kernel -> kernel.matches(name + SUFFIX));
          }
        }
      }
    }
    assertEquals(Set.of(), left, "kernels that are not launched");
  }
}
