package io.aragonite.rules.program;

import io.aragonite.rules.function.OrderedFunctions;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.RelCollation;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalSort;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.jspecify.annotations.Nullable;

/**
 * Aggregates over an ordered query of FROM: lists, texts, and first and last values take its order
 * where they have none of their own, and the sort is left out. Where no order is known, first and
 * last values are any.
 */
final class OrderedInputs extends SubqueryShuttle {
  @Override
  RelNode rewritten(RelNode rel) {
    return rel instanceof LogicalAggregate aggregate ? ordered(aggregate) : rel;
  }

  private static RelNode ordered(LogicalAggregate aggregate) {
    Rows rows = rows(aggregate.getInput());
    if (rows == null) {
      boolean some = aggregate.getAggCallList().stream().anyMatch(OrderedInputs::isOfRows);
      return some
          ? withCalls(
              aggregate,
              aggregate.getInput(),
              aggregate.getAggCallList().stream().map(OrderedInputs::any).toList())
          : aggregate;
    }
    boolean simple = Aggregate.isSimple(aggregate);
    List<AggregateCall> calls = new ArrayList<>();
    List<RexNode> columns =
        new ArrayList<>(
            aggregate.getCluster().getRexBuilder().identityProjects(rows.rel.getRowType()));
    int width = columns.size();
    for (AggregateCall call : aggregate.getAggCallList()) {
      calls.add(simple || isList(call) ? ordered(call, rows, columns) : any(call));
    }
    if (calls.equals(aggregate.getAggCallList())) {
      return withCalls(aggregate, rows.rel, calls);
    }
    return withCalls(
        aggregate, columns.size() == width ? rows.rel : Projections.of(rows.rel, columns), calls);
  }

  private static RelNode withCalls(
      LogicalAggregate aggregate, RelNode input, List<AggregateCall> calls) {
    return aggregate.copy(
        aggregate.getTraitSet(), input, aggregate.getGroupSet(), aggregate.getGroupSets(), calls);
  }

  private static boolean isOfRows(AggregateCall call) {
    return call.getAggregation().equals(OrderedFunctions.FIRST_OF_ROWS)
        || call.getAggregation().equals(OrderedFunctions.LAST_OF_ROWS);
  }

  private static boolean isList(AggregateCall call) {
    return switch (call.getAggregation().getKind()) {
      case ARRAY_AGG, ARRAY_CONCAT_AGG, LISTAGG, STRING_AGG, GROUP_CONCAT, COLLECT -> true;
      default -> false;
    };
  }

  private static AggregateCall any(AggregateCall call) {
    return isOfRows(call)
        ? call(call, SqlStdOperatorTable.ANY_VALUE, call.filterArg, RelCollations.EMPTY)
        : call;
  }

  /**
   * @param columns of the rows; what says which rows count is added
   */
  private static AggregateCall ordered(AggregateCall call, Rows rows, List<RexNode> columns) {
    if (call.isDistinct()) {
      return call;
    }
    if (isList(call)) {
      return call.withCollation(RelCollations.of(orders(call.getCollation(), rows.keys)));
    }
    if (!call.getCollation().getFieldCollations().isEmpty()) {
      return call;
    }
    RelCollation order = RelCollations.of(rows.keys);
    if (isOfRows(call)) {
      boolean first = call.getAggregation().equals(OrderedFunctions.FIRST_OF_ROWS);
      SqlAggFunction function = first ? OrderedFunctions.FIRST : OrderedFunctions.LAST;
      return call(call, function, call.filterArg, order);
    }
    if (call.getAggregation().getKind() != SqlKind.ANY_VALUE) {
      return call;
    }
    RexBuilder rex = rows.rel.getCluster().getRexBuilder();
    RexNode counts =
        rex.makeCall(SqlStdOperatorTable.IS_NOT_NULL, columns.get(call.getArgList().getFirst()));
    columns.add(
        call.filterArg < 0
            ? counts
            : rex.makeCall(
                SqlStdOperatorTable.AND,
                rex.makeCall(SqlStdOperatorTable.IS_TRUE, columns.get(call.filterArg)),
                counts));
    return call(call, OrderedFunctions.FIRST, columns.size() - 1, order);
  }

  /** The order of a call, and of its peers that of the rows. */
  private static List<RelFieldCollation> orders(RelCollation own, List<RelFieldCollation> rows) {
    List<RelFieldCollation> keys = new ArrayList<>(own.getFieldCollations());
    for (RelFieldCollation key : rows) {
      if (keys.stream().noneMatch(other -> other.getFieldIndex() == key.getFieldIndex())) {
        keys.add(key);
      }
    }
    return keys;
  }

  private static AggregateCall call(
      AggregateCall of, SqlAggFunction function, int filter, RelCollation order) {
    return AggregateCall.create(
        of.getParserPosition(),
        function,
        of.isDistinct(),
        of.isApproximate(),
        of.ignoreNulls(),
        of.rexList,
        of.getArgList(),
        filter,
        of.distinctKeys,
        order,
        of.getType(),
        of.getName());
  }

  /**
   * Rows, and what they were sorted by.
   *
   * @param rel has more columns behind those that it had
   */
  private record Rows(RelNode rel, List<RelFieldCollation> keys) {}

  /** The rows and their order; null if they have none. */
  private static @Nullable Rows rows(RelNode rel) {
    return switch (rel) {
      case LogicalSort sort when !sort.getCollation().getFieldCollations().isEmpty() ->
          new Rows(
              isWhole(sort) ? sort.getInput() : sort, sort.getCollation().getFieldCollations());
      case LogicalFilter filter when filter.getVariablesSet().isEmpty() -> {
        Rows input = rows(filter.getInput());
        yield input == null
            ? null
            : new Rows(LogicalFilter.create(input.rel, filter.getCondition()), input.keys);
      }
      case LogicalProject project
          when project.getVariablesSet().isEmpty() && !project.containsOver() -> {
        Rows input = rows(project.getInput());
        yield input == null ? null : projected(project, input);
      }
      default -> null;
    };
  }

  private static boolean isWhole(LogicalSort sort) {
    return sort.fetch == null
        && (sort.offset == null
            || sort.offset instanceof RexLiteral offset
                && BigDecimal.ZERO.equals(offset.getValueAs(BigDecimal.class)));
  }

  private static Rows projected(LogicalProject project, Rows input) {
    List<RexNode> columns = new ArrayList<>(project.getProjects());
    List<RelFieldCollation> keys = new ArrayList<>();
    for (RelFieldCollation key : input.keys) {
      RexNode column = RexInputRef.of(key.getFieldIndex(), input.rel.getRowType());
      int place = columns.indexOf(column);
      if (place < 0) {
        place = columns.size();
        columns.add(column);
      }
      keys.add(key.withFieldIndex(place));
    }
    return new Rows(Projections.of(input.rel, columns), keys);
  }
}
