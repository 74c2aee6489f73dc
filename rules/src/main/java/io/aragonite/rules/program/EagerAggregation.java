package io.aragonite.rules.program;

import io.aragonite.rules.metadata.JoinEstimates;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.JoinInfo;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.util.ImmutableBitSet;
import org.jspecify.annotations.Nullable;

/**
 * Groups the right side of a left join before the join where what is computed is of the right side
 * alone ("eager aggregation": Yan and Larson, VLDB 1995; of outer joins: Eich, Fender and
 * Moerkotte, ICDE 2018). The join then has one row for each row of its left side (TPC-H 13: the
 * orders of each customer). Where these are the groups, nothing is grouped behind it; else they are
 * merged.
 */
final class EagerAggregation extends RelHomogeneousShuttle {
  /** Functions of a group that are null, or 0 in a count, where there are no rows. */
  private static final Set<SqlKind> FUNCTIONS =
      Set.of(SqlKind.COUNT, SqlKind.SUM, SqlKind.SUM0, SqlKind.MIN, SqlKind.MAX, SqlKind.AVG);

  /** Those whose results of parts make the result of all. */
  private static final Set<SqlKind> MERGED =
      Set.of(SqlKind.COUNT, SqlKind.SUM, SqlKind.SUM0, SqlKind.MIN, SqlKind.MAX);

  /** Rows of the right side for each row of the join, of which the join then drops few. */
  private static final double MOST_DROPPED = 1.1;

  /** Rows of the right side that a group must have for the join to be worth it. */
  private static final double LEAST_GROUPED = 2;

  /** Digits of a value of which as many as there may be rows stay within 38 in a sum. */
  private static final int MOST_SUMMED_DIGITS = 28;

  @Override
  public RelNode visit(RelNode other) {
    RelNode rel = super.visit(other);
    if (rel instanceof LogicalAggregate aggregate
        && aggregate.getGroupType() == Aggregate.Group.SIMPLE
        && !aggregate.getAggCallList().isEmpty()) {
      RelNode eager = eager(aggregate);
      return eager == null ? rel : eager;
    }
    return rel;
  }

  private static @Nullable RelNode eager(LogicalAggregate aggregate) {
    List<Integer> columns = new ArrayList<>();
    LogicalJoin join = join(aggregate.getInput(), columns);
    if (join == null || join.getJoinType() != JoinRelType.LEFT) {
      return null;
    }
    int width = join.getLeft().getRowType().getFieldCount();
    List<Integer> groups = aggregate.getGroupSet().asList().stream().map(columns::get).toList();
    JoinInfo info = join.analyzeCondition();
    boolean can =
        info.isEqui()
            && !info.leftKeys.isEmpty()
            && groups.stream().allMatch(column -> column < width)
            && aggregate.getAggCallList().stream()
                .allMatch(call ->
                    isOfRight(call, columns, width) && !mayFail(call, aggregate.getInput()));
    if (!can || !pays(join, info)) {
      return null;
    }
    Boolean known =
        join.getCluster()
            .getMetadataQuery()
            .areColumnsUnique(join.getLeft(), ImmutableBitSet.of(groups));
    // The group of all rows is there also where there are none.
    boolean unique = !groups.isEmpty() && known != null && known;
    if (!unique && !aggregate.getAggCallList().stream().allMatch(EagerAggregation::merges)) {
      return null;
    }
    ImmutableBitSet keys = ImmutableBitSet.of(info.rightKeys);
    List<AggregateCall> calls = new ArrayList<>();
    for (AggregateCall call : aggregate.getAggCallList()) {
      calls.add(ofRight(call, columns, width, keys, join.getRight()));
    }
    RelNode grouped = LogicalAggregate.create(join.getRight(), List.of(), keys, null, calls);
    RelNode joined =
        LogicalJoin.create(
            join.getLeft(),
            grouped,
            join.getHints(),
            condition(join, keys, grouped),
            join.getVariablesSet(),
            JoinRelType.LEFT);
    RelNode parts = project(aggregate, groups, joined, width + keys.cardinality());
    return unique ? parts : merge(aggregate, parts);
  }

  private static boolean merges(AggregateCall call) {
    return MERGED.contains(call.getAggregation().getKind()) && !call.isDistinct();
  }

  /** The aggregate of its results for parts of groups. */
  private static RelNode merge(LogicalAggregate aggregate, RelNode parts) {
    int keys = aggregate.getGroupCount();
    List<AggregateCall> calls = new ArrayList<>();
    for (AggregateCall call : aggregate.getAggCallList()) {
      SqlAggFunction function =
          call.getAggregation().getKind() == SqlKind.COUNT
              ? SqlStdOperatorTable.SUM0
              : call.getAggregation();
      calls.add(
          AggregateCall.create(
              function,
              false,
              call.isApproximate(),
              call.ignoreNulls(),
              List.of(),
              List.of(keys + calls.size()),
              -1,
              null,
              call.getCollation(),
              call.getType(),
              call.getName()));
    }
    return LogicalAggregate.create(
        parts, aggregate.getHints(), ImmutableBitSet.range(keys), null, calls);
  }

  /**
   * The join below, perhaps under a projection of its columns.
   *
   * @param columns gets which column of the join each of the relation's is
   */
  private static @Nullable LogicalJoin join(RelNode rel, List<Integer> columns) {
    if (rel instanceof LogicalJoin join) {
      columns.addAll(ImmutableBitSet.range(join.getRowType().getFieldCount()).asList());
      return join;
    }
    if (!(rel instanceof LogicalProject project
        && project.getInput() instanceof LogicalJoin join)) {
      return null;
    }
    for (RexNode column : project.getProjects()) {
      if (!(column instanceof RexInputRef ref)) {
        return null;
      }
      columns.add(ref.getIndex());
    }
    return join;
  }

  private static boolean isOfRight(AggregateCall call, List<Integer> columns, int width) {
    return FUNCTIONS.contains(call.getAggregation().getKind())
        && call.rexList.isEmpty()
        && call.distinctKeys == null
        && call.getCollation().getFieldCollations().isEmpty()
        && call.getArgList().stream().allMatch(arg -> columns.get(arg) >= width)
        && (call.filterArg < 0 || columns.get(call.filterArg) >= width);
  }

  /** Whether a group that the join does not want could end the query with an error. */
  private static boolean mayFail(AggregateCall call, RelNode input) {
    SqlKind kind = call.getAggregation().getKind();
    if (kind != SqlKind.SUM && kind != SqlKind.SUM0 && kind != SqlKind.AVG) {
      return false;
    }
    RelDataType type =
        input.getRowType().getFieldList().get(call.getArgList().getFirst()).getType();
    return switch (type.getSqlTypeName()) {
      case TINYINT, SMALLINT, INTEGER, FLOAT, REAL, DOUBLE -> false;
      case DECIMAL -> type.getPrecision() > MOST_SUMMED_DIGITS;
      default -> true;
    };
  }

  private static boolean pays(LogicalJoin join, JoinInfo info) {
    RelMetadataQuery mq = join.getCluster().getMetadataQuery();
    double rows = JoinEstimates.rows(join.getRight(), mq);
    double keys = JoinEstimates.distinct(join.getRight(), mq, info.rightSet());
    double joined = JoinEstimates.rows(join, mq);
    return rows <= MOST_DROPPED * joined
        && rows >= LEAST_GROUPED * keys
        && joined >= LEAST_GROUPED * JoinEstimates.rows(join.getLeft(), mq);
  }

  private static AggregateCall ofRight(
      AggregateCall call, List<Integer> columns, int width, ImmutableBitSet keys, RelNode right) {
    List<Integer> args = call.getArgList().stream().map(arg -> columns.get(arg) - width).toList();
    return AggregateCall.create(
        call.getAggregation(),
        call.isDistinct(),
        call.isApproximate(),
        call.ignoreNulls(),
        List.of(),
        args,
        call.filterArg < 0 ? -1 : columns.get(call.filterArg) - width,
        null,
        call.getCollation(),
        keys.cardinality(),
        right,
        null,
        null);
  }

  /** The join's condition over the groups. */
  private static RexNode condition(LogicalJoin join, ImmutableBitSet keys, RelNode grouped) {
    int width = join.getLeft().getRowType().getFieldCount();
    return join.getCondition()
        .accept(
            new RexShuttle() {
              @Override
              public RexNode visitInputRef(RexInputRef ref) {
                if (ref.getIndex() < width) {
                  return ref;
                }
                int key = keys.indexOf(ref.getIndex() - width);
                return new RexInputRef(
                    width + key, grouped.getRowType().getFieldList().get(key).getType());
              }
            });
  }

  /** The aggregate's columns: where no row of the right side has matched, counts are not null. */
  private static RelNode project(
      LogicalAggregate aggregate, List<Integer> groups, RelNode joined, int firstCall) {
    RexBuilder builder = aggregate.getCluster().getRexBuilder();
    List<RexNode> columns = new ArrayList<>();
    for (int group : groups) {
      columns.add(RexInputRef.of(group, joined.getRowType()));
    }
    for (AggregateCall call : aggregate.getAggCallList()) {
      RexNode value =
          RexInputRef.of(firstCall + columns.size() - groups.size(), joined.getRowType());
      SqlKind kind = call.getAggregation().getKind();
      if (kind == SqlKind.COUNT || kind == SqlKind.SUM0) {
        // The row that the join makes of a left one alone counts, too, but its columns do not.
        boolean countsRows =
            kind == SqlKind.COUNT && call.getArgList().isEmpty() && call.filterArg < 0;
        value =
            builder.makeCall(
                SqlStdOperatorTable.CASE,
                builder.makeCall(SqlStdOperatorTable.IS_NOT_NULL, value),
                builder.makeNotNull(value),
                countsRows
                    ? builder.makeExactLiteral(BigDecimal.ONE, call.getType())
                    : builder.makeZeroLiteral(call.getType()));
      }
      columns.add(builder.ensureType(call.getType(), value, true));
    }
    return RelOptUtil.createProject(joined, columns, aggregate.getRowType().getFieldNames());
  }
}
