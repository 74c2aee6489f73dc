import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.Attributes;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Makes one jar of several, with libraries under names of their own, so that a program may have
 * other versions of the same libraries.
 *
 * <p>{@code java build/Relocate.java RULES OUT VERSION IN...}, where IN is a jar, a folder of jars
 * or one of classes. RULES is a text of lines {@code prefix PACKAGE}, {@code keep PATH} (under its
 * own name), {@code omit PATH}, {@code move PATH} (out of what is left out, or a file in no
 * folder), {@code service NAME CLASS} (the only one) and {@code manifest NAME: VALUE}; the longest
 * path that begins an entry's name decides. Whatever no line names moves to the prefix.
 *
 * <p>Each name of a class in a class file is text in its constant pool: in references, descriptors,
 * signatures and strings, which generated code is made of, too. Rewriting these texts is all there
 * is to do, and takes a fifth of the time that reading and writing all code takes.
 */
public final class Relocate {
  private static final String VERSIONS = "META-INF/versions/";
  private static final String SERVICES = "META-INF/services/";

  private final Rules rules;
  private final Names names;
  private final Map<String, byte[]> entries = new LinkedHashMap<>();
  private final Map<String, TreeSet<String>> services = new TreeMap<>();

  private Relocate(Rules rules, Names names) {
    this.rules = rules;
    this.names = names;
  }

  public static void main(String[] args) throws IOException {
    Rules rules = Rules.read(Path.of(args[0]));
    Path out = Path.of(args[1]);
    List<Path> jars = new ArrayList<>();
    for (String arg : List.of(args).subList(3, args.length)) {
      jars.addAll(jars(Path.of(arg)));
    }
    Relocate relocate = new Relocate(rules, Names.of(rules, jars));
    for (Path jar : jars) {
      relocate.add(jar);
    }
    relocate.entries.entrySet().parallelStream()
        .filter(entry -> entry.getKey().endsWith(".class"))
        .forEach(
            entry -> entry.setValue(relocate.names.movedClass(entry.getKey(), entry.getValue())));
    relocate.write(out, args[2]);
    System.out.printf(
        "%s: %d entries, %.1f MB%n",
        out.getFileName(), relocate.entries.size(), Files.size(out) / 1e6);
  }

  /** The jars in a folder of jars; otherwise the jar, or the folder of files. */
  private static List<Path> jars(Path path) throws IOException {
    if (!Files.isDirectory(path)) {
      return List.of(path);
    }
    try (Stream<Path> files = Files.list(path)) {
      List<Path> jars = files.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
      return jars.isEmpty() ? List.of(path) : jars;
    }
  }

  private void add(Path jar) throws IOException {
    forEach(
        jar,
        (name, bytes) -> {
          if (rules.omits(unversioned(name))) {
            return;
          }
          if (name.equals("LICENSE") || name.equals("NOTICE")) { // as Iceberg's jars have them
            put("META-INF/" + name, bytes.get());
          } else if (name.startsWith(SERVICES)) {
            service(name.substring(SERVICES.length()), bytes.get());
          } else {
            put(name, bytes.get());
          }
        });
  }

  /** Joins what several jars offer as one service. */
  private void service(String name, byte[] bytes) {
    if (rules.omits(name.replace('.', '/')) || rules.services.containsKey(name)) {
      return;
    }
    names
        .moved(new String(bytes, StandardCharsets.UTF_8))
        .lines()
        .map(line -> line.replaceFirst("#.*", "").strip())
        .filter(line -> !line.isEmpty())
        .forEach(line ->
            services.computeIfAbsent(SERVICES + names.moved(name), s -> new TreeSet<>()).add(line));
  }

  private interface Contents {
    byte[] get() throws IOException;
  }

  private interface Visitor {
    void visit(String name, Contents bytes) throws IOException;
  }

  /** The files of a jar or of a folder. */
  private static void forEach(Path jar, Visitor visitor) throws IOException {
    if (Files.isDirectory(jar)) {
      try (Stream<Path> tree = Files.walk(jar)) {
        for (Path file : tree.filter(Files::isRegularFile).sorted().toList()) {
          visitor.visit(
              jar.relativize(file).toString().replace('\\', '/'), () -> Files.readAllBytes(file));
        }
      }
      return;
    }
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      for (ZipEntry entry : Collections.list(zip.entries())) {
        if (!entry.isDirectory()) {
          visitor.visit(entry.getName(), () -> zip.getInputStream(entry).readAllBytes());
        }
      }
    }
  }

  private void put(String name, byte[] bytes) {
    String versioned = name.substring(0, name.length() - unversioned(name).length());
    String moved = versioned + names.moved(unversioned(name));
    if (name.endsWith(".class")) {
      entries.putIfAbsent(moved, bytes); // whose texts move when all are there, on all processors
    } else if (name.endsWith(".properties")) {
      String text = new String(bytes, StandardCharsets.ISO_8859_1);
      entries.putIfAbsent(moved, names.moved(text).getBytes(StandardCharsets.ISO_8859_1));
    } else if (name.matches("META-INF/(LICENSE|NOTICE)([.]\\w+)?") && entries.containsKey(moved)) {
      entries.merge(moved, bytes, Relocate::joined);
    } else {
      entries.putIfAbsent(moved, bytes);
    }
  }

  /** Both texts, if the second says anything that the first does not. */
  private static byte[] joined(byte[] first, byte[] second) {
    String one = new String(first, StandardCharsets.UTF_8);
    String two = new String(second, StandardCharsets.UTF_8).strip();
    return one.contains(two) ? first : (one + "\n" + two + "\n").getBytes(StandardCharsets.UTF_8);
  }

  private static String unversioned(String name) {
    if (!name.startsWith(VERSIONS)) {
      return name;
    }
    return name.substring(name.indexOf('/', VERSIONS.length()) + 1);
  }

  private void write(Path out, String version) throws IOException {
    Files.createDirectories(out.toAbsolutePath().getParent());
    try (ZipOutputStream zip =
        new ZipOutputStream(new BufferedOutputStream(Files.newOutputStream(out), 1 << 16))) {
      ByteArrayOutputStream manifest = new ByteArrayOutputStream();
      manifest(version).write(manifest);
      write(zip, "META-INF/MANIFEST.MF", manifest.toByteArray());
      for (Map.Entry<String, String> service : rules.services.entrySet()) {
        String line = service.getValue() + "\n";
        write(zip, SERVICES + service.getKey(), line.getBytes(StandardCharsets.UTF_8));
      }
      for (Map.Entry<String, TreeSet<String>> service : services.entrySet()) {
        String lines = String.join("\n", service.getValue()) + "\n";
        write(zip, service.getKey(), lines.getBytes(StandardCharsets.UTF_8));
      }
      for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
        write(zip, entry.getKey(), entry.getValue());
      }
    }
  }

  private Manifest manifest(String version) {
    Manifest manifest = new Manifest();
    Attributes attributes = manifest.getMainAttributes();
    attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    attributes.put(Attributes.Name.IMPLEMENTATION_VERSION, version);
    attributes.put(Attributes.Name.MULTI_RELEASE, "true");
    rules.manifest.forEach(attributes::putValue);
    return manifest;
  }

  private static void write(ZipOutputStream zip, String name, byte[] bytes) throws IOException {
    ZipEntry entry = new ZipEntry(name);
    entry.setTimeLocal(LocalDateTime.of(2026, 1, 1, 0, 0)); // each build makes the same jar
    zip.putNextEntry(entry);
    zip.write(bytes);
  }

  /** What the lines of the rules say. */
  private record Rules(
      String prefix,
      TreeSet<String> kept,
      TreeSet<String> omitted,
      TreeSet<String> moved,
      Map<String, String> services,
      Map<String, String> manifest) {
    static Rules read(Path file) throws IOException {
      String prefix = "";
      TreeSet<String> kept = new TreeSet<>();
      TreeSet<String> omitted = new TreeSet<>();
      TreeSet<String> moved = new TreeSet<>();
      Map<String, String> services = new TreeMap<>();
      Map<String, String> manifest = new LinkedHashMap<>();
      for (String line : Files.readAllLines(file)) {
        String[] words = line.strip().split("\\s+", 2);
        switch (words[0]) {
          case "", "#" -> {}
          case "prefix" -> prefix = words[1].replace('.', '/') + "/";
          case "keep" -> kept.add(words[1]);
          case "omit" -> omitted.add(words[1]);
          case "move" -> moved.add(words[1]);
          case "service" -> {
            String[] pair = words[1].split("\\s+", 2);
            services.put(pair[0], pair[1]);
          }
          case "manifest" -> {
            String[] pair = words[1].split(":\\s*", 2);
            manifest.put(pair[0], pair[1]);
          }
          default -> throw new IllegalArgumentException(file + ": " + line);
        }
      }
      return new Rules(prefix, kept, omitted, moved, services, manifest);
    }

    boolean omits(String path) {
      return longest(omitted, path) > Math.max(longest(kept, path), longest(moved, path));
    }

    boolean keeps(String path) {
      return longest(kept, path) >= 0;
    }

    private static int longest(Set<String> paths, String name) {
      int longest = -1;
      for (String path : paths) {
        if (name.startsWith(path)) {
          longest = Math.max(longest, path.length());
        }
      }
      return longest;
    }
  }

  /** A letter of the packages that move: what may follow it, and whether a package ends with it. */
  private static final class Letter {
    private final Letter[] next = new Letter[128];
    private boolean end;
  }

  /** The packages that move, and how names of them in texts are found. */
  private static final class Names {
    private final byte[] slashed;
    private final byte[] dotted;
    private final Letter first = new Letter();
    private final List<byte[]> files;

    private Names(Rules rules) {
      slashed = rules.prefix.getBytes(StandardCharsets.US_ASCII);
      dotted = rules.prefix.replace('/', '.').getBytes(StandardCharsets.US_ASCII);
      files =
          rules.moved.stream()
              .filter(path -> !path.contains("/"))
              .map(path -> path.getBytes(StandardCharsets.US_ASCII))
              .toList();
    }

    static Names of(Rules rules, List<Path> jars) throws IOException {
      Names names = new Names(rules);
      for (Path jar : jars) {
        forEach(
            jar,
            (entry, bytes) -> {
              String name = unversioned(entry);
              if (name.endsWith(".class")
                  && name.contains("/")
                  && !name.startsWith("META-INF")
                  && !rules.keeps(name)) {
                names.add(name);
              }
            });
      }
      return names;
    }

    /** Adds a class's package as far as three folders: what is below moves with it. */
    private void add(String name) {
      String[] folders = name.substring(0, name.lastIndexOf('/')).split("/");
      Letter letter = first;
      for (int i = 0; i < folders.length && i < 3; i++) {
        for (char c : ((i == 0 ? "" : "/") + folders[i]).toCharArray()) {
          if (letter.next[c] == null) {
            letter.next[c] = new Letter();
          }
          letter = letter.next[c];
        }
      }
      letter.end = true;
    }

    String moved(String text) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      byte[] moved = moved(bytes, 0, bytes.length);
      return moved == null ? text : new String(moved, StandardCharsets.UTF_8);
    }

    /** The text with the prefix before each name of a package that moves; null: there is none. */
    private byte[] moved(byte[] text, int from, int to) {
      ByteArrayOutputStream out = null;
      int copied = from;
      int name = from < to && text[from] == '/' ? from + 1 : from; // a resource of a class
      for (byte[] file : files) {
        if (Arrays.equals(file, 0, file.length, text, name, to)) {
          out = new ByteArrayOutputStream();
          out.write(text, from, name - from);
          out.writeBytes(slashed);
          copied = name;
        }
      }
      for (int i = from; i < to; i++) {
        byte separator = begins(text, from, i) ? match(text, i, to) : 0;
        if (separator != 0) {
          out = out == null ? new ByteArrayOutputStream(to - from + 64) : out;
          out.write(text, copied, i - copied);
          out.writeBytes(separator == '.' ? dotted : slashed);
          copied = i;
        }
      }
      if (out == null) {
        return null;
      }
      out.write(text, copied, to - copied);
      return out.toByteArray();
    }

    /** Whether a name may begin here: descriptors have an L before it, resources a slash. */
    private static boolean begins(byte[] text, int from, int i) {
      if (i == from || !partOfName(text[i - 1])) {
        return true;
      }
      if (text[i - 1] == 'L') {
        return true;
      }
      return text[i - 1] == '/' && (i - 1 == from || !partOfName(text[i - 2]));
    }

    private static boolean partOfName(byte b) {
      return b < 0
          || b >= 'a' && b <= 'z'
          || b >= 'A' && b <= 'Z'
          || b >= '0' && b <= '9'
          || b == '_'
          || b == '$'
          || b == '-'
          || b == '.'
          || b == '/';
    }

    /** The separator of the name of a package that moves and that begins here; 0: none does. */
    private byte match(byte[] text, int from, int to) {
      Letter letter = first;
      byte separator = '/';
      boolean separated = false;
      for (int i = from; i < to; i++) {
        byte b = text[i];
        if (b == '.' || b == '/') {
          if (letter.end) {
            return b;
          }
          if (separated && b != separator) {
            return 0;
          }
          separator = b;
          separated = true;
          b = '/';
        } else if (!partOfName(b)) {
          return letter.end && separated ? separator : 0;
        }
        letter = b < 0 ? null : letter.next[b];
        if (letter == null) {
          return 0;
        }
      }
      return letter.end && separated ? separator : 0;
    }

    byte[] movedClass(String name, byte[] bytes) {
      ByteBuffer in = ByteBuffer.wrap(bytes);
      ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length + bytes.length / 4);
      int constants = in.getShort(8) & 0xffff;
      int copied = 0;
      int at = 10; // behind magic, version and that number
      for (int i = 1; i < constants; i++) {
        int tag = bytes[at];
        if (tag == 1) {
          int end = at + 3 + (in.getShort(at + 1) & 0xffff);
          byte[] text = isBinary(bytes, at + 3, end) ? null : moved(bytes, at + 3, end);
          if (text != null) {
            if (text.length > 0xffff) {
              throw new IllegalStateException(name + " has a text that becomes too long");
            }
            out.write(bytes, copied, at + 1 - copied);
            out.write(text.length >> 8);
            out.write(text.length);
            out.writeBytes(text);
            copied = end;
          }
          at = end;
        } else {
          at += length(name, tag);
          i += tag == 5 || tag == 6 ? 1 : 0; // a long and a double take two places
        }
      }
      out.write(bytes, copied, bytes.length - copied);
      return out.toByteArray();
    }

    /**
     * Texts of bytes, as descriptions of Protobuf's messages, have lengths in them. Those of
     * concatenations have 1 and 2 where a value goes.
     */
    private static boolean isBinary(byte[] bytes, int from, int to) {
      for (int i = from; i < to; i++) {
        byte b = bytes[i];
        if (b >= 3 && b < ' ' && b != '\n' && b != '\r' && b != '\t') {
          return true;
        }
      }
      return false;
    }

    private static int length(String name, int tag) {
      return switch (tag) {
        case 3, 4, 9, 10, 11, 12, 17, 18 -> 5;
        case 5, 6 -> 9;
        case 7, 8, 16, 19, 20 -> 3;
        case 15 -> 4;
        default -> throw new IllegalStateException(name + " has an unknown constant " + tag);
      };
    }
  }
}
