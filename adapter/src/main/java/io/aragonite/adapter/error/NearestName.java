package io.aragonite.adapter.error;

import java.util.Collection;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds the known name that a mistyped one was meant to be. */
public final class NearestName {
  private NearestName() {}

  /** The candidate with the fewest edits, whatever the case; null if none is near. */
  public static @Nullable String of(String name, Collection<String> candidates) {
    String wanted = name.toLowerCase(Locale.ROOT);
    // of one letter any other one would be near
    int limit = wanted.length() < 2 ? 1 : Math.max(1, (wanted.length() + 1) / 3) + 1;
    String best = null;
    int least = limit;
    for (String candidate : candidates) {
      String lower = candidate.toLowerCase(Locale.ROOT);
      int edits = distance(wanted, lower);
      // l_qty for l_quantity, cust for customer: a long beginning in common is near as well
      if (edits >= limit
          && wanted.length() >= 3
          && (lower.startsWith(wanted) || wanted.startsWith(lower))) {
        edits = limit - 1;
      }
      if (edits < least) {
        least = edits;
        best = candidate;
      }
    }
    return best;
  }

  /**
   * The nearest of files, whose names end with what they are: the same name with another end, else
   * the nearest name with the same end.
   */
  public static @Nullable String ofFile(String name, Collection<String> candidates) {
    String wanted = stem(name);
    Map<String, String> alike = new HashMap<>();
    for (String candidate : candidates) {
      String stem = stem(candidate);
      if (stem.equalsIgnoreCase(wanted)) {
        return candidate;
      }
      if (name.substring(wanted.length()).equalsIgnoreCase(candidate.substring(stem.length()))) {
        alike.put(stem, candidate);
      }
    }
    String nearest = of(wanted, alike.keySet().stream().sorted().toList());
    return nearest == null ? null : alike.get(nearest);
  }

  private static String stem(String file) {
    int end = file.indexOf('.', 1);
    return end < 0 ? file : file.substring(0, end);
  }

  /** How a sentence about an unknown name ends: with the nearest one, if there is one. */
  public static String ending(String name, Collection<String> candidates) {
    String nearest = of(name, candidates);
    return nearest == null ? "." : "; did you mean '" + nearest + "'?";
  }

  /** Edits (insert, delete, replace, swap of neighbours) from one to the other. */
  static int distance(String from, String to) {
    int[] beforePrevious = new int[to.length() + 1];
    int[] previous = new int[to.length() + 1];
    int[] row = new int[to.length() + 1];
    for (int j = 0; j <= to.length(); j++) {
      previous[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      row[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        int replace = from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1;
        row[j] = Math.min(Math.min(row[j - 1], previous[j]) + 1, previous[j - 1] + replace);
        if (i > 1
            && j > 1
            && from.charAt(i - 1) == to.charAt(j - 2)
            && from.charAt(i - 2) == to.charAt(j - 1)) {
          row[j] = Math.min(row[j], beforePrevious[j - 2] + 1);
        }
      }
      int[] spare = beforePrevious;
      beforePrevious = previous;
      previous = row;
      row = spare;
    }
    return previous[to.length()];
  }
}
