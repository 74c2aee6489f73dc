package io.aragonite.adapter.jdbc;

import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import org.jspecify.annotations.NullUnmarked;

/** The part of {@link DelegatingDatabaseMetaData} that says what the database can do. */
@NullUnmarked // as java.sql is
abstract class DelegatingCapabilities extends JdbcGuard<DatabaseMetaData>
    implements DatabaseMetaData {
  DelegatingCapabilities(DatabaseMetaData target) {
    super(DatabaseMetaData.class, target);
  }

  /** Asks the target for a value. */
  protected abstract <V> V ask(String method, JdbcCall<V> question) throws SQLException;

  @Override
  public boolean allProceduresAreCallable() throws SQLException {
    return ask("allProceduresAreCallable", () -> target.allProceduresAreCallable());
  }

  @Override
  public boolean allTablesAreSelectable() throws SQLException {
    return ask("allTablesAreSelectable", () -> target.allTablesAreSelectable());
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
  public boolean isCatalogAtStart() throws SQLException {
    return ask("isCatalogAtStart", () -> target.isCatalogAtStart());
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
  public boolean doesMaxRowSizeIncludeBlobs() throws SQLException {
    return ask("doesMaxRowSizeIncludeBlobs", () -> target.doesMaxRowSizeIncludeBlobs());
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
  public boolean supportsResultSetHoldability(int holdability) throws SQLException {
    return ask(
        "supportsResultSetHoldability", () -> target.supportsResultSetHoldability(holdability));
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
  public boolean generatedKeyAlwaysReturned() throws SQLException {
    return ask("generatedKeyAlwaysReturned", () -> target.generatedKeyAlwaysReturned());
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
