package io.aragonite.adapter;

import java.lang.reflect.Field;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.calcite.jdbc.CalciteConnection;

/**
 * Lets threads share a connection: Calcite keeps a connection's statements in a HashMap, so that
 * one of them could be lost while another is made. The map is a final field of a private class that
 * only Calcite makes and looks into, at every call of a statement, and Calcite's connections cannot
 * be extended outside their package: reflection is the one way to it.
 */
final class ConcurrentStatements {
  private ConcurrentStatements() {}

  /** Has a new connection keep its statements in a map for several threads. */
  static void of(CalciteConnection connection) {
    try {
      Object server = field(connection.getClass(), "server").get(connection);
      Field statements = field(server.getClass(), "statementMap");
      Map<Object, Object> concurrent = new ConcurrentHashMap<>();
      concurrent.putAll((Map<?, ?>) statements.get(server));
      statements.set(server, concurrent);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("Calcite keeps statements of connections otherwise", e);
    }
  }

  private static Field field(Class<?> type, String name) throws NoSuchFieldException {
    for (Class<?> c = type; c != null; c = c.getSuperclass()) {
      for (Field field : c.getDeclaredFields()) {
        if (field.getName().equals(name)) {
          field.setAccessible(true);
          return field;
        }
      }
    }
    throw new NoSuchFieldException(name);
  }
}
