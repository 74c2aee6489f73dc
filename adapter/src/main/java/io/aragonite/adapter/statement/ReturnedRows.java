package io.aragonite.adapter.statement;

import io.aragonite.adapter.catalog.SessionSchema;
import io.aragonite.adapter.execution.ClientRequest;
import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.execution.ExecutionSignature;
import io.aragonite.adapter.result.NarrowColumns;
import io.aragonite.adapter.result.QueryBatches;
import io.aragonite.adapter.table.SegmentWriter;
import io.aragonite.adapter.table.TableRules;
import io.aragonite.rules.translate.StashedContext;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.calcite.DataContext;
import org.apache.calcite.linq4j.Enumerator;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * The rows that one run of a statement with RETURNING writes or takes away. They are kept beside
 * the table, on disk as its own are, until the run ends.
 */
final class ReturnedRows implements AutoCloseable {
  /** Digits of a second. */
  private static final int MILLIS = 3;

  private static final Set<SqlTypeName> MOMENTS = Set.of(SqlTypeName.TIME, SqlTypeName.TIMESTAMP);

  private final ReturnedList list;
  private final SessionSchema schema;
  private final Session session;
  private final List<TableColumn> columns;
  private final RootAllocator root = new RootAllocator();
  private final StoredRows rows;
  private @Nullable ExecutionSignature<?> query;

  ReturnedRows(ReturnedList list, SessionSchema schema, Session session) {
    this.list = list;
    this.schema = schema;
    this.session = session;
    var data = schema.stored(list.statement().target()).data();
    this.columns = TableColumn.of(data);
    this.rows =
        new StoredRows(
            schema.store(), allocator(), data.name(), columns, TableRules.NONE, null, false);
  }

  /** A new allocator for rows that {@link #writer} takes too. */
  BufferAllocator allocator() {
    return root.newChildAllocator("rows", 0, Long.MAX_VALUE);
  }

  /** Takes rows that are written elsewhere too. */
  SegmentWriter writer() {
    return rows.writer();
  }

  /** Takes the rows of a query. */
  void copy(ExecutionSignature<?> of, DataContext context, Execution execution) throws IOException {
    rows.copy(of, context, execution);
  }

  /**
   * Looks, once all rows are there and before the table has changed, whether the list has a value
   * of each of them.
   */
  void prove(DataContext context, Execution execution) throws IOException {
    execution.delivered().requireRows(rows.writer().rows());
    String name = schema.hold(TableColumn.ofFile(columns), rows.writer());
    execution.keep(() -> schema.release(name));
    ExecutionSignature<?> made =
        WriteScope.rewritten(
            session,
            list.query(schema.name(), name, written -> WriteScope.quoted(session, written)));
    if (!list.cannotFail()) {
      DataContext own = new StashedContext(context, made.internalParameters);
      try (Enumerator<?> values = made.enumerable(own, execution).enumerator()) {
        while (values.moveNext()) {
          execution.check();
        }
      }
    }
    if (ClientRequest.isNarrow()) {
      requireMillis(made, name, context, execution);
    }
    query = made;
  }

  /**
   * Avatica's protocol has milliseconds, and fails over finer timestamps: what its client cannot be
   * told shall not have changed.
   */
  private void requireMillis(
      ExecutionSignature<?> made, String name, DataContext context, Execution execution) {
    List<RelDataTypeField> fields = QueryBatches.rowType(made).getFieldList();
    List<String> columns =
        fields.stream().map(field -> WriteScope.quoted(session, "c" + field.getIndex())).toList();
    List<RelDataTypeField> moments =
        fields.stream()
            .filter(field -> MOMENTS.contains(field.getType().getSqlTypeName()))
            .filter(field -> field.getType().getPrecision() > MILLIS)
            .toList();
    if (moments.isEmpty()) {
      return;
    }
    ExecutionSignature<?> finer =
        WriteScope.rewritten(
            session,
            "SELECT 1 FROM (%s) AS %s (%s) WHERE %s LIMIT 1"
                .formatted(
                    list.query(schema.name(), name, written -> WriteScope.quoted(session, written)),
                    WriteScope.quoted(session, name),
                    String.join(", ", columns),
                    moments.stream()
                        .map(field ->
                            "CAST(%1$s AS %2$s(3)) <> %1$s"
                                .formatted(
                                    columns.get(field.getIndex()),
                                    field.getType().getSqlTypeName()))
                        .collect(Collectors.joining(" OR "))));
    DataContext own = new StashedContext(context, finer.internalParameters);
    try (Enumerator<?> rows = finer.enumerable(own, execution).enumerator()) {
      if (rows.moveNext()) {
        throw NarrowColumns.tooFine(
            moments.stream().map(RelDataTypeField::getName).collect(Collectors.joining(", ")));
      }
    }
  }

  /** The query of the rows, after the statement has run. */
  ExecutionSignature<?> query() {
    return Objects.requireNonNull(query);
  }

  @Override
  public void close() throws IOException {
    try {
      rows.close();
    } finally {
      root.close();
    }
  }
}
