package io.aragonite.adapter.statement;

import io.aragonite.adapter.catalog.SessionSchema.OwnTable;
import io.aragonite.adapter.ddl.TableStatement.Delete;
import io.aragonite.adapter.ddl.TableStatement.Update;
import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.execution.ExecutionSignature;
import io.aragonite.adapter.execution.PreparedPlan;
import io.aragonite.adapter.table.CachedTable;
import io.aragonite.adapter.table.TableRules;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.util.List;
import org.apache.calcite.DataContext;

/**
 * UPDATE and DELETE of rows: the table gets the rows that stay, and those with other values. A
 * condition of nothing but a row is asked for each of the two. Any other is asked once, over rows
 * with numbers: a second answer could be of other rows.
 */
final class RowChange {
  private final WriteScope scope;

  RowChange(WriteScope scope) {
    this.scope = scope;
  }

  /** The rows that a DELETE with a condition leaves. */
  ExecutionSignature<?> query(Delete delete, CachedTable table) {
    TableRewrite rewrite = rewrite(table);
    if (delete.using() != null) {
      var _ = scope.rewritten(rewrite.joined(delete));
    }
    return scope.rewritten(rewrite.kept(delete));
  }

  /** The rows that an UPDATE changes. */
  ExecutionSignature<?> query(Update written, OwnTable table) {
    return changed(assigned(written, table), table, rewrite(table.data()));
  }

  private TableRewrite rewrite(CachedTable table) {
    return TableRewrite.of(scope, table);
  }

  private ExecutionSignature<?> changed(Update update, OwnTable table, TableRewrite rewrite) {
    return scope.changed(update, table, rewrite);
  }

  /** An UPDATE with the defaults of its table. */
  private static Update assigned(Update update, OwnTable table) {
    return DefaultValues.assigned(update, table.data().columnNames(), table.rules());
  }

  /** The rules for rows that an UPDATE leaves: their keys are as they were unless it sets some. */
  private static TableRules changing(Update update, OwnTable table) {
    TableRules rules = table.rules();
    List<String> names = table.data().columnNames();
    boolean keys =
        update.assignments().stream()
            .map(assignment -> TableColumn.find(names, assignment.column()))
            .anyMatch(
                place -> rules.keys().stream().anyMatch(key -> key.columns().contains(place)));
    return keys ? rules : new TableRules(List.of(), rules.checks(), rules.defaults());
  }

  /** Returns how many rows have gone. */
  long delete(Delete delete, DataContext context, Execution execution) throws IOException {
    OwnTable table = scope.schema().stored(delete.target());
    CachedTable data = table.data();
    ReturnedRows returned = scope.returned();
    long before = data.rows();
    if (delete.condition() == null) {
      if (returned != null) {
        returned.copy(deleted(delete, data), context, execution);
        scope.prove(context, execution);
      }
      scope
          .schema()
          .replaceRows(table, null, scope.schema().store().keys(data.name(), table.rules(), null));
      return before;
    }
    ExecutionSignature<?> kept = query(delete, data);
    scope.requireOf(kept, data);
    try (StoredRows rows =
        scope.rows(data.name(), TableColumn.of(data), table.rules(), null, false)) {
      if (returned == null) {
        rows.copy(kept, context, execution);
      } else if (isOfRow(kept)) {
        rows.copy(kept, context, execution);
        returned.copy(deleted(delete, data), context, execution);
      } else {
        List<TableColumn> columns = TableColumn.of(data);
        try (HeldRows all = numbered(data, columns);
            HeldRows gone = numbered(data, columns)) {
          TableRewrite rewrite = all.number(data, context, execution);
          String taken = gone.hold(scope.rewritten(rewrite.deleted(delete)), context, execution);
          rows.copy(scope.rewritten(rewrite.without(taken, columns)), context, execution);
          returned.copy(scope.rewritten(rewrite.of(taken, columns)), context, execution);
        }
      }
      if (returned != null) {
        requireAll(rows.count() + returned.writer().rows(), data);
        scope.prove(context, execution);
      }
      if (rows.count() < before) {
        scope.schema().replaceRows(table, rows.writer(), rows.keys());
        rows.give();
      }
      return before - rows.count();
    }
  }

  /** The rows that a DELETE takes away. */
  private ExecutionSignature<?> deleted(Delete delete, CachedTable data) {
    ExecutionSignature<?> gone = scope.rewritten(rewrite(data).deleted(delete));
    scope.requireOf(gone, data);
    return gone;
  }

  private HeldRows numbered(CachedTable data, List<TableColumn> columns) {
    return HeldRows.numbered(scope, data.name(), columns, TableRules.NONE);
  }

  /** Returns how many rows have been changed. */
  long update(Update written, DataContext context, Execution execution) throws IOException {
    OwnTable table = scope.schema().stored(written.target());
    CachedTable data = table.data();
    Update update = assigned(written, table);
    List<TableColumn> columns = TableColumn.of(data);
    ExecutionSignature<?> changed = changed(update, table, rewrite(data));
    WriteScope.requireInsertable(changed, columns);
    scope.requireOf(changed, data);
    TableRules rules = changing(update, table);
    try (StoredRows rows = scope.rows(data.name(), columns, rules, null, false)) {
      ExecutionSignature<?> kept = null;
      if (update.condition() != null && update.from() == null) {
        kept = scope.rewritten(rewrite(data).kept(update, columns, CastQuery::format));
        scope.requireOf(kept, data);
      }
      long before = 0;
      if (update.condition() == null || kept != null && isOfRow(kept)) {
        if (kept != null) {
          rows.copy(kept, context, execution);
        }
        before = rows.count();
        rows.copy(changed, context, execution, scope.again());
      } else {
        before = updateOnce(update, table, rows, context, execution);
      }
      requireAll(rows.count(), data);
      scope.prove(context, execution);
      long count = rows.count() - before;
      if (count > 0) {
        scope
            .schema()
            .replaceRows(table, rows.writer(), rules.keys().isEmpty() ? table.keys() : rows.keys());
        rows.give();
      }
      return count;
    }
  }

  /** Asks for the rows that change once; returns how many rows stay. */
  private long updateOnce(
      Update update, OwnTable table, StoredRows rows, DataContext context, Execution execution)
      throws IOException {
    CachedTable data = table.data();
    List<TableColumn> columns = TableColumn.of(data);
    try (HeldRows all = numbered(data, columns);
        HeldRows changed = HeldRows.numbered(scope, data.name(), columns, table.rules())) {
      TableRewrite rewrite = all.number(data, context, execution);
      ExecutionSignature<?> query = changed(update, table, rewrite);
      scope.requireOf(query, data);
      String made = changed.hold(query, context, execution);
      rows.copy(scope.rewritten(rewrite.without(made, columns)), context, execution);
      long before = rows.count();
      if (before + changed.count() > data.rows()) {
        throw TableRewrite.severalRows(data.name());
      }
      rows.copy(scope.rewritten(rewrite.of(made, columns)), context, execution, scope.again());
      return before;
    }
  }

  /** Whether a query asks each row of a table for itself, and always has the same answer. */
  private static boolean isOfRow(ExecutionSignature<?> query) {
    PreparedPlan plan = query.plan();
    return plan != null && TableRewrite.isOfRow(plan.root().rel);
  }

  /** Rows would be lost, or be there twice. */
  private static void requireAll(long rows, CachedTable table) {
    if (rows != table.rows()) {
      throw new AragoniteException(
          ErrorCode.INTERNAL,
          "Table \"%s\" has %d rows, and the statement would leave or change %d of them."
              .formatted(table.name(), table.rows(), rows));
    }
  }
}
