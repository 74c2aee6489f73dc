package io.aragonite.adapter;

import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Metadata: Calcite's, with keys, which Calcite knows but does not tell. */
final class MetaDataGuard extends JdbcGuard<DatabaseMetaData> {
  private final Connection connection;
  private final KeyMetadata keys;

  MetaDataGuard(DatabaseMetaData target, ConnectionGuard connection) {
    super(DatabaseMetaData.class, target);
    this.connection = connection.proxy();
    this.keys = new KeyMetadata(connection.target.getRootSchema());
  }

  @Override
  @Nullable Object call(Method method, @Nullable Object @Nullable [] args) throws Throwable {
    Object value =
        switch (method.getName()) {
          case "getConnection" -> connection;
          case "getPrimaryKeys" -> keys.primaryKeys(text(args, 1), text(args, 2));
          case "getImportedKeys" -> keys.importedKeys(text(args, 1), text(args, 2));
          case "getExportedKeys" -> keys.exportedKeys(text(args, 1), text(args, 2));
          case "getCrossReference" ->
              keys.crossReference(text(args, 1), text(args, 2), text(args, 4), text(args, 5));
          case "getURL" -> AragoniteDriver.PREFIX;
          case "getDriverName" -> "Aragonite JDBC driver";
          case "getDatabaseProductName" -> "Aragonite";
          case "getDatabaseProductVersion", "getDriverVersion" -> AragoniteDriver.version();
          case "getSQLStateType" -> DatabaseMetaData.sqlStateSQL;
          case "isReadOnly", "supportsTransactionIsolationLevel" -> true;
          case "supportsTransactions" -> false;
          case "getTables" -> sorted(method, args, "TABLE_TYPE", "TABLE_SCHEM", "TABLE_NAME");
          case "getColumns" ->
              sorted(method, args, "TABLE_SCHEM", "TABLE_NAME", "ORDINAL_POSITION");
          default -> forward(method, args);
        };
    return value instanceof ResultSet rows
        ? new ResultSetGuard(rows, null, new Execution(null)).proxy()
        : value;
  }

  private ResultSet sorted(Method method, @Nullable Object @Nullable [] args, String... keys)
      throws Throwable {
    return SortedMetaData.of(Objects.requireNonNull((ResultSet) forward(method, args)), keys);
  }

  private static @Nullable String text(@Nullable Object @Nullable [] args, int index) {
    return args == null ? null : (String) args[index];
  }
}
