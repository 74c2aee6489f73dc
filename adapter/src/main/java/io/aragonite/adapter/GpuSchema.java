package io.aragonite.adapter;

import io.aragonite.adapter.catalog.BrokenTable;
import io.aragonite.adapter.catalog.CatalogTable;
import io.aragonite.adapter.statement.Session;
import io.aragonite.adapter.table.CachedTable;
import io.aragonite.adapter.table.TableCatalog;
import io.aragonite.rules.runtime.EngineProvider;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.calcite.schema.Table;
import org.apache.calcite.schema.impl.AbstractSchema;

/** The tables of a directory as a Calcite schema. */
public final class GpuSchema extends AbstractSchema {
  private final Map<String, Table> tables = new LinkedHashMap<>();

  GpuSchema(TableCatalog catalog, EngineProvider engines) {
    for (Map.Entry<String, CachedTable> entry : catalog.tables().entrySet()) {
      tables.put(entry.getKey(), new CatalogTable(entry.getValue(), catalog, engines));
    }
    catalog
        .broken()
        .forEach(
            (name, error) -> tables.put(name, new BrokenTable(error, engines instanceof Session)));
  }

  @Override
  protected Map<String, Table> getTableMap() {
    return tables;
  }

  @Override
  public boolean isMutable() {
    return false;
  }
}
