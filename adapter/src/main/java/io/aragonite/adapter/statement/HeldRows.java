package io.aragonite.adapter.statement;

import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.execution.ExecutionSignature;
import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.adapter.table.CachedTable;
import io.aragonite.adapter.table.TableRules;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.DataContext;

/** Rows that a query has had, as a table that lives as long as a run: they can be asked again. */
final class HeldRows implements AutoCloseable {
  /** A column of rows' numbers; a blank, so that nobody writes it by chance. */
  static final String NUMBER = " row";

  private final WriteScope scope;
  private final List<TableColumn> columns;
  private final StoredRows rows;

  private HeldRows(WriteScope scope, String table, List<TableColumn> columns, TableRules rules) {
    this.scope = scope;
    this.columns = columns;
    this.rows = scope.rows(table, columns, rules, null, false);
  }

  /**
   * @param table that the rows are of or for
   * @param columns of the table
   * @param rules whose keys the rows have, and whose CHECK conditions queries have behind the
   *     columns
   */
  static HeldRows of(WriteScope scope, String table, List<TableColumn> columns, TableRules rules) {
    return new HeldRows(scope, table, columns, rules);
  }

  /** The same, of rows with their numbers behind the columns; no key is looked at. */
  static HeldRows numbered(
      WriteScope scope, String table, List<TableColumn> columns, TableRules rules) {
    List<TableColumn> all = new ArrayList<>(columns);
    DataType number = DataType.of(TypeKind.INT64, false);
    all.add(TableColumn.of(NUMBER, new NestedType.Scalar(number), false));
    return new HeldRows(scope, table, all, new TableRules(List.of(), rules.checks(), List.of()));
  }

  /** Takes the rows of a query; returns the table of them, with its schema, in quotes. */
  String hold(ExecutionSignature<?> query, DataContext context, Execution execution)
      throws IOException {
    rows.copy(query, context, execution);
    String name = scope.schema().hold(TableColumn.ofFile(columns), rows.writer());
    execution.keep(() -> scope.schema().release(name));
    return scope.quoted(scope.schema().name()) + "." + scope.quoted(name);
  }

  /** Takes all rows of a table, with numbers; returns what makes queries of them. */
  TableRewrite number(CachedTable data, DataContext context, Execution execution)
      throws IOException {
    ExecutionSignature<?> numbers = scope.rewritten(TableRewrite.of(scope, data).numbered());
    scope.requireOf(numbers, data);
    return new TableRewrite(
        hold(numbers, context, execution), scope.quoted(data.name()), scope::quoted, true);
  }

  long count() {
    return rows.count();
  }

  @Override
  public void close() throws IOException {
    rows.close();
  }
}
