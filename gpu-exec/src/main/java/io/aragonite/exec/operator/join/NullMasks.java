package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.CompiledPredicate;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.ExpressionCompiler;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.expr.KeyLayouts;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.plan.PhysicalPlan.JoinKey;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The null masks of the keys of a null-aware join: bit i of a mask stands for a null in key i. Rows
 * are split by their masks, and keys are compared without those that a mask leaves out. Null-safe
 * keys are in no mask.
 */
final class NullMasks {
  /** Keys that have a bit each; those behind them share one more. */
  private static final int MOST_KEYS = Long.SIZE - 2;

  private final JoinSpec spec;
  private final ExpressionCompiler compiler;
  private final List<NullTest> ofBuild;
  private final List<NullTest> ofProbe;

  /** Keys that are compared unless one of them is null. */
  private final long open;

  private final Map<Long, ComparedKeys> compared = new HashMap<>();

  NullMasks(JoinSpec spec, ExpressionCompiler compiler) {
    this.spec = spec;
    this.compiler = compiler;
    this.ofBuild = tests(true);
    this.ofProbe = tests(false);
    long bits = 0;
    for (int key = 0; key < spec.plan().keys().size(); key++) {
      bits |= spec.plan().keys().get(key).nullSafe() ? 0 : bit(key);
    }
    this.open = bits;
  }

  private static long bit(int key) {
    return 1L << Math.min(key, MOST_KEYS);
  }

  /** Whether each key has a bit of its own, so that rows with one mask are compared alike. */
  boolean areExact() {
    return spec.plan().keys().size() <= MOST_KEYS;
  }

  /** Rows of a side by whether a key is null. */
  private record NullTest(int key, CompiledPredicate isNull, CompiledPredicate isNotNull) {}

  /**
   * Rows with one mask.
   *
   * @param rows 32-bit rows of a batch, ascending, in scratch memory; null: all rows
   */
  record MaskedRows(long mask, @Nullable Buffer rows, int count) {}

  /**
   * How some of the keys are compared.
   *
   * @param check what decides a pair with equal words; null: the words do
   */
  record ComparedKeys(JoinKeyEncoder build, JoinKeyEncoder probe, @Nullable PairPredicate check) {}

  private List<NullTest> tests(boolean build) {
    List<Expr> keys = build ? spec.buildKeys() : spec.probeKeys();
    List<ColumnShape> shapes = build ? spec.buildKeyShapes() : spec.probeKeyShapes();
    List<ColumnShape> side = build ? spec.build() : spec.probe();
    List<NullTest> tests = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      if (shapes.get(i).mayBeNull() && !spec.plan().keys().get(i).nullSafe()) {
        tests.add(
            new NullTest(
                i,
                compiler.predicate(Expr.call(Op.IS_NULL, DataType.BOOLEAN, keys.get(i)), side),
                compiler.predicate(
                    Expr.call(Op.IS_NOT_NULL, DataType.BOOLEAN, keys.get(i)), side)));
      }
    }
    return tests;
  }

  /** The rows of a probe batch by their masks. */
  List<MaskedRows> splitProbe(ExecContext context, ColumnBatch batch) {
    return split(context, batch, ofProbe, 0);
  }

  /** Build rows by their masks, of whose keys those in {@code ignored} do not count. */
  List<MaskedRows> splitBuild(ExecContext context, ColumnBatch rows, long ignored) {
    return split(context, rows, ofBuild, ignored);
  }

  private static List<MaskedRows> split(
      ExecContext context, ColumnBatch batch, List<NullTest> tests, long ignored) {
    List<MaskedRows> groups = List.of(new MaskedRows(0, null, batch.rows()));
    for (NullTest test : tests) {
      long bit = bit(test.key());
      if ((ignored & bit) == 0) {
        List<MaskedRows> next = new ArrayList<>();
        for (MaskedRows group : groups) {
          add(next, group.mask(), select(context, batch, group, test.isNotNull()));
          add(next, group.mask() | bit, select(context, batch, group, test.isNull()));
        }
        groups = next;
      }
    }
    return groups;
  }

  private static void add(List<MaskedRows> groups, long mask, MaskedRows found) {
    if (found.count() > 0) {
      groups.add(new MaskedRows(mask, found.rows(), found.count()));
    }
  }

  private static MaskedRows select(
      ExecContext context, ColumnBatch batch, MaskedRows group, CompiledPredicate predicate) {
    Buffer rows = group.rows();
    Buffer found = context.scratch().allocate(4L * group.count());
    if (rows == null) {
      int count = predicate.select(context, batch, found);
      return new MaskedRows(group.mask(), count == batch.rows() ? null : found, count);
    }
    ColumnBatch some = Materialization.rows(context, batch, rows, group.count());
    int count = predicate.select(context, some, found);
    if (count == group.count()) {
      return group;
    }
    Buffer numbers = context.scratch().allocate(4L * count);
    context.gather().gatherIds(context, rows, found, count, numbers);
    return new MaskedRows(group.mask(), numbers, count);
  }

  /** Keys that neither mask leaves out; null if there are none, so that all pairs agree. */
  synchronized @Nullable ComparedKeys compared(long probeMask, long buildMask) {
    long left = open & ~(probeMask | buildMask);
    List<JoinKey> keys = new ArrayList<>();
    for (int key = 0; key < spec.plan().keys().size(); key++) {
      if ((left & bit(key)) != 0 || spec.plan().keys().get(key).nullSafe()) {
        keys.add(spec.plan().keys().get(key));
      }
    }
    return keys.isEmpty() ? null : compared.computeIfAbsent(left, bits -> compared(keys));
  }

  private ComparedKeys compared(List<JoinKey> keys) {
    Join plan = spec.plan();
    JoinSpec some =
        new JoinSpec(
            new Join(
                plan.left(),
                plan.right(),
                plan.joinType(),
                keys,
                plan.residual(),
                plan.algorithm(),
                plan.buildLeft(),
                plan.types()),
            spec.left(),
            spec.right());
    KeyLayout layout = KeyLayouts.choose(some.buildKeyShapes(), some.probeKeyShapes());
    JoinKeyEncoder.SideEncoders words =
        JoinKeyEncoder.SideEncoders.computed(compiler, some, layout);
    Expr check = layout.exact() ? null : some.keysEqual();
    return new ComparedKeys(
        words.build(),
        words.probe(),
        PairPredicate.of(compiler, some, JoinSpec.and(check, plan.residual())));
  }
}
