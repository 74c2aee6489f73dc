package io.aragonite.adapter.error;

import io.aragonite.adapter.remote.UrlRedaction;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.sql.BatchUpdateException;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLSyntaxErrorException;
import java.sql.SQLTimeoutException;
import java.sql.SQLWarning;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * Turns whatever ends a JDBC call early into a SQLException of the catalogue: the code in front of
 * one sentence, SQLSTATE, and the code's number as vendor code. This is the only place that makes
 * SQLExceptions.
 */
public final class SqlErrors {
  private SqlErrors() {}

  /** Stands for {@link SQLException} with nothing known of the statement. */
  public static SQLException of(Throwable error) {
    return of(error, KnownNames.NONE);
  }

  /**
   * @param names what names there are, so that the nearest can be told
   */
  public static SQLException of(Throwable error, KnownNames names) {
    AragoniteException ours = null;
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    for (Throwable e = error; e != null && seen.add(e); e = e.getCause()) {
      if (e instanceof SQLException sql && isOurs(sql)) {
        return sql;
      }
      if (e instanceof AragoniteException aragonite) {
        ours = aragonite;
        break;
      }
    }
    return sqlException(ours != null ? ours : CalciteErrors.of(error, names), error);
  }

  /**
   * What became of a call on something that is closed, or was closed meanwhile: what the catalogue
   * has already, and else INVALID_CALL, since Calcite's own objects fail as they may then.
   *
   * @param sentence says what is closed
   */
  public static SQLException ofClosed(Throwable error, String sentence) {
    SQLException known = of(error);
    int number = known.getErrorCode();
    return number == ErrorCode.INTERNAL.number() || !isCatalogued(error)
        ? sqlException(new AragoniteException(ErrorCode.INVALID_CALL, sentence, error), error)
        : known;
  }

  private static boolean isCatalogued(Throwable error) {
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    for (Throwable e = error; e != null && seen.add(e); e = e.getCause()) {
      if (e instanceof AragoniteException || e instanceof SQLException sql && isOurs(sql)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isOurs(SQLException e) {
    String message = e.getMessage();
    return e.getErrorCode() != 0
        && message != null
        && message.startsWith("AR-" + e.getErrorCode() + " ");
  }

  private static SQLException sqlException(AragoniteException e, Throwable error) {
    Throwable cause = RedactedException.of(error);
    String message = UrlRedaction.redact(oneLine(String.valueOf(e.getMessage())));
    ErrorCode code = e.code();
    String state = code.sqlState();
    int number = code.number();
    if (code == ErrorCode.TIMED_OUT) {
      return new SQLTimeoutException(message, state, number, cause);
    }
    return switch (state.substring(0, 2)) {
      case "22" -> new SQLDataException(message, state, number, cause);
      case "23" -> new SQLIntegrityConstraintViolationException(message, state, number, cause);
      case "42" -> new SQLSyntaxErrorException(message, state, number, cause);
      case "0A" -> new SQLFeatureNotSupportedException(message, state, number, cause);
      default -> new SQLException(message, state, number, cause);
    };
  }

  /** What {@link java.sql.Connection#getWarnings} tells. */
  public static SQLWarning warning(String sentence) {
    return new SQLWarning(sentence, "01000");
  }

  /**
   * The error of a batch.
   *
   * @param error that of the statement at which it ended
   * @param counts rows of the statements before
   */
  public static SQLException ofBatch(Throwable error, long[] counts) {
    SQLException known = of(error);
    return new BatchUpdateException(
        known.getMessage(), known.getSQLState(), known.getErrorCode(), counts, known);
  }

  /**
   * The error of a statement that was cancelled, or took too long.
   *
   * @param error what it failed with, perhaps that of a batch
   */
  public static SQLException ofEnded(AragoniteException ended, Throwable error) {
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    for (Throwable e = error; e != null && seen.add(e); e = e.getCause()) {
      if (e instanceof BatchUpdateException batch) {
        return ofBatch(ended, batch.getLargeUpdateCounts());
      }
    }
    return of(ended);
  }

  /** One sentence on one line, with its full stop. */
  static String oneLine(String text) {
    String line = text.strip().replaceAll("\\s*[\\r\\n]+\\s*", " ");
    if (line.isEmpty()) {
      return line;
    }
    char last = line.charAt(line.length() - 1);
    return ".!?".indexOf(last) >= 0 ? line : line + ".";
  }
}
