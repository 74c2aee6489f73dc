package io.aragonite.adapter.server;

import io.aragonite.adapter.error.RedactedException;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.sql.SQLException;
import java.util.UUID;
import org.apache.calcite.avatica.AvaticaSeverity;
import org.apache.calcite.avatica.NoSuchConnectionException;
import org.apache.calcite.avatica.NoSuchStatementException;
import org.apache.calcite.avatica.remote.AvaticaRuntimeException;
import org.apache.calcite.avatica.remote.Service;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What clients are told of errors: a code, an SQLSTATE and a sentence, and nothing of the server's
 * code. What is not meant for them goes to the server's log.
 */
final class ServedErrors {
  static final String MALFORMED =
      "The request is malformed: it is none of Avatica's protocol, or a value or an id in it is"
          + " missing or of the wrong type.";

  private static final Logger LOG = LoggerFactory.getLogger(ServedErrors.class);

  private ServedErrors() {}

  /** An error of the service. */
  static AvaticaRuntimeException of(Throwable error) {
    Throwable cause = error;
    for (int depth = 0; cause != null && depth < 20; depth++) {
      switch (cause) {
        case AvaticaRuntimeException known when known.getErrorCode() > 1 -> {
          return error(known.getErrorMessage(), known.getErrorCode(), known.getSqlState());
        }
        case SQLException sql when sql.getErrorCode() != 0 -> {
          return error(
              String.valueOf(sql.getMessage()),
              sql.getErrorCode(),
              sql.getSQLState() == null ? ErrorCode.INTERNAL.sqlState() : sql.getSQLState());
        }
        case AragoniteException ours -> {
          return error(String.valueOf(ours.getMessage()), ours.code().number(), ours.sqlState());
        }
        case NoSuchConnectionException missing -> {
          // By this code Avatica's client knows that it is to connect again.
          return error(
              "There is no such connection: it was closed, or nobody used it for too long.",
              Service.ErrorResponse.MISSING_CONNECTION_ERROR_CODE,
              "08003");
        }
        case NoSuchStatementException missing -> {
          return of(
              ErrorCode.INVALID_CALL,
              "There is no such statement: it was closed, or nobody used it for too long.");
        }
        default -> cause = cause.getCause();
      }
    }
    return unexpected(error);
  }

  private static AvaticaRuntimeException unexpected(Throwable error) {
    for (Throwable e = error; e != null; e = e.getCause()) {
      if (e instanceof IllegalArgumentException
          || e instanceof ClassCastException
          || e instanceof NullPointerException
          || e instanceof IndexOutOfBoundsException
          || e instanceof UnsupportedOperationException) {
        LOG.debug("a request that could not be done", RedactedException.of(error));
        return malformed();
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

  static AvaticaRuntimeException malformed() {
    return of(ErrorCode.INVALID_CALL, MALFORMED);
  }

  static AvaticaRuntimeException of(ErrorCode code, String sentence) {
    AragoniteException error = new AragoniteException(code, sentence);
    return error(String.valueOf(error.getMessage()), code.number(), code.sqlState());
  }

  private static AvaticaRuntimeException error(String message, int code, String state) {
    AvaticaRuntimeException error =
        new AvaticaRuntimeException(message, code, state, AvaticaSeverity.ERROR);
    error.setStackTrace(new StackTraceElement[0]); // the server's own business
    return error;
  }
}
