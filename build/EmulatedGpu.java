import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Makes an emulated GPU for tests: {@code java build/EmulatedGpu.java [FOLDER]}, in the root; the
 * folder is {@code target/emulated-gpu} if none is given. With {@code LD_LIBRARY_PATH=FOLDER} the
 * CUDA device finds a driver there whose kernels, compiled by g++, run on the CPU. docs/testing.md
 * says what that tests and what it cannot.
 */
public final class EmulatedGpu {
  private static final Path KERNELS = Path.of("gpu-exec/src/main/cuda");
  private static final Path EMULATOR = Path.of("gpu-exec/src/test/emulator");
  private static final Pattern KERNEL =
      Pattern.compile("extern \"C\"\\s+SIMT_KERNEL\\s+void\\s+(\\w+)\\s*\\(");
  private static final Pattern CUB = Pattern.compile("#include <(cub/\\S+)>");
  private static final Pattern DYNAMIC_SHARED =
      Pattern.compile(
          "extern __shared__\\s+(?:__align__\\(\\d+\\)\\s+)?([\\w ]+?)\\s+(\\w+)\\[\\];");

  private EmulatedGpu() {}

  public static void main(String[] args)
      throws IOException, InterruptedException, ExecutionException {
    Path out = Path.of(args.length == 0 ? "target/emulated-gpu" : args[0]).toAbsolutePath();
    Files.createDirectories(out);
    List<Path> sources;
    try (Stream<Path> files = Files.list(KERNELS.resolve("kernels"))) {
      sources = files.filter(f -> f.toString().endsWith(".cu")).sorted().toList();
    }
    headers(out);
    ExecutorService pool = Executors.newFixedThreadPool(2);
    try {
      List<Future<String>> results = new ArrayList<>();
      for (Path source : sources) {
        results.add(pool.submit(() -> compile(source, out)));
      }
      results.add(pool.submit(() -> driver(out)));
      for (Future<String> result : results) {
        System.out.println(result.get());
      }
    } finally {
      pool.shutdown();
    }
    System.out.println("Now run tests with LD_LIBRARY_PATH=" + out + " in the environment and");
    System.out.println("-Daragonite.test.device=cuda");
  }

  /** Headers as the kernels include them; they have dynamic shared memory as well. */
  private static void headers(Path out) throws IOException {
    try (Stream<Path> files = Files.walk(KERNELS)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".cuh")).toList()) {
        Path copy = out.resolve(KERNELS.relativize(file).toString());
        Files.createDirectories(copy.getParent());
        Files.writeString(copy, staticShared(Files.readString(file)));
      }
    }
  }

  private static String compile(Path source, Path out) throws IOException, InterruptedException {
    String name = source.getFileName().toString().replace(".cu", "");
    String text = Files.readString(source);
    if (CUB.matcher(text).results().anyMatch(m -> Files.notExists(EMULATOR.resolve(m.group(1))))) {
      return name + ": left out, it is made of CUB";
    }
    Path generated = out.resolve(name + ".cpp");
    Files.writeString(generated, header(text));
    String expanded = gcc("-I" + out, "-E", "-P", "-DSIMT_NAMES", generated.toString());
    StringBuilder entries = new StringBuilder();
    int kernels = 0;
    Matcher matcher = KERNEL.matcher(expanded);
    while (matcher.find()) {
      entries.append(
          """
          {"%1$s", [](unsigned b, unsigned t, void** a) { simt::call(%1$s, b, t, a); },
           [](int* out) { return simt::widths(%1$s, out); }},
          """
              .formatted(matcher.group(1)));
      kernels++;
    }
    Files.writeString(
        generated,
        header(text)
            + """

            struct SimtKernel {
              const char* name;
              void (*run)(unsigned, unsigned, void**);
              int (*widths)(int*);
            };
            static const SimtKernel simtList[] = {
            %s{nullptr, nullptr, nullptr}};
            extern "C" __attribute__((visibility("default"))) const SimtKernel* simtKernels() {
              return simtList;
            }
            """
                .formatted(entries));
    // Kernels of different files have functions of one name: each library keeps its own.
    gcc(
        "-O2",
        "-w",
        "-shared",
        "-fPIC",
        "-fvisibility=hidden",
        "-I" + out,
        generated.toString(),
        "-o",
        out.resolve(name + ".kernels").toString());
    return "%s: %d kernels".formatted(name, kernels);
  }

  private static String header(String text) {
    return "#include \"simt.h\"\n" + staticShared(text);
  }

  /** A block's dynamic shared memory is a static array here. */
  private static String staticShared(String text) {
    return DYNAMIC_SHARED
        .matcher(text)
        .replaceAll("static __attribute__((aligned(16))) $1 $2[232448 / sizeof($1)];");
  }

  private static String driver(Path out) throws IOException, InterruptedException {
    gcc(
        "-O2",
        "-shared",
        "-fPIC",
        "-Wl,-soname,libcuda.so.1",
        EMULATOR.resolve("driver.cpp").toString(),
        "-o",
        out.resolve("libcuda.so.1").toString(),
        "-ldl");
    return "libcuda.so.1";
  }

  /** Runs g++ and returns what it prints. */
  private static String gcc(String... options) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("g++", "-std=c++17"));
    command.add("-I" + EMULATOR);
    command.addAll(List.of(options));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException(String.join(" ", command) + " failed:\n" + output);
    }
    return output;
  }
}
