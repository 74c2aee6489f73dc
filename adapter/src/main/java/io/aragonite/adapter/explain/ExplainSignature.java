package io.aragonite.adapter.explain;

import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.execution.ExecutionSignature;
import io.aragonite.adapter.execution.PreparedPlan;
import java.util.List;
import org.apache.calcite.DataContext;
import org.apache.calcite.avatica.AvaticaConnection;
import org.apache.calcite.avatica.Meta;
import org.apache.calcite.avatica.MetaImpl;
import org.apache.calcite.jdbc.CalcitePrepare.CalciteSignature;
import org.apache.calcite.linq4j.Enumerable;
import org.apache.calcite.linq4j.Enumerator;
import org.apache.calcite.linq4j.Linq4j;
import org.jspecify.annotations.Nullable;

/** EXPLAIN of our own, which runs the query first if it is EXPLAIN ANALYZE. */
public final class ExplainSignature extends CalciteSignature<Object> {
  private final ExplainRequest request;
  private final ExecutionSignature<Object> explained;

  public ExplainSignature(
      String sql, ExplainRequest request, ExecutionSignature<Object> explained) {
    super(
        sql,
        explained.parameters,
        explained.internalParameters,
        null,
        List.of(
            MetaImpl.columnMetaData(AvaticaConnection.PLAN_COLUMN_NAME, 0, String.class, false)),
        Meta.CursorFactory.OBJECT,
        explained.rootSchema,
        List.of(),
        -1,
        null,
        Meta.StatementType.SELECT);
    this.request = request;
    this.explained = explained;
  }

  @Override
  public Enumerable<Object> enumerable(DataContext dataContext) {
    PreparedPlan plan = explained.plan();
    if (plan == null) {
      return Linq4j.singletonEnumerable("This statement has no plan; its answer is a constant.\n");
    }
    ExplainText.AnalyzedRun run = request.analyze() ? run(dataContext) : null;
    return Linq4j.asEnumerable(ExplainText.rows(plan, run, request.verbose(), request.json()));
  }

  private ExplainText.@Nullable AnalyzedRun run(DataContext dataContext) {
    Execution current = Execution.current();
    Execution execution = current != null ? current : new Execution(null);
    long start = System.nanoTime();
    long rows = 0;
    try (Enumerator<Object> enumerator =
        explained.enumerable(dataContext, execution).enumerator()) {
      while (enumerator.moveNext()) {
        rows++;
        if ((rows & 1023) == 0) {
          execution.check();
        }
      }
    }
    return new ExplainText.AnalyzedRun(System.nanoTime() - start, rows, execution.metrics());
  }
}
