package io.aragonite.adapter.server;

import org.jspecify.annotations.Nullable;

/** A token that is not good. The message says why, in a sentence without any text of the token. */
public final class RefusedTokenException extends Exception {
  private static final long serialVersionUID = 1;

  private final @Nullable String user;

  RefusedTokenException(String sentence, @Nullable String user) {
    super(sentence, null, false, false); // many are refused, and none is a defect
    this.user = user;
  }

  /** The sentence. */
  public String reason() {
    return String.valueOf(getMessage());
  }

  /** Whom the token names, if the issuer has signed it; else null. */
  public @Nullable String user() {
    return user;
  }
}
