package io.aragonite.adapter.server;

import io.aragonite.exec.error.ErrorCode;
import java.sql.BatchUpdateException;
import org.apache.calcite.avatica.AvaticaSeverity;
import org.apache.calcite.avatica.NoSuchConnectionException;
import org.apache.calcite.avatica.NoSuchStatementException;
import org.apache.calcite.avatica.remote.AvaticaRuntimeException;
import org.apache.calcite.avatica.remote.Service;

/** What Avatica's clients are told of errors. */
final class ServedErrors {
  static final String MALFORMED =
      "The request is malformed: it is none of Avatica's protocol, or a value or an id in it is"
          + " missing or of the wrong type.";

  private ServedErrors() {}

  /** An error of the service. */
  static AvaticaRuntimeException of(Throwable error) {
    Throwable cause = error;
    for (int depth = 0; cause != null && depth < 20; depth++) {
      switch (cause) {
        case AvaticaRuntimeException known when known.getErrorCode() > 1 -> {
          return error(known.getErrorMessage(), known.getErrorCode(), known.getSqlState());
        }
        case NoSuchConnectionException missing -> {
          // By this code Avatica's client knows that it is to connect again.
          return error(
              "There is no such connection: it was closed, or nobody used it for too long.",
              Service.ErrorResponse.MISSING_CONNECTION_ERROR_CODE,
              "08003");
        }
        case NoSuchStatementException missing -> {
          return noStatement();
        }
        default -> cause = cause.getCause();
      }
    }
    ClientError told = ClientError.of(error, MALFORMED);
    return error(told.message(), told.number(), told.sqlState());
  }

  /**
   * An error of a batch, with how many of its statements were run before: the protocol has no place
   * for that, and the client reads it here.
   */
  static RuntimeException ofBatch(RuntimeException error) {
    Throwable cause = error;
    for (int depth = 0; cause != null && depth < 20; depth++) {
      if (cause instanceof BatchUpdateException batch) {
        ClientError told = ClientError.of(error, MALFORMED);
        return error(
            "%s Statements of the batch that stay in effect: %d."
                .formatted(told.message(), batch.getLargeUpdateCounts().length),
            told.number(),
            told.sqlState());
      }
      cause = cause.getCause();
    }
    return error;
  }

  static AvaticaRuntimeException noStatement() {
    return of(
        ErrorCode.INVALID_CALL,
        "There is no such statement: it was closed, or nobody used it for too long.");
  }

  static AvaticaRuntimeException malformed() {
    return of(ErrorCode.INVALID_CALL, MALFORMED);
  }

  static AvaticaRuntimeException of(ErrorCode code, String sentence) {
    ClientError told = ClientError.of(code, sentence);
    return error(told.message(), told.number(), told.sqlState());
  }

  private static AvaticaRuntimeException error(String message, int code, String state) {
    AvaticaRuntimeException error =
        new AvaticaRuntimeException(message, code, state, AvaticaSeverity.ERROR);
    error.setStackTrace(new StackTraceElement[0]); // the server's own business
    return error;
  }
}
