package io.aragonite.adapter.statement;

import io.aragonite.adapter.catalog.SessionSchema;
import io.aragonite.adapter.execution.ClientRequest;
import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.execution.ExecutionSignature;
import io.aragonite.adapter.format.FileErrors;
import io.aragonite.adapter.result.NarrowColumns;
import io.aragonite.adapter.result.QueryBatches;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.rules.translate.StashedContext;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.calcite.DataContext;
import org.apache.calcite.avatica.AvaticaParameter;
import org.apache.calcite.avatica.Meta;
import org.apache.calcite.jdbc.CalcitePrepare.CalciteSignature;
import org.apache.calcite.jdbc.CalciteSchema;
import org.apache.calcite.linq4j.AbstractEnumerable;
import org.apache.calcite.linq4j.Enumerable;
import org.apache.calcite.linq4j.Enumerator;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Values;
import org.apache.calcite.rel.type.RelDataType;
import org.jspecify.annotations.Nullable;

/** INSERT, UPDATE or DELETE with RETURNING: each run changes the table, and has its rows. */
final class ReturningSignature extends CalciteSignature<Object> {
  private final ReturnedList list;
  private final SessionSchema schema;
  private final Session session;
  private final RelDataType row;

  private ReturningSignature(
      ExecutionSignature<?> described,
      String sql,
      ReturnedList list,
      CalciteSchema root,
      List<AvaticaParameter> parameters,
      SessionSchema schema,
      Session session) {
    super(
        sql,
        parameters,
        Map.of(),
        described.rowType,
        described.columns,
        described.cursorFactory,
        root,
        List.of(),
        -1,
        null,
        Meta.StatementType.SELECT);
    this.list = list;
    this.schema = schema;
    this.session = session;
    this.row = QueryBatches.rowType(described);
  }

  /**
   * @throws AragoniteException what is wrong with the list
   */
  static ReturningSignature of(
      String sql,
      ReturnedList list,
      CalciteSchema root,
      List<AvaticaParameter> parameters,
      SessionSchema schema,
      Session session) {
    list.requirePlain();
    String table = schema.stored(list.statement().target()).data().name();
    ExecutionSignature<?> described =
        WriteScope.rewritten(
            session,
            list.query(schema.name(), table, written -> WriteScope.quoted(session, written)));
    if (described.plan() != null && isAggregate(described.plan().root().rel)) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "RETURNING has a row for each row that was written, and no aggregates: %s; take the rows, or query the table afterwards."
              .formatted(list.list().strip()));
    }
    return new ReturningSignature(described, sql, list, root, parameters, schema, session);
  }

  /**
   * Whether rows of the table are aggregated; Calcite does so with the values of a long IN list.
   */
  private static boolean isAggregate(RelNode node) {
    return node instanceof Aggregate && !isOfValues(node)
        || node.getInputs().stream().anyMatch(ReturningSignature::isAggregate);
  }

  private static boolean isOfValues(RelNode node) {
    return node.getInputs().isEmpty()
        ? node instanceof Values
        : node.getInputs().stream().allMatch(ReturningSignature::isOfValues);
  }

  /** Runs once for each enumerator. */
  @Override
  public Enumerable<Object> enumerable(DataContext dataContext) {
    Execution current = Execution.current();
    Execution execution = current != null ? current : new Execution(null);
    return new AbstractEnumerable<>() {
      @Override
      public Enumerator<Object> enumerator() {
        return rows(dataContext, execution);
      }
    };
  }

  private Enumerator<Object> rows(DataContext context, Execution execution) {
    if (execution.countsRows()) {
      throw new AragoniteException(
          ErrorCode.INVALID_CALL,
          "A statement with RETURNING has rows; it is run by executeQuery or execute.");
    }
    if (ClientRequest.isNarrow()) {
      NarrowColumns.require(row); // before the table is changed
    }
    ExecutionSignature<?> query;
    try (ReturnedRows returned = new ReturnedRows(list, schema, session)) {
      long _ = new TableChange(list.statement(), schema, session, returned).run(context, execution);
      query = returned.query();
    } catch (IOException e) {
      throw new AragoniteException(
          ErrorCode.DISK_FAILED,
          "Rows for RETURNING cannot be kept in the folder of spill files %s: %s."
              .formatted(schema.store().spillFolder(), FileErrors.reason(e)),
          e);
    }
    Enumerator<?> rows =
        query.enumerable(new StashedContext(context, query.internalParameters)).enumerator();
    return query.cursorFactory.style == cursorFactory.style
        ? cast(rows)
        : new Reshaped(rows, cursorFactory.style == Meta.Style.ARRAY);
  }

  @SuppressWarnings("unchecked") // rows are read only
  private static Enumerator<Object> cast(Enumerator<?> rows) {
    return (Enumerator<Object>) rows;
  }

  /**
   * Rows of one column whose plan hands out bare values where arrays are wanted, or the reverse.
   */
  private record Reshaped(Enumerator<?> rows, boolean arrays) implements Enumerator<Object> {
    @Override
    public @Nullable Object current() {
      Object row = rows.current();
      return arrays ? new @Nullable Object[] {row} : row instanceof Object[] one ? one[0] : row;
    }

    @Override
    public boolean moveNext() {
      return rows.moveNext();
    }

    @Override
    public void reset() {
      rows.reset();
    }

    @Override
    public void close() {
      rows.close();
    }
  }
}
