package io.aragonite.rules.program;

import io.aragonite.rules.function.SortKeys;
import io.aragonite.rules.hint.NullAwareAnti;
import io.aragonite.rules.program.subquery.NullAwareJoins;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.calcite.plan.RelOptPredicateList;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.plan.Strong;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSimplify;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.tools.RelBuilder;
import org.apache.calcite.tools.RelBuilderFactory;

/**
 * Simplifies expressions when there are no subqueries any more. Calcite else does so while it
 * converts a statement, before it is known what subqueries have become.
 */
final class Simplification extends RelHomogeneousShuttle {
  /**
   * Builders that leave expressions and projections as they are: merged projections would evaluate
   * {@code random()} where each column is read. Calcite's rules change whether an operand may be
   * null, and not the type of the call; it asserts that they agree when it simplifies the call
   * (1.42, no issue known).
   */
  static final RelBuilderFactory NONE =
      RelBuilder.proto(RelBuilder.Config.DEFAULT.withSimplify(false).withBloat(-1));

  /** Parts that a plan has several times are simplified once. */
  private final Map<RelNode, RelNode> done = new IdentityHashMap<>();

  private final SimplifiedExpressions expressions;

  /**
   * @param expressions what earlier passes over the same query have found: conditions mostly stay
   *     as they are from pass to pass
   */
  Simplification(SimplifiedExpressions expressions) {
    this.expressions = expressions;
  }

  /**
   * Expressions and what they are simplified to, by the object: equal ones may be of columns of
   * other types.
   */
  static final class SimplifiedExpressions {
    private final Map<RexNode, RexNode> conditions = new IdentityHashMap<>();
    private final Map<RexNode, RexNode> columns = new IdentityHashMap<>();

    /** A simple one stays the object that it is, so that the next pass knows it. */
    private static RexNode simple(
        Map<RexNode, RexNode> known, RexNode given, UnaryOperator<RexNode> simplified) {
      return known.computeIfAbsent(
          given,
          expression -> {
            RexNode simple = simplified.apply(expression);
            return simple.equals(expression) ? expression : simple;
          });
    }
  }

  @Override
  public RelNode visit(RelNode other) {
    RelNode known = done.get(other);
    if (known == null) {
      known = simplified(super.visit(other));
      done.put(other, known);
    }
    return known;
  }

  private RelNode simplified(RelNode rel) {
    return switch (rel) {
      case Filter filter -> {
        RexNode condition =
            SimplifiedExpressions.simple(
                expressions.conditions, filter.getCondition(), given -> condition(rel, given));
        yield condition.isAlwaysTrue()
            ? filter.getInput()
            : filter.copy(filter.getTraitSet(), filter.getInput(), condition);
      }
      case Join join when NullAwareAnti.isMarked(join) ->
          NullAwareJoins.withRest(join, given -> condition(rel, given));
      case Join join ->
          join.copy(
              join.getTraitSet(),
              SimplifiedExpressions.simple(
                  expressions.conditions, join.getCondition(), given -> condition(rel, given)),
              join.getLeft(),
              join.getRight(),
              join.getJoinType(),
              join.isSemiJoinDone());
      case Project project -> {
        // Not Util.transform: that one computes an element each time that it is read.
        List<RexNode> columns =
            project.getProjects().stream().map(column -> simplified(rel, column)).toList();
        yield columns.equals(project.getProjects())
            ? project
            : project.copy(
                project.getTraitSet(), project.getInput(), columns, project.getRowType());
      }
      default -> rel;
    };
  }

  /** A condition of a node, simplified. */
  static RexNode condition(RelNode rel, RexNode condition) {
    RexNode typed = consistent(rel, condition);
    HiddenTexts texts = new HiddenTexts(rel);
    try {
      RexNode simple =
          simplify(rel).simplifyFilterPredicates(RelOptUtil.conjunctions(typed.accept(texts)));
      return simple == null
          ? rel.getCluster().getRexBuilder().makeLiteral(false)
          : consistent(rel, withoutCasts(rel, texts.shown(simple)));
    } catch (AssertionError e) {
      return typed; // Calcite's simplifier asserts what it has itself broken further in.
    }
  }

  /**
   * Terms that are not cast to what is never null, which a filter may not have as its condition.
   */
  private static RexNode withoutCasts(RelNode rel, RexNode condition) {
    RexBuilder rex = rel.getCluster().getRexBuilder();
    return RexUtil.composeConjunction(
        rex,
        RelOptUtil.conjunctions(condition).stream()
            .map(term -> RexUtil.removeNullabilityCast(rex.getTypeFactory(), term))
            .toList());
  }

  private RexNode simplified(RelNode rel, RexNode column) {
    return column instanceof RexInputRef
        ? column
        : SimplifiedExpressions.simple(expressions.columns, column, given -> column(rel, given));
  }

  private static RexNode column(RelNode rel, RexNode column) {
    RexSimplify simplify = simplify(rel);
    RexNode simple = consistent(rel, column);
    HiddenTexts texts = new HiddenTexts(rel);
    try {
      RexNode hidden = consistent(rel, simplify.simplifyPreservingType(simple.accept(texts)));
      simple =
          texts.shown(
              RexOver.containsOver(hidden) ? hidden.accept(new OverArguments(simplify)) : hidden);
    } catch (AssertionError e) {
      // It stays: Calcite's simplifier asserts what it has itself broken further in.
    }
    simple = SortKeys.undecoded(simple);
    if (!simple.getType().equals(column.getType())) {
      simple = rel.getCluster().getRexBuilder().makeCast(column.getType(), simple, true, false);
    }
    // where no row can come, a column that is never null may be one of nulls
    return simple.getType().equals(column.getType()) ? simple : column;
  }

  /** Arguments of window functions, which Calcite's simplifier leaves as they are. */
  private static final class OverArguments extends RexShuttle {
    private final RexSimplify simplify;
    private boolean inside;

    OverArguments(RexSimplify simplify) {
      this.simplify = simplify;
    }

    @Override
    public RexNode visitOver(RexOver over) {
      inside = true;
      RexNode simple = super.visitOver(over);
      inside = false;
      return simple;
    }

    @Override
    public RexNode visitCall(RexCall call) {
      return inside ? simplify.simplifyPreservingType(call) : super.visitCall(call);
    }
  }

  /**
   * Calls that are null if an operand is may be null if an operand may: Calcite asserts that they
   * are of such a type.
   */
  private static RexNode consistent(RelNode rel, RexNode expression) {
    RelDataTypeFactory types = rel.getCluster().getTypeFactory();
    return expression.accept(
        new RexShuttle() {
          @Override
          public RexNode visitCall(RexCall call) {
            RexNode inner = super.visitCall(call);
            if (inner instanceof RexCall like && isLikeNull(rel, like)) {
              return rel.getCluster().getRexBuilder().makeNullLiteral(call.getType());
            }
            if (inner.isA(SqlKind.IS_NOT_FALSE)) {
              return isNotFalse(rel, ((RexCall) inner).getOperands().getFirst());
            }
            if (inner.isA(SqlKind.AND) || inner.isA(SqlKind.OR)) {
              return RexUtil.flatten(rel.getCluster().getRexBuilder(), inner);
            }
            return inner instanceof RexCall changed && isStrict(changed)
                ? consistent(changed, types)
                : inner;
          }
        });
  }

  /**
   * IS NOT FALSE of each term: Calcite's simplifier leaves out the IS NOT NULL of {@code x IS NOT
   * NULL AND x = 1} where a null counts as true, as it may where it counts as false (1.42, no issue
   * known).
   */
  private static RexNode isNotFalse(RelNode rel, RexNode condition) {
    RexBuilder rex = rel.getCluster().getRexBuilder();
    if (!condition.isA(SqlKind.AND) && !condition.isA(SqlKind.OR)) {
      return rex.makeCall(SqlStdOperatorTable.IS_NOT_FALSE, condition);
    }
    RexCall call = (RexCall) condition;
    return rex.makeCall(
        call.getOperator(),
        call.getOperands().stream().map(term -> isNotFalse(rel, term)).toList());
  }

  /** Calcite's simplifier takes a constant pattern for a text without looking whether it is one. */
  private static boolean isLikeNull(RelNode rel, RexCall call) {
    return (call.isA(SqlKind.LIKE) || call.isA(SqlKind.SIMILAR))
        && call.getOperands().stream()
            .anyMatch(operand ->
                RexUtil.isNull(operand)
                    || operand instanceof RexCall
                        && RexUtil.isNull(simplify(rel).simplifyPreservingType(operand)));
  }

  private static boolean isStrict(RexCall call) {
    return !call.isA(SqlKind.CAST)
        && !call.isA(SqlKind.ITEM)
        && Strong.policy(call) == Strong.Policy.ANY;
  }

  private static RexCall consistent(RexCall call, RelDataTypeFactory types) {
    boolean nullable =
        call.getOperands().stream().anyMatch(operand -> operand.getType().isNullable());
    return call.getType().isNullable() == nullable
        ? call
        : call.clone(types.createTypeWithNullability(call.getType(), nullable), call.getOperands());
  }

  private static RexSimplify simplify(RelNode rel) {
    RexBuilder rexBuilder = rel.getCluster().getRexBuilder();
    return new RexSimplify(rexBuilder, RelOptPredicateList.EMPTY, new ConstantExecutor());
  }
}
