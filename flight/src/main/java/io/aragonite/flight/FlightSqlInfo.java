package io.aragonite.flight;

import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import org.apache.arrow.flight.sql.SqlInfoBuilder;
import org.apache.arrow.flight.sql.impl.FlightSql.SqlNullOrdering;
import org.apache.arrow.flight.sql.impl.FlightSql.SqlOuterJoinsSupportLevel;
import org.apache.arrow.flight.sql.impl.FlightSql.SqlSupportedCaseSensitivity;
import org.apache.arrow.flight.sql.impl.FlightSql.SqlSupportedGroupBy;
import org.apache.arrow.flight.sql.impl.FlightSql.SqlSupportedSubqueries;
import org.apache.arrow.flight.sql.impl.FlightSql.SqlSupportedTransaction;
import org.apache.arrow.flight.sql.impl.FlightSql.SqlSupportedUnions;
import org.apache.arrow.flight.sql.impl.FlightSql.SqlTransactionIsolationLevel;
import org.apache.arrow.flight.sql.impl.FlightSql.SupportedAnsi92SqlGrammarLevel;

/** What the server can do, in Flight SQL's words: what JDBC's metadata says. */
final class FlightSqlInfo {
  private FlightSqlInfo() {}

  static SqlInfoBuilder of(DatabaseMetaData jdbc) throws SQLException {
    SqlInfoBuilder info =
        new SqlInfoBuilder()
            .withFlightSqlServerName(jdbc.getDatabaseProductName())
            .withFlightSqlServerVersion(jdbc.getDatabaseProductVersion())
            .withFlightSqlServerArrowVersion(arrowVersion())
            .withFlightSqlServerReadOnly(jdbc.isReadOnly())
            .withFlightSqlServerSql(true)
            .withFlightSqlServerSubstrait(false)
            .withFlightSqlServerTransaction(
                SqlSupportedTransaction.SQL_SUPPORTED_TRANSACTION_NONE)
            .withFlightSqlServerCancel(true)
            .withFlightSqlServerBulkIngestion(false);
    names(info, jdbc);
    abilities(info, jdbc);
    limits(info, jdbc);
    return info;
  }

  private static String arrowVersion() {
    String version =
        org.apache.arrow.flight.FlightServer.class.getPackage().getImplementationVersion();
    return version == null ? "unknown" : version;
  }

  private static void names(SqlInfoBuilder info, DatabaseMetaData jdbc) throws SQLException {
    info.withSqlIdentifierQuoteChar(jdbc.getIdentifierQuoteString())
        .withSqlSearchStringEscape(jdbc.getSearchStringEscape())
        .withSqlExtraNameCharacters(jdbc.getExtraNameCharacters())
        .withSqlSchemaTerm(jdbc.getSchemaTerm())
        .withSqlCatalogTerm(jdbc.getCatalogTerm())
        .withSqlCatalogAtStart(jdbc.isCatalogAtStart())
        .withSqlIdentifierCase(
            jdbc.storesUpperCaseIdentifiers()
                ? SqlSupportedCaseSensitivity.SQL_CASE_SENSITIVITY_UPPERCASE
                : jdbc.storesLowerCaseIdentifiers()
                    ? SqlSupportedCaseSensitivity.SQL_CASE_SENSITIVITY_LOWERCASE
                    : SqlSupportedCaseSensitivity.SQL_CASE_SENSITIVITY_CASE_INSENSITIVE)
        .withSqlQuotedIdentifierCase(
            jdbc.supportsMixedCaseQuotedIdentifiers()
                ? SqlSupportedCaseSensitivity.SQL_CASE_SENSITIVITY_UNKNOWN
                : SqlSupportedCaseSensitivity.SQL_CASE_SENSITIVITY_CASE_INSENSITIVE)
        .withSqlKeywords(jdbc.getSQLKeywords().split("\\s*,\\s*"))
        .withSqlNumericFunctions(jdbc.getNumericFunctions().split("\\s*,\\s*"))
        .withSqlStringFunctions(jdbc.getStringFunctions().split("\\s*,\\s*"))
        .withSqlSystemFunctions(jdbc.getSystemFunctions().split("\\s*,\\s*"))
        .withSqlDatetimeFunctions(jdbc.getTimeDateFunctions().split("\\s*,\\s*"));
  }

  /** 0 where there is none, or none that is known. */
  private static void limits(SqlInfoBuilder info, DatabaseMetaData jdbc) throws SQLException {
    info.withSqlMaxBinaryLiteralLength(jdbc.getMaxBinaryLiteralLength())
        .withSqlMaxCharLiteralLength(jdbc.getMaxCharLiteralLength())
        .withSqlMaxColumnNameLength(jdbc.getMaxColumnNameLength())
        .withSqlMaxColumnsInGroupBy(jdbc.getMaxColumnsInGroupBy())
        .withSqlMaxColumnsInIndex(jdbc.getMaxColumnsInIndex())
        .withSqlMaxColumnsInOrderBy(jdbc.getMaxColumnsInOrderBy())
        .withSqlMaxColumnsInSelect(jdbc.getMaxColumnsInSelect())
        .withSqlMaxColumnsInTable(jdbc.getMaxColumnsInTable())
        .withSqlMaxConnections(jdbc.getMaxConnections())
        .withSqlMaxCursorNameLength(jdbc.getMaxCursorNameLength())
        .withSqlMaxIndexLength(jdbc.getMaxIndexLength())
        .withSqlMaxProcedureNameLength(jdbc.getMaxProcedureNameLength())
        .withSqlDbSchemaNameLength(jdbc.getMaxSchemaNameLength())
        .withSqlMaxCatalogNameLength(jdbc.getMaxCatalogNameLength())
        .withSqlMaxRowSize(jdbc.getMaxRowSize())
        .withSqlMaxRowSizeIncludesBlobs(jdbc.doesMaxRowSizeIncludeBlobs())
        .withSqlMaxStatementLength(jdbc.getMaxStatementLength())
        .withSqlMaxStatements(jdbc.getMaxStatements())
        .withSqlMaxTableNameLength(jdbc.getMaxTableNameLength())
        .withSqlMaxTablesInSelect(jdbc.getMaxTablesInSelect())
        .withSqlMaxUsernameLength(jdbc.getMaxUserNameLength());
  }

  private static void abilities(SqlInfoBuilder info, DatabaseMetaData jdbc) throws SQLException {
    info.withSqlNullOrdering(
            jdbc.nullsAreSortedHigh()
                ? SqlNullOrdering.SQL_NULLS_SORTED_HIGH
                : SqlNullOrdering.SQL_NULLS_SORTED_LOW)
        .withSqlSupportsColumnAliasing(jdbc.supportsColumnAliasing())
        .withSqlNullPlusNullIsNull(jdbc.nullPlusNonNullIsNull())
        .withSqlSupportsTableCorrelationNames(jdbc.supportsTableCorrelationNames())
        .withSqlSupportsDifferentTableCorrelationNames(
            jdbc.supportsDifferentTableCorrelationNames())
        .withSqlSupportsExpressionsInOrderBy(jdbc.supportsExpressionsInOrderBy())
        .withSqlSupportsOrderByUnrelated(jdbc.supportsOrderByUnrelated())
        .withSqlSupportedGroupBy(
            SqlSupportedGroupBy.SQL_GROUP_BY_UNRELATED,
            SqlSupportedGroupBy.SQL_GROUP_BY_BEYOND_SELECT)
        .withSqlSupportsLikeEscapeClause(jdbc.supportsLikeEscapeClause())
        .withSqlSupportsNonNullableColumns(jdbc.supportsNonNullableColumns())
        .withSqlAnsi92SupportedLevel(
            SupportedAnsi92SqlGrammarLevel.ANSI92_ENTRY_SQL,
            SupportedAnsi92SqlGrammarLevel.ANSI92_INTERMEDIATE_SQL)
        .withSqlOuterJoinSupportLevel(SqlOuterJoinsSupportLevel.SQL_FULL_OUTER_JOINS)
        .withSqlSubQueriesSupported(
            SqlSupportedSubqueries.SQL_SUBQUERIES_IN_COMPARISONS,
            SqlSupportedSubqueries.SQL_SUBQUERIES_IN_EXISTS,
            SqlSupportedSubqueries.SQL_SUBQUERIES_IN_INS)
        .withSqlCorrelatedSubqueriesSupported(jdbc.supportsCorrelatedSubqueries())
        .withSqlSupportedUnions(
            SqlSupportedUnions.SQL_UNION, SqlSupportedUnions.SQL_UNION_ALL)
        .withSqlSelectForUpdateSupported(jdbc.supportsSelectForUpdate())
        .withSqlStoredProceduresSupported(jdbc.supportsStoredProcedures())
        .withSqlTransactionsSupported(jdbc.supportsTransactions())
        .withSqlDefaultTransactionIsolation(0)
        .withSqlSupportedTransactionsIsolationLevels(
            SqlTransactionIsolationLevel.SQL_TRANSACTION_NONE)
        .withSqlBatchUpdatesSupported(jdbc.supportsBatchUpdates())
        .withSqlSavepointsSupported(jdbc.supportsSavepoints())
        .withSqlNamedParametersSupported(jdbc.supportsNamedParameters());
  }
}
