package io.aragonite.rules.translate;

/** Says why an expression or a node cannot run on a device; rules turn it into a fallback. */
public final class Untranslatable extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * @param reason what users read, for instance {@code a correlated variable}
   */
  public Untranslatable(String reason) {
    super(reason, null, false, false);
  }

  /** The reason. */
  public String reason() {
    String message = getMessage();
    return message == null ? "unknown" : message;
  }
}
