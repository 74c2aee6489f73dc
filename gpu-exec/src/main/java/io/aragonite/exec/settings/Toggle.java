package io.aragonite.exec.settings;

/** Whether something is done. */
public enum Toggle {
  /** By its price. */
  AUTO,
  /** Wherever it is possible. */
  ON,
  /** Nowhere. */
  OFF
}
