package io.aragonite.rules.runtime;

import java.util.Locale;

/** When joins whose equalities close a cycle run as one node over tries. */
public enum MultiwayMode {
  /** Where that is cheaper by estimate. */
  AUTO,
  /** Wherever it is possible. */
  ON,
  /** Wherever it is possible, level by level. */
  LEVELS,
  /** Wherever it is possible, depth first where the device can. */
  DEPTH,
  /** Never. */
  OFF;

  /**
   * The mode that users call auto, on, levels, depth or off.
   *
   * @throws IllegalArgumentException for any other
   */
  public static MultiwayMode named(String name) {
    return valueOf(name.toUpperCase(Locale.ROOT));
  }
}
