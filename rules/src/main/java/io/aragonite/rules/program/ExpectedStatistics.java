package io.aragonite.rules.program;

import io.aragonite.rules.metadata.TableData;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Correlate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.rex.RexVisitorImpl;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.jspecify.annotations.Nullable;

/**
 * Tells tables which figures of their columns the planner is going to ask for: of columns in
 * conditions and keys of groups. They look for them while the query is rewritten.
 */
final class ExpectedStatistics {
  /** What is expected of a table. */
  private record Wanted(Set<Integer> columns, Set<Integer> tried) {}

  /** A table's column that a column of a plan is, as it is. */
  private record Origin(TableData table, int column) {}

  private final Map<TableData, Wanted> tables = new IdentityHashMap<>();

  private final List<Origin> texts = new ArrayList<>();
  private boolean joins;

  private ExpectedStatistics() {}

  static void tell(RelNode root) {
    ExpectedStatistics expected = new ExpectedStatistics();
    expected.origins(root);
    if (expected.joins) {
      // Which side a join builds depends on how wide its rows are.
      expected.texts.forEach(expected::wantFigures);
    }
    expected.tables.forEach((table, wanted) -> table.expect(wanted.columns, wanted.tried));
  }

  /** Where each column comes from; null of one that is computed. */
  private List<@Nullable Origin> origins(RelNode rel) {
    List<@Nullable Origin> inputs = new ArrayList<>();
    rel.getInputs().forEach(input -> inputs.addAll(origins(input)));
    return switch (rel) {
      case TableScan scan -> columns(scan);
      case Filter filter -> {
        condition(filter.getCondition(), inputs);
        yield inputs;
      }
      case Join join -> {
        joins = true;
        condition(join.getCondition(), inputs);
        yield inputs.subList(0, join.getRowType().getFieldCount());
      }
      case Correlate correlate -> inputs.subList(0, correlate.getRowType().getFieldCount());
      case Sort sort -> inputs;
      case Project project -> {
        project.getProjects().forEach(expression -> subqueries(expression, inputs));
        List<@Nullable Origin> made = new ArrayList<>();
        for (RexNode expression : project.getProjects()) {
          Origin column = expression instanceof RexInputRef ref ? inputs.get(ref.getIndex()) : null;
          made.add(column);
          if (column != null && SqlTypeUtil.inCharFamily(expression.getType())) {
            texts.add(column);
          }
        }
        yield made;
      }
      case Aggregate aggregate -> {
        List<@Nullable Origin> made = computed(aggregate);
        int place = 0;
        for (int key : aggregate.getGroupSet()) {
          wantFigures(inputs.get(key));
          made.set(place++, inputs.get(key));
        }
        yield made;
      }
      default -> computed(rel);
    };
  }

  private static List<@Nullable Origin> columns(TableScan scan) {
    TableData table = scan.getTable().unwrap(TableData.class);
    List<@Nullable Origin> columns = computed(scan);
    if (table != null) {
      for (int i = 0; i < columns.size(); i++) {
        columns.set(i, new Origin(table, i));
      }
    }
    return columns;
  }

  private static List<@Nullable Origin> computed(RelNode rel) {
    List<@Nullable Origin> none = new ArrayList<>();
    for (int i = 0; i < rel.getRowType().getFieldCount(); i++) {
      none.add(null);
    }
    return none;
  }

  private void condition(RexNode condition, List<@Nullable Origin> inputs) {
    for (RexNode term : RelOptUtil.conjunctions(condition)) {
      figures(term, inputs);
      List<Origin> columns = origins(term, inputs);
      if (columns.stream().map(Origin::table).distinct().count() == 1) {
        columns.forEach(column -> want(column).tried.add(column.column));
      }
      subqueries(term, inputs);
    }
  }

  /** Formulas are about equalities, and comparisons of a column with what is known. */
  private void figures(RexNode term, List<@Nullable Origin> inputs) {
    switch (term.getKind()) {
      case AND, OR, NOT ->
          ((RexCall) term).getOperands().forEach(operand -> figures(operand, inputs));
      case EQUALS,
          NOT_EQUALS,
          IS_NOT_DISTINCT_FROM,
          IS_DISTINCT_FROM,
          SEARCH,
          IS_NULL,
          IS_NOT_NULL ->
          origins(term, inputs).forEach(this::wantFigures);
      case LESS_THAN, LESS_THAN_OR_EQUAL, GREATER_THAN, GREATER_THAN_OR_EQUAL -> {
        List<Origin> columns = origins(term, inputs);
        if (columns.size() == 1) {
          wantFigures(columns.getFirst());
        }
      }
      default -> {}
    }
  }

  /** Of the columns of an expression. */
  private static List<Origin> origins(RexNode term, List<@Nullable Origin> inputs) {
    List<Origin> columns = new ArrayList<>();
    for (int column : RelOptUtil.InputFinder.bits(term)) {
      Origin origin = inputs.get(column);
      if (origin != null) {
        columns.add(origin);
      }
    }
    return columns;
  }

  private void subqueries(RexNode expression, List<@Nullable Origin> inputs) {
    expression.accept(
        new RexVisitorImpl<Void>(true) {
          @Override
          public Void visitSubQuery(RexSubQuery query) {
            joins = true;
            for (RexNode operand : query.getOperands()) {
              if (operand instanceof RexInputRef key) {
                wantFigures(inputs.get(key.getIndex()));
              }
            }
            List<@Nullable Origin> found = origins(query.rel);
            if (query.getKind() != SqlKind.EXISTS) {
              found.forEach(ExpectedStatistics.this::wantFigures);
            }
            return super.visitSubQuery(query);
          }
        });
  }

  private void wantFigures(@Nullable Origin column) {
    if (column != null) {
      want(column).columns.add(column.column);
    }
  }

  private Wanted want(Origin column) {
    return Objects.requireNonNull(
        tables.computeIfAbsent(
            column.table, table -> new Wanted(new TreeSet<>(), new TreeSet<>())));
  }
}
