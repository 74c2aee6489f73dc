package io.aragonite.adapter;

import io.aragonite.adapter.sql.Utf8TypeFactory;
import java.lang.reflect.Field;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import org.apache.calcite.avatica.AvaticaConnection;
import org.apache.calcite.jdbc.CalciteConnection;
import org.apache.calcite.jdbc.CalciteFactory;
import org.apache.calcite.jdbc.CalcitePrepare;
import org.apache.calcite.jdbc.CalciteSchema;
import org.apache.calcite.jdbc.Driver;
import org.apache.calcite.rel.type.RelDataTypeSystem;
import org.apache.calcite.schema.Function;
import org.apache.calcite.schema.SchemaPlus;
import org.apache.calcite.schema.Schemas;
import org.apache.calcite.schema.TranslatableTable;
import org.apache.calcite.schema.impl.ViewTableMacro;
import org.apache.calcite.schema.lookup.LikePattern;
import org.jspecify.annotations.Nullable;

/**
 * A view of a model whose texts are UTF-8. Calcite's own reads views with types of a connection of
 * its own, one for all of the process, and refuses those with a text beyond Latin-1.
 */
final class Utf8View extends ViewTableMacro {
  private final boolean modifiable;
  private final boolean readOnly;

  private Utf8View(
      CalciteSchema schema,
      String viewSql,
      @Nullable List<String> schemaPath,
      @Nullable List<String> viewPath,
      @Nullable Boolean modifiable) {
    super(schema, viewSql, schemaPath, viewPath, modifiable);
    this.modifiable = modifiable != null && modifiable;
    this.readOnly = modifiable != null && !modifiable;
  }

  /** Puts views of ours in the place of Calcite's, in a schema and those in it. */
  static void replaceIn(SchemaPlus schema) {
    for (String name : List.copyOf(schema.getFunctionNames())) {
      List<Function> functions = List.copyOf(schema.getFunctions(name));
      if (functions.size() == 1 && functions.get(0).getClass() == ViewTableMacro.class) {
        CalciteSchema.from(schema).removeFunction(name);
        schema.add(name, of((ViewTableMacro) functions.get(0)));
      }
    }
    for (String name : schema.subSchemas().getNames(LikePattern.any())) {
      SchemaPlus inner = schema.subSchemas().get(name);
      if (inner != null) {
        replaceIn(inner);
      }
    }
  }

  /** Calcite's views hand out nothing of what they were made of. */
  @SuppressWarnings("unchecked") // the types of Calcite's fields
  private static Utf8View of(ViewTableMacro view) {
    try {
      return new Utf8View(
          Objects.requireNonNull((CalciteSchema) get(view, "schema")),
          Objects.requireNonNull((String) get(view, "viewSql")),
          (List<String>) get(view, "schemaPath"),
          (List<String>) get(view, "viewPath"),
          (Boolean) get(view, "modifiable"));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("Calcite keeps views otherwise", e);
    }
  }

  private static @Nullable Object get(ViewTableMacro view, String name)
      throws ReflectiveOperationException {
    Field field = ViewTableMacro.class.getDeclaredField(name);
    field.setAccessible(true);
    return field.get(view);
  }

  @Override
  public TranslatableTable apply(List<? extends @Nullable Object> arguments) {
    CalcitePrepare.AnalyzeViewResult parsed =
        Schemas.analyzeView(
            ViewConnection.SHARED, schema, schemaPath, viewSql, viewPath, modifiable);
    List<String> path = schemaPath != null ? schemaPath : schema.path(null);
    return !readOnly && parsed.modifiable && parsed.table != null
        ? modifiableViewTable(parsed, viewSql, path, viewPath, schema)
        : viewTable(parsed, viewSql, path, viewPath);
  }

  /** Like the one that Calcite reads views with, but for its types. */
  private static final class ViewConnection extends Driver {
    static final CalciteConnection SHARED = new ViewConnection().open();

    private CalciteConnection open() {
      try {
        AvaticaConnection connection =
            ((CalciteFactory) factory)
                .newConnection(
                    this,
                    factory,
                    CONNECT_STRING_PREFIX,
                    new Properties(),
                    null,
                    new Utf8TypeFactory(RelDataTypeSystem.DEFAULT, false));
        return connection.unwrap(CalciteConnection.class);
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
