package io.aragonite.adapter;

import com.google.common.base.Suppliers;
import io.aragonite.adapter.catalog.BrokenTable;
import io.aragonite.adapter.catalog.CatalogTable;
import io.aragonite.adapter.statement.Session;
import io.aragonite.adapter.table.CachedTable;
import io.aragonite.adapter.table.TableCatalog;
import io.aragonite.rules.runtime.EngineProvider;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.calcite.schema.Table;
import org.apache.calcite.schema.impl.AbstractSchema;

/** The tables of a directory as a Calcite schema. */
public final class GpuSchema extends AbstractSchema {
  private final Supplier<Map<String, Table>> tables;

  GpuSchema(TableCatalog catalog, EngineProvider engines) {
    Map<String, Table> open = tables(catalog, engines);
    this.tables = () -> open;
  }

  private GpuSchema(Supplier<Map<String, Table>> tables) {
    this.tables = Suppliers.memoize(tables::get);
  }

  /** A schema whose files are opened when a statement first names a table. */
  static GpuSchema lazy(Supplier<TableCatalog> catalog, EngineProvider engines) {
    return new GpuSchema(() -> tables(catalog.get(), engines));
  }

  private static Map<String, Table> tables(TableCatalog catalog, EngineProvider engines) {
    Map<String, Table> tables = new LinkedHashMap<>();
    for (Map.Entry<String, CachedTable> entry : catalog.tables().entrySet()) {
      tables.put(
          entry.getKey(), new CatalogTable(entry.getValue(), catalog::table, catalog, engines));
    }
    catalog
        .broken()
        .forEach(
            (name, error) -> tables.put(name, new BrokenTable(error, engines instanceof Session)));
    return tables;
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
