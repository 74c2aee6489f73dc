package io.aragonite.sqltests.operators;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.calcite.avatica.ConnectionProperty;
import org.apache.calcite.test.CalciteAssert.ConnectionPostProcessor;
import org.apache.calcite.test.ConnectionFactory;

/**
 * The test kit's connection factory with another driver behind it. Immutable; tests derive variants
 * with properties of their own (libraries of functions, conformance, type system).
 *
 * @param url the connect string
 * @param properties what is given to the driver beside it
 * @param schemas what is done to each new connection
 * @param opened hears of each new connection
 */
record DeviceConnections(
    String url,
    Map<String, String> properties,
    List<ConnectionPostProcessor> schemas,
    Consumer<Connection> opened)
    implements ConnectionFactory {

  DeviceConnections {
    properties = Map.copyOf(properties);
    schemas = List.copyOf(schemas);
  }

  @Override
  public Connection createConnection() throws SQLException {
    Properties info = new Properties();
    properties.forEach(info::setProperty);
    Connection connection = DriverManager.getConnection(url, info);
    try {
      opened.accept(connection);
      for (ConnectionPostProcessor schema : schemas) {
        connection = schema.apply(connection);
      }
    } catch (SQLException | RuntimeException | Error e) {
      connection.close();
      throw e;
    }
    return connection;
  }

  @Override
  public ConnectionFactory with(String property, Object value) {
    Map<String, String> more = new TreeMap<>(properties);
    more.put(property, value.toString());
    return new DeviceConnections(url, more, schemas, opened);
  }

  @Override
  public ConnectionFactory with(ConnectionProperty property, Object value) {
    return with(property.camelName(), value);
  }

  @Override
  public ConnectionFactory with(ConnectionPostProcessor schema) {
    List<ConnectionPostProcessor> more = new ArrayList<>(schemas);
    more.add(schema);
    return new DeviceConnections(url, properties, more, opened);
  }
}
