import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Makes {@code CudaConstants.java} of what kernels share with the host: {@code java
 * build/KernelConstants.java SOURCES OUTPUT}. It needs no compiler but Java's, so that a build
 * without nvcc has it too.
 *
 * <p>Shared is what the word {@code HOST_SHARED} stands before, each a nested class of its name:
 *
 * <ul>
 *   <li>constants of a struct: {@code static constexpr int THREADS = 512;}, integers made of
 *       literals and of other shared constants;
 *   <li>an enum: a constant each;
 *   <li>fields of a struct that the host writes: where each lies, as {@code
 *       UPPER_CASE_OF_ITS_NAME}, and the whole as {@code SIZEOF}. They are numbers, pointers, other
 *       shared structs, and arrays of these.
 * </ul>
 */
public final class KernelConstants {
  private static final Pattern SHARED =
      Pattern.compile("HOST_SHARED\\s+(struct|enum)\\s+(\\w+)\\s*\\{([^{}]*)\\};");
  private static final Pattern CONSTANT =
      Pattern.compile("static constexpr (\\w+) (\\w+)\\s*=\\s*(.*)", Pattern.DOTALL);
  private static final Pattern FIELD =
      Pattern.compile("(?:const )?(\\w+)(\\s*\\*)?\\s*(\\w+)(?:\\[([\\w:]+)\\])?");
  private static final Map<String, Integer> WIDTHS =
      Map.of("u8", 1, "u16", 2, "u32", 4, "int", 4, "u64", 8, "i64", 8);

  /** What structs are aligned to, by their names. */
  private final Map<String, Integer> alignments = new LinkedHashMap<>();

  private final StringBuilder out = new StringBuilder();

  private KernelConstants() {}

  public static void main(String[] args) throws IOException {
    if (args.length != 2) {
      System.err.println("usage: KernelConstants SOURCES OUTPUT");
      System.exit(2);
    }
    Path folder = Path.of(args[1]).resolve("io/aragonite/exec/device/cuda");
    Files.createDirectories(folder);
    String text = new KernelConstants().generate(Path.of(args[0]));
    Path file = folder.resolve("CudaConstants.java");
    if (!Files.exists(file) || !Files.readString(file).equals(text)) {
      Files.writeString(file, text);
    }
  }

  private String generate(Path sources) throws IOException {
    out.append(
        """
        package io.aragonite.exec.device.cuda;

        /** What kernels share with the host; build/KernelConstants.java makes it of their sources. */
        final class CudaConstants {
          private CudaConstants() {}
        """);
    List<Path> files;
    try (Stream<Path> all = Files.walk(sources)) {
      files = all.filter(f -> f.toString().matches(".*\\.cuh?")).sorted().toList();
    }
    for (Path file : files) {
      String text = Files.readString(file).replaceAll("//.*", "");
      Matcher shared = SHARED.matcher(text);
      while (shared.find()) {
        String name = shared.group(2);
        if (alignments.putIfAbsent(name, 1) != null) {
          throw new IllegalArgumentException(file + " has another " + name);
        }
        out.append("\n  /** Of %s. */\n".formatted(sources.relativize(file)));
        out.append("  static final class %s {\n".formatted(name));
        out.append("    private %s() {}\n\n".formatted(name));
        if (shared.group(1).equals("enum")) {
          values(shared.group(3));
        } else {
          members(file, name, shared.group(3));
        }
        out.append("  }\n");
      }
      long words = Pattern.compile("(?m)^HOST_SHARED ").matcher(text).results().count();
      if (words != SHARED.matcher(text).results().count()) {
        throw new IllegalArgumentException(
            file + " shares what is neither a plain struct nor enum");
      }
    }
    return out.append("}\n").toString();
  }

  private void values(String body) {
    String next = "0";
    for (String value : body.split(",", -1)) {
      String[] parts = value.strip().split("\\s*=\\s*", -1);
      if (!parts[0].isEmpty()) {
        line("int", parts[0], parts.length > 1 ? java(parts[1]) : next);
        next = parts[0] + " + 1";
      }
    }
  }

  private void members(Path file, String struct, String body) {
    String end = "0";
    int alignment = 1;
    boolean fields = false;
    for (String declaration : body.split(";", -1)) {
      String one = declaration.strip();
      Matcher constant = CONSTANT.matcher(one);
      Matcher field = FIELD.matcher(one);
      if (one.isEmpty()) {
        continue;
      }
      if (constant.matches()) {
        String type = WIDTHS.getOrDefault(constant.group(1), 0) == 8 ? "long" : "int";
        line(type, constant.group(2), java(constant.group(3)));
      } else if (field.matches()) {
        String type = field.group(1);
        boolean pointer = field.group(2) != null;
        Integer own =
            pointer ? Integer.valueOf(8) : WIDTHS.getOrDefault(type, alignments.get(type));
        if (own == null) {
          throw new IllegalArgumentException("%s: %s of %s".formatted(file, one, struct));
        }
        String name = field.group(3).replaceAll("([A-Z])", "_$1").toUpperCase(Locale.ROOT);
        line("int", name, aligned(end, own));
        String bytes = pointer || WIDTHS.containsKey(type) ? own.toString() : type + ".SIZEOF";
        String many = field.group(4) == null ? "" : " * " + java(field.group(4));
        end = name + " + " + bytes + many;
        alignment = Math.max(alignment, own);
        fields = true;
      } else {
        throw new IllegalArgumentException("%s: %s of %s".formatted(file, one, struct));
      }
    }
    if (fields) {
      alignments.put(struct, alignment);
      line("int", "SIZEOF", aligned(end, alignment));
    }
  }

  private static String aligned(String offset, int alignment) {
    return alignment == 1 || offset.equals("0")
        ? offset
        : "(%s + %d) / %d * %d".formatted(offset, alignment - 1, alignment, alignment);
  }

  /** A constant expression of C++ in Java. */
  private static String java(String expression) {
    return expression
        .strip()
        .replaceAll("\\s+", " ")
        .replace("::", ".")
        .replaceAll("\\b(0x[0-9a-fA-F]+|\\d+)(?:ull|ll)\\b", "$1L")
        .replaceAll("\\b(0x[0-9a-fA-F]+|\\d+)u\\b", "$1");
  }

  private void line(String type, String name, String value) {
    out.append("    static final %s %s = %s;\n".formatted(type, name, value));
  }
}
