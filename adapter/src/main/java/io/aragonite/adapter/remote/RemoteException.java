package io.aragonite.adapter.remote;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** What a store or server answered, or that it did not; the message is the end of a sentence. */
public final class RemoteException extends IOException {
  private static final long serialVersionUID = 1L;

  private final Problem problem;

  /** Kinds of answers. */
  enum Problem {
    /** It may be gone at the next try. */
    TRANSIENT,
    /** The file is another one than it was when it was opened. */
    CHANGED,
    REFUSED
  }

  RemoteException(Problem problem, String message, @Nullable Throwable cause) {
    super(UrlRedaction.redact(message), cause);
    this.problem = problem;
  }

  Problem problem() {
    return problem;
  }
}
