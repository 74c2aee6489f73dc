package io.aragonite.adapter.error;

import io.aragonite.adapter.remote.UrlRedaction;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Stands in a chain of causes for an error whose message has a secret, the signature of a URL;
 * stack traces look as they did.
 */
public final class RedactedException extends Exception {
  private static final long serialVersionUID = 1L;

  private RedactedException(Throwable original, @Nullable Throwable cause) {
    super(UrlRedaction.redact(original.toString()), cause, false, true);
    setStackTrace(original.getStackTrace());
  }

  /** The same error if no secret is in it or in its causes. */
  public static Throwable of(Throwable error) {
    List<Throwable> chain = new ArrayList<>();
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    int secret = -1;
    for (Throwable e = error; e != null && seen.add(e); e = e.getCause()) {
      chain.add(e);
      String message = String.valueOf(e.getMessage());
      if (!UrlRedaction.redact(message).equals(message)) {
        secret = chain.size() - 1;
      }
    }
    Throwable shown = secret + 1 < chain.size() ? chain.get(secret + 1) : null;
    for (int i = secret; i >= 0; i--) {
      shown = new RedactedException(chain.get(i), shown);
    }
    return shown == null ? error : shown;
  }

  /** As that of the error for which it stands. */
  @Override
  public String toString() {
    return String.valueOf(getMessage());
  }
}
