package io.aragonite.client;

import java.io.IOException;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.calcite.avatica.AvaticaClientRuntimeException;

/** Exceptions of Avatica's client as JDBC wants them. */
final class ClientErrors {
  private static final String NO_CONNECTION = "08001";
  private static final String CONNECTION_LOST = "08006";
  private static final String NOT_ALLOWED = "28000";

  /**
   * What the server says of a batch, behind its message; {@code ServedErrors} writes it. The message
   * may hold a user's text that looks like it.
   */
  private static final Pattern BEFORE =
      Pattern.compile("Statements of the batch that stay in effect: (\\d{1,10})\\.\\z");

  private ClientErrors() {}

  /**
   * The server's error with its code and SQLSTATE; or, if no answer came, why not.
   *
   * @param what what did not succeed
   */
  static SQLException of(RuntimeException error, String what) {
    String reason = String.valueOf(error.getMessage());
    for (Throwable e = error; e != null; e = e.getCause()) {
      if (e instanceof AvaticaClientRuntimeException) {
        AvaticaClientRuntimeException told = (AvaticaClientRuntimeException) e;
        return asServerSaid(
            new SQLException(
                String.valueOf(told.getMessage()),
                told.getSqlState(),
                told.getErrorCode(),
                error));
      }
      if (e instanceof IOException && e.getMessage() != null) {
        reason = e.getMessage();
      }
    }
    boolean login = reason.endsWith("HTTP/401");
    return new SQLException(
        "AR-404 (USER): %s: %s. %s"
            .formatted(
                what,
                reason,
                login
                    ? "The server wants a user and a password that it knows, or a token that has not expired."
                    : "Is a server there (./aragonite serve), and is the URL its?"),
        login ? NOT_ALLOWED : NO_CONNECTION,
        404,
        error);
  }

  /**
   * The error of a batch, which names how many of its statements were run before the one that
   * failed.
   *
   * @param size how many statements the batch has
   */
  static BatchUpdateException ofBatch(RuntimeException error, int size) {
    SQLException told = of(error, "The batch could not be run");
    Matcher before = BEFORE.matcher(String.valueOf(told.getMessage()));
    long run = before.find() ? Long.parseLong(before.group(1)) : 0;
    int[] counts = new int[(int) Math.min(run, size)];
    Arrays.fill(counts, Statement.SUCCESS_NO_INFO);
    return new BatchUpdateException(
        told.getMessage(), told.getSQLState(), told.getErrorCode(), counts, error);
  }

  /** An error of the catalogue that the client finds itself. */
  static SQLException user(int code, String state, String sentence) {
    return new SQLException("AR-%d (USER): %s".formatted(code, sentence), state, code);
  }

  /** Without what Avatica puts before the server's sentence: where the error passed by. */
  static SQLException asServerSaid(SQLException error) {
    String message = String.valueOf(error.getMessage());
    int at = message.indexOf("AR-" + error.getErrorCode() + " (");
    if (at > 0) {
      return new SQLException(
          message.substring(at), error.getSQLState(), error.getErrorCode(), error);
    }
    String reason = at == 0 || error.getSQLState() != null ? "" : lost(error);
    return reason.isEmpty()
        ? error
        : new SQLException(
            "AR-404 (USER): The server does not answer: %s. Is it still there?".formatted(reason),
            CONNECTION_LOST,
            404,
            error);
  }

  /** Why no answer has come; empty if one has. */
  private static String lost(Throwable error) {
    String reason = "";
    for (Throwable e = error; e != null; e = e.getCause()) {
      if (e instanceof AvaticaClientRuntimeException) {
        return "";
      }
      if (e instanceof IOException && e.getMessage() != null) {
        reason = e.getMessage();
      }
    }
    return reason;
  }
}
