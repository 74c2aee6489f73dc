package io.aragonite.adapter.jdbc;

import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import org.jspecify.annotations.NullUnmarked;

/** Columns of a result whose every call is another object's, behind the guard. */
@NullUnmarked // as java.sql is
public abstract class DelegatingResultSetMetaData extends JdbcGuard<ResultSetMetaData>
    implements ResultSetMetaData {
  protected DelegatingResultSetMetaData(ResultSetMetaData target) {
    super(ResultSetMetaData.class, target);
  }

  @Override
  public int getColumnCount() throws SQLException {
    return call("getColumnCount", () -> target.getColumnCount());
  }

  @Override
  public boolean isAutoIncrement(int column) throws SQLException {
    return call("isAutoIncrement", () -> target.isAutoIncrement(column));
  }

  @Override
  public boolean isCaseSensitive(int column) throws SQLException {
    return call("isCaseSensitive", () -> target.isCaseSensitive(column));
  }

  @Override
  public boolean isSearchable(int column) throws SQLException {
    return call("isSearchable", () -> target.isSearchable(column));
  }

  @Override
  public boolean isCurrency(int column) throws SQLException {
    return call("isCurrency", () -> target.isCurrency(column));
  }

  @Override
  public int isNullable(int column) throws SQLException {
    return call("isNullable", () -> target.isNullable(column));
  }

  @Override
  public boolean isSigned(int column) throws SQLException {
    return call("isSigned", () -> target.isSigned(column));
  }

  @Override
  public int getColumnDisplaySize(int column) throws SQLException {
    return call("getColumnDisplaySize", () -> target.getColumnDisplaySize(column));
  }

  @Override
  public String getColumnLabel(int column) throws SQLException {
    return call("getColumnLabel", () -> target.getColumnLabel(column));
  }

  @Override
  public String getColumnName(int column) throws SQLException {
    return call("getColumnName", () -> target.getColumnName(column));
  }

  @Override
  public String getSchemaName(int column) throws SQLException {
    return call("getSchemaName", () -> target.getSchemaName(column));
  }

  @Override
  public int getPrecision(int column) throws SQLException {
    return call("getPrecision", () -> target.getPrecision(column));
  }

  @Override
  public int getScale(int column) throws SQLException {
    return call("getScale", () -> target.getScale(column));
  }

  @Override
  public String getTableName(int column) throws SQLException {
    return call("getTableName", () -> target.getTableName(column));
  }

  @Override
  public String getCatalogName(int column) throws SQLException {
    return call("getCatalogName", () -> target.getCatalogName(column));
  }

  @Override
  public int getColumnType(int column) throws SQLException {
    return call("getColumnType", () -> target.getColumnType(column));
  }

  @Override
  public String getColumnTypeName(int column) throws SQLException {
    return call("getColumnTypeName", () -> target.getColumnTypeName(column));
  }

  @Override
  public boolean isReadOnly(int column) throws SQLException {
    return call("isReadOnly", () -> target.isReadOnly(column));
  }

  @Override
  public boolean isWritable(int column) throws SQLException {
    return call("isWritable", () -> target.isWritable(column));
  }

  @Override
  public boolean isDefinitelyWritable(int column) throws SQLException {
    return call("isDefinitelyWritable", () -> target.isDefinitelyWritable(column));
  }

  @Override
  public String getColumnClassName(int column) throws SQLException {
    return call("getColumnClassName", () -> target.getColumnClassName(column));
  }
}
