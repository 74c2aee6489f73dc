package io.aragonite.bench.fuzz;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Assertions of Calcite's that fail for plans which are right, in JVMs with {@code -ea} only: a program that has an expression which
 * nothing uses, a condition that is cast to what it is but for NULL, and a mapping of no columns.
 */
final class FuzzAssertions {
  private static final int MOST_FRAMES = 4;
  private static final Set<String> PLACES = Set.of("RexProgram.isNormalized", "Filter.isValid", "Mappings.create");

  private FuzzAssertions() {}

  /** Where in Calcite such an assertion has failed; null for all other errors. */
  static @Nullable String place(Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      StackTraceElement[] frames = cause.getStackTrace();
      for (int i = 0; cause instanceof AssertionError && i < Math.min(MOST_FRAMES, frames.length); i++) {
        String type = frames[i].getClassName();
        String place = type.substring(type.lastIndexOf('.') + 1) + "." + frames[i].getMethodName();
        if (PLACES.contains(place)) {
          return place;
        }
      }
    }
    return null;
  }
}
