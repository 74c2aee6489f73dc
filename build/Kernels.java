import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Compiles the GPU kernels: {@code java build/Kernels.java SOURCES OUTPUT ARCHITECTURES}, with
 * architectures such as {@code 80,90,100} or {@code none}. Each {@code kernels/x.cu} of the sources
 * becomes a compressed {@code x.fatbin} with code for each architecture and PTX of the oldest;
 * {@code kernels.properties} says what was made with what. Beside the classes, {@code
 * kernels/x.entries} lists the kernels that {@code x.fatbin} has, for a test.
 *
 * <p>A file is compiled when its text, a header of ours that it includes, the compiler or the
 * options have changed; results are kept in the user's cache folder, so that another checkout, or
 * {@code mvn clean}, does not compile again. Without an nvcc (in {@code CUDA_HOME}, {@code
 * CUDA_PATH}, the path, or /usr/local/cuda) it says so in one line and makes nothing.
 */
public final class Kernels {
  private static final Pattern INCLUDE = Pattern.compile("(?m)^\\s*#\\s*include\\s*\"([^\"]+)\"");
  private static final Pattern RELEASE = Pattern.compile("release (\\d+)\\.(\\d+), V([\\d.]+)");

  private static final Pattern ENTRY = Pattern.compile("Compiling entry function '(\\w+)'");

  /** What ptxas says of each kernel when it is asked for their names: registers, memory, time. */
  private static final Pattern PTXAS_NOTE =
      Pattern.compile("ptxas info .*|    \\d+ bytes stack .*");

  /** nvcc takes a processor and some hundred megabytes for each. */
  private static final int PARALLEL = 2;

  private final Path sources;
  private final Path output;
  private final Path cache;
  private final Path nvcc;
  private final String release;
  private final List<String> options;

  private Kernels(
      Path sources, Path output, Path nvcc, String release, List<String> architectures) {
    this.sources = sources;
    this.output = output;
    this.nvcc = nvcc;
    this.release = release;
    String caches = System.getenv("XDG_CACHE_HOME");
    this.cache =
        (caches == null || caches.isEmpty()
                ? Path.of(System.getProperty("user.home"), ".cache")
                : Path.of(caches))
            .resolve("aragonite/kernels");
    options =
        new ArrayList<>(
            List.of("-fatbin", "-std=c++17", "-O3", "-Xfatbin=-compress-all", "-Xptxas=-v"));
    for (String architecture : architectures) {
      options.add("-gencode=arch=compute_" + architecture + ",code=sm_" + architecture);
    }
    String oldest = architectures.get(0);
    options.add("-gencode=arch=compute_" + oldest + ",code=compute_" + oldest);
  }

  public static void main(String[] args) throws IOException, InterruptedException {
    if (args.length != 3) {
      System.err.println("usage: Kernels SOURCES OUTPUT ARCHITECTURES");
      System.exit(2);
    }
    Path sources = Path.of(args[0]);
    Path output = Path.of(args[1]);
    List<String> architectures =
        args[2].equals("none")
            ? List.of()
            : Stream.of(args[2].split(",")).map(String::strip).toList();
    if (!architectures.stream().allMatch(a -> a.matches("\\d{2,3}"))) {
      System.err.println(
          "aragonite.cuda.arch=" + args[2] + " is no list of architectures such as 80,90,100");
      System.exit(2);
    }
    Path nvcc = architectures.isEmpty() ? null : nvcc();
    if (nvcc == null) {
      System.out.println(
          architectures.isEmpty()
              ? "No GPU kernels were asked for: the jar is for the CPU alone."
              : "No nvcc was found: the jar is for the CPU alone (install the CUDA toolkit, or set"
                  + " CUDA_HOME).");
      remove(output, Set.of());
      return;
    }
    Matcher version = RELEASE.matcher(run(List.of(nvcc.toString(), "--version")).text);
    if (!version.find()) {
      System.err.println(nvcc + " does not tell its version");
      System.exit(1);
    }
    Kernels kernels = new Kernels(sources, output, nvcc, "V" + version.group(3), architectures);
    boolean good = kernels.build();
    String properties =
        "version=%d\narchitectures=%s\n"
            .formatted(
                Integer.parseInt(version.group(1)) * 1000 + Integer.parseInt(version.group(2)) * 10,
                String.join(" ", architectures));
    writeIfChanged(output.resolve("kernels.properties"), properties);
    System.exit(good ? 0 : 1);
  }

  private static Path nvcc() {
    List<Path> places = new ArrayList<>();
    for (String variable : List.of("CUDA_HOME", "CUDA_PATH")) {
      String home = System.getenv(variable);
      if (home != null && !home.isEmpty()) {
        places.add(Path.of(home, "bin"));
      }
    }
    String path = System.getenv("PATH");
    if (path != null) {
      Stream.of(path.split(":")).filter(p -> !p.isEmpty()).map(Path::of).forEach(places::add);
    }
    places.add(Path.of("/usr/local/cuda/bin"));
    return places.stream()
        .map(place -> place.resolve("nvcc"))
        .filter(Files::isExecutable)
        .findFirst()
        .orElse(null);
  }

  /** Brings the output folder up to date; false if a file does not compile. */
  private boolean build() throws IOException, InterruptedException {
    List<Path> files;
    try (Stream<Path> all = Files.list(sources.resolve("kernels"))) {
      files = all.filter(f -> f.toString().endsWith(".cu")).sorted().toList();
    }
    Files.createDirectories(output);
    Files.createDirectories(cache);
    Set<String> wanted = new TreeSet<>();
    wanted.add("kernels.properties");
    TreeMap<String, Future<Boolean>> running = new TreeMap<>();
    boolean good = true;
    try (ExecutorService threads = Executors.newFixedThreadPool(PARALLEL)) {
      for (Path file : files) {
        String name = file.getFileName().toString().replaceAll("\\.cu$", "");
        wanted.add(name + ".fatbin");
        String digest = digest(file);
        Path stamp = beside(output, name + ".digest");
        if (Files.exists(output.resolve(name + ".fatbin"))
            && Files.exists(beside(output, name + ".entries"))
            && Files.exists(stamp)
            && Files.readString(stamp).equals(digest)) {
          continue;
        }
        running.put(name, threads.submit(() -> make(file, name, digest)));
      }
      for (var entry : running.entrySet()) {
        try {
          good &= entry.getValue().get();
        } catch (ExecutionException e) {
          System.err.println(entry.getKey() + ".cu: " + e.getCause());
          good = false;
        }
      }
    }
    remove(output, wanted);
    return good;
  }

  /** A file that says something of a result, beside the classes: it does not go into the jar. */
  private static Path beside(Path output, String name) throws IOException {
    Path target = output;
    while (target.getParent() != null && !target.endsWith("classes")) {
      target = target.getParent();
    }
    Path folder = target.resolveSibling("kernels");
    Files.createDirectories(folder);
    return folder.resolve(name);
  }

  private boolean make(Path file, String name, String digest)
      throws IOException, InterruptedException {
    Path result = output.resolve(name + ".fatbin");
    Path kept = cache.resolve(name + "-" + digest + ".fatbin");
    Path keptEntries = cache.resolve(name + "-" + digest + ".entries");
    if (!Files.exists(kept) || !Files.exists(keptEntries)) {
      Path fresh = cache.resolve(name + "-" + ProcessHandle.current().pid() + ".tmp");
      List<String> command = new ArrayList<>(List.of(nvcc.toString()));
      command.addAll(options);
      command.addAll(List.of("-I", sources.toString(), file.toString(), "-o", fresh.toString()));
      long start = System.nanoTime();
      Result run = run(command);
      if (run.code != 0) {
        Files.deleteIfExists(fresh);
        System.err.println(file.getFileName() + " does not compile:\n" + run.text.strip());
        return false;
      }
      String warnings =
          run.text
              .lines()
              .filter(line -> !PTXAS_NOTE.matcher(line).matches())
              .collect(Collectors.joining("\n"));
      if (!warnings.isBlank()) {
        System.out.println(warnings.strip());
      }
      Files.writeString(
          keptEntries,
          ENTRY
              .matcher(run.text)
              .results()
              .map(m -> m.group(1) + "\n")
              .distinct()
              .sorted()
              .collect(Collectors.joining()));
      Files.move(fresh, kept, StandardCopyOption.ATOMIC_MOVE);
      System.out.printf(
          "%s: %,d bytes in %.1f s%n",
          result.getFileName(), Files.size(kept), (System.nanoTime() - start) / 1e9);
    }
    Files.copy(kept, result, StandardCopyOption.REPLACE_EXISTING);
    Files.copy(keptEntries, beside(output, name + ".entries"), StandardCopyOption.REPLACE_EXISTING);
    Files.writeString(beside(output, name + ".digest"), digest);
    return true;
  }

  /** Of all that a result depends on. */
  private String digest(Path file) throws IOException {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update((release + options).getBytes(StandardCharsets.UTF_8));
      TreeMap<String, byte[]> parts = new TreeMap<>();
      collect(file, parts);
      for (var part : parts.entrySet()) {
        digest.update(part.getKey().getBytes(StandardCharsets.UTF_8));
        digest.update(part.getValue());
      }
      return HexFormat.of().formatHex(digest.digest()).substring(0, 32);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  private void collect(Path file, TreeMap<String, byte[]> parts) throws IOException {
    String name = sources.relativize(file.normalize()).toString();
    if (parts.containsKey(name) || !Files.exists(file)) {
      return;
    }
    byte[] bytes = Files.readAllBytes(file);
    parts.put(name, bytes);
    Matcher include = INCLUDE.matcher(new String(bytes, StandardCharsets.UTF_8));
    while (include.find()) {
      collect(sources.resolve(include.group(1)), parts);
    }
  }

  /** Takes results away whose source is gone, and what was said of them. */
  private static void remove(Path output, Set<String> wanted) throws IOException {
    if (!Files.isDirectory(output)) {
      return;
    }
    try (Stream<Path> files = Files.list(beside(output, "."))) {
      for (Path file : files.toList()) {
        String name = file.getFileName().toString().replaceAll("\\.(digest|entries)$", ".fatbin");
        if (name.endsWith(".fatbin") && !wanted.contains(name)) {
          Files.delete(file);
        }
      }
    }
    try (Stream<Path> files = Files.list(output)) {
      files
          .filter(f ->
              f.toString().endsWith(".fatbin")
                  || f.getFileName().toString().equals("kernels.properties"))
          .filter(f -> !wanted.contains(f.getFileName().toString()))
          .forEach(f -> {
            try {
              Files.delete(f);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    }
  }

  private static void writeIfChanged(Path file, String text) throws IOException {
    if (!Files.exists(file) || !Files.readString(file).equals(text)) {
      Files.writeString(file, text);
    }
  }

  private record Result(int code, String text) {}

  private static Result run(List<String> command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Result(process.waitFor(), text);
  }
}
