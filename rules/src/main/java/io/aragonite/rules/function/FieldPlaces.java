package io.aragonite.rules.function;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Which field of a row becomes which one of another row: those of the same name, whatever their
 * case, or, of rows that have no name in common, those of the same place. A field that is given,
 * and has no name of those, is dropped, as in DuckDB.
 */
public final class FieldPlaces {
  /** Stands for a field that becomes null. */
  public static final int NONE = -1;

  private FieldPlaces() {}

  /**
   * For each field of the row that is made, the place of that in the given row, or {@link #NONE}.
   *
   * @param from names of the fields that are given
   * @param to names of the fields that are made
   * @return null of rows of other sizes that have no name in common
   */
  public static @Nullable List<Integer> of(List<String> from, List<String> to) {
    List<String> given = lower(from);
    List<String> made = lower(to);
    Set<String> known = Set.copyOf(made);
    if (given.stream().noneMatch(known::contains)) {
      return from.size() == to.size() ? IntStream.range(0, to.size()).boxed().toList() : null;
    }
    if (given.equals(made)) { // a name may be there twice
      return IntStream.range(0, to.size()).boxed().toList();
    }
    List<Integer> places = new ArrayList<>();
    made.forEach(name -> places.add(given.indexOf(name)));
    return places;
  }

  private static List<String> lower(List<String> names) {
    return names.stream().map(name -> name.toLowerCase(Locale.ROOT)).toList();
  }
}
