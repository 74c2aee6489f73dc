package io.aragonite.adapter.jdbc;

import io.aragonite.adapter.error.SqlErrors;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Wrapper;
import org.jspecify.annotations.Nullable;

/**
 * Stands in front of one of Calcite's JDBC objects. Calcite's classes can hardly be extended
 * outside their package, and every one of JDBC's 600 methods can throw; so errors are mapped here,
 * once. The {@code Delegating...} classes pass each method of an interface through {@link #call}
 * and {@link #run}; their subclasses override what a kind of object does differently.
 */
public abstract class JdbcGuard<T extends Wrapper> implements Wrapper {
  /** Calcite's object. */
  protected final T target;

  private final Class<? extends Wrapper> type;

  /**
   * @param type what the object is to those who hold it
   */
  protected JdbcGuard(Class<? extends T> type, T target) {
    this.type = type;
    this.target = target;
  }

  /** What a method does that returns something. */
  @FunctionalInterface
  public interface JdbcCall<V extends @Nullable Object> {
    V run() throws Throwable;
  }

  /** What a method does that returns nothing. */
  @FunctionalInterface
  public interface JdbcAction {
    void run() throws Throwable;
  }

  /** What the error of a call is to users. */
  protected SQLException mapped(Throwable error) {
    return SqlErrors.of(error);
  }

  /** Does what a user called {@code method} for. */
  protected final <V extends @Nullable Object> V call(String method, JdbcCall<V> body)
      throws SQLException {
    try {
      return body.run();
    } catch (Throwable e) {
      throw failed(method, e);
    }
  }

  /** Does what a user called {@code method} for. */
  protected final void run(String method, JdbcAction body) throws SQLException {
    try {
      body.run();
    } catch (Throwable e) {
      throw failed(method, e);
    }
  }

  /** The error that a call of {@code method} ends with. */
  protected final SQLException failed(String method, Throwable error) {
    return error instanceof SQLFeatureNotSupportedException && error.getMessage() == null
        ? mapped(
            new AragoniteException(
                ErrorCode.EXPRESSION_UNSUPPORTED,
                "The driver does not support %s.%s; %s."
                    .formatted(type.getSimpleName(), method, reason(method))))
        : mapped(error);
  }

  /** Why there is no such method, or what is there instead. */
  private static String reason(String method) {
    return switch (method) {
      case "setSavepoint", "releaseSavepoint", "rollback", "setHoldability" ->
          "there are no transactions, each statement is in effect at once";
      case "createBlob", "createClob", "createNClob", "createSQLXML", "createStruct" ->
          "give a parameter's value as it is, or as a stream";
      case "prepareCall" -> "there are no stored procedures, functions are called in queries";
      case "getUnicodeStream" -> "getCharacterStream has the same text";
      case "getRef", "getRowId", "getSQLXML", "getURL", "setTypeMap" ->
          "there are no such values, and no types of users";
      case "isLast" -> "the rows of EXPLAIN are not watched, count them";
      default -> "results are read forwards and are not updated";
    };
  }

  /** This object, where it is what is wanted; the target and what is in it otherwise. */
  @Override
  public final <V> V unwrap(Class<V> wanted) throws SQLException {
    return call("unwrap", () -> isThis(wanted) ? wanted.cast(this) : inner(wanted));
  }

  @Override
  public final boolean isWrapperFor(Class<?> wanted) throws SQLException {
    return call("isWrapperFor", () -> isThis(wanted) || hasInner(wanted));
  }

  /** Only what JDBC knows of this object is to be had of it, not how it is made. */
  private boolean isThis(@Nullable Class<?> wanted) {
    return wanted != null && wanted.isAssignableFrom(type);
  }

  /** What this object is not, but has. */
  protected <V> V inner(Class<V> wanted) throws SQLException {
    return target.unwrap(wanted);
  }

  /** Whether {@link #inner} has an answer. */
  protected boolean hasInner(Class<?> wanted) throws SQLException {
    return target.isWrapperFor(wanted);
  }

  @Override
  public final String toString() {
    return "aragonite " + target;
  }
}
