package io.aragonite.adapter.catalog;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
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

  private final Map<String, Table> views = new LinkedHashMap<>();

  /** The columns that say which table is meant. */
  private static Columns ofTables() {
    return new Columns()
        .text("table_catalog", "NULL")
        .text("table_schema", "\"tableSchem\"")
        .text("table_name", "\"tableName\"");
  }

  public InformationSchema() {
    Columns schemata =
        new Columns()
            .text("catalog_name", "NULL")
            .text("schema_name", "\"tableSchem\"")
            .text("schema_owner", "NULL");
    view("schemata", schemata, "SELECT DISTINCT", "TABLES", "");
    Columns tables =
        ofTables()
            .text(
                "table_type",
                "CASE \"tableType\" WHEN 'TABLE' THEN 'BASE TABLE' ELSE \"tableType\" END")
            .text(
                "is_insertable_into",
                "CASE WHEN \"tableSchem\" = '%s' AND \"tableType\" = 'TABLE' THEN 'YES' ELSE 'NO' END"
                    .formatted(SessionSchema.NAME));
    view("tables", tables, "SELECT", "TABLES", "");
    Columns views = ofTables();
    view("views", views, "SELECT", "TABLES", " AND \"tableType\" = 'VIEW'");
    Columns columns =
        ofTables()
            .text("column_name", "\"columnName\"")
            .number("ordinal_position", "\"ordinalPosition\"")
            .text("column_default", "NULL")
            .text("is_nullable", "\"isNullable\"")
            .text("data_type", "\"typeName\"")
            .number("character_maximum_length", "NULL")
            .number(
                "numeric_precision", "CASE WHEN \"typeName\" = 'DECIMAL' THEN \"columnSize\" END")
            .number(
                "numeric_scale", "CASE WHEN \"typeName\" = 'DECIMAL' THEN \"decimalDigits\" END")
            .number("datetime_precision", "NULL");
    view("columns", columns, "SELECT", "COLUMNS", "");
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

  private void view(String name, Columns columns, String select, String of, String condition) {
    String sql =
        "%s %s%s%s"
            .formatted(
                select,
                String.join(", ", columns.expressions.values()),
                OF_USERS.formatted(of),
                condition);
    views.put(
        name, new ViewTable(Object[].class, columns.type(), sql, List.of(), List.of(NAME, name)));
  }

  @Override
  public Lookup<Table> tables() {
    return new Lookup<>() {
      @Override
      public @Nullable Table get(String name) {
        return views.get(name);
      }

      @Override
      public @Nullable Named<Table> getIgnoreCase(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        Table view = views.get(lower);
        return view == null ? null : new Named<>(lower, view);
      }

      @Override
      public Set<String> getNames(LikePattern pattern) {
        return Set.of();
      }
    };
  }
}
