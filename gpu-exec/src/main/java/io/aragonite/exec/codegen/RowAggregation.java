package io.aragonite.exec.codegen;

import io.aragonite.exec.codegen.ExprNode.Rep;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Code for single rows that adds a row to the sums of its group, unless a predicate leaves it out:
 * it counts the row, and adds the values of expressions. Groups are numbered by packed words.
 */
public final class RowAggregation {
  /** Bits of a value of which 2^21 can be added in 64 bits, with their sign. */
  private static final int MOST_BITS = 41;

  /** Nodes of all expressions together, which are one kernel. */
  private static final int MOST_WEIGHT = 500;

  /** Where sums are. */
  public enum SumPlace {
    /** Each lane has some of its own, of few groups. */
    LANES,
    /** A table has those of all groups. */
    TABLE
  }

  private final @Nullable RowCode code;
  private int valueBits;

  /**
   * @param predicate of the rows that are added; null: all are
   * @param group the word that is a row's group; null: all rows are in group 0
   * @param sums exact numbers
   */
  public RowAggregation(
      @Nullable Expr predicate,
      Expr.@Nullable KeyWord group,
      List<Expr> sums,
      List<ColumnShape> inputs,
      SumPlace place) {
    Lowering lowering = new Lowering(inputs);
    List<ExprNode> terms = new ArrayList<>();
    if (predicate != null) {
      Conjunction.flatten(lowering.coerce(lowering.lower(predicate), DataType.BOOLEAN), terms);
    }
    List<ExprNode> nodes = new ArrayList<>();
    if (group != null) {
      nodes.add(lowering.lower(group));
    }
    for (Expr sum : sums) {
      ExprNode node = lowering.lower(sum);
      boolean column = sum instanceof Expr.InputRef || node.rep == Rep.CODE;
      nodes.add(column ? node : lowering.coerce(node, sum.type()));
    }
    int first = group == null ? 0 : 1;
    List<Expr> all = new ArrayList<>(sums);
    if (group != null) {
      all.add(group);
    }
    if (predicate != null) {
      all.add(predicate);
    }
    if (!can(terms, nodes, first)) {
      code = null;
      return;
    }
    for (ExprNode node : nodes.subList(first, nodes.size())) {
      valueBits = Math.max(valueBits, bits(node));
    }
    List<List<ExprNode>> conjunction = Conjunction.loops(terms);
    List<ExprNode> readers = new ArrayList<>(nodes);
    readers.addAll(terms);
    Inputs read = new Inputs(inputs, readers);
    code =
        new RowCode(
            new int[0],
            read,
            lowering.constants.freeze(),
            pattern ->
                RowWriter.aggregation(
                    new ClassWriter(read, pattern, false),
                    conjunction,
                    group == null ? null : nodes.getFirst(),
                    nodes.subList(first, nodes.size()),
                    place),
            DeepStack.isDeep(all));
  }

  private static boolean can(List<ExprNode> terms, List<ExprNode> nodes, int firstSum) {
    DeviceLimits limits = new DeviceLimits();
    Map<ExprNode, Integer> weights = new IdentityHashMap<>();
    int weight = 0;
    for (ExprNode term : terms) {
      if (limits.reason(term) != null) {
        return false;
      }
      weight += ClassWriter.outline(term, weights);
    }
    for (int i = 0; i < nodes.size(); i++) {
      ExprNode node = nodes.get(i);
      if (limits.reason(node) != null
          || node.rep != Rep.LONG
          || node.nullable
          || i >= firstSum && !isSmall(node)) {
        return false;
      }
      weight += ClassWriter.outline(node, weights);
    }
    return weight <= MOST_WEIGHT;
  }

  private static boolean isSmall(ExprNode node) {
    return bits(node) <= MOST_BITS;
  }

  /** Bits of a node's values, without their sign. */
  private static int bits(ExprNode node) {
    return node.min == null || node.max == null
        ? Long.SIZE
        : Math.max(node.min.bitLength(), node.max.bitLength());
  }

  /** Bits of the values that are summed, without their sign. */
  public int valueBits() {
    return valueBits;
  }

  /** What runs on the device; null if the device cannot, or sums could leave 64 bits. */
  public @Nullable RowCode code() {
    return code;
  }
}
