package io.aragonite.adapter.format.iceberg;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which state of a table is read, and what it may consist of.
 *
 * @param snapshot its number; null: not by that
 * @param asOf the state at that time, in milliseconds since 1970; null: not by that
 * @param ref a branch or tag; null: not by that
 * @param otherPaths whether files outside the table's folder are read
 */
public record IcebergOptions(
    @Nullable Long snapshot, @Nullable Long asOf, @Nullable String ref, boolean otherPaths) {
  /** The current state, of files in the table's folder. */
  public static final IcebergOptions NONE = new IcebergOptions(null, null, null, false);

  /** What options are called. */
  public static final List<String> NAMES =
      List.of("snapshot", "as_of", "branch", "tag", "allow_other_paths");

  /**
   * @param given values by names, also those of DuckDB
   * @throws IllegalArgumentException with what is wrong, for messages
   */
  public static IcebergOptions of(Map<String, Object> given) {
    IcebergOptions options = NONE;
    int states = 0;
    for (Map.Entry<String, Object> option : given.entrySet()) {
      Object value = option.getValue();
      boolean others = options.otherPaths;
      switch (option.getKey()) {
        case "snapshot", "snapshot_from_id" -> {
          options = new IcebergOptions(number(option.getKey(), value), null, null, others);
          states++;
        }
        case "as_of", "snapshot_from_timestamp" -> {
          options = new IcebergOptions(null, time(option.getKey(), value), null, others);
          states++;
        }
        case "branch", "tag" -> {
          options = new IcebergOptions(null, null, String.valueOf(value), others);
          states++;
        }
        case "allow_other_paths" ->
            options =
                new IcebergOptions(options.snapshot, options.asOf, options.ref, truth(option));
        // Files are looked for in the table's folder in any case.
        case "allow_moved_paths" -> truth(option);
        default -> throw new IllegalArgumentException("there is no option " + option.getKey());
      }
    }
    if (states > 1) {
      throw new IllegalArgumentException(
          "only one of snapshot, as_of, branch and tag can be given");
    }
    return options;
  }

  /** Whether {@link #of} knows an option. */
  public static boolean isKnown(String name) {
    return NAMES.contains(name)
        || List.of("snapshot_from_id", "snapshot_from_timestamp", "allow_moved_paths")
            .contains(name);
  }

  private static boolean truth(Map.Entry<String, Object> option) {
    if (option.getValue() instanceof Boolean truth) {
      return truth;
    }
    throw new IllegalArgumentException(option.getKey() + " must be true or false");
  }

  private static long number(String name, Object value) {
    if (value instanceof Number number) {
      return number.longValue();
    }
    throw new IllegalArgumentException(name + " must be the number of a snapshot");
  }

  private static long time(String name, Object value) {
    String text = String.valueOf(value).strip().replace(' ', 'T');
    try {
      if (value instanceof Number millis) {
        return millis.longValue();
      }
      if (text.length() == 10) {
        return LocalDate.parse(text).atStartOfDay().toInstant(ZoneOffset.UTC).toEpochMilli();
      }
      boolean zoned = text.endsWith("Z") || text.lastIndexOf('+') > 0 || text.lastIndexOf('-') > 9;
      return zoned
          ? OffsetDateTime.parse(text).toInstant().toEpochMilli()
          : LocalDateTime.parse(text).toInstant(ZoneOffset.UTC).toEpochMilli();
    } catch (DateTimeException | ArithmeticException e) {
      throw new IllegalArgumentException(
          name + " must be a time such as '2024-05-01 12:00:00', of UTC unless it has an offset",
          e);
    }
  }
}
