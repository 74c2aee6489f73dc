package io.aragonite.adapter.server;

import io.aragonite.adapter.error.RedactedException;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.sql.SQLException;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What clients of a server are told of an error: a code, an SQLSTATE and a sentence, and nothing of
 * the server's code. What is not meant for them goes to the server's log.
 *
 * @param message the sentence, with its {@code AR-nnn}
 * @param number the code's
 */
public record ClientError(String message, int number, String sqlState) {
  private static final Logger LOG = LoggerFactory.getLogger(ClientError.class);

  /** An error of ours. */
  public static ClientError of(ErrorCode code, String sentence) {
    return of(new AragoniteException(code, sentence));
  }

  private static ClientError of(AragoniteException error) {
    return new ClientError(
        String.valueOf(error.getMessage()), error.code().number(), error.sqlState());
  }

  /**
   * Any error.
   *
   * @param malformed what is said of one that comes of a request which cannot be understood
   */
  public static ClientError of(Throwable error, String malformed) {
    Throwable cause = error;
    for (int depth = 0; cause != null && depth < 20; depth++) {
      switch (cause) {
        case SQLException sql when sql.getErrorCode() != 0 -> {
          return new ClientError(
              String.valueOf(sql.getMessage()),
              sql.getErrorCode(),
              sql.getSQLState() == null ? ErrorCode.INTERNAL.sqlState() : sql.getSQLState());
        }
        case AragoniteException ours -> {
          return of(ours);
        }
        default -> cause = cause.getCause();
      }
    }
    return unexpected(error, malformed);
  }

  private static ClientError unexpected(Throwable error, String malformed) {
    for (Throwable e = error; e != null; e = e.getCause()) {
      if (e instanceof IllegalArgumentException
          || e instanceof ClassCastException
          || e instanceof NullPointerException
          || e instanceof IndexOutOfBoundsException
          || e instanceof UnsupportedOperationException) {
        LOG.debug("a request that could not be done", RedactedException.of(error));
        return of(ErrorCode.INVALID_CALL, malformed);
      }
      if (e instanceof OutOfMemoryError) {
        return of(
            ErrorCode.MEMORY_EXCEEDED,
            "The server's Java heap is full; ask for less at a time, or start it with a larger"
                + " -Xmx.");
      }
    }
    String id = UUID.randomUUID().toString().substring(0, 8);
    LOG.warn("a request failed ({})", id, RedactedException.of(error));
    return of(
        ErrorCode.INTERNAL,
        "The request failed by a defect of the server, whose log says more under %s."
            .formatted(id));
  }
}
