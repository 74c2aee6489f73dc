package io.aragonite.rules.program.subquery;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.rules.function.AsofMatch;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalUnion;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.util.ImmutableBitSet;

/**
 * Subqueries in the condition of a join, which may refer to both sides. Calcite's rules are wrong
 * about them in a left join (CALCITE-4686) and in a full one (CALCITE-7278).
 */
final class JoinSubqueries {
  private final LogicalJoin join;
  private final RelNode left;
  private final RelNode right;
  private final int leftWidth;
  private final int width;
  private final RexBuilder rexBuilder;
  private final Set<CorrelationId> own;
  private final Set<CorrelationId> outer;

  JoinSubqueries(LogicalJoin join, List<RexSubQuery> subQueries, Set<CorrelationId> outer) {
    this.join = join;
    this.left = join.getLeft();
    this.right = join.getRight();
    this.leftWidth = Rels.width(left);
    this.rexBuilder = join.getCluster().getRexBuilder();
    RelNode both = Rels.join(left, right, List.of(), JoinRelType.INNER);
    this.width = Rels.width(both);
    this.own = SubqueryRemoval.own(join, both.getRowType(), subQueries, outer);
    this.outer = outer;
  }

  /** The join without subqueries in its condition. */
  RelNode remove() {
    List<RexNode> conditions = RelOptUtil.conjunctions(join.getCondition());
    if (conditions.stream().anyMatch(JoinSubqueries::isAsof)) {
      throw new AragoniteException(
          ErrorCode.EXPRESSION_UNSUPPORTED,
          "A subquery cannot stand in the condition of an ASOF join; select its value in a FROM"
              + " item first.");
    }
    RelNode result;
    if (join.getJoinType() == JoinRelType.INNER) {
      RelNode both =
          Rels.join(left, right, List.of(), JoinRelType.INNER).withHints(join.getHints());
      result = SubqueryRemoval.filtered(both, conditions, own, outer);
    } else if (isOneSided(join.getCondition())) {
      result = oneSided();
    } else {
      result = paired();
    }
    return Rels.typed(result, join.getRowType());
  }

  private static boolean isAsof(RexNode condition) {
    return condition instanceof RexCall call && call.getOperator().equals(AsofMatch.ASOF_MATCH);
  }

  /** The columns of both sides that an expression uses, by references or in its subqueries. */
  private ImmutableBitSet used(RexNode expression) {
    ImmutableBitSet.Builder used = ImmutableBitSet.builder();
    used.addAll(RelOptUtil.InputFinder.bits(expression));
    for (CorrelationId variable : own) {
      used.addAll(OuterColumns.fields(expression, variable));
    }
    return used.build();
  }

  private boolean isLeft(RexNode expression) {
    return used(expression).asList().stream().allMatch(column -> column < leftWidth);
  }

  private boolean isRight(RexNode expression) {
    return used(expression).asList().stream().allMatch(column -> column >= leftWidth);
  }

  private boolean isOneSided(RexNode condition) {
    boolean[] one = {true};
    condition.accept(
        new RexShuttle() {
          @Override
          public RexNode visitSubQuery(RexSubQuery subQuery) {
            one[0] &= isLeft(subQuery) || isRight(subQuery);
            return subQuery;
          }
        });
    return one[0];
  }

  /** Each subquery becomes a column of the side that it is about. */
  private RelNode oneSided() {
    SubqueryColumns first = new SubqueryColumns(left, own, outer);
    SubqueryColumns second = new SubqueryColumns(right, own, outer);
    List<RexNode> values = new ArrayList<>();
    RexNode condition =
        join.getCondition()
            .accept(
                new RexShuttle() {
                  @Override
                  public RexNode visitSubQuery(RexSubQuery subQuery) {
                    boolean isLeft = isLeft(subQuery);
                    RexNode value =
                        isLeft
                            ? first.replace(subQuery)
                            : second.replace(moved(subQuery, column -> column - leftWidth));
                    values.add(value);
                    return new Value(values.size() - 1, value, isLeft);
                  }
                });
    int newLeft = Rels.width(first.rel());
    RelNode both = Rels.join(first.rel(), second.rel(), List.of(), JoinRelType.INNER);
    RexNode placed =
        condition.accept(
            new RexShuttle() {
              @Override
              public RexNode visitInputRef(RexInputRef ref) {
                if (ref instanceof Value value) {
                  return Rels.move(
                      value.expression, column -> value.left ? column : column + newLeft, both);
                }
                int column = ref.getIndex();
                return Rels.ref(both, column < leftWidth ? column : column - leftWidth + newLeft);
              }
            });
    JoinRelType type = join.getJoinType();
    RelNode joined =
        Rels.join(first.rel(), second.rel(), List.of(placed), type).withHints(join.getHints());
    List<RexNode> columns = new ArrayList<>(Rels.refs(joined, 0, leftWidth));
    if (type.projectsRight()) {
      columns.addAll(Rels.refs(joined, newLeft, newLeft + Rels.width(right)));
    }
    return Rels.project(joined, columns);
  }

  /** The value of a subquery, which is not placed yet. */
  private static final class Value extends RexInputRef {
    private final RexNode expression;
    private final boolean left;

    Value(int index, RexNode expression, boolean left) {
      super(index, expression.getType());
      this.expression = expression;
      this.left = left;
    }
  }

  /** An expression whose columns, in its subqueries too, are at other places. */
  private RexNode moved(RexNode expression, Rels.Places places) {
    RexNode inside =
        OuterColumns.replace(
            expression,
            (variable, row, field) ->
                own.contains(variable)
                    ? rexBuilder.makeFieldAccess(
                        rexBuilder.makeCorrel(shrunk(row, places, field), variable),
                        places.of(field))
                    : null);
    return inside.accept(
        new RexShuttle() {
          @Override
          public RexNode visitInputRef(RexInputRef ref) {
            return new RexInputRef(places.of(ref.getIndex()), ref.getType());
          }
        });
  }

  /** A row type that has a column's type at its new place. */
  private RelDataType shrunk(RelDataType row, Rels.Places places, int field) {
    var builder = rexBuilder.getTypeFactory().builder();
    for (int i = 0; i <= places.of(field); i++) {
      builder.add("$" + i, row.getFieldList().get(field).getType());
    }
    return builder.build();
  }

  /**
   * The pairs of distinct values for which the condition is true, and the rows of both sides that
   * have them.
   */
  private RelNode paired() {
    ImmutableBitSet used = used(join.getCondition());
    List<Integer> leftColumns =
        used.asList().stream().filter(column -> column < leftWidth).toList();
    List<Integer> rightColumns =
        used.asList().stream()
            .filter(column -> column >= leftWidth)
            .map(column -> column - leftWidth)
            .toList();
    Map<Integer, Integer> places = new HashMap<>();
    used.forEach(column -> places.put(column, places.size()));
    RelNode values =
        Rels.join(
            distinct(left, leftColumns),
            distinct(right, rightColumns),
            List.of(),
            JoinRelType.INNER);
    List<RexNode> conditions = new ArrayList<>();
    for (RexNode condition : RelOptUtil.conjunctions(join.getCondition())) {
      conditions.add(moved(condition, column -> place(places, column)));
    }
    RelNode filtered = SubqueryRemoval.filtered(values, conditions, own, outer);
    int count = leftColumns.size();
    int all = used.cardinality();
    RelNode pairs = Rels.project(filtered, Rels.refs(filtered, 0, all));
    return switch (join.getJoinType()) {
      case SEMI, ANTI -> {
        RelNode matched = Rels.project(pairs, Rels.refs(pairs, 0, count));
        yield Rels.join(left, matched, same(left, leftColumns, 0, matched, 0), join.getJoinType());
      }
      case LEFT -> withLeft(pairs, leftColumns, rightColumns);
      case RIGHT -> withRight(pairs, leftColumns, rightColumns);
      case FULL -> {
        RelNode first = withLeft(pairs, leftColumns, rightColumns);
        RelNode matched = Rels.project(pairs, Rels.refs(pairs, count, all));
        RelNode rest =
            Rels.join(right, matched, same(right, rightColumns, 0, matched, 0), JoinRelType.ANTI);
        List<RexNode> columns = new ArrayList<>();
        for (int i = 0; i < leftWidth; i++) {
          columns.add(
              rexBuilder.makeNullLiteral(join.getRowType().getFieldList().get(i).getType()));
        }
        columns.addAll(Rels.refs(rest, 0, Rels.width(rest)));
        RelNode second = Rels.typed(Rels.project(rest, columns), join.getRowType());
        yield LogicalUnion.create(List.of(Rels.typed(first, join.getRowType()), second), true);
      }
      default -> throw new IllegalStateException("join type " + join.getJoinType());
    };
  }

  private static RelNode distinct(RelNode rel, List<Integer> columns) {
    return Rels.distinct(rel, columns.stream().map(column -> Rels.ref(rel, column)).toList());
  }

  /** Equalities of a side's columns and those of a relation behind it, nulls being equal. */
  private List<RexNode> same(
      RelNode side, List<Integer> columns, int shift, RelNode values, int from) {
    List<RexNode> conditions = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      RexInputRef value = Rels.ref(values, from + i);
      conditions.add(
          Rels.same(
              rexBuilder,
              Rels.ref(side, columns.get(i)),
              new RexInputRef(Rels.width(side) + shift + from + i, value.getType())));
    }
    return conditions;
  }

  private RelNode withLeft(RelNode pairs, List<Integer> leftColumns, List<Integer> rightColumns) {
    RelNode matched =
        Rels.join(
            right,
            pairs,
            same(right, rightColumns, 0, pairs, leftColumns.size()),
            JoinRelType.INNER);
    int rightWidth = Rels.width(right);
    List<RexNode> columns = new ArrayList<>(Rels.refs(matched, 0, rightWidth));
    columns.addAll(Rels.refs(matched, rightWidth, rightWidth + leftColumns.size()));
    RelNode inner = Rels.project(matched, columns);
    RelNode joined =
        Rels.join(left, inner, same(left, leftColumns, 0, inner, rightWidth), JoinRelType.LEFT);
    return Rels.project(joined, Rels.refs(joined, 0, width));
  }

  private RelNode withRight(RelNode pairs, List<Integer> leftColumns, List<Integer> rightColumns) {
    RelNode matched =
        Rels.join(left, pairs, same(left, leftColumns, 0, pairs, 0), JoinRelType.INNER);
    List<RexNode> columns = new ArrayList<>(Rels.refs(matched, 0, leftWidth));
    int start = leftWidth + leftColumns.size();
    columns.addAll(Rels.refs(matched, start, start + rightColumns.size()));
    RelNode inner = Rels.project(matched, columns);
    RelNode swapped =
        Rels.join(right, inner, same(right, rightColumns, 0, inner, leftWidth), JoinRelType.LEFT);
    int rightWidth = Rels.width(right);
    List<RexNode> result = new ArrayList<>(Rels.refs(swapped, rightWidth, rightWidth + leftWidth));
    result.addAll(Rels.refs(swapped, 0, rightWidth));
    return Rels.project(swapped, result);
  }

  private static int place(Map<Integer, Integer> places, int column) {
    return Objects.requireNonNull(places.get(column));
  }
}
