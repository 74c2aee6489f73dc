package io.aragonite.adapter.statement;

import io.aragonite.adapter.catalog.SessionSchema;
import io.aragonite.adapter.error.NearestName;
import io.aragonite.adapter.metadata.ColumnsGuard;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.calcite.avatica.ColumnMetaData;
import org.apache.calcite.jdbc.CalcitePrepare;
import org.apache.calcite.jdbc.CalciteSchema;
import org.apache.calcite.schema.lookup.LikePattern;
import org.jspecify.annotations.Nullable;

/**
 * {@code SHOW TABLES}, {@code SHOW SCHEMAS}, {@code SHOW TimeZone} and {@code DESCRIBE}, which
 * become queries over lists of what is there now, and {@code SUMMARIZE}.
 *
 * @param what TABLES, SCHEMAS, COLUMNS, SUMMARY or TIME_ZONE
 * @param of the schema of TABLES, null for the default one; for COLUMNS and SUMMARY a table's name
 *     or a query
 */
record ShowRequest(What what, @Nullable String of) {
  /** What is listed. */
  enum What {
    TABLES,
    SCHEMAS,
    COLUMNS,
    SUMMARY,
    TIME_ZONE
  }

  private static final Pattern TIME_ZONE =
      Pattern.compile("\\s*show\\s+time(?:\\s+)?zone\\s*", Pattern.CASE_INSENSITIVE);

  private static final Pattern TABLES =
      Pattern.compile(
          "\\s*show\\s+(?:all\\s+)?tables(?:\\s+(?:from|in)\\s+(\\S+))?\\s*",
          Pattern.CASE_INSENSITIVE);

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
    Matcher summary = SUMMARY.matcher(sql);
    if (summary.matches()) {
      return new ShowRequest(What.SUMMARY, summary.group(1).strip());
    }
    Matcher columns = COLUMNS.matcher(sql);
    return columns.matches() ? new ShowRequest(What.COLUMNS, columns.group(1).strip()) : null;
  }

  /** For COLUMNS and SUMMARY, the query whose columns are listed. */
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
  static String columns(List<ColumnMetaData> columns) {
    List<List<String>> rows = new ArrayList<>();
    for (ColumnMetaData column : columns) {
      rows.add(
          List.of(
              column.label,
              type(column),
              column.nullable == java.sql.DatabaseMetaData.columnNoNulls ? "NO" : "YES"));
    }
    return values(List.of("column_name", "column_type", "null"), rows);
  }

  /** A column's type with its digits. */
  static String type(ColumnMetaData column) {
    String type = ColumnsGuard.typeName(column.type.getName());
    String digits =
        switch (type) {
          case "DECIMAL" -> "(%d, %d)".formatted(column.precision, column.scale);
          case "CHAR", "BINARY" -> "(%d)".formatted(column.precision);
          default -> "";
        };
    return type + digits;
  }

  private static String values(List<String> columns, List<List<String>> rows) {
    StringBuilder sql = new StringBuilder("SELECT * FROM (VALUES ");
    List<List<String>> all =
        rows.isEmpty() ? List.of(columns.stream().map(column -> "").toList()) : rows;
    for (int i = 0; i < all.size(); i++) {
      sql.append(i == 0 ? "(" : ", (");
      for (int j = 0; j < columns.size(); j++) {
        sql.append(j == 0 ? "CAST('" : ", CAST('")
            .append(all.get(i).get(j).replace("'", "''"))
            .append("' AS VARCHAR)");
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
