package io.aragonite.adapter.statement;

import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.execution.ExecutionSignature;
import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.adapter.table.TableRules;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.DataContext;

/**
 * Rows of a table, each with its number behind its columns, as a table that lives as long as a run.
 */
final class NumberedRows implements AutoCloseable {
  /** The column of the numbers; a blank, so that nobody writes it by chance. */
  static final String NUMBER = " row";

  private final WriteScope scope;
  private final List<TableColumn> columns;
  private final StoredRows rows;

  /**
   * @param columns of the table
   * @param rules the CHECK conditions that queries have values of behind the number
   */
  NumberedRows(WriteScope scope, String table, List<TableColumn> columns, TableRules rules) {
    this.scope = scope;
    this.columns = new ArrayList<>(columns);
    this.columns.add(
        TableColumn.of(NUMBER, new NestedType.Scalar(DataType.of(TypeKind.INT64, false)), false));
    this.rows =
        scope.rows(
            table, this.columns, new TableRules(List.of(), rules.checks(), List.of()), null, false);
  }

  /** Takes the rows of a query; returns the table of them, with its schema, in quotes. */
  String hold(ExecutionSignature<?> query, DataContext context, Execution execution)
      throws IOException {
    rows.copy(query, context, execution);
    String name = scope.schema().hold(TableColumn.ofFile(columns), rows.writer());
    execution.keep(() -> scope.schema().release(name));
    return scope.quoted(scope.schema().name()) + "." + scope.quoted(name);
  }

  long count() {
    return rows.count();
  }

  @Override
  public void close() throws IOException {
    rows.close();
  }
}
