package io.aragonite.bench.fuzz;

import io.aragonite.exec.memory.MemoryBudget;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the process has at a moment at which nothing runs. */
record SoakFigures(Map<SoakFigure, Long> values) {
  private static final String OURS = "aragonite-";
  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
  /** A line of the system's table: the port on this side, and the state. */
  private static final Pattern SOCKET = Pattern.compile("^\\s*\\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:[0-9A-F]{4} ([0-9A-F]{2})");

  /** TIME_WAIT, which belongs to no process, and LISTEN. */
  private static final Set<String> NOT_OPEN = Set.of("06", "0A");

  private static final Path STATUS = Path.of("/proc/self/status");

  private static final long CLEANING_MILLIS = 300;

  /** Of so many moments each has more than the one before where something is lost. */
  private static final int MOMENTS = 5;

  /** A figure, and by how much it may grow: caches and pools do for a while. */
  enum SoakFigure {
    DEVICE_KB(1 << 10),
    HEAP_KB(16 << 10),
    DIRECT_KB(16 << 10),
    RESIDENT_KB(96 << 10),
    THREADS(4),
    OPEN_FILES(8),
    SERVER_SOCKETS(8),
    SPILL_FILES(4);

    private final long allowed;

    SoakFigure(long allowed) {
      this.allowed = allowed;
    }

    /** As columns are called. */
    String title() {
      return name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ').replace(" kb", " KB");
    }
  }

  /**
   * Collects garbage and looks.
   *
   * @param budgets of the devices and the host
   * @param spill folder of spill files
   * @param ports of servers in this process
   */
  static SoakFigures now(Collection<MemoryBudget> budgets, Path spill, Set<Integer> ports) throws IOException, InterruptedException {
    System.gc();
    TimeUnit.MILLISECONDS.sleep(CLEANING_MILLIS); // sockets and buffers that nobody knows are closed a moment later
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    Map<SoakFigure, Long> values = new EnumMap<>(SoakFigure.class);
    values.put(SoakFigure.DEVICE_KB, budgets.stream().mapToLong(MemoryBudget::used).sum() >> 10);
    values.put(SoakFigure.HEAP_KB, runtime.totalMemory() - runtime.freeMemory() >> 10);
    values.put(
        SoakFigure.DIRECT_KB,
        ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream().mapToLong(BufferPoolMXBean::getMemoryUsed).sum() >> 10);
    values.put(SoakFigure.RESIDENT_KB, resident());
    values.put(
        SoakFigure.THREADS, threads());
    try (Stream<Path> files = Files.exists(DESCRIPTORS) ? Files.list(DESCRIPTORS) : Stream.empty()) {
      values.put(SoakFigure.OPEN_FILES, files.filter(file -> !isOther(file)).count());
    }
    values.put(SoakFigure.SERVER_SOCKETS, sockets(ports));
    values.put(SoakFigure.SPILL_FILES, (long) files(spill).size());
    return new SoakFigures(values);
  }

  /** What is open now but jars and libraries, for whoever looks for what is left. */
  static List<String> openFiles() throws IOException {
    try (Stream<Path> files = Files.exists(DESCRIPTORS) ? Files.list(DESCRIPTORS) : Stream.empty()) {
      return files.filter(file -> !isOther(file)).map(SoakFigures::target).sorted().toList();
    }
  }

  private static String target(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (IOException e) {
      return "closed";
    }
  }

  /** Of jars and libraries the JVM opens one when it first needs it, and Avatica's client keeps sockets for later. */
  private static boolean isOther(Path descriptor) {
    String file = target(descriptor);
    return file.endsWith(".jar") || file.endsWith(".so") || file.startsWith("socket:") || file.equals("closed");
  }

  /** Connections of clients that servers have at some ports. */
  private static long sockets(Set<Integer> ports) throws IOException {
    long count = 0;
    for (Path table : List.of(Path.of("/proc/self/net/tcp"), Path.of("/proc/self/net/tcp6"))) {
      for (String line : Files.exists(table) ? Files.readAllLines(table) : List.<String>of()) {
        Matcher socket = SOCKET.matcher(line);
        if (socket.find() && ports.contains(Integer.parseInt(socket.group(1), 16)) && !NOT_OPEN.contains(socket.group(2))) {
          count++;
        }
      }
    }
    return count;
  }

  /** The files below a folder, which others may be taking away. */
  static List<Path> files(Path folder) {
    if (!Files.exists(folder)) {
      return List.of();
    }
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile).toList();
    } catch (IOException | java.io.UncheckedIOException e) {
      return List.of(); // a folder was taken away meanwhile
    }
  }

  private static long resident() throws IOException {
    if (!Files.exists(STATUS)) {
      return 0;
    }
    return Files.readAllLines(STATUS).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
        .findFirst()
        .orElse(0);
  }

  long of(SoakFigure figure) {
    return values.getOrDefault(figure, 0L);
  }

  /** Threads of the engine. */
  static long threads() {
    return Thread.getAllStackTraces().keySet().stream().filter(thread -> thread.getName().startsWith(OURS)).count();
  }

  /** Whether there are enough moments to see what grows. */
  static boolean tellGrowth(List<SoakFigures> moments) {
    return moments.size() > MOMENTS;
  }

  /** What has grown from each of the last moments to the next; nothing where there are few. */
  static List<String> growing(List<SoakFigures> moments) {
    if (!tellGrowth(moments)) {
      return List.of(); // the first ones fill caches
    }
    List<SoakFigures> last = moments.subList(moments.size() - MOMENTS, moments.size());
    return Stream.of(SoakFigure.values())
        .filter(figure -> grows(last.stream().map(moment -> moment.of(figure)).toList(), figure.allowed))
        .map(figure -> "%s: %s".formatted(figure.title(), moments.stream().map(moment -> String.valueOf(moment.of(figure))).collect(Collectors.joining(", "))))
        .toList();
  }

  private static boolean grows(List<Long> values, long allowed) {
    for (int i = 1; i < values.size(); i++) {
      if (values.get(i) <= values.get(i - 1)) {
        return false;
      }
    }
    return values.getLast() - values.getFirst() > allowed;
  }

  /** A line for each figure: its name, and its value at each moment. */
  static String table(List<String> names, List<SoakFigures> moments) {
    StringBuilder text = new StringBuilder("%-12s".formatted(""));
    names.forEach(name -> text.append("%12s".formatted(name)));
    for (SoakFigure figure : SoakFigure.values()) {
      text.append("%n%-12s".formatted(figure.title()));
      moments.forEach(moment -> text.append("%,12d".formatted(moment.of(figure))));
    }
    return text.toString();
  }

  @Override
  public String toString() {
    return values.entrySet().stream().map(entry -> "%s %,d".formatted(entry.getKey().title(), entry.getValue())).collect(Collectors.joining(", "));
  }
}
