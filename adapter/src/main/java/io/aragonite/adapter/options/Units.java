package io.aragonite.adapter.options;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Quantities with units, as users write and read them. */
public final class Units {
  private static final Pattern QUANTITY = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)\\s*([a-z]*)");
  private static final String[] SIZES = {"B", "KB", "MB", "GB", "TB"};

  private Units() {}

  /**
   * Bytes of {@code 1048576}, {@code 512MB}, {@code 1.5 GiB}: units are powers of 1,024.
   *
   * @throws NumberFormatException if it is anything else
   */
  public static long bytes(String text) {
    Matcher matcher = match(text);
    long unit =
        switch (matcher.group(2)) {
          case "", "b" -> 1L;
          case "k", "kb", "kib" -> 1L << 10;
          case "m", "mb", "mib" -> 1L << 20;
          case "g", "gb", "gib" -> 1L << 30;
          case "t", "tb", "tib" -> 1L << 40;
          default -> throw new NumberFormatException(text);
        };
    double bytes = Double.parseDouble(matcher.group(1)) * unit;
    if (bytes > Long.MAX_VALUE / 2.0) {
      throw new NumberFormatException(text);
    }
    return (long) bytes;
  }

  /**
   * The time of {@code 30}, {@code 30s}, {@code 500ms}, {@code 5min}, {@code 1h}.
   *
   * @throws NumberFormatException if it is anything else
   */
  public static Duration duration(String text) {
    Matcher matcher = match(text);
    double millis =
        switch (matcher.group(2)) {
          case "ms" -> 1;
          case "", "s", "sec" -> 1e3;
          case "m", "min" -> 60e3;
          case "h" -> 3_600e3;
          default -> throw new NumberFormatException(text);
        };
    double total = Double.parseDouble(matcher.group(1)) * millis;
    if (total > 1e15) {
      throw new NumberFormatException(text);
    }
    return Duration.ofMillis((long) Math.ceil(total));
  }

  private static Matcher match(String text) {
    Matcher matcher = QUANTITY.matcher(text.trim().toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw new NumberFormatException(text);
    }
    return matcher;
  }

  /** For instance {@code 12.3 MB}. */
  public static String formatBytes(double bytes) {
    int unit = 0;
    double value = bytes;
    while (value >= 1024 && unit < SIZES.length - 1) {
      value /= 1024;
      unit++;
    }
    return unit == 0
        ? "%.0f B".formatted(value)
        : String.format(Locale.ROOT, "%.1f %s", value, SIZES[unit]);
  }

  /** For instance {@code 1.25 ms}. */
  public static String formatNanos(double nanos) {
    if (nanos < 1e3) {
      return String.format(Locale.ROOT, "%.0f ns", nanos);
    }
    if (nanos < 1e6) {
      return String.format(Locale.ROOT, "%.1f us", nanos / 1e3);
    }
    if (nanos < 1e9) {
      return String.format(Locale.ROOT, "%.2f ms", nanos / 1e6);
    }
    return String.format(Locale.ROOT, "%.2f s", nanos / 1e9);
  }

  /** A count as estimates give it: whole, with thousands apart. */
  public static String formatRows(double rows) {
    return rows < 1e15
        ? String.format(Locale.ROOT, "%,d", Math.round(rows))
        : String.format(Locale.ROOT, "%.2e", rows);
  }
}
