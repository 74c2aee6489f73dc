package io.aragonite.adapter.catalog;

import io.aragonite.adapter.sql.function.CommonFunctions;
import java.util.Collection;
import java.util.function.Supplier;
import org.apache.calcite.schema.Table;
import org.jspecify.annotations.Nullable;

/**
 * The standard's views of what a connection has: {@code schemata}, {@code tables}, {@code views}
 * and {@code columns}. They read Calcite's own tables of that, which list what the connection's
 * user may see. None of them is listed.
 */
public final class InformationSchema extends CatalogViews {
  /** Its name. */
  public static final String NAME = "information_schema";

  private static final String NO_DEFAULT = "NULL";

  private static final String DATABASE = "'" + CommonFunctions.DATABASE + "'";

  private final Supplier<Collection<SessionSchema>> own;

  /** The columns that say which table is meant. */
  private static ViewColumns ofTables() {
    return new ViewColumns()
        .text("table_catalog", DATABASE)
        .text("table_schema", "\"tableSchem\"")
        .text("table_name", "\"tableName\"");
  }

  /**
   * @param own the connection's own schemas, as they are when a statement is planned
   */
  public InformationSchema(Supplier<Collection<SessionSchema>> own) {
    super(NAME);
    this.own = own;
  }

  @Override
  @Nullable Table view(String name) {
    return switch (name) {
      case "schemata" ->
          view(
              name,
              new ViewColumns()
                  .text("catalog_name", DATABASE)
                  .text("schema_name", "\"tableSchem\"")
                  .text("schema_owner", "NULL"),
              "SELECT DISTINCT",
              ofUsers("TABLES"));
      case "tables" -> view(name, tableColumns(), "SELECT", ofUsers("TABLES"));
      case "views" ->
          view(name, ofTables(), "SELECT", ofUsers("TABLES") + " AND \"tableType\" = 'VIEW'");
      case "columns" -> view(name, columnColumns(), "SELECT", ofUsers("COLUMNS"));
      default -> null;
    };
  }

  private ViewColumns tableColumns() {
    String schemas =
        String.join(", ", own.get().stream().map(schema -> text(schema.name())).toList());
    String insertable =
        schemas.isEmpty()
            ? "'NO'"
            : "CASE WHEN \"tableSchem\" IN (%s) AND \"tableType\" = 'TABLE' THEN 'YES' ELSE 'NO' END"
                .formatted(schemas);
    return ofTables()
        .text(
            "table_type",
            "CASE \"tableType\" WHEN 'TABLE' THEN 'BASE TABLE' ELSE \"tableType\" END")
        .text("is_insertable_into", insertable);
  }

  private ViewColumns columnColumns() {
    return ofTables()
        .text("column_name", "\"columnName\"")
        .number("ordinal_position", "\"ordinalPosition\"")
        .text("column_default", defaults())
        .text("is_nullable", "\"isNullable\"")
        .text("data_type", "\"typeName\"")
        .number("character_maximum_length", "NULL")
        .number("numeric_precision", "CASE WHEN \"typeName\" = 'DECIMAL' THEN \"columnSize\" END")
        .number("numeric_scale", "CASE WHEN \"typeName\" = 'DECIMAL' THEN \"decimalDigits\" END")
        .number("datetime_precision", "NULL");
  }

  /** What the defaults of columns of the connection's own tables are, which Calcite knows not. */
  private String defaults() {
    StringBuilder cases = new StringBuilder();
    for (SessionSchema schema : own.get()) {
      for (SessionSchema.ColumnDefault column : schema.defaults()) {
        cases.append(
            " WHEN \"tableSchem\" = %s AND \"tableName\" = %s AND \"columnName\" = %s THEN %s"
                .formatted(
                    text(schema.name()),
                    text(column.table()),
                    text(column.column()),
                    text(column.expression())));
      }
    }
    return cases.isEmpty() ? NO_DEFAULT : "CASE" + cases + " END";
  }

  private static String text(String value) {
    return "CAST('" + value.replace("'", "''") + "' AS VARCHAR)";
  }
}
