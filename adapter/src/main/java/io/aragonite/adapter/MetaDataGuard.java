package io.aragonite.adapter;

import io.aragonite.adapter.error.JdbcGuard;
import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.metadata.KeyMetadata;
import io.aragonite.adapter.metadata.MetaRows;
import io.aragonite.adapter.metadata.TypeMetadata;
import io.aragonite.adapter.result.ResultSetGuard;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.calcite.config.NullCollation;
import org.apache.calcite.jdbc.CalciteConnection;
import org.apache.calcite.schema.SchemaPlus;
import org.apache.calcite.schema.lookup.LikePattern;
import org.jspecify.annotations.Nullable;

/**
 * Metadata: Calcite's, with what Calcite knows but does not tell (keys), what it tells otherwise
 * than JDBC has it (patterns, order), and what does not hold for this driver.
 */
final class MetaDataGuard extends JdbcGuard<DatabaseMetaData> {
  /** Answers that differ from Calcite's: there are no catalogs, and tables are read-only. */
  private static final Map<String, Object> ANSWERS =
      Map.ofEntries(
          Map.entry("getDriverName", "Aragonite JDBC driver"),
          Map.entry("getDatabaseProductName", "Aragonite"),
          Map.entry("getDatabaseProductVersion", AragoniteDriver.version()),
          Map.entry("getDriverVersion", AragoniteDriver.version()),
          Map.entry("getSQLStateType", DatabaseMetaData.sqlStateSQL),
          Map.entry("getUserName", ""),
          Map.entry("isReadOnly", true),
          Map.entry("supportsTransactionIsolationLevel", true),
          Map.entry("supportsSubqueriesInQuantifieds", true),
          Map.entry("supportsTransactions", false),
          Map.entry("supportsBatchUpdates", false),
          Map.entry("supportsDataManipulationTransactionsOnly", false),
          Map.entry("dataDefinitionCausesTransactionCommit", false),
          Map.entry("supportsStoredFunctionsUsingCallSyntax", false),
          Map.entry("supportsCatalogsInDataManipulation", false),
          Map.entry("supportsCatalogsInIndexDefinitions", false),
          Map.entry("supportsCatalogsInPrivilegeDefinitions", false),
          Map.entry("supportsCatalogsInProcedureCalls", false),
          Map.entry("supportsCatalogsInTableDefinitions", false),
          Map.entry("supportsSchemasInIndexDefinitions", false),
          Map.entry("supportsSchemasInPrivilegeDefinitions", false),
          Map.entry("supportsSchemasInProcedureCalls", false),
          Map.entry("supportsSchemasInTableDefinitions", false));

  private final Connection connection;
  private final CalciteConnection calcite;
  private final String url;
  private final KeyMetadata keys;

  MetaDataGuard(DatabaseMetaData target, ConnectionGuard connection) {
    super(DatabaseMetaData.class, target);
    this.connection = connection.proxy();
    this.calcite = connection.target;
    this.url = connection.url();
    this.keys = new KeyMetadata(calcite.getRootSchema());
  }

  @Override
  @Nullable
  public Object call(Method method, @Nullable Object @Nullable [] args) throws Throwable {
    Object value = answer(method, args);
    return value instanceof ResultSet rows
        ? new ResultSetGuard(rows, null, new Execution(null), () -> {}).proxy()
        : value;
  }

  private @Nullable Object answer(Method method, @Nullable Object @Nullable [] args)
      throws Throwable {
    Object fixed = ANSWERS.get(method.getName());
    if (fixed != null) {
      return fixed;
    }
    NullCollation nulls = calcite.config().defaultNullCollation();
    return switch (method.getName()) {
      case "getConnection" -> connection;
      case "getURL" -> url;
      case "nullsAreSortedHigh" -> nulls == NullCollation.HIGH;
      case "nullsAreSortedLow" -> nulls == NullCollation.LOW;
      case "nullsAreSortedAtStart" -> nulls == NullCollation.FIRST;
      case "nullsAreSortedAtEnd" -> nulls == NullCollation.LAST;
      case "supportsResultSetType" -> arg(args, 0).equals(ResultSet.TYPE_FORWARD_ONLY);
      case "supportsResultSetConcurrency" ->
          arg(args, 0).equals(ResultSet.TYPE_FORWARD_ONLY)
              && arg(args, 1).equals(ResultSet.CONCUR_READ_ONLY);
      case "getPrimaryKeys" -> keys.primaryKeys(text(args, 1), text(args, 2));
      case "getImportedKeys" -> keys.importedKeys(text(args, 1), text(args, 2));
      case "getExportedKeys" -> keys.exportedKeys(text(args, 1), text(args, 2));
      case "getCrossReference" ->
          keys.crossReference(text(args, 1), text(args, 2), text(args, 4), text(args, 5));
      case "getTypeInfo" -> TypeMetadata.resultSet();
      case "getCatalogs" -> rows(method, args).keep("TABLE_CAT", name -> false).resultSet();
      case "getTableTypes" ->
          new MetaRows(List.of(new MetaRows.Column("TABLE_TYPE", String.class)))
              .add("SYSTEM TABLE")
              .add("TABLE")
              .add("VIEW")
              .resultSet();
      case "getFunctions" ->
          rows(method, args)
              .keep("FUNCTION_NAME", name -> !name.startsWith("$")) // Calcite's own
              .set("FUNCTION_TYPE", (short) DatabaseMetaData.functionNoTable)
              .sort("FUNCTION_SCHEM", "FUNCTION_NAME")
              .resultSet();
      case "getTables" ->
          matching(method, args).sort("TABLE_TYPE", "TABLE_SCHEM", "TABLE_NAME").resultSet();
      case "getColumns" ->
          matching(method, args)
              .keep("COLUMN_NAME", MetaRows.like(text(args, 3)))
              .set("IS_AUTOINCREMENT", "NO")
              .set("IS_GENERATEDCOLUMN", "NO")
              .sort("TABLE_SCHEM", "TABLE_NAME", "ORDINAL_POSITION")
              .resultSet();
      default -> ask(method, args);
    };
  }

  /** Calcite's answer. It makes a statement, and no two threads of a connection may at once. */
  private @Nullable Object ask(Method method, @Nullable Object @Nullable [] args) throws Throwable {
    synchronized (calcite) {
      return forward(method, args);
    }
  }

  private MetaRows rows(Method method, @Nullable Object @Nullable [] args) throws Throwable {
    return MetaRows.of(Objects.requireNonNull((ResultSet) ask(method, args)));
  }

  /**
   * Rows about tables. Calcite takes some patterns for names, and the case of names serious: it
   * gets a name where there is but one, else everything.
   */
  private MetaRows matching(Method method, @Nullable Object @Nullable [] args) throws Throwable {
    @Nullable Object[] wider = args == null ? new Object[0] : args.clone();
    String schema = text(args, 1);
    String table = text(args, 2);
    wider[1] = null;
    wider[2] = onlyTable(schema, table);
    if (wider.length > 3 && wider[3] instanceof String) {
      wider[3] = null;
    }
    return rows(method, wider)
        .keep("TABLE_SCHEM", MetaRows.like(schema))
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

  private static Object arg(@Nullable Object @Nullable [] args, int index) {
    return Objects.requireNonNull(Objects.requireNonNull(args)[index]);
  }

  private static @Nullable String text(@Nullable Object @Nullable [] args, int index) {
    return args == null ? null : (String) args[index];
  }
}
