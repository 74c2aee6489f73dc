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
 * Views of what a connection has. They read Calcite's own tables of that, which list what the
 * connection's user may see. None of them is listed.
 */
abstract class CatalogViews extends AbstractSchema {
  private final String schema;

  /**
   * @param schema its name
   */
  CatalogViews(String schema) {
    this.schema = schema;
  }

  /** Calcite's table of a name without what is of this kind. */
  static String ofUsers(String table) {
    return "\"metadata\".\"%s\" WHERE \"tableSchem\" NOT IN ('metadata', '%s', '%s')"
        .formatted(table, InformationSchema.NAME, PgCatalog.NAME);
  }

  /**
   * A view.
   *
   * @param name in lower case
   */
  abstract @Nullable Table view(String name);

  /**
   * A view of columns.
   *
   * @param select {@code SELECT}, with DISTINCT perhaps
   * @param from what stands behind FROM
   */
  final Table view(String name, ViewColumns columns, String select, String from) {
    String sql =
        "%s %s FROM %s".formatted(select, String.join(", ", columns.expressions.values()), from);
    return new ViewTable(Object[].class, columns.type(), sql, List.of(), List.of(schema, name));
  }

  /** The columns of a view, and what they are made of. */
  static final class ViewColumns {
    final Map<String, String> expressions = new LinkedHashMap<>();
    final Map<String, SqlTypeName> types = new LinkedHashMap<>();

    ViewColumns text(String name, String expression) {
      return add(name, expression, SqlTypeName.VARCHAR);
    }

    ViewColumns number(String name, String expression) {
      return add(name, expression, SqlTypeName.INTEGER);
    }

    ViewColumns truth(String name, String expression) {
      return add(name, expression, SqlTypeName.BOOLEAN);
    }

    private ViewColumns add(String name, String expression, SqlTypeName type) {
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
