package io.aragonite.adapter.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.RowIdLifetime;
import java.sql.SQLException;
import org.jspecify.annotations.NullUnmarked;

/** Metadata whose every call is another object's, behind the guard. */
@NullUnmarked // as java.sql is
public abstract class DelegatingDatabaseMetaData extends JdbcGuard<DatabaseMetaData>
    implements DatabaseMetaData {
  protected DelegatingDatabaseMetaData(DatabaseMetaData target) {
    super(DatabaseMetaData.class, target);
  }

  /** Asks the target for a value. */
  protected abstract <V> V ask(String method, JdbcCall<V> question) throws SQLException;

  /** Asks the target for rows. */
  protected abstract ResultSet askRows(String method, JdbcCall<ResultSet> question)
      throws SQLException;

  @Override
  public boolean allProceduresAreCallable() throws SQLException {
    return ask("allProceduresAreCallable", () -> target.allProceduresAreCallable());
  }

  @Override
  public boolean allTablesAreSelectable() throws SQLException {
    return ask("allTablesAreSelectable", () -> target.allTablesAreSelectable());
  }

  @Override
  public String getURL() throws SQLException {
    return ask("getURL", () -> target.getURL());
  }

  @Override
  public String getUserName() throws SQLException {
    return ask("getUserName", () -> target.getUserName());
  }

  @Override
  public boolean isReadOnly() throws SQLException {
    return ask("isReadOnly", () -> target.isReadOnly());
  }

  @Override
  public boolean nullsAreSortedHigh() throws SQLException {
    return ask("nullsAreSortedHigh", () -> target.nullsAreSortedHigh());
  }

  @Override
  public boolean nullsAreSortedLow() throws SQLException {
    return ask("nullsAreSortedLow", () -> target.nullsAreSortedLow());
  }

  @Override
  public boolean nullsAreSortedAtStart() throws SQLException {
    return ask("nullsAreSortedAtStart", () -> target.nullsAreSortedAtStart());
  }

  @Override
  public boolean nullsAreSortedAtEnd() throws SQLException {
    return ask("nullsAreSortedAtEnd", () -> target.nullsAreSortedAtEnd());
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
  public boolean usesLocalFiles() throws SQLException {
    return ask("usesLocalFiles", () -> target.usesLocalFiles());
  }

  @Override
  public boolean usesLocalFilePerTable() throws SQLException {
    return ask("usesLocalFilePerTable", () -> target.usesLocalFilePerTable());
  }

  @Override
  public boolean supportsMixedCaseIdentifiers() throws SQLException {
    return ask("supportsMixedCaseIdentifiers", () -> target.supportsMixedCaseIdentifiers());
  }

  @Override
  public boolean storesUpperCaseIdentifiers() throws SQLException {
    return ask("storesUpperCaseIdentifiers", () -> target.storesUpperCaseIdentifiers());
  }

  @Override
  public boolean storesLowerCaseIdentifiers() throws SQLException {
    return ask("storesLowerCaseIdentifiers", () -> target.storesLowerCaseIdentifiers());
  }

  @Override
  public boolean storesMixedCaseIdentifiers() throws SQLException {
    return ask("storesMixedCaseIdentifiers", () -> target.storesMixedCaseIdentifiers());
  }

  @Override
  public boolean supportsMixedCaseQuotedIdentifiers() throws SQLException {
    return ask(
        "supportsMixedCaseQuotedIdentifiers", () -> target.supportsMixedCaseQuotedIdentifiers());
  }

  @Override
  public boolean storesUpperCaseQuotedIdentifiers() throws SQLException {
    return ask("storesUpperCaseQuotedIdentifiers", () -> target.storesUpperCaseQuotedIdentifiers());
  }

  @Override
  public boolean storesLowerCaseQuotedIdentifiers() throws SQLException {
    return ask("storesLowerCaseQuotedIdentifiers", () -> target.storesLowerCaseQuotedIdentifiers());
  }

  @Override
  public boolean storesMixedCaseQuotedIdentifiers() throws SQLException {
    return ask("storesMixedCaseQuotedIdentifiers", () -> target.storesMixedCaseQuotedIdentifiers());
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
  public boolean supportsAlterTableWithAddColumn() throws SQLException {
    return ask("supportsAlterTableWithAddColumn", () -> target.supportsAlterTableWithAddColumn());
  }

  @Override
  public boolean supportsAlterTableWithDropColumn() throws SQLException {
    return ask("supportsAlterTableWithDropColumn", () -> target.supportsAlterTableWithDropColumn());
  }

  @Override
  public boolean supportsColumnAliasing() throws SQLException {
    return ask("supportsColumnAliasing", () -> target.supportsColumnAliasing());
  }

  @Override
  public boolean nullPlusNonNullIsNull() throws SQLException {
    return ask("nullPlusNonNullIsNull", () -> target.nullPlusNonNullIsNull());
  }

  @Override
  public boolean supportsConvert() throws SQLException {
    return ask("supportsConvert", () -> target.supportsConvert());
  }

  @Override
  public boolean supportsConvert(int fromType, int toType) throws SQLException {
    return ask("supportsConvert", () -> target.supportsConvert(fromType, toType));
  }

  @Override
  public boolean supportsTableCorrelationNames() throws SQLException {
    return ask("supportsTableCorrelationNames", () -> target.supportsTableCorrelationNames());
  }

  @Override
  public boolean supportsDifferentTableCorrelationNames() throws SQLException {
    return ask(
        "supportsDifferentTableCorrelationNames",
        () -> target.supportsDifferentTableCorrelationNames());
  }

  @Override
  public boolean supportsExpressionsInOrderBy() throws SQLException {
    return ask("supportsExpressionsInOrderBy", () -> target.supportsExpressionsInOrderBy());
  }

  @Override
  public boolean supportsOrderByUnrelated() throws SQLException {
    return ask("supportsOrderByUnrelated", () -> target.supportsOrderByUnrelated());
  }

  @Override
  public boolean supportsGroupBy() throws SQLException {
    return ask("supportsGroupBy", () -> target.supportsGroupBy());
  }

  @Override
  public boolean supportsGroupByUnrelated() throws SQLException {
    return ask("supportsGroupByUnrelated", () -> target.supportsGroupByUnrelated());
  }

  @Override
  public boolean supportsGroupByBeyondSelect() throws SQLException {
    return ask("supportsGroupByBeyondSelect", () -> target.supportsGroupByBeyondSelect());
  }

  @Override
  public boolean supportsLikeEscapeClause() throws SQLException {
    return ask("supportsLikeEscapeClause", () -> target.supportsLikeEscapeClause());
  }

  @Override
  public boolean supportsMultipleResultSets() throws SQLException {
    return ask("supportsMultipleResultSets", () -> target.supportsMultipleResultSets());
  }

  @Override
  public boolean supportsMultipleTransactions() throws SQLException {
    return ask("supportsMultipleTransactions", () -> target.supportsMultipleTransactions());
  }

  @Override
  public boolean supportsNonNullableColumns() throws SQLException {
    return ask("supportsNonNullableColumns", () -> target.supportsNonNullableColumns());
  }

  @Override
  public boolean supportsMinimumSQLGrammar() throws SQLException {
    return ask("supportsMinimumSQLGrammar", () -> target.supportsMinimumSQLGrammar());
  }

  @Override
  public boolean supportsCoreSQLGrammar() throws SQLException {
    return ask("supportsCoreSQLGrammar", () -> target.supportsCoreSQLGrammar());
  }

  @Override
  public boolean supportsExtendedSQLGrammar() throws SQLException {
    return ask("supportsExtendedSQLGrammar", () -> target.supportsExtendedSQLGrammar());
  }

  @Override
  public boolean supportsANSI92EntryLevelSQL() throws SQLException {
    return ask("supportsANSI92EntryLevelSQL", () -> target.supportsANSI92EntryLevelSQL());
  }

  @Override
  public boolean supportsANSI92IntermediateSQL() throws SQLException {
    return ask("supportsANSI92IntermediateSQL", () -> target.supportsANSI92IntermediateSQL());
  }

  @Override
  public boolean supportsANSI92FullSQL() throws SQLException {
    return ask("supportsANSI92FullSQL", () -> target.supportsANSI92FullSQL());
  }

  @Override
  public boolean supportsIntegrityEnhancementFacility() throws SQLException {
    return ask(
        "supportsIntegrityEnhancementFacility",
        () -> target.supportsIntegrityEnhancementFacility());
  }

  @Override
  public boolean supportsOuterJoins() throws SQLException {
    return ask("supportsOuterJoins", () -> target.supportsOuterJoins());
  }

  @Override
  public boolean supportsFullOuterJoins() throws SQLException {
    return ask("supportsFullOuterJoins", () -> target.supportsFullOuterJoins());
  }

  @Override
  public boolean supportsLimitedOuterJoins() throws SQLException {
    return ask("supportsLimitedOuterJoins", () -> target.supportsLimitedOuterJoins());
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
  public boolean isCatalogAtStart() throws SQLException {
    return ask("isCatalogAtStart", () -> target.isCatalogAtStart());
  }

  @Override
  public String getCatalogSeparator() throws SQLException {
    return ask("getCatalogSeparator", () -> target.getCatalogSeparator());
  }

  @Override
  public boolean supportsSchemasInDataManipulation() throws SQLException {
    return ask(
        "supportsSchemasInDataManipulation", () -> target.supportsSchemasInDataManipulation());
  }

  @Override
  public boolean supportsSchemasInProcedureCalls() throws SQLException {
    return ask("supportsSchemasInProcedureCalls", () -> target.supportsSchemasInProcedureCalls());
  }

  @Override
  public boolean supportsSchemasInTableDefinitions() throws SQLException {
    return ask(
        "supportsSchemasInTableDefinitions", () -> target.supportsSchemasInTableDefinitions());
  }

  @Override
  public boolean supportsSchemasInIndexDefinitions() throws SQLException {
    return ask(
        "supportsSchemasInIndexDefinitions", () -> target.supportsSchemasInIndexDefinitions());
  }

  @Override
  public boolean supportsSchemasInPrivilegeDefinitions() throws SQLException {
    return ask(
        "supportsSchemasInPrivilegeDefinitions",
        () -> target.supportsSchemasInPrivilegeDefinitions());
  }

  @Override
  public boolean supportsCatalogsInDataManipulation() throws SQLException {
    return ask(
        "supportsCatalogsInDataManipulation", () -> target.supportsCatalogsInDataManipulation());
  }

  @Override
  public boolean supportsCatalogsInProcedureCalls() throws SQLException {
    return ask("supportsCatalogsInProcedureCalls", () -> target.supportsCatalogsInProcedureCalls());
  }

  @Override
  public boolean supportsCatalogsInTableDefinitions() throws SQLException {
    return ask(
        "supportsCatalogsInTableDefinitions", () -> target.supportsCatalogsInTableDefinitions());
  }

  @Override
  public boolean supportsCatalogsInIndexDefinitions() throws SQLException {
    return ask(
        "supportsCatalogsInIndexDefinitions", () -> target.supportsCatalogsInIndexDefinitions());
  }

  @Override
  public boolean supportsCatalogsInPrivilegeDefinitions() throws SQLException {
    return ask(
        "supportsCatalogsInPrivilegeDefinitions",
        () -> target.supportsCatalogsInPrivilegeDefinitions());
  }

  @Override
  public boolean supportsPositionedDelete() throws SQLException {
    return ask("supportsPositionedDelete", () -> target.supportsPositionedDelete());
  }

  @Override
  public boolean supportsPositionedUpdate() throws SQLException {
    return ask("supportsPositionedUpdate", () -> target.supportsPositionedUpdate());
  }

  @Override
  public boolean supportsSelectForUpdate() throws SQLException {
    return ask("supportsSelectForUpdate", () -> target.supportsSelectForUpdate());
  }

  @Override
  public boolean supportsStoredProcedures() throws SQLException {
    return ask("supportsStoredProcedures", () -> target.supportsStoredProcedures());
  }

  @Override
  public boolean supportsSubqueriesInComparisons() throws SQLException {
    return ask("supportsSubqueriesInComparisons", () -> target.supportsSubqueriesInComparisons());
  }

  @Override
  public boolean supportsSubqueriesInExists() throws SQLException {
    return ask("supportsSubqueriesInExists", () -> target.supportsSubqueriesInExists());
  }

  @Override
  public boolean supportsSubqueriesInIns() throws SQLException {
    return ask("supportsSubqueriesInIns", () -> target.supportsSubqueriesInIns());
  }

  @Override
  public boolean supportsSubqueriesInQuantifieds() throws SQLException {
    return ask("supportsSubqueriesInQuantifieds", () -> target.supportsSubqueriesInQuantifieds());
  }

  @Override
  public boolean supportsCorrelatedSubqueries() throws SQLException {
    return ask("supportsCorrelatedSubqueries", () -> target.supportsCorrelatedSubqueries());
  }

  @Override
  public boolean supportsUnion() throws SQLException {
    return ask("supportsUnion", () -> target.supportsUnion());
  }

  @Override
  public boolean supportsUnionAll() throws SQLException {
    return ask("supportsUnionAll", () -> target.supportsUnionAll());
  }

  @Override
  public boolean supportsOpenCursorsAcrossCommit() throws SQLException {
    return ask("supportsOpenCursorsAcrossCommit", () -> target.supportsOpenCursorsAcrossCommit());
  }

  @Override
  public boolean supportsOpenCursorsAcrossRollback() throws SQLException {
    return ask(
        "supportsOpenCursorsAcrossRollback", () -> target.supportsOpenCursorsAcrossRollback());
  }

  @Override
  public boolean supportsOpenStatementsAcrossCommit() throws SQLException {
    return ask(
        "supportsOpenStatementsAcrossCommit", () -> target.supportsOpenStatementsAcrossCommit());
  }

  @Override
  public boolean supportsOpenStatementsAcrossRollback() throws SQLException {
    return ask(
        "supportsOpenStatementsAcrossRollback",
        () -> target.supportsOpenStatementsAcrossRollback());
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
  public boolean doesMaxRowSizeIncludeBlobs() throws SQLException {
    return ask("doesMaxRowSizeIncludeBlobs", () -> target.doesMaxRowSizeIncludeBlobs());
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
  public boolean supportsTransactions() throws SQLException {
    return ask("supportsTransactions", () -> target.supportsTransactions());
  }

  @Override
  public boolean supportsTransactionIsolationLevel(int level) throws SQLException {
    return ask(
        "supportsTransactionIsolationLevel", () -> target.supportsTransactionIsolationLevel(level));
  }

  @Override
  public boolean supportsDataDefinitionAndDataManipulationTransactions() throws SQLException {
    return ask(
        "supportsDataDefinitionAndDataManipulationTransactions",
        () -> target.supportsDataDefinitionAndDataManipulationTransactions());
  }

  @Override
  public boolean supportsDataManipulationTransactionsOnly() throws SQLException {
    return ask(
        "supportsDataManipulationTransactionsOnly",
        () -> target.supportsDataManipulationTransactionsOnly());
  }

  @Override
  public boolean dataDefinitionCausesTransactionCommit() throws SQLException {
    return ask(
        "dataDefinitionCausesTransactionCommit",
        () -> target.dataDefinitionCausesTransactionCommit());
  }

  @Override
  public boolean dataDefinitionIgnoredInTransactions() throws SQLException {
    return ask(
        "dataDefinitionIgnoredInTransactions", () -> target.dataDefinitionIgnoredInTransactions());
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
  public boolean supportsResultSetType(int type) throws SQLException {
    return ask("supportsResultSetType", () -> target.supportsResultSetType(type));
  }

  @Override
  public boolean supportsResultSetConcurrency(int type, int concurrency) throws SQLException {
    return ask(
        "supportsResultSetConcurrency",
        () -> target.supportsResultSetConcurrency(type, concurrency));
  }

  @Override
  public boolean ownUpdatesAreVisible(int type) throws SQLException {
    return ask("ownUpdatesAreVisible", () -> target.ownUpdatesAreVisible(type));
  }

  @Override
  public boolean ownDeletesAreVisible(int type) throws SQLException {
    return ask("ownDeletesAreVisible", () -> target.ownDeletesAreVisible(type));
  }

  @Override
  public boolean ownInsertsAreVisible(int type) throws SQLException {
    return ask("ownInsertsAreVisible", () -> target.ownInsertsAreVisible(type));
  }

  @Override
  public boolean othersUpdatesAreVisible(int type) throws SQLException {
    return ask("othersUpdatesAreVisible", () -> target.othersUpdatesAreVisible(type));
  }

  @Override
  public boolean othersDeletesAreVisible(int type) throws SQLException {
    return ask("othersDeletesAreVisible", () -> target.othersDeletesAreVisible(type));
  }

  @Override
  public boolean othersInsertsAreVisible(int type) throws SQLException {
    return ask("othersInsertsAreVisible", () -> target.othersInsertsAreVisible(type));
  }

  @Override
  public boolean updatesAreDetected(int type) throws SQLException {
    return ask("updatesAreDetected", () -> target.updatesAreDetected(type));
  }

  @Override
  public boolean deletesAreDetected(int type) throws SQLException {
    return ask("deletesAreDetected", () -> target.deletesAreDetected(type));
  }

  @Override
  public boolean insertsAreDetected(int type) throws SQLException {
    return ask("insertsAreDetected", () -> target.insertsAreDetected(type));
  }

  @Override
  public boolean supportsBatchUpdates() throws SQLException {
    return ask("supportsBatchUpdates", () -> target.supportsBatchUpdates());
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
  public boolean supportsSavepoints() throws SQLException {
    return ask("supportsSavepoints", () -> target.supportsSavepoints());
  }

  @Override
  public boolean supportsNamedParameters() throws SQLException {
    return ask("supportsNamedParameters", () -> target.supportsNamedParameters());
  }

  @Override
  public boolean supportsMultipleOpenResults() throws SQLException {
    return ask("supportsMultipleOpenResults", () -> target.supportsMultipleOpenResults());
  }

  @Override
  public boolean supportsGetGeneratedKeys() throws SQLException {
    return ask("supportsGetGeneratedKeys", () -> target.supportsGetGeneratedKeys());
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
  public boolean supportsResultSetHoldability(int holdability) throws SQLException {
    return ask(
        "supportsResultSetHoldability", () -> target.supportsResultSetHoldability(holdability));
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
  public boolean locatorsUpdateCopy() throws SQLException {
    return ask("locatorsUpdateCopy", () -> target.locatorsUpdateCopy());
  }

  @Override
  public boolean supportsStatementPooling() throws SQLException {
    return ask("supportsStatementPooling", () -> target.supportsStatementPooling());
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
  public boolean supportsStoredFunctionsUsingCallSyntax() throws SQLException {
    return ask(
        "supportsStoredFunctionsUsingCallSyntax",
        () -> target.supportsStoredFunctionsUsingCallSyntax());
  }

  @Override
  public boolean autoCommitFailureClosesAllResultSets() throws SQLException {
    return ask(
        "autoCommitFailureClosesAllResultSets",
        () -> target.autoCommitFailureClosesAllResultSets());
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
  public boolean generatedKeyAlwaysReturned() throws SQLException {
    return ask("generatedKeyAlwaysReturned", () -> target.generatedKeyAlwaysReturned());
  }

  @Override
  public long getMaxLogicalLobSize() throws SQLException {
    return ask("getMaxLogicalLobSize", () -> target.getMaxLogicalLobSize());
  }

  @Override
  public boolean supportsRefCursors() throws SQLException {
    return ask("supportsRefCursors", () -> target.supportsRefCursors());
  }

  @Override
  public boolean supportsSharding() throws SQLException {
    return ask("supportsSharding", () -> target.supportsSharding());
  }
}
