package io.aragonite.adapter.statement;

import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.execution.ExecutionSignature;
import io.aragonite.adapter.result.QueryBatches;
import io.aragonite.adapter.sql.parse.PivotValues;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.type.TypeKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.calcite.DataContext;
import org.apache.calcite.jdbc.CalcitePrepare;
import org.jspecify.annotations.Nullable;

/** Runs a query for the values that become columns of a PIVOT, before its statement is planned. */
final class DistinctValues implements PivotValues {
  /** The view whose query is being read, which must list the values. */
  static final ScopedValue<String> VIEW = ScopedValue.newInstance();

  private final Session session;
  private final CalcitePrepare.Context context;
  private boolean asked;

  DistinctValues(Session session, CalcitePrepare.Context context) {
    this.session = session;
    this.context = context;
  }

  /** Whether the statement depends on what was in tables when it was parsed. */
  boolean asked() {
    return asked;
  }

  @Override
  public List<String> columns(String with, String selected, String table) {
    asked = true;
    return session
        .query("%s SELECT %s FROM %s LIMIT 0".formatted(with, selected, table))
        .columns
        .stream()
        .map(column -> column.label)
        .toList();
  }

  @Override
  public List<Value> of(String with, String table, String expression) {
    if (VIEW.isBound()) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "The columns of view \"%s\" cannot depend on what is in a table; list the values of its PIVOT: ON %s IN (...)."
              .formatted(VIEW.get(), expression));
    }
    asked = true;
    Execution execution = Execution.current();
    DataContext data = context.getDataContext();
    if (execution == null || data == null) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "PIVOT needs the values that become columns here: PIVOT t ON x IN (1, 2) USING sum(y).");
    }
    ExecutionSignature<?> query =
        session.query(
            "%s SELECT CAST(x AS VARCHAR), x FROM (SELECT DISTINCT %s AS x FROM %s) AS distinct_values WHERE x IS NOT NULL ORDER BY 2 LIMIT %d"
                .formatted(with, expression, table, MOST_COLUMNS + 1));
    TypeKind kind = QueryBatches.types(query).get(1).kind();
    List<Value> values = new ArrayList<>();
    try (BufferAllocator allocator = new RootAllocator();
        QueryBatches batches =
            QueryBatches.start(
                query, QueryBatches.stored(query), data, execution, allocator, false)) {
      boolean more;
      do {
        more = batches.next();
        execution.check();
        @Nullable FieldVector texts = batches.root().getVector(0);
        for (int i = 0; i < batches.root().getRowCount(); i++) {
          values.add(new Value(kind, Objects.requireNonNull(texts.getObject(i)).toString()));
        }
      } while (more);
    } catch (IOException e) {
      throw new AragoniteException(
          ErrorCode.INTERNAL, "The values of a PIVOT could not be read.", e);
    }
    PivotValues.requireSome(values.size(), expression);
    return values;
  }
}
