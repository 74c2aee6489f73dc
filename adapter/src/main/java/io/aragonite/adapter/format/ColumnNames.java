package io.aragonite.adapter.format;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Names by which the columns of a file can be told apart. */
public final class ColumnNames {
  private ColumnNames() {}

  /**
   * Names that are blank become {@code column<n>}; repeated ones get a number behind. Names match
   * whatever their case, so two that differ in nothing else are a repetition. A name that another
   * column really has is never given.
   *
   * @param names as the file has them
   */
  public static List<String> distinct(List<String> names) {
    Set<String> given = new HashSet<>();
    names.forEach(name -> given.add(key(name)));
    Set<String> taken = new HashSet<>();
    List<String> distinct = new ArrayList<>(names.size());
    for (int i = 0; i < names.size(); i++) {
      boolean blank = names.get(i).isBlank();
      String base = blank ? "column" + (i + 1) : names.get(i);
      String name = base;
      boolean free = !(blank && given.contains(key(base))) && taken.add(key(base));
      for (int n = 2; !free; n++) {
        name = base + "_" + n;
        free = !given.contains(key(name)) && taken.add(key(name));
      }
      distinct.add(name);
    }
    return List.copyOf(distinct);
  }

  private static String key(String name) {
    return name.toLowerCase(Locale.ROOT);
  }
}
