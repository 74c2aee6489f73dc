package io.aragonite.adapter.error;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Wrapper;
import org.jspecify.annotations.Nullable;

/**
 * Stands in front of one of Calcite's JDBC objects. Calcite's classes can hardly be extended
 * outside their package, and every one of JDBC's 600 methods can throw; so errors are mapped here,
 * once, and subclasses add what a kind of object does differently.
 */
public abstract class JdbcGuard<T extends Wrapper> implements InvocationHandler {
  private final Class<?> type;
  public final T target;
  private final Object proxy;

  public JdbcGuard(Class<? extends T> type, T target) {
    this.type = type;
    this.target = target;
    this.proxy =
        Proxy.newProxyInstance(JdbcGuard.class.getClassLoader(), new Class<?>[] {type}, this);
  }

  /** The object that users hold. */
  @SuppressWarnings("unchecked")
  public T proxy() {
    return (T) proxy;
  }

  /**
   * A call by a user.
   *
   * @return the result, which takes the place of the target's
   */
  public abstract @Nullable Object call(Method method, @Nullable Object @Nullable [] args)
      throws Throwable;

  /** What the error of a call is to users. */
  public SQLException mapped(Throwable error) {
    return SqlErrors.of(error);
  }

  /** Calls the target. */
  public final @Nullable Object forward(Method method, @Nullable Object @Nullable [] args)
      throws Throwable {
    try {
      return method.invoke(target, args);
    } catch (InvocationTargetException e) {
      throw e.getCause() == null ? e : e.getCause();
    }
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // a proxy equals itself
  public final @Nullable Object invoke(
      Object self, Method method, @Nullable Object @Nullable [] args) throws Throwable {
    if (method.getDeclaringClass() == Object.class) {
      return switch (method.getName()) {
        case "equals" -> args != null && args[0] == self;
        case "hashCode" -> System.identityHashCode(self);
        default -> "aragonite " + target;
      };
    }
    try {
      if (args != null && args.length == 1 && args[0] instanceof Class<?> wanted) {
        if (method.getName().equals("unwrap") && wanted.isAssignableFrom(type)) {
          return self;
        }
        if (method.getName().equals("isWrapperFor") && wanted.isAssignableFrom(type)) {
          return true;
        }
      }
      return call(method, args);
    } catch (Throwable e) {
      if (e instanceof SQLFeatureNotSupportedException && e.getMessage() == null) {
        throw mapped(
            new AragoniteException(
                ErrorCode.EXPRESSION_UNSUPPORTED,
                "The driver does not support %s.%s; results are read forwards, and tables are"
                        .formatted(type.getSimpleName(), method.getName())
                    + " read-only."));
      }
      if (declares(method)) {
        throw mapped(e);
      }
      throw e;
    }
  }

  private static boolean declares(Method method) {
    for (Class<?> type : method.getExceptionTypes()) {
      if (type.isAssignableFrom(SQLException.class)) {
        return true;
      }
    }
    return false;
  }
}
