package io.aragonite.rules.program.subquery;

import io.aragonite.rules.hint.NullAwareAnti;
import io.aragonite.rules.translate.TypeMapping;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.rex.RexVisitorImpl;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.util.ImmutableBitSet;
import org.jspecify.annotations.Nullable;

/**
 * Makes null-aware joins of anti-joins whose conditions hold where an equality is not false: a
 * correlated NOT IN of several columns. These hash, where a plain join would look at all pairs, or
 * at all that agree on the correlation.
 *
 * <p>All equalities of a null-aware join hold if one side is null. A plain equality becomes one of
 * these: rows of the right side without its value are left out, and where the left side's value may
 * be null, one more key says that it is not, which is true of all of the right side's.
 */
public final class NullAwareJoins extends RelHomogeneousShuttle {
  /** What conditions beside the keys may consist of: nobody else runs a null-aware join. */
  private static final Set<SqlKind> PLAIN =
      EnumSet.of(
          SqlKind.AND,
          SqlKind.OR,
          SqlKind.NOT,
          SqlKind.EQUALS,
          SqlKind.NOT_EQUALS,
          SqlKind.LESS_THAN,
          SqlKind.LESS_THAN_OR_EQUAL,
          SqlKind.GREATER_THAN,
          SqlKind.GREATER_THAN_OR_EQUAL,
          SqlKind.IS_NULL,
          SqlKind.IS_NOT_NULL);

  /** The same of exact numbers of up to 18 digits. */
  private static final Set<SqlKind> ARITHMETIC =
      EnumSet.of(SqlKind.PLUS, SqlKind.MINUS, SqlKind.TIMES, SqlKind.CAST);

  private static final int LONG_DIGITS = 18;

  private final BiFunction<RelNode, RexNode, RexNode> simplified;

  /**
   * @param simplified a condition of a node as the rules that follow leave it: an equality that
   *     they would find in the rest of a null-aware join's condition is made a key here
   */
  public NullAwareJoins(BiFunction<RelNode, RexNode, RexNode> simplified) {
    this.simplified = simplified;
  }

  @Override
  public RelNode visit(RelNode other) {
    RelNode rel = super.visit(other);
    return rel instanceof LogicalJoin join
            && join.getJoinType() == JoinRelType.ANTI
            && !NullAwareAnti.isMarked(join)
        ? nullAware(join)
        : rel;
  }

  /** The two sides of an equality, and whether it counts where one of them is null. */
  private record Equality(RexNode left, RexNode right, boolean holdsForNull) {}

  private RelNode nullAware(LogicalJoin join) {
    List<Equality> equalities = new ArrayList<>();
    List<RexNode> rest = split(join, join.getCondition(), equalities);
    if (equalities.stream().noneMatch(Equality::holdsForNull)) {
      return join;
    }
    int known;
    do {
      known = equalities.size();
      rest = split(join, simplified.apply(join, and(join, rest)), equalities);
    } while (equalities.size() > known);
    boolean plain = rest.stream().allMatch(term -> isPlain(term) && !equatesSides(join, term));
    return plain && allow(join) ? new Keyed(join).with(equalities, rest) : join;
  }

  /** Adds a condition's equalities to some, and returns what is left of it. */
  private static List<RexNode> split(
      LogicalJoin join, RexNode condition, List<Equality> equalities) {
    List<RexNode> rest = new ArrayList<>();
    for (RexNode term : RelOptUtil.conjunctions(condition)) {
      List<Equality> found = equalities(join, term);
      equalities.addAll(found);
      if (found.isEmpty()) {
        rest.add(term);
      }
    }
    return rest;
  }

  private static RexNode and(Join join, List<RexNode> terms) {
    return RexUtil.composeConjunction(join.getCluster().getRexBuilder(), terms);
  }

  /**
   * A null-aware join with a change to what is no key of its condition. The keys stay: they hold
   * for nulls, so that the rest does not follow from them, and nothing may become one of them.
   */
  public static Join withRest(Join join, UnaryOperator<RexNode> changed) {
    List<RexNode> terms = new ArrayList<>();
    List<RexNode> rest = new ArrayList<>();
    for (RexNode term : RelOptUtil.conjunctions(join.getCondition())) {
      (equatesSides(join, term) ? terms : rest).add(term);
    }
    if (rest.isEmpty()) {
      return join;
    }
    List<RexNode> found = RelOptUtil.conjunctions(changed.apply(and(join, rest)));
    if (found.equals(rest) || found.stream().anyMatch(term -> equatesSides(join, term))) {
      return join;
    }
    terms.addAll(found);
    return join.copy(
        join.getTraitSet(),
        and(join, terms),
        join.getLeft(),
        join.getRight(),
        join.getJoinType(),
        join.isSemiJoinDone());
  }

  /** Whether a term is, or would be taken for, a key of a join. */
  private static boolean equatesSides(Join join, RexNode term) {
    if (!(term instanceof RexCall given)) {
      return false;
    }
    RexCall call =
        RelOptUtil.collapseExpandedIsNotDistinctFromExpr(given, join.getCluster().getRexBuilder());
    if (!call.isA(SqlKind.EQUALS) && !call.isA(SqlKind.IS_NOT_DISTINCT_FROM)) {
      return false;
    }
    return equality(join, call.getOperands().get(0), call.getOperands().get(1), false) != null;
  }

  private static boolean allow(LogicalJoin join) {
    return NullAwareAnti.allow(join.getCluster());
  }

  /** The equalities that a term is made of; empty if it is another condition. */
  private static List<Equality> equalities(LogicalJoin join, RexNode term) {
    boolean holdsForNull = term.isA(SqlKind.IS_NOT_FALSE);
    RexNode compared = holdsForNull ? ((RexCall) term).getOperands().get(0) : term;
    List<Equality> found = new ArrayList<>();
    for (RexNode one : RelOptUtil.conjunctions(compared)) {
      Equality equality =
          one.isA(SqlKind.EQUALS) ? equality(join, (RexCall) one, holdsForNull) : null;
      if (equality == null) {
        return List.of();
      }
      found.add(equality);
    }
    return found;
  }

  private static @Nullable Equality equality(LogicalJoin join, RexCall call, boolean holdsForNull) {
    RexNode first = call.getOperands().get(0);
    RexNode second = call.getOperands().get(1);
    return TypeMapping.isNested(first.getType()) || TypeMapping.isNested(second.getType())
        ? null
        : equality(join, first, second, holdsForNull);
  }

  private static @Nullable Equality equality(
      Join join, RexNode first, RexNode second, boolean holdsForNull) {
    int width = Rels.width(join.getLeft());
    if (isOf(first, 0, width) && isOf(second, width, Integer.MAX_VALUE)) {
      return new Equality(first, second, holdsForNull);
    }
    return isOf(second, 0, width) && isOf(first, width, Integer.MAX_VALUE)
        ? new Equality(second, first, holdsForNull)
        : null;
  }

  private static boolean isOf(RexNode value, int from, int to) {
    ImmutableBitSet used = RelOptUtil.InputFinder.bits(value);
    return !used.isEmpty()
        && used.nth(0) >= from
        && used.length() <= to
        && !Rels.hasSubQuery(value);
  }

  private static boolean isPlain(RexNode term) {
    boolean[] other = new boolean[1];
    term.accept(
        new RexVisitorImpl<Void>(true) {
          @Override
          public Void visitCall(RexCall call) {
            other[0] |= !PLAIN.contains(call.getKind()) && !isArithmetic(call);
            return super.visitCall(call);
          }
        });
    return !other[0];
  }

  private static boolean isArithmetic(RexCall call) {
    return ARITHMETIC.contains(call.getKind())
        && isNumber(call)
        && call.getOperands().stream().allMatch(NullAwareJoins::isNumber);
  }

  private static boolean isNumber(RexNode value) {
    RelDataType type = value.getType();
    return SqlTypeUtil.isIntType(type)
        || SqlTypeUtil.isDecimal(type) && type.getPrecision() <= LONG_DIGITS;
  }

  /** A join whose sides get the columns that its keys need. */
  private static final class Keyed {
    private final LogicalJoin join;
    private final RexBuilder rexBuilder;
    private final int leftWidth;
    private final List<RexNode> leftColumns;
    private final List<RexNode> rightColumns;
    private final List<RexNode> present = new ArrayList<>();

    Keyed(LogicalJoin join) {
      this.join = join;
      this.rexBuilder = join.getCluster().getRexBuilder();
      this.leftWidth = Rels.width(join.getLeft());
      this.leftColumns = Rels.refs(join.getLeft(), 0, leftWidth);
      this.rightColumns = Rels.refs(join.getRight(), 0, Rels.width(join.getRight()));
    }

    RelNode with(List<Equality> equalities, List<RexNode> rest) {
      List<RexNode> keys = new ArrayList<>();
      List<Integer> lefts = new ArrayList<>();
      List<Integer> rights = new ArrayList<>();
      List<RexNode> leftPresent = new ArrayList<>();
      for (Equality equality : equalities) {
        RexNode right = RexUtil.shift(equality.right(), -leftWidth);
        lefts.add(place(leftColumns, equality.left()));
        rights.add(place(rightColumns, right));
        if (!equality.holdsForNull()) {
          addPresent(leftPresent, equality.left());
          addPresent(present, right);
        }
      }
      if (!leftPresent.isEmpty()) {
        lefts.add(place(leftColumns, RexUtil.composeConjunction(rexBuilder, leftPresent)));
        rights.add(place(rightColumns, rexBuilder.makeLiteral(true)));
      }
      RelNode left = projected(join.getLeft(), leftColumns);
      RelNode right = projected(Rels.filter(join.getRight(), present), rightColumns);
      int width = Rels.width(left);
      RelNode both = Rels.join(left, right, List.of(), JoinRelType.INNER);
      for (int i = 0; i < lefts.size(); i++) {
        keys.add(
            rexBuilder.makeCall(
                SqlStdOperatorTable.EQUALS,
                Rels.ref(both, lefts.get(i)),
                Rels.ref(both, width + rights.get(i))));
      }
      for (RexNode term : rest) {
        keys.add(
            Rels.move(
                term, column -> column < leftWidth ? column : column - leftWidth + width, both));
      }
      LogicalJoin marked = NullAwareAnti.mark(Rels.join(left, right, keys, JoinRelType.ANTI));
      return width == leftWidth ? marked : Rels.typed(marked, join.getRowType());
    }

    private void addPresent(List<RexNode> terms, RexNode value) {
      if (value.getType().isNullable()) {
        terms.add(rexBuilder.makeCall(SqlStdOperatorTable.IS_NOT_NULL, value));
      }
    }

    private static RelNode projected(RelNode input, List<RexNode> columns) {
      return columns.size() == Rels.width(input) ? input : Rels.project(input, columns);
    }

    private static int place(List<RexNode> columns, RexNode value) {
      if (value instanceof RexInputRef ref) {
        return ref.getIndex();
      }
      columns.add(value);
      return columns.size() - 1;
    }
  }
}
