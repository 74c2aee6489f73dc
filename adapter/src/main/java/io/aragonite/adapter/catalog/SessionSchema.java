package io.aragonite.adapter.catalog;

import io.aragonite.adapter.ddl.TableStatement;
import io.aragonite.adapter.error.NearestName;
import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.format.FileColumn;
import io.aragonite.adapter.sql.FileCall;
import io.aragonite.adapter.table.CachedTable;
import io.aragonite.adapter.table.SegmentWriter;
import io.aragonite.adapter.table.SessionTables;
import io.aragonite.adapter.table.TableKeys;
import io.aragonite.adapter.table.TableRules;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.rules.runtime.EngineProvider;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.calcite.linq4j.function.Predicate1;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeImpl;
import org.apache.calcite.schema.Table;
import org.apache.calcite.schema.impl.AbstractSchema;
import org.apache.calcite.schema.impl.ViewTable;
import org.apache.calcite.schema.lookup.LikePattern;
import org.apache.calcite.schema.lookup.Lookup;
import org.apache.calcite.schema.lookup.Named;
import org.jspecify.annotations.Nullable;

/**
 * A schema that a connection has of its own, with the tables and views that it has made. Names that
 * stand for files are tables of it, though none that it lists. Safe for several threads.
 */
public final class SessionSchema extends AbstractSchema implements AutoCloseable {
  /** The name of the one that is always there, and in which names stand for files. */
  public static final String NAME = "temp";

  private static final int MOST_KNOWN = 512;

  /** What names of {@link #hold} begin with; a blank, so that nobody writes one by chance. */
  private static final String HELD = " rows ";

  private final String name;
  private boolean closed;
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

  /** Tables and views that statements have made, by their names in lower case. */
  private final Map<String, Made> made = new HashMap<>();

  /** A table or view under its name as it was written. */
  private record Made(String name, Table table, TableRules rules, @Nullable TableKeys keys) {
    Made(String name, Table table) {
      this(name, table, TableRules.NONE, null);
    }
  }

  /**
   * A table whose rows can be changed, as it is at one time.
   *
   * @param rules the same object as long as it is the same table
   * @param keys of its rows; null: it has no keys
   */
  public record OwnTable(CachedTable data, TableRules rules, @Nullable TableKeys keys) {}

  /** The default of a column, an expression in SQL. */
  record ColumnDefault(String table, String column, String expression) {}

  /** The tables of {@link #hold}, by their names. */
  private final Map<String, CatalogTable> held = new HashMap<>();

  /** Tables of files that a run has asked for: it sees them as they were then. */
  private @Nullable Execution run;

  private final Map<String, Table> ofRun = new HashMap<>();

  public SessionSchema(String name, SessionTables tables, EngineProvider engines) {
    this.name = name;
    this.tables = tables;
    this.engines = engines;
  }

  public String name() {
    return name;
  }

  /** Tables and views, as they were written. */
  public synchronized Set<String> made() {
    Set<String> names = new TreeSet<>();
    made.values().forEach(table -> names.add(table.name));
    return names;
  }

  /** The defaults of all tables' columns. */
  synchronized List<ColumnDefault> defaults() {
    List<ColumnDefault> defaults = new ArrayList<>();
    for (Made one : made.values()) {
      if (one.table instanceof CatalogTable stored) {
        List<String> columns = stored.data().columnNames();
        for (int i = 0; i < columns.size(); i++) {
          String expression = one.rules.defaultOf(i);
          if (expression != null) {
            defaults.add(new ColumnDefault(one.name, columns.get(i), expression));
          }
        }
      }
    }
    return defaults;
  }

  /**
   * Keeps rows as a table that is not listed, for a statement that is running.
   *
   * @return its name, which no other has
   */
  public synchronized String hold(List<FileColumn> columns, SegmentWriter rows) throws IOException {
    int number = 1;
    while (held.containsKey(HELD + number)) {
      number++;
    }
    String name = HELD + number;
    held.put(name, new CatalogTable(tables.stored(name, columns, rows), tables, engines));
    return name;
  }

  /** Takes a table of {@link #hold} away. */
  public synchronized void release(String name) {
    CatalogTable table = held.remove(name);
    if (table != null) {
      tables.retire(table.data());
    }
  }

  private boolean isFiles(String table) {
    return name.equals(NAME) && FileCall.isFiles(table);
  }

  /** What makes the tables. */
  public SessionTables store() {
    return tables;
  }

  @Override
  public Lookup<Table> tables() {
    return new Lookup<>() {
      @Override
      public @Nullable Table get(String name) {
        Made table = made(name);
        if (table != null && table.name.equals(name)) {
          return table.table;
        }
        Table rows = held(name);
        return rows != null ? rows : isFiles(name) ? files(name) : null;
      }

      @Override
      public @Nullable Named<Table> getIgnoreCase(String name) {
        Made table = made(name);
        if (table != null) {
          return new Named<>(table.name, table.table);
        }
        Table rows = held(name);
        if (rows != null) {
          return new Named<>(name, rows);
        }
        return isFiles(name) ? new Named<>(name, files(name)) : null;
      }

      @Override
      public Set<String> getNames(LikePattern pattern) {
        Predicate1<String> matches = pattern.matcher();
        synchronized (SessionSchema.this) {
          Set<String> names = new TreeSet<>();
          made.values().stream().map(Made::name).filter(matches::apply).forEach(names::add);
          return names;
        }
      }
    };
  }

  private synchronized @Nullable Made made(String name) {
    return made.get(key(name));
  }

  private synchronized @Nullable Table held(String name) {
    return held.get(name);
  }

  private static String key(String name) {
    return name.toLowerCase(Locale.ROOT);
  }

  /**
   * A table whose rows can be changed.
   *
   * @throws AragoniteException UNKNOWN_TABLE, READ_ONLY
   */
  public OwnTable stored(String name) {
    Made table = made(name);
    if (table == null) {
      throw unknown(name, "table");
    }
    if (!(table.table instanceof CatalogTable stored)) {
      throw new AragoniteException(
          ErrorCode.READ_ONLY, "\"%s\" is a view, which has no rows of its own.".formatted(name));
    }
    return new OwnTable(stored.data(), table.rules, table.keys);
  }

  private synchronized AragoniteException unknown(String name, String kind) {
    return new AragoniteException(
        ErrorCode.UNKNOWN_TABLE,
        "The connection has no %s \"%s\" of its own%s"
            .formatted(
                kind,
                name,
                NearestName.ending(name, made.values().stream().map(Made::name).toList())));
  }

  /**
   * Whether a table or view of a name is to be made.
   *
   * @return false if there is one, which is to be kept
   * @throws AragoniteException DUPLICATE_TABLE
   */
  public boolean mayCreate(String name, TableStatement.IfExists ifExists, boolean view) {
    Made before = made(name);
    if (before == null) {
      return true;
    }
    boolean same = view == before.table instanceof ViewTable;
    if (ifExists == TableStatement.IfExists.KEEP && same) {
      return false;
    }
    if (ifExists == TableStatement.IfExists.REPLACE && same) {
      return true;
    }
    String kind = view ? "view" : "table";
    String present = before.table instanceof ViewTable ? "view" : "table";
    throw new AragoniteException(
        ErrorCode.DUPLICATE_TABLE,
        "There is a %s \"%s\" already; %s."
            .formatted(
                present,
                before.name,
                same
                    ? "CREATE OR REPLACE %s makes it anew".formatted(kind.toUpperCase(Locale.ROOT))
                    : "drop it first, or take another name"));
  }

  /**
   * Makes a table.
   *
   * @param rows its rows; null: none
   */
  public synchronized void createTable(
      String name,
      List<FileColumn> columns,
      TableRules rules,
      @Nullable SegmentWriter rows,
      TableStatement.IfExists ifExists)
      throws IOException {
    if (mayCreate(name, ifExists, false)) {
      CachedTable data = tables.stored(name, columns, rows);
      put(data, rules, tables.keys(name, rules, null));
    }
  }

  /**
   * Makes a view.
   *
   * @param path the schema that its tables without one are in; empty for none
   */
  public synchronized void createView(
      String name,
      RelDataType rowType,
      String query,
      List<String> path,
      TableStatement.IfExists ifExists) {
    if (mayCreate(name, ifExists, true)) {
      put(
          new Made(
              name,
              new ViewTable(
                  Object[].class,
                  RelDataTypeImpl.proto(rowType),
                  query,
                  path,
                  List.of(this.name, name))));
    }
  }

  private void put(CachedTable data, TableRules rules, @Nullable TableKeys keys) {
    CatalogTable table = new CatalogTable(data, rules, tables, engines);
    put(new Made(data.name(), table, rules, keys));
  }

  private void put(Made next) {
    if (closed) {
      throw new AragoniteException(
          ErrorCode.UNKNOWN_TABLE, "The schema %s was dropped meanwhile.".formatted(name));
    }
    Made before = made.put(key(next.name), next);
    if (before != null) {
      retire(before, next.keys);
    }
  }

  @SuppressWarnings("ReferenceEquality") // a table's next version may have the same keys
  private void retire(Made before, @Nullable TableKeys next) {
    if (before.table instanceof CatalogTable old) {
      tables.retire(old.data());
    }
    if (before.keys != null && before.keys != next) {
      before.keys.close();
    }
  }

  /** Ends all tables. */
  @Override
  public synchronized void close() {
    closed = true;
    made.values().forEach(table -> retire(table, null));
    made.clear();
  }

  /**
   * Adds rows to a table.
   *
   * @param table as it was when the rows were asked for
   * @param keys of the rows; null: the table has no keys
   * @throws AragoniteException UNKNOWN_TABLE if the table is not there any more, WRITE_CONFLICT if
   *     another statement has added rows with these keys
   */
  @SuppressWarnings("ReferenceEquality") // a table that was made anew has other rules
  public synchronized void append(
      String name,
      OwnTable table,
      SegmentWriter rows,
      @Nullable TableKeys keys,
      BufferAllocator allocator)
      throws IOException {
    OwnTable now = stored(name);
    if (now.rules != table.rules
        || !now.data.columnNames().equals(table.data.columnNames())
        || !now.data.columnTypes().equals(table.data.columnTypes())) {
      throw new AragoniteException(
          ErrorCode.UNKNOWN_TABLE,
          "Table \"%s\" was replaced while rows were inserted into it; insert them again."
              .formatted(name));
    }
    CachedTable appended;
    try {
      if (keys != null && now.keys != null && !now.keys.mayAdd(keys)) {
        throw conflict(name);
      }
      appended = tables.appended(now.data, rows, allocator);
      if (keys != null && now.keys != null) {
        now.keys.addAll(keys);
      }
    } finally {
      if (now.keys != null) {
        now.keys.trim();
      }
    }
    put(appended, now.rules, now.keys);
  }

  /** The error of a statement whose table another one has changed. */
  public static AragoniteException conflict(String table) {
    return new AragoniteException(
        ErrorCode.WRITE_CONFLICT,
        "Another statement has changed table \"%s\" meanwhile; run this one again."
            .formatted(table));
  }

  /**
   * Gives a table other rows.
   *
   * @param table as it was when they were made of its rows
   * @param rows null: none
   * @param keys of the rows, which the table takes over; null: it has none
   * @throws AragoniteException WRITE_CONFLICT if it has changed since
   */
  public synchronized void replaceRows(
      OwnTable table, @Nullable SegmentWriter rows, @Nullable TableKeys keys) throws IOException {
    CachedTable data = table.data;
    requireSame(table);
    put(tables.stored(data.name(), data.file().columns(), rows), table.rules, keys);
  }

  /**
   * Puts a table with other columns in the place of one; its keys stay.
   *
   * @param table as it was when the rows were made of its rows
   * @throws AragoniteException WRITE_CONFLICT if it has changed since
   */
  public synchronized void replaceColumns(
      OwnTable table, List<FileColumn> columns, TableRules rules, SegmentWriter rows)
      throws IOException {
    requireSame(table);
    put(tables.stored(table.data.name(), columns, rows), rules, table.keys);
  }

  /**
   * Gives a table another name.
   *
   * @throws AragoniteException DUPLICATE_TABLE, WRITE_CONFLICT
   */
  public synchronized void rename(OwnTable table, String name) {
    requireSame(table);
    String before = table.data.name();
    if (!key(name).equals(key(before))) {
      boolean _ = mayCreate(name, TableStatement.IfExists.FAIL, false);
    }
    made.remove(key(before));
    put(tables.renamed(table.data, name), table.rules, table.keys);
    tables.retire(table.data);
  }

  private void requireSame(OwnTable table) {
    Made now = made(table.data.name());
    if (now == null || !(now.table instanceof CatalogTable stored) || stored.data() != table.data) {
      throw conflict(table.data.name());
    }
  }

  /**
   * Takes a table or view away.
   *
   * @throws AragoniteException UNKNOWN_TABLE
   */
  public synchronized void drop(String name, boolean view, boolean ifExists) {
    Made before = droppable(name, view, ifExists);
    if (before != null) {
      made.remove(key(name));
      retire(before, null);
    }
  }

  /**
   * Looks whether {@link #drop} can be.
   *
   * @throws AragoniteException UNKNOWN_TABLE, INVALID_STATEMENT
   */
  public synchronized void requireDroppable(String name, boolean view, boolean ifExists) {
    var _ = droppable(name, view, ifExists);
  }

  private @Nullable Made droppable(String name, boolean view, boolean ifExists) {
    Made before = made(name);
    if (before == null && !ifExists) {
      throw unknown(name, view ? "view" : "table");
    }
    if (before != null && view != before.table instanceof ViewTable) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "\"%s\" is a %s; use DROP %s."
              .formatted(name, view ? "table" : "view", view ? "TABLE" : "VIEW"));
    }
    return before;
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
