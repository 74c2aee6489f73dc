package io.aragonite.rules.program.subquery;

/** A node that depends on an outer row and has no form for all outer rows at once. */
final class NotUnnestable extends RuntimeException {
  private static final long serialVersionUID = 1;

  NotUnnestable(String message) {
    super(message, null, false, false);
  }
}
