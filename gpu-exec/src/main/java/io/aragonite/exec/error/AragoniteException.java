package io.aragonite.exec.error;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An error of the catalogue. The message is one clear sentence that names the thing and the way
 * out; {@link #getMessage()} puts the code in front: {@code AR-201 (USER): Division by zero in …}.
 */
public final class AragoniteException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;

  public AragoniteException(ErrorCode code, String sentence) {
    this(code, sentence, null);
  }

  public AragoniteException(ErrorCode code, String sentence, @Nullable Throwable cause) {
    super(code.code() + " (" + code.kind() + "): " + sentence, cause);
    this.code = code;
  }

  /** The same error, which says more at its end. */
  public AragoniteException adding(String more) {
    return new AragoniteException(code, sentence() + more, this);
  }

  /** The same error, with other words for what a pattern finds. */
  public AragoniteException replacing(Pattern pattern, String words) {
    return new AragoniteException(code, pattern.matcher(sentence()).replaceAll(words), this);
  }

  private String sentence() {
    String message = String.valueOf(getMessage());
    return message.substring(message.indexOf("): ") + "): ".length());
  }

  public ErrorCode code() {
    return code;
  }

  public ErrorKind kind() {
    return code.kind();
  }

  public String sqlState() {
    return code.sqlState();
  }

  /**
   * What an error of somebody else's says, as a part of a message; its class if it says nothing.
   */
  public static String reason(Throwable error) {
    String message = error.getMessage();
    return message == null || message.isBlank() ? error.getClass().getSimpleName() : message;
  }
}
