package io.aragonite.adapter.catalog;

import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.sql.FileCall;
import io.aragonite.adapter.table.CachedTable;
import io.aragonite.adapter.table.SessionTables;
import io.aragonite.rules.runtime.EngineProvider;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.schema.Table;
import org.apache.calcite.schema.impl.AbstractSchema;
import org.apache.calcite.schema.lookup.LikePattern;
import org.apache.calcite.schema.lookup.Lookup;
import org.apache.calcite.schema.lookup.Named;
import org.jspecify.annotations.Nullable;

/**
 * The schema that a connection has of its own. Names that stand for files are tables of it, though
 * none that it lists. Safe for several threads.
 */
public final class SessionSchema extends AbstractSchema {
  /** Its name. */
  public static final String NAME = "temp";

  private static final int MOST_KNOWN = 512;

  private final SessionTables tables;
  private final EngineProvider engines;
  private final Map<CachedTable, CatalogTable> known =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<CachedTable, CatalogTable> eldest) {
          return size() > MOST_KNOWN;
        }
      };

  /** Tables of files that a run has asked for: it sees them as they were then. */
  private @Nullable Execution run;

  private final Map<String, Table> ofRun = new HashMap<>();

  public SessionSchema(SessionTables tables, EngineProvider engines) {
    this.tables = tables;
    this.engines = engines;
  }

  @Override
  public Lookup<Table> tables() {
    return new Lookup<>() {
      @Override
      public @Nullable Table get(String name) {
        return FileCall.isFiles(name) ? files(name) : null;
      }

      @Override
      public @Nullable Named<Table> getIgnoreCase(String name) {
        Table table = get(name);
        return table == null ? null : new Named<>(name, table);
      }

      @Override
      public Set<String> getNames(LikePattern pattern) {
        return Set.of();
      }
    };
  }

  private synchronized Table files(String name) {
    Execution now = Execution.current();
    if (now == null || now != run) {
      ofRun.clear();
      run = now;
    }
    Table table = ofRun.get(name);
    if (table == null) {
      table = table(tables.files(FileCall.parse(name)));
      ofRun.put(name, table);
    }
    return table;
  }

  /** Always the same object for a table: plans are made for it. */
  private CatalogTable table(CachedTable data) {
    return known.computeIfAbsent(data, key -> new CatalogTable(key, tables, engines));
  }
}
