package io.aragonite.adapter.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.RowIdLifetime;
import java.sql.SQLException;
import org.jspecify.annotations.NullUnmarked;

/** Metadata whose every call is another object's, behind the guard. */
@NullUnmarked // as java.sql is
public abstract class DelegatingDatabaseMetaData extends DelegatingCapabilities {
  protected DelegatingDatabaseMetaData(DatabaseMetaData target) {
    super(target);
  }

  /** Asks the target for rows. */
  protected abstract ResultSet askRows(String method, JdbcCall<ResultSet> question)
      throws SQLException;

  @Override
  public String getURL() throws SQLException {
    return ask("getURL", () -> target.getURL());
  }

  @Override
  public String getUserName() throws SQLException {
    return ask("getUserName", () -> target.getUserName());
  }

  @Override
  public String getDatabaseProductName() throws SQLException {
    return ask("getDatabaseProductName", () -> target.getDatabaseProductName());
  }

  @Override
  public String getDatabaseProductVersion() throws SQLException {
    return ask("getDatabaseProductVersion", () -> target.getDatabaseProductVersion());
  }

  @Override
  public String getDriverName() throws SQLException {
    return ask("getDriverName", () -> target.getDriverName());
  }

  @Override
  public String getDriverVersion() throws SQLException {
    return ask("getDriverVersion", () -> target.getDriverVersion());
  }

  @Override
  public int getDriverMajorVersion() {
    return target.getDriverMajorVersion();
  }

  @Override
  public int getDriverMinorVersion() {
    return target.getDriverMinorVersion();
  }

  @Override
  public String getIdentifierQuoteString() throws SQLException {
    return ask("getIdentifierQuoteString", () -> target.getIdentifierQuoteString());
  }

  @Override
  public String getSQLKeywords() throws SQLException {
    return ask("getSQLKeywords", () -> target.getSQLKeywords());
  }

  @Override
  public String getNumericFunctions() throws SQLException {
    return ask("getNumericFunctions", () -> target.getNumericFunctions());
  }

  @Override
  public String getStringFunctions() throws SQLException {
    return ask("getStringFunctions", () -> target.getStringFunctions());
  }

  @Override
  public String getSystemFunctions() throws SQLException {
    return ask("getSystemFunctions", () -> target.getSystemFunctions());
  }

  @Override
  public String getTimeDateFunctions() throws SQLException {
    return ask("getTimeDateFunctions", () -> target.getTimeDateFunctions());
  }

  @Override
  public String getSearchStringEscape() throws SQLException {
    return ask("getSearchStringEscape", () -> target.getSearchStringEscape());
  }

  @Override
  public String getExtraNameCharacters() throws SQLException {
    return ask("getExtraNameCharacters", () -> target.getExtraNameCharacters());
  }

  @Override
  public String getSchemaTerm() throws SQLException {
    return ask("getSchemaTerm", () -> target.getSchemaTerm());
  }

  @Override
  public String getProcedureTerm() throws SQLException {
    return ask("getProcedureTerm", () -> target.getProcedureTerm());
  }

  @Override
  public String getCatalogTerm() throws SQLException {
    return ask("getCatalogTerm", () -> target.getCatalogTerm());
  }

  @Override
  public String getCatalogSeparator() throws SQLException {
    return ask("getCatalogSeparator", () -> target.getCatalogSeparator());
  }

  @Override
  public int getMaxBinaryLiteralLength() throws SQLException {
    return ask("getMaxBinaryLiteralLength", () -> target.getMaxBinaryLiteralLength());
  }

  @Override
  public int getMaxCharLiteralLength() throws SQLException {
    return ask("getMaxCharLiteralLength", () -> target.getMaxCharLiteralLength());
  }

  @Override
  public int getMaxColumnNameLength() throws SQLException {
    return ask("getMaxColumnNameLength", () -> target.getMaxColumnNameLength());
  }

  @Override
  public int getMaxColumnsInGroupBy() throws SQLException {
    return ask("getMaxColumnsInGroupBy", () -> target.getMaxColumnsInGroupBy());
  }

  @Override
  public int getMaxColumnsInIndex() throws SQLException {
    return ask("getMaxColumnsInIndex", () -> target.getMaxColumnsInIndex());
  }

  @Override
  public int getMaxColumnsInOrderBy() throws SQLException {
    return ask("getMaxColumnsInOrderBy", () -> target.getMaxColumnsInOrderBy());
  }

  @Override
  public int getMaxColumnsInSelect() throws SQLException {
    return ask("getMaxColumnsInSelect", () -> target.getMaxColumnsInSelect());
  }

  @Override
  public int getMaxColumnsInTable() throws SQLException {
    return ask("getMaxColumnsInTable", () -> target.getMaxColumnsInTable());
  }

  @Override
  public int getMaxConnections() throws SQLException {
    return ask("getMaxConnections", () -> target.getMaxConnections());
  }

  @Override
  public int getMaxCursorNameLength() throws SQLException {
    return ask("getMaxCursorNameLength", () -> target.getMaxCursorNameLength());
  }

  @Override
  public int getMaxIndexLength() throws SQLException {
    return ask("getMaxIndexLength", () -> target.getMaxIndexLength());
  }

  @Override
  public int getMaxSchemaNameLength() throws SQLException {
    return ask("getMaxSchemaNameLength", () -> target.getMaxSchemaNameLength());
  }

  @Override
  public int getMaxProcedureNameLength() throws SQLException {
    return ask("getMaxProcedureNameLength", () -> target.getMaxProcedureNameLength());
  }

  @Override
  public int getMaxCatalogNameLength() throws SQLException {
    return ask("getMaxCatalogNameLength", () -> target.getMaxCatalogNameLength());
  }

  @Override
  public int getMaxRowSize() throws SQLException {
    return ask("getMaxRowSize", () -> target.getMaxRowSize());
  }

  @Override
  public int getMaxStatementLength() throws SQLException {
    return ask("getMaxStatementLength", () -> target.getMaxStatementLength());
  }

  @Override
  public int getMaxStatements() throws SQLException {
    return ask("getMaxStatements", () -> target.getMaxStatements());
  }

  @Override
  public int getMaxTableNameLength() throws SQLException {
    return ask("getMaxTableNameLength", () -> target.getMaxTableNameLength());
  }

  @Override
  public int getMaxTablesInSelect() throws SQLException {
    return ask("getMaxTablesInSelect", () -> target.getMaxTablesInSelect());
  }

  @Override
  public int getMaxUserNameLength() throws SQLException {
    return ask("getMaxUserNameLength", () -> target.getMaxUserNameLength());
  }

  @Override
  public int getDefaultTransactionIsolation() throws SQLException {
    return ask("getDefaultTransactionIsolation", () -> target.getDefaultTransactionIsolation());
  }

  @Override
  public ResultSet getProcedures(String catalog, String schemaPattern, String procedureNamePattern)
      throws SQLException {
    return askRows(
        "getProcedures", () -> target.getProcedures(catalog, schemaPattern, procedureNamePattern));
  }

  @Override
  public ResultSet getProcedureColumns(
      String catalog, String schemaPattern, String procedureNamePattern, String columnNamePattern)
      throws SQLException {
    return askRows(
        "getProcedureColumns",
        () ->
            target.getProcedureColumns(
                catalog, schemaPattern, procedureNamePattern, columnNamePattern));
  }

  @Override
  public ResultSet getTables(
      String catalog, String schemaPattern, String tableNamePattern, String[] types)
      throws SQLException {
    return askRows(
        "getTables", () -> target.getTables(catalog, schemaPattern, tableNamePattern, types));
  }

  @Override
  public ResultSet getSchemas() throws SQLException {
    return askRows("getSchemas", () -> target.getSchemas());
  }

  @Override
  public ResultSet getCatalogs() throws SQLException {
    return askRows("getCatalogs", () -> target.getCatalogs());
  }

  @Override
  public ResultSet getTableTypes() throws SQLException {
    return askRows("getTableTypes", () -> target.getTableTypes());
  }

  @Override
  public ResultSet getColumns(
      String catalog, String schemaPattern, String tableNamePattern, String columnNamePattern)
      throws SQLException {
    return askRows(
        "getColumns",
        () -> target.getColumns(catalog, schemaPattern, tableNamePattern, columnNamePattern));
  }

  @Override
  public ResultSet getColumnPrivileges(
      String catalog, String schema, String table, String columnNamePattern) throws SQLException {
    return askRows(
        "getColumnPrivileges",
        () -> target.getColumnPrivileges(catalog, schema, table, columnNamePattern));
  }

  @Override
  public ResultSet getTablePrivileges(String catalog, String schemaPattern, String tableNamePattern)
      throws SQLException {
    return askRows(
        "getTablePrivileges",
        () -> target.getTablePrivileges(catalog, schemaPattern, tableNamePattern));
  }

  @Override
  public ResultSet getBestRowIdentifier(
      String catalog, String schema, String table, int scope, boolean nullable)
      throws SQLException {
    return askRows(
        "getBestRowIdentifier",
        () -> target.getBestRowIdentifier(catalog, schema, table, scope, nullable));
  }

  @Override
  public ResultSet getVersionColumns(String catalog, String schema, String table)
      throws SQLException {
    return askRows("getVersionColumns", () -> target.getVersionColumns(catalog, schema, table));
  }

  @Override
  public ResultSet getPrimaryKeys(String catalog, String schema, String table) throws SQLException {
    return askRows("getPrimaryKeys", () -> target.getPrimaryKeys(catalog, schema, table));
  }

  @Override
  public ResultSet getImportedKeys(String catalog, String schema, String table)
      throws SQLException {
    return askRows("getImportedKeys", () -> target.getImportedKeys(catalog, schema, table));
  }

  @Override
  public ResultSet getExportedKeys(String catalog, String schema, String table)
      throws SQLException {
    return askRows("getExportedKeys", () -> target.getExportedKeys(catalog, schema, table));
  }

  @Override
  public ResultSet getCrossReference(
      String parentCatalog,
      String parentSchema,
      String parentTable,
      String foreignCatalog,
      String foreignSchema,
      String foreignTable)
      throws SQLException {
    return askRows(
        "getCrossReference",
        () ->
            target.getCrossReference(
                parentCatalog,
                parentSchema,
                parentTable,
                foreignCatalog,
                foreignSchema,
                foreignTable));
  }

  @Override
  public ResultSet getTypeInfo() throws SQLException {
    return askRows("getTypeInfo", () -> target.getTypeInfo());
  }

  @Override
  public ResultSet getIndexInfo(
      String catalog, String schema, String table, boolean unique, boolean approximate)
      throws SQLException {
    return askRows(
        "getIndexInfo", () -> target.getIndexInfo(catalog, schema, table, unique, approximate));
  }

  @Override
  public ResultSet getUDTs(
      String catalog, String schemaPattern, String typeNamePattern, int[] types)
      throws SQLException {
    return askRows("getUDTs", () -> target.getUDTs(catalog, schemaPattern, typeNamePattern, types));
  }

  @Override
  public Connection getConnection() throws SQLException {
    return ask("getConnection", () -> target.getConnection());
  }

  @Override
  public ResultSet getSuperTypes(String catalog, String schemaPattern, String typeNamePattern)
      throws SQLException {
    return askRows(
        "getSuperTypes", () -> target.getSuperTypes(catalog, schemaPattern, typeNamePattern));
  }

  @Override
  public ResultSet getSuperTables(String catalog, String schemaPattern, String tableNamePattern)
      throws SQLException {
    return askRows(
        "getSuperTables", () -> target.getSuperTables(catalog, schemaPattern, tableNamePattern));
  }

  @Override
  public ResultSet getAttributes(
      String catalog, String schemaPattern, String typeNamePattern, String attributeNamePattern)
      throws SQLException {
    return askRows(
        "getAttributes",
        () -> target.getAttributes(catalog, schemaPattern, typeNamePattern, attributeNamePattern));
  }

  @Override
  public int getResultSetHoldability() throws SQLException {
    return ask("getResultSetHoldability", () -> target.getResultSetHoldability());
  }

  @Override
  public int getDatabaseMajorVersion() throws SQLException {
    return ask("getDatabaseMajorVersion", () -> target.getDatabaseMajorVersion());
  }

  @Override
  public int getDatabaseMinorVersion() throws SQLException {
    return ask("getDatabaseMinorVersion", () -> target.getDatabaseMinorVersion());
  }

  @Override
  public int getJDBCMajorVersion() throws SQLException {
    return ask("getJDBCMajorVersion", () -> target.getJDBCMajorVersion());
  }

  @Override
  public int getJDBCMinorVersion() throws SQLException {
    return ask("getJDBCMinorVersion", () -> target.getJDBCMinorVersion());
  }

  @Override
  public int getSQLStateType() throws SQLException {
    return ask("getSQLStateType", () -> target.getSQLStateType());
  }

  @Override
  public RowIdLifetime getRowIdLifetime() throws SQLException {
    return ask("getRowIdLifetime", () -> target.getRowIdLifetime());
  }

  @Override
  public ResultSet getSchemas(String catalog, String schemaPattern) throws SQLException {
    return askRows("getSchemas", () -> target.getSchemas(catalog, schemaPattern));
  }

  @Override
  public ResultSet getClientInfoProperties() throws SQLException {
    return askRows("getClientInfoProperties", () -> target.getClientInfoProperties());
  }

  @Override
  public ResultSet getFunctions(String catalog, String schemaPattern, String functionNamePattern)
      throws SQLException {
    return askRows(
        "getFunctions", () -> target.getFunctions(catalog, schemaPattern, functionNamePattern));
  }

  @Override
  public ResultSet getFunctionColumns(
      String catalog, String schemaPattern, String functionNamePattern, String columnNamePattern)
      throws SQLException {
    return askRows(
        "getFunctionColumns",
        () ->
            target.getFunctionColumns(
                catalog, schemaPattern, functionNamePattern, columnNamePattern));
  }

  @Override
  public ResultSet getPseudoColumns(
      String catalog, String schemaPattern, String tableNamePattern, String columnNamePattern)
      throws SQLException {
    return askRows(
        "getPseudoColumns",
        () -> target.getPseudoColumns(catalog, schemaPattern, tableNamePattern, columnNamePattern));
  }

  @Override
  public long getMaxLogicalLobSize() throws SQLException {
    return ask("getMaxLogicalLobSize", () -> target.getMaxLogicalLobSize());
  }
}
