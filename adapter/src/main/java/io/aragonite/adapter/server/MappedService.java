package io.aragonite.adapter.server;

import io.aragonite.exec.error.AragoniteException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import org.apache.calcite.avatica.AvaticaSeverity;
import org.apache.calcite.avatica.remote.AvaticaRuntimeException;
import org.apache.calcite.avatica.remote.Service;

/**
 * A service whose errors reach clients with the message, SQLSTATE and vendor code of the
 * SQLException behind them; without this Avatica sends a chain of class names and code -1.
 */
final class MappedService {
  private MappedService() {}

  static Service of(Service service) {
    return (Service)
        Proxy.newProxyInstance(
            MappedService.class.getClassLoader(),
            new Class<?>[] {Service.class},
            (proxy, method, args) -> {
              try {
                return method.invoke(service, args);
              } catch (InvocationTargetException e) {
                throw mapped(e.getCause() == null ? e : e.getCause());
              }
            });
  }

  private static Throwable mapped(Throwable error) {
    Throwable cause = error;
    for (int depth = 0; cause != null && depth < 20; depth++) {
      if (cause instanceof SQLException sql && sql.getErrorCode() != 0) {
        AvaticaRuntimeException mapped =
            new AvaticaRuntimeException(
                String.valueOf(sql.getMessage()),
                sql.getErrorCode(),
                sql.getSQLState() == null ? "XX000" : sql.getSQLState(),
                AvaticaSeverity.ERROR);
        mapped.setStackTrace(new StackTraceElement[0]); // the server's own business
        return mapped;
      }
      if (cause instanceof AragoniteException ours) {
        return mapped(new SQLException(ours.getMessage(), ours.sqlState(), ours.code().number()));
      }
      cause = cause.getCause();
    }
    return error;
  }
}
