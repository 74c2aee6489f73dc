package io.aragonite.adapter.catalog;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rel.type.RelProtoDataType;
import org.apache.calcite.schema.Table;
import org.apache.calcite.schema.impl.AbstractSchema;
import org.apache.calcite.schema.impl.ViewTable;
import org.apache.calcite.schema.lookup.LikePattern;
import org.apache.calcite.schema.lookup.Lookup;
import org.apache.calcite.schema.lookup.Named;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * The standard's views of what a connection has: {@code schemata}, {@code tables}, {@code views}
 * and {@code columns}. They read Calcite's own tables of that, which list what the connection's
 * user may see. None of them is listed.
 */
public final class InformationSchema extends AbstractSchema {
  /** Its name. */
  public static final String NAME = "information_schema";

  private static final String OF_USERS =
      " FROM \"metadata\".\"%s\" WHERE \"tableSchem\" NOT IN ('metadata', '" + NAME + "')";

  private static final String NO_DEFAULT = "NULL";

  private final Supplier<Collection<SessionSchema>> own;

  /** The columns that say which table is meant. */
  private static Columns ofTables() {
    return new Columns()
        .text("table_catalog", "NULL")
        .text("table_schema", "\"tableSchem\"")
        .text("table_name", "\"tableName\"");
  }

  /**
   * @param own the connection's own schemas, as they are when a statement is planned
   */
  public InformationSchema(Supplier<Collection<SessionSchema>> own) {
    this.own = own;
  }

  private @Nullable Table view(String name) {
    return switch (name) {
      case "schemata" ->
          view(
              name,
              new Columns()
                  .text("catalog_name", "NULL")
                  .text("schema_name", "\"tableSchem\"")
                  .text("schema_owner", "NULL"),
              "SELECT DISTINCT",
              "TABLES",
              "");
      case "tables" -> view(name, tableColumns(), "SELECT", "TABLES", "");
      case "views" -> view(name, ofTables(), "SELECT", "TABLES", " AND \"tableType\" = 'VIEW'");
      case "columns" -> view(name, columnColumns(), "SELECT", "COLUMNS", "");
      default -> null;
    };
  }

  private Columns tableColumns() {
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

  private Columns columnColumns() {
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

  /** The columns of a view, and what they are made of. */
  private static final class Columns {
    final Map<String, String> expressions = new LinkedHashMap<>();
    final Map<String, SqlTypeName> types = new LinkedHashMap<>();

    Columns text(String name, String expression) {
      return add(name, expression, SqlTypeName.VARCHAR);
    }

    Columns number(String name, String expression) {
      return add(name, expression, SqlTypeName.INTEGER);
    }

    private Columns add(String name, String expression, SqlTypeName type) {
      expressions.put(name, "CAST(%s AS %s) AS \"%s\"".formatted(expression, type, name));
      types.put(name, type);
      return this;
    }

    RelProtoDataType type() {
      return factory -> {
        RelDataTypeFactory.Builder row = factory.builder();
        types.forEach((name, type) -> row.add(name, type).nullable(true));
        return row.build();
      };
    }
  }

  private static Table view(
      String name, Columns columns, String select, String of, String condition) {
    String sql =
        "%s %s%s%s"
            .formatted(
                select,
                String.join(", ", columns.expressions.values()),
                OF_USERS.formatted(of),
                condition);
    return new ViewTable(Object[].class, columns.type(), sql, List.of(), List.of(NAME, name));
  }

  @Override
  public Lookup<Table> tables() {
    return new Lookup<>() {
      @Override
      public @Nullable Table get(String name) {
        return view(name);
      }

      @Override
      public @Nullable Named<Table> getIgnoreCase(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        Table view = view(lower);
        return view == null ? null : new Named<>(lower, view);
      }

      @Override
      public Set<String> getNames(LikePattern pattern) {
        return Set.of();
      }
    };
  }
}
