package io.aragonite.adapter.catalog;

import io.aragonite.adapter.sql.SessionNames;
import io.aragonite.adapter.sql.function.CommonFunctions;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.StringJoiner;
import org.apache.calcite.schema.Table;
import org.jspecify.annotations.Nullable;

/**
 * What PostgreSQL's programs ask for most of {@code pg_catalog}: schemas, tables, columns and
 * types, with numbers that join them within a statement, and the one database.
 */
public final class PgCatalog extends CatalogViews {
  /** Its name. */
  public static final String NAME = SessionNames.PG_CATALOG;

  private static final String NAMESPACE = "2200 + DENSE_RANK() OVER (ORDER BY \"tableSchem\")";

  /** The number of the schema that has the types, which is this one. */
  private static final int OF_TYPES = 11;

  /** Numbers of tables, which those of columns refer to. */
  private static final String TABLE =
      "16384 + ROW_NUMBER() OVER (ORDER BY \"tableSchem\", \"tableName\")";

  /** PostgreSQL's numbers and names of types, by ours. */
  private static final Map<String, PgType> TYPES = types();

  private record PgType(int oid, String name) {}

  public PgCatalog() {
    super(NAME);
  }

  private static Map<String, PgType> types() {
    Map<String, PgType> types = new LinkedHashMap<>();
    types.put("BOOLEAN", new PgType(16, "bool"));
    types.put("VARBINARY", new PgType(17, "bytea"));
    types.put("BIGINT", new PgType(20, "int8"));
    types.put("SMALLINT", new PgType(21, "int2"));
    types.put("TINYINT", new PgType(21, "int2")); // PostgreSQL has none of a byte
    types.put("INTEGER", new PgType(23, "int4"));
    types.put("REAL", new PgType(700, "float4"));
    types.put("DOUBLE", new PgType(701, "float8"));
    types.put("CHAR", new PgType(1042, "bpchar"));
    types.put("VARCHAR", new PgType(1043, "varchar"));
    types.put("DATE", new PgType(1082, "date"));
    types.put("TIME", new PgType(1083, "time"));
    types.put("TIMESTAMP", new PgType(1114, "timestamp"));
    types.put("TIMESTAMP WITH TIME ZONE", new PgType(1184, "timestamptz"));
    types.put("DECIMAL", new PgType(1700, "numeric"));
    types.put("UUID", new PgType(2950, "uuid"));
    return types;
  }

  @Override
  @Nullable Table view(String name) {
    return switch (name) {
      case "pg_namespace" ->
          view(
              name,
              new ViewColumns()
                  .number("oid", "\"oid\"")
                  .text("nspname", "\"name\"")
                  .number("nspowner", "10"),
              "SELECT",
              schemas());
      case "pg_class" -> view(name, classes(), "SELECT", ofUsers("TABLES"));
      case "pg_attribute" -> view(name, attributes(), "SELECT", columns());
      case "pg_type" ->
          view(
              name,
              new ViewColumns()
                  .number("oid", "\"oid\"")
                  .text("typname", "\"name\"")
                  .number("typnamespace", String.valueOf(OF_TYPES))
                  .text("typtype", "'b'"),
              "SELECT",
              typeRows());
      case "pg_tables" ->
          view(
              name,
              listed("table").truth("hasindexes", "FALSE"),
              "SELECT",
              ofUsers("TABLES") + " AND \"tableType\" <> 'VIEW'");
      case "pg_views" ->
          view(name, listed("view"), "SELECT", ofUsers("TABLES") + " AND \"tableType\" = 'VIEW'");
      case "pg_database" -> view(name, database(), "SELECT", "(VALUES (1)) AS \"one\" (\"one\")");
      default -> null;
    };
  }

  /** Those of tables, and the one of types. */
  private static String schemas() {
    return "(SELECT DISTINCT %s, \"tableSchem\" FROM %s UNION ALL VALUES (%d, '%s')) AS \"schemas\" (\"oid\", \"name\")"
        .formatted(NAMESPACE, ofUsers("TABLES"), OF_TYPES, NAME);
  }

  private static ViewColumns listed(String kind) {
    return new ViewColumns()
        .text("schemaname", "\"tableSchem\"")
        .text(kind + "name", "\"tableName\"")
        .text(kind + "owner", "CURRENT_USER");
  }

  private static ViewColumns classes() {
    return new ViewColumns()
        .number("oid", TABLE)
        .text("relname", "\"tableName\"")
        .number("relnamespace", NAMESPACE)
        .number("relowner", "10")
        .text("relkind", "CASE \"tableType\" WHEN 'VIEW' THEN 'v' ELSE 'r' END")
        .number("reltuples", "-1")
        .truth("relhasindex", "FALSE")
        .truth("relispartition", "FALSE");
  }

  /** Columns beside the numbers of their tables. */
  private static String columns() {
    return "(SELECT * FROM %s) AS \"c\" JOIN (SELECT \"tableSchem\" AS \"s\", \"tableName\" AS \"t\", %s AS \"oid\" FROM %s) AS \"numbers\" ON \"tableSchem\" = \"s\" AND \"tableName\" = \"t\""
        .formatted(ofUsers("COLUMNS"), TABLE, ofUsers("TABLES"));
  }

  private static ViewColumns attributes() {
    StringBuilder type = new StringBuilder("CASE \"typeName\"");
    TYPES.forEach((ours, pg) -> type.append(" WHEN '%s' THEN %d".formatted(ours, pg.oid)));
    return new ViewColumns()
        .number("attrelid", "\"oid\"")
        .text("attname", "\"columnName\"")
        .number("atttypid", type.append(" ELSE 0 END").toString())
        .number("attnum", "\"ordinalPosition\"")
        .truth("attnotnull", "\"isNullable\" = 'NO'")
        .truth("attisdropped", "FALSE");
  }

  private static String typeRows() {
    StringJoiner rows = new StringJoiner(", ", "(VALUES ", ") AS \"types\" (\"oid\", \"name\")");
    TYPES.values().stream()
        .distinct()
        .forEach(type -> rows.add("(%d, '%s')".formatted(type.oid, type.name)));
    return rows.toString();
  }

  private static ViewColumns database() {
    return new ViewColumns()
        .number("oid", "1")
        .text("datname", "'" + CommonFunctions.DATABASE + "'")
        .number("datdba", "10")
        .truth("datistemplate", "FALSE")
        .truth("datallowconn", "TRUE");
  }
}
