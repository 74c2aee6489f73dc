package io.aragonite.adapter.statement;

import io.aragonite.adapter.catalog.SessionSchema;
import io.aragonite.adapter.error.NearestName;
import io.aragonite.adapter.metadata.ColumnsGuard;
import io.aragonite.adapter.sql.function.TypeOf;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.rules.translate.TypeMapping;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.calcite.avatica.ColumnMetaData;
import org.apache.calcite.jdbc.CalcitePrepare;
import org.apache.calcite.jdbc.CalciteSchema;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.schema.lookup.LikePattern;
import org.jspecify.annotations.Nullable;

/**
 * {@code SHOW TABLES}, {@code SHOW SCHEMAS}, {@code SHOW TimeZone}, {@code SHOW t}, {@code
 * DESCRIBE} and DuckDB's {@code PRAGMA}, which become queries over lists of what is there now, and
 * {@code SUMMARIZE}.
 *
 * @param what is listed
 * @param of the schema of TABLES, null for the default one; for COLUMNS, TABLE_INFO and SUMMARY a
 *     table's name or a query; a SETTING's name
 */
record ShowRequest(What what, @Nullable String of) {
  /** What is listed. */
  enum What {
    TABLES,
    SCHEMAS,
    COLUMNS,
    TABLE_INFO,
    SUMMARY,
    SETTING,
    TIME_ZONE
  }

  private static final Pattern TIME_ZONE =
      Pattern.compile("\\s*show\\s+time(?:\\s+)?zone\\s*", Pattern.CASE_INSENSITIVE);

  private static final Pattern TABLES =
      Pattern.compile(
          "\\s*show\\s+(?:all\\s+)?tables(?:\\s+(?:from|in)\\s+(\\S+))?\\s*",
          Pattern.CASE_INSENSITIVE);

  private static final Pattern PRAGMA =
      Pattern.compile(
          "\\s*(?:pragma\\s+|call\\s+pragma_)(\\w+)\\s*(?:\\(\\s*(?:'((?:[^']|'')*)'|([^'()]*?))\\s*\\))?\\s*",
          Pattern.CASE_INSENSITIVE);

  private static final Pattern SETTING =
      Pattern.compile("\\s*show\\s+(?!all\\b)(\\w+)\\s*", Pattern.CASE_INSENSITIVE);

  private static final Pattern SCHEMAS =
      Pattern.compile("\\s*show\\s+(?:schemas|databases)\\s*", Pattern.CASE_INSENSITIVE);

  private static final Pattern COLUMNS =
      Pattern.compile(
          "\\s*(?:describe|desc|show\\s+columns\\s+(?:from|in))\\s+(?:table\\s+)?(.+)",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  private static final Pattern SUMMARY =
      Pattern.compile(
          "\\s*summarize\\s+(?:table\\s+)?(.+)", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  private static final Pattern QUERY =
      Pattern.compile(
          "(?:select|with|values|from|table)\\b.*", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  /** Null if a statement is none of these. */
  static @Nullable ShowRequest of(String sql) {
    Matcher tables = TABLES.matcher(sql);
    if (tables.matches()) {
      return new ShowRequest(What.TABLES, tables.group(1));
    }
    if (TIME_ZONE.matcher(sql).matches()) {
      return new ShowRequest(What.TIME_ZONE, null);
    }
    if (SCHEMAS.matcher(sql).matches()) {
      return new ShowRequest(What.SCHEMAS, null);
    }
    Matcher pragma = PRAGMA.matcher(sql);
    if (pragma.matches()) {
      String of = pragma.group(2) != null ? pragma.group(2).replace("''", "'") : pragma.group(3);
      return pragma(pragma.group(1), of);
    }
    Matcher setting = SETTING.matcher(sql);
    if (setting.matches()) {
      return setting(setting.group(1));
    }
    Matcher summary = SUMMARY.matcher(sql);
    if (summary.matches()) {
      return new ShowRequest(What.SUMMARY, summary.group(1).strip());
    }
    Matcher columns = COLUMNS.matcher(sql);
    return columns.matches() ? new ShowRequest(What.COLUMNS, columns.group(1).strip()) : null;
  }

  /** Those of DuckDB that ask for something; settings are {@link FixedSetting}'s. */
  private static @Nullable ShowRequest pragma(String name, @Nullable String of) {
    return switch (name.toLowerCase(Locale.ROOT)) {
      case "show_tables", "show_tables_expanded" -> new ShowRequest(What.TABLES, null);
      case "database_list" -> new ShowRequest(What.SCHEMAS, null);
      case "version" -> new ShowRequest(What.SETTING, "server_version");
      case "show" -> of == null ? null : new ShowRequest(What.COLUMNS, of);
      case "table_info" -> of == null ? null : new ShowRequest(What.TABLE_INFO, of);
      default ->
          throw new AragoniteException(
              ErrorCode.SYNTAX,
              "There is no PRAGMA %s; there are table_info('t'), show('t'), show_tables, database_list and version."
                  .formatted(name));
    };
  }

  /** A setting that PostgreSQL has, or else the columns of a table. */
  private static ShowRequest setting(String name) {
    boolean known =
        FixedSetting.value(name) != null
            || name.equalsIgnoreCase("server_version")
            || name.equalsIgnoreCase("search_path");
    return new ShowRequest(known ? What.SETTING : What.COLUMNS, name);
  }

  /** The value of a setting as a query. */
  String setting(@Nullable String schema, String version) {
    String name = String.valueOf(of);
    String value =
        switch (name.toLowerCase(Locale.ROOT)) {
          case "server_version" -> version;
          case "search_path" -> schema == null ? "" : schema;
          default -> String.valueOf(FixedSetting.value(name));
        };
    return values(List.of(name), List.of(List.of(value)));
  }

  /** Columns of a table as SQLite and DuckDB tell of them. */
  static String info(List<ColumnMetaData> columns, List<String> types, DescribedTable table) {
    StringBuilder rows = new StringBuilder();
    for (int i = 0; i < columns.size(); i++) {
      ColumnMetaData column = columns.get(i);
      rows.append(rows.isEmpty() ? "" : ", ")
          .append(
              "(%d, %s, %s, %s, %s, %s)"
                  .formatted(
                      i,
                      text(column.label),
                      text(types.get(i)),
                      isNotNull(column),
                      text(table.defaultOf(i)),
                      table.isPrimary(i)));
    }
    return "SELECT * FROM (VALUES %s) AS shown (\"cid\", \"name\", \"type\", \"notnull\", \"dflt_value\", \"pk\")"
        .formatted(rows);
  }

  private static String text(@Nullable String value) {
    return value == null
        ? "CAST(NULL AS VARCHAR)"
        : "CAST('%s' AS VARCHAR)".formatted(value.replace("'", "''"));
  }

  /** For COLUMNS, TABLE_INFO and SUMMARY, the query whose columns are listed. */
  String query() {
    String text = String.valueOf(of);
    return QUERY.matcher(text).matches() ? text : "SELECT * FROM " + text;
  }

  /** The names of tables or schemas as a query. */
  String names(CalcitePrepare.Context context) {
    CalciteSchema schema = context.getMutableRootSchema();
    if (what == What.TABLES) {
      List<String> path =
          of == null ? context.getDefaultSchemaPath() : List.of(of.replace("\"", ""));
      for (String name : path) {
        CalciteSchema inner = schema.getSubSchema(name, false);
        if (inner == null) {
          throw noSchema(name, schema);
        }
        schema = inner;
      }
    }
    TreeSet<String> names = new TreeSet<>();
    if (what == What.TABLES) {
      names.addAll(schema.getTableNames());
      names.addAll(schema.getTablesBasedOnNullaryFunctions().keySet());
      CalciteSchema own =
          of == null
              ? context.getMutableRootSchema().getSubSchema(SessionSchema.NAME, false)
              : null;
      if (own != null) {
        names.addAll(own.getTableNames()); // names are looked up there before all others
      }
    } else {
      names.addAll(schema.getSubSchemaMap().keySet());
    }
    return values(List.of("name"), names.stream().map(List::of).toList());
  }

  /** A zone's name as a query. */
  static String timeZone(String zone) {
    return values(List.of("TimeZone"), List.of(List.of(zone)));
  }

  /** Columns of a query as a query. */
  static String columns(List<ColumnMetaData> columns, List<String> types, DescribedTable table) {
    List<List<@Nullable String>> rows = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      ColumnMetaData column = columns.get(i);
      rows.add(
          Arrays.asList(
              column.label,
              types.get(i),
              isNotNull(column) ? "NO" : "YES",
              table.key(i),
              table.defaultOf(i),
              null));
    }
    return values(List.of("column_name", "column_type", "null", "key", "default", "extra"), rows);
  }

  private static boolean isNotNull(ColumnMetaData column) {
    return column.nullable == java.sql.DatabaseMetaData.columnNoNulls;
  }

  /**
   * The types of a query's columns with their digits, and those of lists, maps and structs with
   * those of their parts.
   *
   * @param row null if it is not known
   */
  static List<String> types(List<ColumnMetaData> columns, @Nullable RelDataType row) {
    List<String> types = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      RelDataType type =
          row == null || row.getFieldCount() != columns.size()
              ? null
              : row.getFieldList().get(i).getType();
      types.add(
          type != null && TypeMapping.isNested(type) ? TypeOf.name(type) : type(columns.get(i)));
    }
    return types;
  }

  private static String type(ColumnMetaData column) {
    String type = ColumnsGuard.typeName(column.type.getName());
    String digits =
        switch (type) {
          case "DECIMAL" -> "(%d, %d)".formatted(column.precision, column.scale);
          case "CHAR", "BINARY" -> "(%d)".formatted(column.precision);
          default -> "";
        };
    return type + digits;
  }

  private static String values(List<String> columns, List<? extends List<@Nullable String>> rows) {
    StringBuilder sql = new StringBuilder("SELECT * FROM (VALUES ");
    List<? extends List<@Nullable String>> all =
        rows.isEmpty() ? List.of(columns.stream().map(column -> "").toList()) : rows;
    for (int i = 0; i < all.size(); i++) {
      sql.append(i == 0 ? "(" : ", (");
      for (int j = 0; j < columns.size(); j++) {
        sql.append(j == 0 ? "" : ", ").append(text(all.get(i).get(j)));
      }
      sql.append(')');
    }
    sql.append(") AS shown (\"").append(String.join("\", \"", columns)).append("\")");
    return sql.append(rows.isEmpty() ? " WHERE FALSE" : "").toString();
  }

  /** The error for the name of a schema that another one lacks. */
  static AragoniteException noSchema(String name, CalciteSchema in) {
    return new AragoniteException(
        ErrorCode.UNKNOWN_TABLE,
        "There is no schema '%s'%s"
            .formatted(
                name, NearestName.ending(name, in.subSchemas().getNames(LikePattern.any()))));
  }
}
