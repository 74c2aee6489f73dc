package io.aragonite.spark.plan;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinEstimate;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.optimizer.BuildLeft$;
import org.apache.spark.sql.catalyst.plans.Cross$;
import org.apache.spark.sql.catalyst.plans.ExistenceJoin;
import org.apache.spark.sql.catalyst.plans.FullOuter$;
import org.apache.spark.sql.catalyst.plans.Inner$;
import org.apache.spark.sql.catalyst.plans.LeftAnti$;
import org.apache.spark.sql.catalyst.plans.LeftOuter$;
import org.apache.spark.sql.catalyst.plans.LeftSemi$;
import org.apache.spark.sql.catalyst.plans.RightOuter$;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.joins.BaseJoinExec;
import org.apache.spark.sql.execution.joins.BroadcastHashJoinExec;
import org.apache.spark.sql.execution.joins.BroadcastNestedLoopJoinExec;
import org.apache.spark.sql.execution.joins.HashJoin;
import org.apache.spark.sql.internal.SQLConf;
import org.jspecify.annotations.Nullable;

/** Spark's joins as ours. */
final class JoinTranslator {
  /** The algorithm of all joins by equality, or auto: as the connection property of that name. */
  static final String JOIN = "spark.aragonite.join";

  /** What tasks can take; the rest is for tables of the engine. */
  private static final List<JoinAlgorithm> ALGORITHMS =
      JoinAlgorithm.EQUI_JOINS.stream()
          .filter(algorithm -> algorithm != JoinAlgorithm.HOST_SORT_MERGE)
          .toList();

  private JoinTranslator() {}

  /**
   * The algorithm that the session asks for; null for the engine's choice.
   *
   * @throws AragoniteException INVALID_PROPERTY
   */
  static @Nullable JoinAlgorithm forced(SQLConf conf) {
    String wanted = conf.getConfString(JOIN, "auto").trim();
    try {
      JoinAlgorithm algorithm = JoinAlgorithm.named(wanted);
      if (algorithm == null || ALGORITHMS.contains(algorithm)) {
        return algorithm;
      }
    } catch (IllegalArgumentException e) {
      // Said below, as of one that is for tables of the engine.
    }
    throw new AragoniteException(
        ErrorCode.INVALID_PROPERTY,
        "%s is '%s'; it can be auto, %s."
            .formatted(
                JOIN,
                wanted,
                ALGORITHMS.stream()
                    .map(JoinAlgorithm::shortName)
                    .collect(Collectors.joining(", "))
                    .toLowerCase(Locale.ROOT)));
  }

  /** A join of Spark's, whichever operator it is. */
  record SparkJoin(
      List<Expression> leftKeys,
      List<Expression> rightKeys,
      org.apache.spark.sql.catalyst.plans.JoinType type,
      @Nullable Expression condition,
      SparkPlan left,
      SparkPlan right,
      boolean buildLeft,
      boolean broadcast,
      boolean nullAware) {
    static SparkJoin of(BaseJoinExec join) {
      boolean buildLeft =
          switch (join) {
            case HashJoin hash -> hash.buildSide().equals(BuildLeft$.MODULE$);
            case BroadcastNestedLoopJoinExec loop -> loop.buildSide().equals(BuildLeft$.MODULE$);
            default -> leftIsSmaller(join);
          };
      return new SparkJoin(
          ScalaValues.list(join.leftKeys()),
          ScalaValues.list(join.rightKeys()),
          join.joinType(),
          join.condition().isEmpty() ? null : join.condition().get(),
          (SparkPlan) join.left(),
          (SparkPlan) join.right(),
          buildLeft,
          join instanceof BroadcastHashJoinExec || join instanceof BroadcastNestedLoopJoinExec,
          join instanceof BroadcastHashJoinExec hash && hash.isNullAwareAntiJoin());
    }

    /**
     * What a task may expect, from which the engine chooses the algorithm when the task's build rows
     * are counted. Spark knows the rows of sides and not how keys match: as if each row had one
     * partner. Null of what is broadcast: all tasks of an executor share one hash table over it.
     *
     * @param leftBuilt whether the left side is built
     */
    @Nullable JoinEstimate estimate(boolean leftBuilt) {
      if (broadcast) {
        return null;
      }
      double build = Math.max(1, OperatorRows.of(leftBuilt ? left : right).perTask());
      double probe = OperatorRows.of(leftBuilt ? right : left).perTask();
      return new JoinEstimate(build, probe, build, 1, probe, 0, "how keys match", false);
    }

    /** By Spark's estimates, which are measured where a side is a stage that has ended. */
    private static boolean leftIsSmaller(BaseJoinExec join) {
      var left = ((SparkPlan) join.left()).logicalLink();
      var right = ((SparkPlan) join.right()).logicalLink();
      return left.isDefined()
          && right.isDefined()
          && left.get().stats().sizeInBytes().compare(right.get().stats().sizeInBytes()) < 0;
    }
  }

  /** Translates a side. */
  interface SideTranslator {
    /**
     * @param nullable whether a relation that was brought to all executors may have null keys
     */
    PhysicalPlan translate(SparkPlan side, boolean broadcast, boolean nullable)
        throws UntranslatableException;
  }

  /** Translates expressions over a side. */
  interface SideScopes {
    ExpressionTranslator over(SparkPlan side) throws UntranslatableException;
  }

  static PhysicalPlan translate(SparkJoin join, SideTranslator sides, SideScopes scopes)
      throws UntranslatableException {
    boolean existence = join.type() instanceof ExistenceJoin;
    JoinType type = existence ? JoinType.LEFT : type(join);
    if (join.leftKeys().isEmpty()) {
      requireByPartition(join, type, existence);
    }
    List<Expr> leftKeys = scopes.over(join.left()).translate(join.leftKeys());
    List<Expr> rightKeys = scopes.over(join.right()).translate(join.rightKeys());
    for (int i = 0; i < leftKeys.size(); i++) {
      requireSame(leftKeys.get(i).type(), rightKeys.get(i).type());
    }
    PhysicalPlan left = sides.translate(join.left(), join.broadcast() && join.buildLeft(), false);
    PhysicalPlan right =
        sides.translate(join.right(), join.broadcast() && !join.buildLeft(), join.nullAware());
    if (existence && join.condition() == null && !leftKeys.isEmpty()) {
      return existence(left, right, leftKeys, rightKeys, join.estimate(false));
    }
    PhysicalPlan keptLeft = existence ? ExistenceRows.numbered(left) : left;
    PhysicalPlan keptRight = existence ? ExistenceRows.marked(right) : right;
    int leftWidth = keptLeft.types().size();
    int rightWidth = keptRight.types().size();
    List<Integer> leftPlaces = new ArrayList<>();
    List<Integer> rightPlaces = new ArrayList<>();
    PhysicalPlan keyedLeft = withKeys(keptLeft, leftKeys, leftPlaces);
    PhysicalPlan keyedRight = withKeys(keptRight, rightKeys, rightPlaces);
    List<PhysicalPlan.JoinKey> keys = new ArrayList<>();
    for (int i = 0; i < leftPlaces.size(); i++) {
      keys.add(new PhysicalPlan.JoinKey(leftPlaces.get(i), rightPlaces.get(i), false));
    }
    int keyedWidth = keyedLeft.types().size();
    Expr residual = residual(join, scopes, keyedWidth);
    if ((type.leftOnly() || existence)
        && residual != null
        && ExpressionTranslator.raises(residual)) {
      // Spark stops at a row's first match, and may so never come to the one that fails.
      throw new UntranslatableException("a condition that may fail, of a semi- or anti-join");
    }
    PhysicalPlan joined =
        new PhysicalPlan.Join(
            keyedLeft,
            keyedRight,
            type,
            keys,
            residual,
            keys.isEmpty() ? JoinAlgorithm.NESTED_LOOP : JoinAlgorithm.NON_PARTITIONED_HASH,
            !existence && join.buildLeft(),
            types(type, keyedLeft, keyedRight),
            join.estimate(!existence && join.buildLeft()));
    PhysicalPlan output = output(joined, type, leftWidth, keyedWidth, rightWidth);
    return existence ? ExistenceRows.found(output, left.types()) : output;
  }

  /** Left rows, and whether there is a right row with their keys. */
  private static PhysicalPlan existence(
      PhysicalPlan left,
      PhysicalPlan right,
      List<Expr> leftKeys,
      List<Expr> rightKeys,
      @Nullable JoinEstimate expected) {
    List<Integer> places = new ArrayList<>();
    PhysicalPlan keyed = withKeys(left, leftKeys, places);
    List<DataType> keyTypes = rightKeys.stream().map(Expr::type).toList();
    List<Integer> all = IntStream.range(0, keyTypes.size()).boxed().toList();
    PhysicalPlan distinct =
        new PhysicalPlan.Aggregate(
            new PhysicalPlan.Project(right, rightKeys),
            all,
            List.of(all),
            List.of(),
            false,
            keyTypes);
    PhysicalPlan found = ExistenceRows.marked(distinct);
    List<PhysicalPlan.JoinKey> keys =
        all.stream().map(i -> new PhysicalPlan.JoinKey(places.get(i), i, false)).toList();
    List<DataType> types = types(JoinType.LEFT, keyed, found);
    PhysicalPlan joined =
        new PhysicalPlan.Join(
            keyed,
            found,
            JoinType.LEFT,
            keys,
            null,
            JoinAlgorithm.NON_PARTITIONED_HASH,
            false,
            types,
            expected);
    List<Expr> columns = joined.references();
    List<Expr> wanted = new ArrayList<>(columns.subList(0, left.types().size()));
    wanted.add(Expr.call(Op.IS_NOT_NULL, DataType.BOOLEAN, columns.getLast()));
    return new PhysicalPlan.Project(joined, wanted);
  }

  /**
   * Without equalities all partitions of a side meet the whole other side: a row of the latter that
   * comes once, with or without a match, is not found in one of them.
   */
  private static void requireByPartition(SparkJoin join, JoinType type, boolean existence)
      throws UntranslatableException {
    boolean keepsBuilt = join.buildLeft() ? type.padsRight() || type.leftOnly() : type.padsLeft();
    if (keepsBuilt || existence && join.buildLeft()) {
      throw new UntranslatableException("nested loop that keeps rows of what is broadcast");
    }
  }

  private static void requireSame(DataType left, DataType right) throws UntranslatableException {
    boolean text = left.kind() == TypeKind.VARCHAR && right.kind() == TypeKind.VARCHAR;
    if (!text && !left.sameAs(right)) {
      throw new UntranslatableException("keys of types " + left + " and " + right);
    }
  }

  /** The plan with its keys as columns, those that are none yet behind it. */
  private static PhysicalPlan withKeys(
      PhysicalPlan plan, List<Expr> keys, List<Integer> places) {
    List<Expr> columns = new ArrayList<>(plan.references());
    int width = columns.size();
    for (Expr key : keys) {
      if (key instanceof Expr.InputRef ref) {
        places.add(ref.index());
      } else {
        places.add(columns.size());
        columns.add(key);
      }
    }
    return columns.size() == width ? plan : new PhysicalPlan.Project(plan, columns);
  }

  /** The further condition, over columns of the left side with its keys, then of the right one. */
  private static @Nullable Expr residual(
      SparkJoin join, SideScopes scopes, int keyedWidth)
      throws UntranslatableException {
    Expression condition = join.condition();
    if (condition == null) {
      return null;
    }
    return scopes.over(join.left()).beside(scopes.over(join.right()), keyedWidth).translate(condition);
  }

  private static List<DataType> types(JoinType type, PhysicalPlan left, PhysicalPlan right) {
    List<DataType> types = new ArrayList<>();
    for (DataType column : left.types()) {
      types.add(column.withNullable(column.nullable() || type.padsLeft()));
    }
    if (!type.leftOnly()) {
      for (DataType column : right.types()) {
        types.add(column.withNullable(column.nullable() || type.padsRight()));
      }
    }
    return types;
  }

  /** Without the columns that are only keys. */
  private static PhysicalPlan output(
      PhysicalPlan joined, JoinType type, int leftWidth, int keyedWidth, int rightWidth) {
    List<Expr> all = joined.references();
    List<Expr> wanted = new ArrayList<>(all.subList(0, leftWidth));
    if (!type.leftOnly()) {
      wanted.addAll(all.subList(keyedWidth, keyedWidth + rightWidth));
    }
    return wanted.size() == all.size() ? joined : new PhysicalPlan.Project(joined, wanted);
  }

  private static JoinType type(SparkJoin join) throws UntranslatableException {
    var type = join.type();
    if (join.nullAware()) {
      return JoinType.NULL_AWARE_ANTI;
    } else if (type.equals(Inner$.MODULE$) || type.equals(Cross$.MODULE$)) {
      return JoinType.INNER;
    } else if (type.equals(LeftOuter$.MODULE$)) {
      return JoinType.LEFT;
    } else if (type.equals(RightOuter$.MODULE$)) {
      return JoinType.RIGHT;
    } else if (type.equals(FullOuter$.MODULE$)) {
      return JoinType.FULL;
    } else if (type.equals(LeftSemi$.MODULE$)) {
      return JoinType.SEMI;
    } else if (type.equals(LeftAnti$.MODULE$)) {
      return JoinType.ANTI;
    }
    throw new UntranslatableException("join type " + type);
  }
}
