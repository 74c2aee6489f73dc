package io.aragonite.adapter.server;

import io.aragonite.adapter.error.RedactedException;
import io.aragonite.adapter.execution.ClientRequest;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.sql.SQLException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
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

  /** Any error of a request that was understood: what is not ours is a defect. */
  public static ClientError of(Throwable error) {
    return of(error, null);
  }

  /**
   * Any error.
   *
   * @param malformed what is said of one that comes of a request which cannot be understood, null
   *     if it was
   */
  public static ClientError of(Throwable error, @Nullable String malformed) {
    Throwable cause = error;
    for (int depth = 0; cause != null && depth < 20; depth++) {
      switch (cause) {
        case SQLException sql when sql.getErrorCode() != 0 -> {
          return told(
              new ClientError(
                  String.valueOf(sql.getMessage()),
                  sql.getErrorCode(),
                  sql.getSQLState() == null ? ErrorCode.INTERNAL.sqlState() : sql.getSQLState()));
        }
        case AragoniteException ours -> {
          return told(of(ours));
        }
        default -> cause = cause.getCause();
      }
    }
    return unexpected(error, malformed);
  }

  /** Without its message, which may have values of tables. */
  private static ClientError told(ClientError error) {
    LOG.debug("a request was answered with AR-{}", error.number);
    return error;
  }

  private static ClientError unexpected(Throwable error, @Nullable String malformed) {
    for (Throwable e = error; e != null; e = e.getCause()) {
      if (malformed != null && isOfRequest(e)) {
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
    return defect(error);
  }

  /** What is thrown where a part of a request is missing or of the wrong type. */
  private static boolean isOfRequest(Throwable error) {
    return error instanceof IllegalArgumentException
        || error instanceof ClassCastException
        || error instanceof NullPointerException
        || error instanceof IndexOutOfBoundsException
        || error instanceof UnsupportedOperationException;
  }

  private static ClientError defect(Throwable error) {
    ClientRequest request = ClientRequest.current();
    String query = request == null ? null : request.query();
    // The audit log has the number of the run too.
    String id = query != null ? query : UUID.randomUUID().toString().substring(0, 8);
    LOG.warn("a request failed ({})", id, RedactedException.of(error));
    return of(
        ErrorCode.INTERNAL,
        "The request failed by a defect of the server, whose log says more under %s."
            .formatted(id));
  }
}
