package io.aragonite.adapter.statement;

import io.aragonite.adapter.catalog.SessionSchema.OwnTable;
import io.aragonite.adapter.ddl.TableStatement.Assignment;
import io.aragonite.adapter.ddl.TableStatement.Insert;
import io.aragonite.adapter.ddl.TableStatement.OnConflict;
import io.aragonite.adapter.ddl.TableStatement.Update;
import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.execution.ExecutionSignature;
import io.aragonite.adapter.sql.SqlTokens;
import io.aragonite.adapter.table.CachedTable;
import io.aragonite.adapter.table.TableRules;
import io.aragonite.adapter.table.TableRules.KeyRule;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.calcite.DataContext;

/**
 * INSERT with ON CONFLICT DO UPDATE, or OR REPLACE: rows whose key the table has change those that
 * have it, others are added. It writes the table anew, as UPDATE does.
 */
final class ConflictUpdate {
  private static final String EXCLUDED = "excluded";
  private static final String REPLACED = "replaced";

  private final WriteScope scope;
  private final OwnTable table;
  private final CachedTable data;
  private final List<TableColumn> columns;
  private final OnConflict.DoUpdate action;
  private final KeyRule key;
  private final String alias;

  /**
   * @throws AragoniteException INVALID_STATEMENT if no key is meant, or there are parameters
   */
  ConflictUpdate(WriteScope scope, Insert insert, OnConflict.DoUpdate action, OwnTable table) {
    this.scope = scope;
    this.table = table;
    this.data = table.data();
    this.columns = TableColumn.of(data);
    this.action = action;
    this.key = key(insert);
    String written = insert.alias() == null ? scope.quoted(data.name()) : insert.alias();
    boolean replace = action.assignments().isEmpty(); // no expression names the table
    this.alias = replace ? scope.quoted(REPLACED) : written;
    if (SqlTokens.unquoted(alias).equalsIgnoreCase(EXCLUDED)) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "Behind ON CONFLICT excluded is the row that is given, and not the table; give that another name: INSERT INTO %s AS t ..."
              .formatted(insert.target()));
    }
  }

  private KeyRule key(Insert insert) {
    List<KeyRule> keys = table.rules().keys();
    if (insert.conflict().isEmpty() && keys.size() == 1) {
      return keys.getFirst();
    }
    Set<String> named = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    named.addAll(insert.conflict());
    for (KeyRule rule : keys) {
      Set<String> of = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
      rule.columns().forEach(column -> of.add(columns.get(column).name()));
      if (of.equals(named)) {
        return rule;
      }
    }
    throw new AragoniteException(
        ErrorCode.INVALID_STATEMENT,
        insert.conflict().isEmpty()
            ? "Table \"%s\" has %s, so that it is not said which row is replaced or updated; %s."
                .formatted(
                    insert.target(),
                    keys.isEmpty() ? "no key" : "several keys",
                    keys.isEmpty()
                        ? "make the table with a PRIMARY KEY"
                        : "name the columns of one: ON CONFLICT (...) DO UPDATE")
            : "(%s) are not the columns of a key of table \"%s\", as ON CONFLICT wants it."
                .formatted(String.join(", ", insert.conflict()), insert.target()));
  }

  /** Looks whether the values can be made, of rows that are there. */
  void check() {
    TableRewrite rewrite = TableRewrite.of(scope, data);
    ExecutionSignature<?> changed = scope.changed(update(rewrite.table()), table, rewrite);
    WriteScope.requireInsertable(changed, columns);
  }

  /** An UPDATE of the rows that have the key of a given row. */
  private Update update(String given) {
    List<Assignment> assignments = new ArrayList<>(action.assignments());
    if (assignments.isEmpty()) { // OR REPLACE
      for (TableColumn column : columns) {
        assignments.add(
            new Assignment(column.name(), EXCLUDED + "." + scope.quoted(column.name())));
      }
    }
    for (Assignment assignment : action.assignments()) {
      requireNoParameters(assignment.value());
    }
    String condition = sameKey();
    if (action.condition() != null) {
      requireNoParameters(action.condition());
      condition += " AND (" + action.condition() + "\n)";
    }
    return DefaultValues.assigned(
        new Update(data.name(), alias, assignments, given + " AS " + EXCLUDED, condition),
        data.columnNames(),
        table.rules());
  }

  private static void requireNoParameters(String expression) {
    if (SqlTokens.list(expression).contains("?")) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "DO UPDATE has no parameters; give them in the row that is inserted, and take them from excluded: %s."
              .formatted(expression));
    }
  }

  private String sameKey() {
    return key.columns().stream()
        .map(place -> scope.quoted(columns.get(place).name()))
        .map(column -> "%s.%s = %s.%s".formatted(alias, column, EXCLUDED, column))
        .collect(Collectors.joining(" AND "));
  }

  /**
   * Returns how many rows have been added or changed.
   *
   * @param inserted the rows that are given, with what CHECK conditions say of them
   */
  long run(ExecutionSignature<?> inserted, DataContext context, Execution execution)
      throws IOException {
    scope.requireOf(inserted, data);
    TableRules rules = table.rules();
    try (StoredRows rows = scope.rows(data.name(), columns, rules, null, false);
        HeldRows given = HeldRows.of(scope, data.name(), columns, ofKey());
        HeldRows all = HeldRows.numbered(scope, data.name(), columns, TableRules.NONE);
        HeldRows changed = HeldRows.numbered(scope, data.name(), columns, rules)) {
      String excluded = held(given, inserted, context, execution);
      TableRewrite rewrite = all.number(data, context, execution);
      ExecutionSignature<?> query = scope.changed(update(excluded), table, rewrite);
      scope.requireOf(query, data);
      String made = changed.hold(query, context, execution);
      rows.copy(scope.rewritten(rewrite.without(made, columns)), context, execution);
      long kept = rows.count();
      rows.copy(scope.rewritten(rewrite.of(made, columns)), context, execution, scope.again());
      rows.copy(
          scope.rewritten(added(rewrite.table(), excluded)), context, execution, scope.again());
      scope.prove(context, execution);
      long count = rows.count() - kept;
      if (count > 0) {
        scope.schema().replaceRows(table, rows.writer(), rows.keys());
        rows.give();
      }
      return count;
    }
  }

  /** The given rows whose key no row had. */
  private String added(String before, String excluded) {
    String list =
        columns.stream()
            .map(column -> scope.quoted(column.name()))
            .collect(Collectors.joining(", "));
    return "SELECT %s FROM %s AS %s WHERE NOT EXISTS (SELECT 1 FROM %s AS %s WHERE %s)"
        .formatted(list, excluded, EXCLUDED, before, alias, sameKey());
  }

  private String held(
      HeldRows given, ExecutionSignature<?> inserted, DataContext context, Execution execution)
      throws IOException {
    try {
      return given.hold(inserted, context, execution);
    } catch (AragoniteException e) {
      if (e.code() != ErrorCode.DUPLICATE_KEY) {
        throw e;
      }
      throw new AragoniteException(
          ErrorCode.DUPLICATE_KEY,
          "Several of the rows for table \"%s\" have one key of its %s \"%s\", so that they would change one row; give one row for each key."
              .formatted(
                  data.name(), key.primary() ? "primary key" : "UNIQUE constraint", key.name()),
          e);
    }
  }

  /** No two of the given rows have one key: the second would change what the first has made. */
  private TableRules ofKey() {
    return new TableRules(List.of(key), table.rules().checks(), List.of());
  }
}
