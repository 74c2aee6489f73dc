package io.aragonite.adapter.jdbc;

import java.lang.reflect.Type;
import java.sql.Array;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.Clob;
import java.sql.DatabaseMetaData;
import java.sql.NClob;
import java.sql.PreparedStatement;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.SQLXML;
import java.sql.Savepoint;
import java.sql.ShardingKey;
import java.sql.Statement;
import java.sql.Struct;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Executor;
import org.apache.calcite.adapter.java.JavaTypeFactory;
import org.apache.calcite.config.CalciteConnectionConfig;
import org.apache.calcite.jdbc.CalciteConnection;
import org.apache.calcite.jdbc.CalcitePrepare;
import org.apache.calcite.linq4j.Enumerator;
import org.apache.calcite.linq4j.Queryable;
import org.apache.calcite.linq4j.tree.Expression;
import org.apache.calcite.schema.SchemaPlus;
import org.jspecify.annotations.NullUnmarked;

/**
 * A connection whose every call is another connection's, behind the guard. What cannot throw an
 * SQLException is not guarded.
 */
@NullUnmarked // as java.sql is
public abstract class DelegatingConnection extends JdbcGuard<CalciteConnection>
    implements CalciteConnection {
  /**
   * @param type what the object is to those who hold it
   */
  protected DelegatingConnection(
      Class<? extends CalciteConnection> type, CalciteConnection target) {
    super(type, target);
  }

  @Override
  public SchemaPlus getRootSchema() {
    return target.getRootSchema();
  }

  @Override
  public JavaTypeFactory getTypeFactory() {
    return target.getTypeFactory();
  }

  @Override
  public Properties getProperties() {
    return target.getProperties();
  }

  @Override
  public CalciteConnectionConfig config() {
    return target.config();
  }

  @Override
  public CalcitePrepare.Context createPrepareContext() {
    return target.createPrepareContext();
  }

  @Override
  public <V> Queryable<V> createQuery(Expression expression, Class<V> rowType) {
    return target.createQuery(expression, rowType);
  }

  @Override
  public <V> Queryable<V> createQuery(Expression expression, Type rowType) {
    return target.createQuery(expression, rowType);
  }

  @Override
  public <V> V execute(Expression expression, Class<V> type) {
    return target.execute(expression, type);
  }

  @Override
  public <V> V execute(Expression expression, Type type) {
    return target.execute(expression, type);
  }

  @Override
  public <V> Enumerator<V> executeQuery(Queryable<V> queryable) {
    return target.executeQuery(queryable);
  }

  @Override
  public Statement createStatement() throws SQLException {
    return call("createStatement", () -> target.createStatement());
  }

  @Override
  public PreparedStatement prepareStatement(String sql) throws SQLException {
    return call("prepareStatement", () -> target.prepareStatement(sql));
  }

  @Override
  public CallableStatement prepareCall(String sql) throws SQLException {
    return call("prepareCall", () -> target.prepareCall(sql));
  }

  @Override
  public String nativeSQL(String sql) throws SQLException {
    return call("nativeSQL", () -> target.nativeSQL(sql));
  }

  @Override
  public void setAutoCommit(boolean autoCommit) throws SQLException {
    run("setAutoCommit", () -> target.setAutoCommit(autoCommit));
  }

  @Override
  public boolean getAutoCommit() throws SQLException {
    return call("getAutoCommit", () -> target.getAutoCommit());
  }

  @Override
  public void commit() throws SQLException {
    run("commit", () -> target.commit());
  }

  @Override
  public void rollback() throws SQLException {
    run("rollback", () -> target.rollback());
  }

  @Override
  public void close() throws SQLException {
    run("close", () -> target.close());
  }

  @Override
  public boolean isClosed() throws SQLException {
    return call("isClosed", () -> target.isClosed());
  }

  @Override
  public DatabaseMetaData getMetaData() throws SQLException {
    return call("getMetaData", () -> target.getMetaData());
  }

  @Override
  public void setReadOnly(boolean readOnly) throws SQLException {
    run("setReadOnly", () -> target.setReadOnly(readOnly));
  }

  @Override
  public boolean isReadOnly() throws SQLException {
    return call("isReadOnly", () -> target.isReadOnly());
  }

  @Override
  public void setCatalog(String catalog) throws SQLException {
    run("setCatalog", () -> target.setCatalog(catalog));
  }

  @Override
  public String getCatalog() throws SQLException {
    return call("getCatalog", () -> target.getCatalog());
  }

  @Override
  public void setTransactionIsolation(int level) throws SQLException {
    run("setTransactionIsolation", () -> target.setTransactionIsolation(level));
  }

  @Override
  public int getTransactionIsolation() throws SQLException {
    return call("getTransactionIsolation", () -> target.getTransactionIsolation());
  }

  @Override
  public SQLWarning getWarnings() throws SQLException {
    return call("getWarnings", () -> target.getWarnings());
  }

  @Override
  public void clearWarnings() throws SQLException {
    run("clearWarnings", () -> target.clearWarnings());
  }

  @Override
  public Statement createStatement(int resultSetType, int resultSetConcurrency)
      throws SQLException {
    return call(
        "createStatement", () -> target.createStatement(resultSetType, resultSetConcurrency));
  }

  @Override
  public PreparedStatement prepareStatement(String sql, int resultSetType, int resultSetConcurrency)
      throws SQLException {
    return call(
        "prepareStatement",
        () -> target.prepareStatement(sql, resultSetType, resultSetConcurrency));
  }

  @Override
  public CallableStatement prepareCall(String sql, int resultSetType, int resultSetConcurrency)
      throws SQLException {
    return call("prepareCall", () -> target.prepareCall(sql, resultSetType, resultSetConcurrency));
  }

  @Override
  public Map<String, Class<?>> getTypeMap() throws SQLException {
    return call("getTypeMap", () -> target.getTypeMap());
  }

  @Override
  public void setTypeMap(Map<String, Class<?>> map) throws SQLException {
    run("setTypeMap", () -> target.setTypeMap(map));
  }

  @Override
  public void setHoldability(int holdability) throws SQLException {
    run("setHoldability", () -> target.setHoldability(holdability));
  }

  @Override
  public int getHoldability() throws SQLException {
    return call("getHoldability", () -> target.getHoldability());
  }

  @Override
  public Savepoint setSavepoint() throws SQLException {
    return call("setSavepoint", () -> target.setSavepoint());
  }

  @Override
  public Savepoint setSavepoint(String name) throws SQLException {
    return call("setSavepoint", () -> target.setSavepoint(name));
  }

  @Override
  public void rollback(Savepoint savepoint) throws SQLException {
    run("rollback", () -> target.rollback(savepoint));
  }

  @Override
  public void releaseSavepoint(Savepoint savepoint) throws SQLException {
    run("releaseSavepoint", () -> target.releaseSavepoint(savepoint));
  }

  @Override
  public Statement createStatement(
      int resultSetType, int resultSetConcurrency, int resultSetHoldability) throws SQLException {
    return call(
        "createStatement",
        () -> target.createStatement(resultSetType, resultSetConcurrency, resultSetHoldability));
  }

  @Override
  public PreparedStatement prepareStatement(
      String sql, int resultSetType, int resultSetConcurrency, int resultSetHoldability)
      throws SQLException {
    return call(
        "prepareStatement",
        () ->
            target.prepareStatement(
                sql, resultSetType, resultSetConcurrency, resultSetHoldability));
  }

  @Override
  public CallableStatement prepareCall(
      String sql, int resultSetType, int resultSetConcurrency, int resultSetHoldability)
      throws SQLException {
    return call(
        "prepareCall",
        () -> target.prepareCall(sql, resultSetType, resultSetConcurrency, resultSetHoldability));
  }

  @Override
  public PreparedStatement prepareStatement(String sql, int autoGeneratedKeys) throws SQLException {
    return call("prepareStatement", () -> target.prepareStatement(sql, autoGeneratedKeys));
  }

  @Override
  public PreparedStatement prepareStatement(String sql, int[] columnIndexes) throws SQLException {
    return call("prepareStatement", () -> target.prepareStatement(sql, columnIndexes));
  }

  @Override
  public PreparedStatement prepareStatement(String sql, String[] columnNames) throws SQLException {
    return call("prepareStatement", () -> target.prepareStatement(sql, columnNames));
  }

  @Override
  public Clob createClob() throws SQLException {
    return call("createClob", () -> target.createClob());
  }

  @Override
  public Blob createBlob() throws SQLException {
    return call("createBlob", () -> target.createBlob());
  }

  @Override
  public NClob createNClob() throws SQLException {
    return call("createNClob", () -> target.createNClob());
  }

  @Override
  public SQLXML createSQLXML() throws SQLException {
    return call("createSQLXML", () -> target.createSQLXML());
  }

  @Override
  public boolean isValid(int timeout) throws SQLException {
    return call("isValid", () -> target.isValid(timeout));
  }

  @Override
  public void setClientInfo(String name, String value) throws SQLClientInfoException {
    target.setClientInfo(name, value);
  }

  @Override
  public void setClientInfo(Properties properties) throws SQLClientInfoException {
    target.setClientInfo(properties);
  }

  @Override
  public String getClientInfo(String name) throws SQLException {
    return call("getClientInfo", () -> target.getClientInfo(name));
  }

  @Override
  public Properties getClientInfo() throws SQLException {
    return call("getClientInfo", () -> target.getClientInfo());
  }

  @Override
  public Array createArrayOf(String typeName, Object[] elements) throws SQLException {
    return call("createArrayOf", () -> target.createArrayOf(typeName, elements));
  }

  @Override
  public Struct createStruct(String typeName, Object[] attributes) throws SQLException {
    return call("createStruct", () -> target.createStruct(typeName, attributes));
  }

  @Override
  public void setSchema(String schema) throws SQLException {
    run("setSchema", () -> target.setSchema(schema));
  }

  @Override
  public String getSchema() throws SQLException {
    return call("getSchema", () -> target.getSchema());
  }

  @Override
  public void abort(Executor executor) throws SQLException {
    run("abort", () -> target.abort(executor));
  }

  @Override
  public void setNetworkTimeout(Executor executor, int milliseconds) throws SQLException {
    run("setNetworkTimeout", () -> target.setNetworkTimeout(executor, milliseconds));
  }

  @Override
  public int getNetworkTimeout() throws SQLException {
    return call("getNetworkTimeout", () -> target.getNetworkTimeout());
  }

  @Override
  public void beginRequest() throws SQLException {
    run("beginRequest", () -> target.beginRequest());
  }

  @Override
  public void endRequest() throws SQLException {
    run("endRequest", () -> target.endRequest());
  }

  @Override
  public boolean setShardingKeyIfValid(
      ShardingKey shardingKey, ShardingKey superShardingKey, int timeout) throws SQLException {
    return call(
        "setShardingKeyIfValid",
        () -> target.setShardingKeyIfValid(shardingKey, superShardingKey, timeout));
  }

  @Override
  public boolean setShardingKeyIfValid(ShardingKey shardingKey, int timeout) throws SQLException {
    return call("setShardingKeyIfValid", () -> target.setShardingKeyIfValid(shardingKey, timeout));
  }

  @Override
  public void setShardingKey(ShardingKey shardingKey, ShardingKey superShardingKey)
      throws SQLException {
    run("setShardingKey", () -> target.setShardingKey(shardingKey, superShardingKey));
  }

  @Override
  public void setShardingKey(ShardingKey shardingKey) throws SQLException {
    run("setShardingKey", () -> target.setShardingKey(shardingKey));
  }
}
