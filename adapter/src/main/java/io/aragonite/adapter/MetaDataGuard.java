package io.aragonite.adapter;

import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.metadata.FunctionMetadata;
import io.aragonite.adapter.metadata.KeyMetadata;
import io.aragonite.adapter.metadata.MetaRows;
import io.aragonite.adapter.metadata.TypeMetadata;
import io.aragonite.adapter.remote.UrlRedaction;
import io.aragonite.adapter.result.ResultSetGuard;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Predicate;
import org.apache.calcite.config.NullCollation;
import org.apache.calcite.jdbc.CalciteConnection;
import org.apache.calcite.schema.SchemaPlus;
import org.apache.calcite.schema.lookup.LikePattern;
import org.jspecify.annotations.Nullable;

/**
 * Metadata: Calcite's, with what Calcite knows but does not tell (keys), what it tells otherwise
 * than JDBC has it (patterns, order), and what does not hold for this driver.
 */
final class MetaDataGuard extends DriverFeatures {
  /** The schema in which Calcite has its own tables and functions. */
  private static final String CALCITES = "metadata";

  private final ConnectionGuard connection;
  private final CalciteConnection calcite;
  private final KeyMetadata keys;

  MetaDataGuard(DatabaseMetaData target, ConnectionGuard connection, CalciteConnection calcite) {
    super(target);
    this.connection = connection;
    this.calcite = calcite;
    this.keys = new KeyMetadata(calcite.getRootSchema());
  }

  @Override
  public Connection getConnection() {
    return connection;
  }

  @Override
  public String getURL() {
    return UrlRedaction.redact(connection.url());
  }

  @Override
  public String getDriverName() {
    return "Aragonite JDBC driver";
  }

  @Override
  public String getDatabaseProductName() {
    return "Aragonite";
  }

  @Override
  public String getDatabaseProductVersion() {
    return AragoniteDriver.version();
  }

  @Override
  public String getDriverVersion() {
    return AragoniteDriver.version();
  }

  @Override
  public String getUserName() {
    return "";
  }

  @Override
  public boolean nullsAreSortedHigh() {
    return calcite.config().defaultNullCollation() == NullCollation.HIGH;
  }

  @Override
  public boolean nullsAreSortedLow() {
    return calcite.config().defaultNullCollation() == NullCollation.LOW;
  }

  @Override
  public boolean nullsAreSortedAtStart() {
    return calcite.config().defaultNullCollation() == NullCollation.FIRST;
  }

  @Override
  public boolean nullsAreSortedAtEnd() {
    return calcite.config().defaultNullCollation() == NullCollation.LAST;
  }

  @Override
  public ResultSet getPrimaryKeys(
      @Nullable String catalog, @Nullable String schema, @Nullable String table)
      throws SQLException {
    return call("getPrimaryKeys", () -> guarded(keys.primaryKeys(catalog, schema, table)));
  }

  @Override
  public ResultSet getIndexInfo(
      @Nullable String catalog,
      @Nullable String schema,
      @Nullable String table,
      boolean unique,
      boolean approximate)
      throws SQLException {
    return call("getIndexInfo", () -> guarded(keys.indexes(catalog, schema, table)));
  }

  @Override
  public ResultSet getImportedKeys(
      @Nullable String catalog, @Nullable String schema, @Nullable String table)
      throws SQLException {
    return call("getImportedKeys", () -> guarded(keys.importedKeys(catalog, schema, table)));
  }

  @Override
  public ResultSet getExportedKeys(
      @Nullable String catalog, @Nullable String schema, @Nullable String table)
      throws SQLException {
    return call("getExportedKeys", () -> guarded(keys.exportedKeys(catalog, schema, table)));
  }

  @Override
  public ResultSet getCrossReference(
      @Nullable String parentCatalog,
      @Nullable String parentSchema,
      @Nullable String parentTable,
      @Nullable String foreignCatalog,
      @Nullable String foreignSchema,
      @Nullable String foreignTable)
      throws SQLException {
    return call(
        "getCrossReference",
        () -> {
          boolean both = isNone(parentCatalog) && isNone(foreignCatalog);
          return guarded(
              keys.crossReference(
                  both ? null : "none", parentSchema, parentTable, foreignSchema, foreignTable));
        });
  }

  @Override
  public ResultSet getTypeInfo() throws SQLException {
    return call("getTypeInfo", () -> guarded(TypeMetadata.resultSet()));
  }

  @Override
  public ResultSet getCatalogs() throws SQLException {
    return call(
        "getCatalogs",
        () -> guarded(rows(target::getCatalogs).keep("TABLE_CAT", name -> false).resultSet()));
  }

  @Override
  public ResultSet getTableTypes() throws SQLException {
    return call(
        "getTableTypes",
        () ->
            guarded(
                new MetaRows(List.of(new MetaRows.MetaColumn("TABLE_TYPE", String.class)))
                    .add("SYSTEM TABLE")
                    .add("TABLE")
                    .add("VIEW")
                    .resultSet()));
  }

  @Override
  public ResultSet getSchemas() throws SQLException {
    return getSchemas(null, null);
  }

  @Override
  public ResultSet getSchemas(@Nullable String catalog, @Nullable String schema)
      throws SQLException {
    return call(
        "getSchemas",
        () ->
            guarded(
                rows(() -> target.getSchemas(null, null))
                    .keep("TABLE_SCHEM", inCatalog(catalog, schema))
                    .sort("TABLE_SCHEM")
                    .resultSet()));
  }

  /** Those of schemas come from Calcite, which has JDBC's beside them, in a schema of its own. */
  @Override
  public ResultSet getFunctions(
      @Nullable String catalog, @Nullable String schema, @Nullable String function)
      throws SQLException {
    return call(
        "getFunctions",
        () -> {
          MetaRows all =
              rows(() -> target.getFunctions(null, null, null))
                  .keep("FUNCTION_SCHEM", inCatalog(catalog, schema))
                  .keep("FUNCTION_SCHEM", name -> !name.equals(CALCITES))
                  .set("FUNCTION_TYPE", (short) DatabaseMetaData.functionNoTable);
          if (FunctionMetadata.matchesNoSchema(schema) && isNone(catalog)) {
            all.addAll(FunctionMetadata.rows());
          }
          return guarded(
              all.keep("FUNCTION_NAME", MetaRows.like(function))
                  .sort("FUNCTION_SCHEM", "FUNCTION_NAME")
                  .resultSet());
        });
  }

  @Override
  public ResultSet getTables(
      @Nullable String catalog,
      @Nullable String schema,
      @Nullable String table,
      String @Nullable [] types)
      throws SQLException {
    return call(
        "getTables",
        () ->
            guarded(
                matching(catalog, schema, table, only -> target.getTables(null, null, only, types))
                    .sort("TABLE_TYPE", "TABLE_SCHEM", "TABLE_NAME")
                    .resultSet()));
  }

  @Override
  public ResultSet getColumns(
      @Nullable String catalog,
      @Nullable String schema,
      @Nullable String table,
      @Nullable String column)
      throws SQLException {
    return call(
        "getColumns",
        () ->
            guarded(
                matching(catalog, schema, table, only -> target.getColumns(null, null, only, null))
                    .keep("COLUMN_NAME", MetaRows.like(column))
                    .fill(
                        "COLUMN_DEF",
                        List.of("TABLE_SCHEM", "TABLE_NAME", "COLUMN_NAME"),
                        key -> keys.defaultOf(key.get(0), key.get(1), key.get(2)))
                    .set("IS_AUTOINCREMENT", "NO")
                    .set("IS_GENERATEDCOLUMN", "NO")
                    .sort("TABLE_SCHEM", "TABLE_NAME", "ORDINAL_POSITION")
                    .resultSet()));
  }

  @Override
  protected <V> V ask(String method, JdbcCall<V> question) throws SQLException {
    return call(method, () -> inTurn(question));
  }

  @Override
  protected ResultSet askRows(String method, JdbcCall<ResultSet> question) throws SQLException {
    return call(method, () -> guarded(inTurn(question)));
  }

  /** Calcite makes a statement for an answer, and no two threads of a connection may at once. */
  private <V> V inTurn(JdbcCall<V> question) throws Throwable {
    synchronized (calcite) {
      return question.run();
    }
  }

  private static ResultSet guarded(ResultSet rows) {
    return new ResultSetGuard(rows, null, new Execution(null), () -> {});
  }

  private MetaRows rows(JdbcCall<ResultSet> question) throws Throwable {
    return MetaRows.of(inTurn(question));
  }

  /** There are no catalogs: what somebody looks for in one is nowhere. */
  private static boolean isNone(@Nullable String catalog) {
    return catalog == null || catalog.isEmpty();
  }

  private static Predicate<String> inCatalog(@Nullable String catalog, @Nullable String schema) {
    return isNone(catalog) ? MetaRows.like(schema) : name -> false;
  }

  /** A question to Calcite about all tables, or about those of one name. */
  private interface AboutTables {
    ResultSet ask(@Nullable String name) throws SQLException;
  }

  /**
   * Rows about tables. Calcite takes some patterns for names, and the case of names serious: it
   * gets a name where there is but one, else everything.
   */
  private MetaRows matching(
      @Nullable String catalog,
      @Nullable String schema,
      @Nullable String table,
      AboutTables question)
      throws Throwable {
    String only = onlyTable(schema, table);
    return rows(() -> question.ask(only))
        .keep("TABLE_SCHEM", inCatalog(catalog, schema))
        .keep("TABLE_NAME", MetaRows.like(table));
  }

  /** The one name that all tables have which the patterns match; null if there are several. */
  private @Nullable String onlyTable(@Nullable String schema, @Nullable String table)
      throws SQLException {
    if (table == null || table.contains("%")) {
      return null;
    }
    SchemaPlus root = calcite.getRootSchema();
    String only = null;
    for (String schemaName : root.subSchemas().getNames(LikePattern.any())) {
      SchemaPlus candidate = root.subSchemas().get(schemaName);
      if (candidate == null || !MetaRows.like(schema).test(schemaName)) {
        continue;
      }
      for (String name : candidate.tables().getNames(LikePattern.any())) {
        if (MetaRows.like(table).test(name)) {
          if (only != null && !only.equals(name) || name.contains("%")) {
            return null;
          }
          only = name;
        }
      }
    }
    return only;
  }
}
