package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;

/**
 * A comparison of the variable that is being bound with one that is bound already.
 *
 * @param kind how the new value must compare with the old one
 * @param values the old one's value in each binding, 32-bit, signed
 */
public record TrieBound(BoundKind kind, Buffer values) {
  /** What the new value is. */
  public enum BoundKind {
    GREATER,
    GREATER_OR_EQUAL,
    LESS,
    LESS_OR_EQUAL,
    DIFFERENT
  }
}
