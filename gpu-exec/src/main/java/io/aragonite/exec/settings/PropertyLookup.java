package io.aragonite.exec.settings;

import org.jspecify.annotations.Nullable;

/** Values of properties by their names. */
@FunctionalInterface
public interface PropertyLookup {
  /**
   * @return null if it is not set
   */
  @Nullable String get(String name);
}
