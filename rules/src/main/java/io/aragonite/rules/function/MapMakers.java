package io.aragonite.rules.function;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.linq4j.function.Strict;
import org.jspecify.annotations.Nullable;

/**
 * Maps of keys and values, for Calcite's code, which takes keys for equal as Java does and has the
 * last value of each. The last argument is the type that keys are compared as ({@link
 * SortKeys#codec}).
 */
@Strict
public final class MapMakers {
  private MapMakers() {}

  /**
   * A map of as many keys as values.
   *
   * @throws AragoniteException INVALID_ARGUMENT if a key is null or there twice
   */
  public static Map<?, ?> of(List<?> keys, List<?> values, String type) {
    if (keys.size() != values.size()) {
      throw new AragoniteException(
          ErrorCode.INVALID_ARGUMENT,
          "A map has as many keys as values, not %d and %d.".formatted(keys.size(), values.size()));
    }
    SortKeyCodec codec = SortKeys.codec(type);
    StopCheck.current().make(16L * keys.size());
    Map<@Nullable Object, @Nullable Object> map = new LinkedHashMap<>();
    Set<Object> seen = new HashSet<>();
    for (int i = 0; i < keys.size(); i++) {
      Object key = keys.get(i);
      if (key == null) {
        throw new AragoniteException(ErrorCode.INVALID_ARGUMENT, "A key of a map is not null.");
      }
      if (!seen.add(codec.commonOf(key))) {
        throw new AragoniteException(
            ErrorCode.INVALID_ARGUMENT,
            "A map has each key once, not %s twice.".formatted(text(key)));
      }
      map.put(key, values.get(i));
    }
    return map;
  }

  /** A key as messages have it. */
  static String text(Object key) {
    return key instanceof Object[] row ? Arrays.deepToString(row) : key.toString();
  }

  /** A map of rows of a key and a value; null if one of the rows is. */
  public static @Nullable Map<?, ?> ofEntries(List<?> entries, String type) {
    return entries.contains(null) ? null : of(fields(entries, 0), fields(entries, 1), type);
  }

  private static List<?> fields(List<?> entries, int field) {
    return Arrays.asList(entries.stream().map(entry -> field(entry, field)).toArray());
  }

  private static @Nullable Object field(Object entry, int field) {
    return entry instanceof Object[] row
        ? Arrays.asList(row).get(field)
        : ((List<?>) entry).get(field);
  }
}
