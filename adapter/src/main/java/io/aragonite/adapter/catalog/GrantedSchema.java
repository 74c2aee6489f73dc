package io.aragonite.adapter.catalog;

import com.google.common.base.Suppliers;
import io.aragonite.adapter.catalog.ConnectionAccess.SchemaGrant;
import io.aragonite.adapter.catalog.ConnectionAccess.TableGrant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.calcite.jdbc.CalciteSchema;
import org.apache.calcite.schema.SchemaPlus;
import org.apache.calcite.schema.Table;
import org.apache.calcite.schema.impl.AbstractSchema;
import org.apache.calcite.schema.lookup.LikePattern;
import org.jspecify.annotations.Nullable;

/** The tables of a schema that a user may read, and no others. */
public final class GrantedSchema extends AbstractSchema {
  /** Calcite's, whose tables list what the connection has. */
  private static final String METADATA = "metadata";

  private final Supplier<Map<String, Table>> tables;

  private GrantedSchema(SchemaPlus schema, SchemaGrant grant) {
    // Files are opened when a statement first names a table.
    tables = Suppliers.memoize(() -> tables(schema, grant));
  }

  /** Puts what is granted in the place of all that is there. */
  public static void replaceIn(SchemaPlus root, ConnectionAccess access) {
    CalciteSchema schemas = CalciteSchema.from(root);
    for (String name : List.copyOf(root.tables().getNames(LikePattern.any()))) {
      schemas.removeTable(name);
    }
    for (String name : List.copyOf(root.getFunctionNames())) {
      schemas.removeFunction(name);
    }
    for (String name : List.copyOf(root.subSchemas().getNames(LikePattern.any()))) {
      SchemaPlus schema = root.subSchemas().get(name);
      if (schema == null || name.equals(METADATA)) {
        continue;
      }
      schemas.removeSubSchema(name);
      SchemaGrant grant = access.schemas().get(name);
      if (grant != null) {
        root.add(name, new GrantedSchema(schema, grant));
      }
    }
  }

  private static Map<String, Table> tables(SchemaPlus schema, SchemaGrant grant) {
    Map<String, Table> granted = new LinkedHashMap<>();
    Set<String> names =
        grant.all() ? schema.tables().getNames(LikePattern.any()) : grant.tables().keySet();
    for (String name : names) {
      Table table = schema.tables().get(name);
      TableGrant part = grant.all() ? null : grant.tables().get(name);
      Table seen = table == null ? null : part == null ? table : seen(table, part);
      if (seen != null) {
        granted.put(name, seen);
      }
    }
    return granted;
  }

  /** What is to be seen of a table; null if that cannot be made of it as it is now. */
  private static @Nullable Table seen(Table table, TableGrant grant) {
    if (grant.columns() == null && grant.rows() == null) {
      return table;
    }
    return table instanceof CatalogTable whole ? GrantedTable.of(whole, grant) : null;
  }

  @Override
  protected Map<String, Table> getTableMap() {
    return tables.get();
  }

  @Override
  public boolean isMutable() {
    return false;
  }
}
