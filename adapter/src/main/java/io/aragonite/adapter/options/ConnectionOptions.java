package io.aragonite.adapter.options;

import io.aragonite.adapter.format.FileAccess;
import io.aragonite.adapter.remote.RemoteFileSystem;
import io.aragonite.adapter.remote.RemoteFileSystemProvider;
import io.aragonite.adapter.remote.RemotePath;
import io.aragonite.adapter.remote.UrlRedaction;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.rules.runtime.MultiwayMode;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What Aragonite's connection properties say.
 *
 * @param tpch scale of the embedded TPC-H schema, null for none
 * @param tpcds scale of the embedded TPC-DS schema, null for none
 * @param directory directory of tables, null for none
 * @param fileAccess which files statements may name by path
 * @param remote what URLs name in place of files
 * @param device where queries run
 * @param fallback whether Calcite may run what the device cannot
 * @param memoryBytes budget for tables and queries
 * @param gpuMemory budget of the same on a GPU
 * @param spill where rows go that memory does not hold
 * @param threads worker threads
 * @param timeout longest time for a statement, null for none
 * @param join the algorithm of all joins on equal keys; null: the planner chooses
 * @param multiway when joins that close a cycle run as one
 * @param autoParameterize whether queries that differ in literals share plans
 */
public record ConnectionOptions(
    @Nullable Double tpch,
    @Nullable Double tpcds,
    @Nullable Path directory,
    FileAccess fileAccess,
    RemoteFileSystem remote,
    DeviceChoice device,
    boolean fallback,
    long memoryBytes,
    GpuMemory gpuMemory,
    Spill spill,
    int threads,
    @Nullable Duration timeout,
    @Nullable JoinAlgorithm join,
    MultiwayMode multiway,
    boolean autoParameterize) {

  /**
   * The property {@code device}.
   *
   * @param ordinals of the GPUs for {@code cuda:0,2}; none: all that work
   */
  public record DeviceChoice(DeviceKind kind, List<Integer> ordinals) {
    static final DeviceChoice AUTO = new DeviceChoice(DeviceKind.AUTO, List.of());
    static final DeviceChoice CPU = new DeviceChoice(DeviceKind.CPU, List.of());
    public static final DeviceChoice ALL = new DeviceChoice(DeviceKind.CUDA, List.of());

    /** The kind of device. */
    public enum DeviceKind {
      AUTO,
      CPU,
      CUDA
    }
  }

  /**
   * The property {@code gpuMemory}.
   *
   * @param bytes 0: a share
   * @param share of the memory that is free when the GPU is opened
   */
  public record GpuMemory(long bytes, double share) {}

  /**
   * The properties {@code spill} and {@code spillLimit}.
   *
   * @param folder null: the system's for temporary files
   * @param limit bytes
   */
  public record Spill(@Nullable Path folder, long limit) {}

  private static final int MAX_THREADS = 1024;
  private static final Pattern GPU = Pattern.compile("(?i)cuda:(\\d{1,4}(?:\\s*,\\s*\\d{1,4})*)");
  private static final long MIN_MEMORY = 1 << 20;

  /**
   * @throws AragoniteException INVALID_PROPERTY, naming the property, its value and what it may be
   */
  public static ConnectionOptions of(Properties properties) {
    RemoteFileSystem remote = new RemoteFileSystem(RemoteProperties.of(properties));
    return new ConnectionOptions(
        scale(properties, AragoniteProperty.TPCH),
        scale(properties, AragoniteProperty.TPCDS),
        directory(properties, remote),
        fileAccess(properties),
        remote,
        device(properties),
        isOn(AragoniteProperty.FALLBACK, properties),
        memory(properties),
        gpuMemory(properties),
        spill(properties),
        threads(properties),
        timeout(properties),
        join(properties),
        multiway(properties),
        isOn(AragoniteProperty.AUTO_PARAMETERIZE, properties));
  }

  private static @Nullable Double scale(Properties properties, AragoniteProperty property) {
    String text = property.get(properties);
    if (text == null) {
      return null;
    }
    try {
      double scale = Double.parseDouble(text);
      if (scale > 0 && scale <= 100_000) {
        return scale;
      }
    } catch (NumberFormatException e) {
      // told below
    }
    throw invalid(property, text, "a scale factor such as 0.01, 1 or 10");
  }

  private static @Nullable Path directory(Properties properties, RemoteFileSystem remote) {
    String text = AragoniteProperty.DIRECTORY.get(properties);
    if (text == null) {
      return null;
    }
    if (RemoteFileSystem.isUrl(text)) {
      RemotePath folder = remote.path(text);
      if (!RemoteFileSystemProvider.canList(folder)) {
        throw invalid(
            AragoniteProperty.DIRECTORY,
            UrlRedaction.redact(text),
            "a local directory or s3://bucket/folder: HTTP servers do not list their files");
      }
      return folder;
    }
    try {
      if (!text.isEmpty()) {
        return Path.of(text);
      }
    } catch (InvalidPathException e) {
      // told below
    }
    throw invalid(AragoniteProperty.DIRECTORY, text, "the path of a directory");
  }

  private static FileAccess fileAccess(Properties properties) {
    String text = text(AragoniteProperty.FILE_ACCESS, properties);
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "all" -> FileAccess.ALL;
      case "directory" -> FileAccess.DIRECTORY;
      case "none" -> FileAccess.NONE;
      default -> throw invalid(AragoniteProperty.FILE_ACCESS, text, "all, directory or none");
    };
  }

  /**
   * What {@code device=} says.
   *
   * @throws AragoniteException INVALID_PROPERTY if it is no device
   */
  public static DeviceChoice device(Properties properties) {
    String text = text(AragoniteProperty.DEVICE, properties);
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "auto" -> DeviceChoice.AUTO;
      case "cpu" -> DeviceChoice.CPU;
      case "cuda" -> DeviceChoice.ALL;
      default -> {
        Matcher gpu = GPU.matcher(text);
        List<Integer> ordinals =
            gpu.matches()
                ? Arrays.stream(gpu.group(1).split(","))
                    .map(number -> Integer.parseInt(number.trim()))
                    .toList()
                : List.of();
        if (ordinals.isEmpty() || Set.copyOf(ordinals).size() < ordinals.size()) {
          throw invalid(
              AragoniteProperty.DEVICE,
              text,
              "auto, cpu, cuda, or cuda:0 for a certain GPU, cuda:0,2 for several");
        }
        yield new DeviceChoice(DeviceChoice.DeviceKind.CUDA, ordinals);
      }
    };
  }

  private static boolean isOn(AragoniteProperty property, Properties properties) {
    String text = text(property, properties);
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "on", "true" -> true;
      case "off", "false" -> false;
      default -> throw invalid(property, text, "on or off");
    };
  }

  private static long memory(Properties properties) {
    String text = text(AragoniteProperty.MEMORY, properties);
    String wanted = "bytes (at least 1MB), with a unit if you like (512MB, 8GB), or a share (50%)";
    try {
      long bytes =
          text.endsWith("%") ? share(text.substring(0, text.length() - 1)) : Units.bytes(text);
      if (bytes >= MIN_MEMORY) {
        return bytes;
      }
    } catch (NumberFormatException e) {
      // told below
    }
    throw invalid(AragoniteProperty.MEMORY, text, wanted);
  }

  private static long share(String text) {
    return (long) (PhysicalMemory.bytes() * (percent(text) / 100));
  }

  private static double percent(String text) {
    double percent = Double.parseDouble(text.trim());
    if (!(percent > 0 && percent <= 100)) {
      throw new NumberFormatException(text);
    }
    return percent;
  }

  private static GpuMemory gpuMemory(Properties properties) {
    String text = text(AragoniteProperty.GPU_MEMORY, properties);
    try {
      if (text.endsWith("%")) {
        return new GpuMemory(0, percent(text.substring(0, text.length() - 1)) / 100);
      }
      long bytes = Units.bytes(text);
      if (bytes >= MIN_MEMORY) {
        return new GpuMemory(bytes, 0);
      }
    } catch (NumberFormatException e) {
      // told below
    }
    throw invalid(
        AragoniteProperty.GPU_MEMORY,
        text,
        "bytes (at least 1MB), with a unit if you like (512MB, 8GB), or a share of what is free"
            + " (90%)");
  }

  private static Spill spill(Properties properties) {
    String folder = AragoniteProperty.SPILL.get(properties);
    String limit = AragoniteProperty.SPILL_LIMIT.get(properties);
    Path path = null;
    long bytes = Long.MAX_VALUE;
    try {
      path = folder == null ? null : Path.of(folder);
    } catch (InvalidPathException e) {
      throw invalid(AragoniteProperty.SPILL, String.valueOf(folder), "the path of a directory");
    }
    try {
      bytes = limit == null ? Long.MAX_VALUE : Units.bytes(limit);
    } catch (NumberFormatException e) {
      throw invalid(
          AragoniteProperty.SPILL_LIMIT,
          String.valueOf(limit),
          "bytes, with a unit if you like (64GB)");
    }
    return new Spill(path, bytes);
  }

  private static int threads(Properties properties) {
    String text = AragoniteProperty.THREADS.get(properties);
    if (text == null) {
      return Runtime.getRuntime().availableProcessors();
    }
    try {
      int threads = Integer.parseInt(text);
      if (threads >= 1 && threads <= MAX_THREADS) {
        return threads;
      }
    } catch (NumberFormatException e) {
      // told below
    }
    throw invalid(AragoniteProperty.THREADS, text, "a number from 1 to " + MAX_THREADS);
  }

  private static @Nullable JoinAlgorithm join(Properties properties) {
    String text = text(AragoniteProperty.JOIN, properties);
    try {
      return JoinAlgorithm.named(text);
    } catch (IllegalArgumentException e) {
      String names = String.join(", ", JoinAlgorithm.names()).toLowerCase(Locale.ROOT);
      throw invalid(AragoniteProperty.JOIN, text, "one of auto, " + names);
    }
  }

  private static MultiwayMode multiway(Properties properties) {
    String text = text(AragoniteProperty.MULTIWAY, properties);
    try {
      return MultiwayMode.named(text);
    } catch (IllegalArgumentException e) {
      throw invalid(AragoniteProperty.MULTIWAY, text, "auto, on, levels, depth or off");
    }
  }

  static @Nullable Duration timeout(Properties properties) {
    String text = AragoniteProperty.TIMEOUT.get(properties);
    if (text == null) {
      return null;
    }
    try {
      Duration timeout = Units.duration(text);
      return timeout.isZero() ? null : timeout;
    } catch (NumberFormatException e) {
      throw invalid(
          AragoniteProperty.TIMEOUT, text, "seconds, or with a unit (500ms, 30s, 5min); 0 is none");
    }
  }

  private static String text(AragoniteProperty property, Properties properties) {
    String text = property.get(properties);
    if (text == null) {
      throw new IllegalStateException(property + " has no default");
    }
    return text;
  }

  static AragoniteException invalid(AragoniteProperty property, String value, String wanted) {
    return new AragoniteException(
        ErrorCode.INVALID_PROPERTY,
        "%s=%s is not valid; give %s.".formatted(property.camelName(), value, wanted));
  }
}
