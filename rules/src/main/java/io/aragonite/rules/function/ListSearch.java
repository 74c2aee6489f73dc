package io.aragonite.rules.function;

import io.aragonite.exec.limit.StopCheck;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.apache.calcite.sql.SqlKind;
import org.jspecify.annotations.Nullable;

/** {@link ListComparisons} that tell nulls from each other, so that Calcite's code calls them. */
public final class ListSearch {
  private ListSearch() {}

  /** The place of an element, from 1, or of a null; 0 if it is not there. */
  public static @Nullable Long position(
      @Nullable List<?> list, @Nullable Object element, String type) {
    return list == null ? null : position(list, element, SortKeys.codec(type));
  }

  static long position(List<?> list, @Nullable Object element, SortKeyCodec codec) {
    Comparator<@Nullable Object> order = StopCheck.current().polled(codec::compareNullable);
    int place = 0;
    for (Object each : list) {
      place++;
      if (order.compare(each, element) == 0) {
        return place;
      }
    }
    return 0;
  }

  /** The value of a map's key, null if there is none. */
  public static @Nullable Object value(@Nullable Map<?, ?> map, @Nullable Object key, String type) {
    if (map == null || key == null) {
      return null;
    }
    Object found = map.get(key);
    if (found != null || map.containsKey(key)) {
      return found;
    }
    SortKeyCodec codec = SortKeys.codec(type);
    if (!codec.isOfEquals()) {
      Comparator<Object> order = StopCheck.current().polled(codec::compare);
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        if (entry.getKey() != null && order.compare(entry.getKey(), key) == 0) {
          return entry.getValue();
        }
      }
    }
    return null;
  }

  /**
   * Whether a comparison with some element of a list is true: null if none is and one is null.
   *
   * @param comparison the name of its {@link SqlKind}
   */
  public static @Nullable Boolean some(
      @Nullable Object value, @Nullable List<?> list, String comparison, String type) {
    return some(value, list, SqlKind.valueOf(comparison), type);
  }

  /** Whether a comparison with each element of a list is true. */
  public static @Nullable Boolean all(
      @Nullable Object value, @Nullable List<?> list, String comparison, String type) {
    Boolean not = some(value, list, SqlKind.valueOf(comparison).negateNullSafe(), type);
    return not == null ? null : Boolean.valueOf(!not);
  }

  private static @Nullable Boolean some(
      @Nullable Object value, @Nullable List<?> list, SqlKind comparison, String type) {
    if (list == null) {
      return null;
    }
    Comparator<Object> order = StopCheck.current().polled(SortKeys.codec(type)::compare);
    boolean unknown = false;
    for (Object element : list) {
      if (value == null || element == null) {
        unknown = true;
      } else if (holds(order.compare(value, element), comparison)) {
        return true;
      }
    }
    return unknown ? null : Boolean.FALSE;
  }

  private static boolean holds(int order, SqlKind comparison) {
    return switch (comparison) {
      case EQUALS -> order == 0;
      case NOT_EQUALS -> order != 0;
      case LESS_THAN -> order < 0;
      case LESS_THAN_OR_EQUAL -> order <= 0;
      case GREATER_THAN -> order > 0;
      case GREATER_THAN_OR_EQUAL -> order >= 0;
      default -> throw new IllegalArgumentException(comparison.name());
    };
  }
}
