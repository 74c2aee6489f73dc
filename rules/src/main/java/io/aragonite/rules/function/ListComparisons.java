package io.aragonite.rules.function;

import io.aragonite.exec.limit.StopCheck;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.calcite.linq4j.function.Strict;
import org.jspecify.annotations.Nullable;

/**
 * Functions of lists that compare elements, for Calcite's code, which compares as Java does. The
 * last argument of each is the type that elements are compared as, which {@link SortKeys#codec}
 * reads.
 */
@Strict
public final class ListComparisons {
  private ListComparisons() {}

  /** Of values that are not null, ending with its query. */
  private static Comparator<Object> order(String type) {
    return StopCheck.current().polled(SortKeys.codec(type)::compare);
  }

  /** With nulls as the last, ending with its query. */
  private static Comparator<@Nullable Object> nullable(String type) {
    return StopCheck.current().polled(SortKeys.codec(type)::compareNullable);
  }

  public static boolean contains(List<?> list, Object value, String type) {
    return ListSearch.position(list, value, SortKeys.codec(type)) > 0;
  }

  /** The elements that are not equal to a value. */
  public static List<?> without(List<?> list, Object value, String type) {
    Comparator<Object> order = order(type);
    List<@Nullable Object> kept = new ArrayList<>(list);
    kept.removeIf(element -> element != null && order.compare(element, value) == 0);
    return kept;
  }

  /** The first of each that are equal, nulls among them. */
  public static List<?> distinct(List<?> list, String type) {
    SortKeyCodec codec = SortKeys.codec(type);
    StopCheck.current().work(list.size());
    Map<@Nullable Object, @Nullable Object> first = new LinkedHashMap<>();
    for (Object value : list) {
      first.putIfAbsent(codec.common(value), value);
    }
    return new ArrayList<>(first.values());
  }

  /** Spark's: the first of each of both lists, nulls among them. */
  public static List<?> union(List<?> list, List<?> other, String type) {
    List<@Nullable Object> both = new ArrayList<>(list);
    both.addAll(other);
    return distinct(both, type);
  }

  /** Spark's: the elements that another list has not, each once, a null among them. */
  public static List<?> except(List<?> list, List<?> other, String type) {
    return chosen(list, other, false, type);
  }

  /** Spark's: the elements that another list has too, each once, a null among them. */
  public static List<?> both(List<?> list, List<?> other, String type) {
    return chosen(list, other, true, type);
  }

  private static List<?> chosen(List<?> list, List<?> other, boolean wanted, String type) {
    SortKeyCodec codec = SortKeys.codec(type);
    StopCheck.current().work(other.size());
    Set<@Nullable Object> others = new HashSet<>();
    other.forEach(element -> others.add(codec.common(element)));
    List<@Nullable Object> kept = new ArrayList<>();
    for (Object element : distinct(list, type)) {
      if (others.contains(codec.common(element)) == wanted) {
        kept.add(element);
      }
    }
    return kept;
  }

  /** Nulls are the last, as ORDER BY has them. */
  public static List<?> sort(List<?> list, String type) {
    StopCheck.current().work(list.size());
    List<@Nullable Object> sorted = new ArrayList<>(list);
    sorted.sort(nullable(type));
    return sorted;
  }

  /** Spark's: nulls are the first. */
  public static List<?> sortArray(List<?> list, String type) {
    return sortArray(list, true, type);
  }

  /** Spark's: nulls are the first if ascending, otherwise the last. */
  public static List<?> sortArray(List<?> list, boolean ascending, String type) {
    StopCheck.current().work(list.size());
    List<@Nullable Object> sorted = new ArrayList<>(list);
    Comparator<@Nullable Object> order = Comparator.nullsFirst(order(type));
    sorted.sort(ascending ? order : order.reversed());
    return sorted;
  }

  /** The places of the elements in their order; of equal ones the first is first. */
  public static List<Long> grade(List<?> list, String type) {
    Comparator<@Nullable Object> order = nullable(type);
    StopCheck.current().work(list.size());
    return IntStream.range(0, list.size())
        .boxed()
        .sorted((a, b) -> order.compare(list.get(a), list.get(b)))
        .map(place -> place + 1L)
        .toList();
  }

  public static @Nullable Object least(List<?> list, String type) {
    return list.stream().filter(Objects::nonNull).min(order(type)).orElse(null);
  }

  public static @Nullable Object greatest(List<?> list, String type) {
    return list.stream().filter(Objects::nonNull).max(order(type)).orElse(null);
  }

  public static boolean hasAll(List<?> list, List<?> wanted, String type) {
    SortKeyCodec codec = SortKeys.codec(type);
    return commons(list, codec).containsAll(commons(wanted, codec));
  }

  /** {@link #hasAny} as Spark has it: null where none is known to be equal and a null may be. */
  public static @Nullable Boolean overlap(List<?> list, List<?> other, String type) {
    boolean unknown = list.contains(null) || other.contains(null);
    return hasAny(list, other, type)
        ? Boolean.TRUE
        : unknown && !list.isEmpty() && !other.isEmpty() ? null : Boolean.FALSE;
  }

  public static boolean hasAny(List<?> list, List<?> wanted, String type) {
    SortKeyCodec codec = SortKeys.codec(type);
    Set<Object> commons = commons(list, codec);
    return commons(wanted, codec).stream().anyMatch(commons::contains);
  }

  /** Of the elements that are not null. */
  private static Set<Object> commons(List<?> list, SortKeyCodec codec) {
    StopCheck.current().work(list.size());
    Set<Object> commons = new HashSet<>();
    for (Object value : list) {
      Object common = codec.common(value);
      if (common != null) {
        commons.add(common);
      }
    }
    return commons;
  }

  /** The elements that another list has too, each once; no nulls. */
  public static List<?> intersect(List<?> list, List<?> other, String type) {
    SortKeyCodec codec = SortKeys.codec(type);
    Set<Object> wanted = commons(other, codec);
    List<@Nullable Object> made = new ArrayList<>();
    for (Object value : list) {
      Object common = codec.common(value);
      if (common != null && wanted.remove(common)) {
        made.add(value);
      }
    }
    return made;
  }

  /** How often each element is there, which is not null, in the order of the elements. */
  public static Map<?, Long> histogram(List<?> list, String type) {
    SortKeyCodec codec = SortKeys.codec(type);
    StopCheck.current().work(list.size());
    List<Object> values = new ArrayList<>();
    Map<Object, Long> counts = new HashMap<>();
    for (Object value : list) {
      Object common = codec.common(value);
      if (value != null && common != null && counts.merge(common, 1L, Long::sum) == 1) {
        values.add(value);
      }
    }
    values.sort(order(type));
    Map<Object, Long> sorted = new LinkedHashMap<>();
    for (Object value : values) {
      sorted.put(value, Objects.requireNonNull(counts.get(codec.commonOf(value))));
    }
    return sorted;
  }
}
