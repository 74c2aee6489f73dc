package io.aragonite.rules.program;

import io.aragonite.rules.hint.NullAwareAnti;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.util.ImmutableBitSet;

/**
 * A tree of inner joins, semi-joins and anti-joins taken apart: relations, and predicates over the
 * columns of all of them, numbered through.
 */
final class JoinGraph {
  /**
   * A relation.
   *
   * @param rel what it is
   * @param first number of its first column
   * @param type INNER for one whose columns are joined; SEMI or ANTI for one that only filters the
   *     rows of others
   * @param nullAware for ANTI: whether nulls count as NOT IN has it
   * @param filters for SEMI and ANTI: its join condition
   */
  record JoinLeaf(
      RelNode rel, int first, JoinRelType type, boolean nullAware, List<RexNode> filters) {
    int width() {
      return rel.getRowType().getFieldCount();
    }

    boolean has(int column) {
      return column >= first && column < first + width();
    }
  }

  /** More joins than this stay as the query has them: a set of relations is the bits of a long. */
  static final int MAX_LEAVES = 64;

  private final List<JoinLeaf> leaves = new ArrayList<>();
  private final List<RexNode> predicates = new ArrayList<>();
  private final List<Integer> owners = new ArrayList<>();
  private int columns;
  private List<Integer> output = List.of();

  private JoinGraph() {}

  /** Takes a tree apart. */
  static JoinGraph of(RelNode root) {
    JoinGraph graph = new JoinGraph();
    graph.output = graph.collect(root);
    return graph;
  }

  /** Whether a node is a join that can be reordered. */
  static boolean isJoin(RelNode rel) {
    return rel instanceof LogicalJoin join
        && join.getVariablesSet().isEmpty()
        && (join.getJoinType() == JoinRelType.INNER
            || join.getJoinType() == JoinRelType.SEMI
            || join.getJoinType() == JoinRelType.ANTI);
  }

  private static boolean isTransparent(RelNode rel) {
    return switch (rel) {
      case LogicalProject project ->
          project.getProjects().stream().allMatch(RexInputRef.class::isInstance)
              && reaches(project.getInput());
      case LogicalFilter filter ->
          filter.getVariablesSet().isEmpty()
              && RexUtil.isDeterministic(filter.getCondition())
              && RexUtil.SubQueryFinder.find(filter.getCondition()) == null
              && reaches(filter.getInput());
      default -> false;
    };
  }

  private static boolean reaches(RelNode rel) {
    return isJoin(rel) || isTransparent(rel);
  }

  List<JoinLeaf> leaves() {
    return leaves;
  }

  /** Puts another relation with the same columns in the place of a leaf's. */
  void replace(int index, RelNode rel) {
    JoinLeaf leaf = leaves.get(index);
    leaves.set(index, new JoinLeaf(rel, leaf.first, leaf.type, leaf.nullAware, leaf.filters));
  }

  /** Conjuncts of inner joins and filters. */
  List<RexNode> predicates() {
    return predicates;
  }

  /** How many columns all leaves have together. */
  int columns() {
    return columns;
  }

  /** The columns of the tree that was taken apart. */
  List<Integer> output() {
    return output;
  }

  /** The leaves that an expression refers to, as bits. */
  long leavesOf(RexNode node) {
    long bits = 0;
    for (int column : RelOptUtil.InputFinder.bits(node)) {
      bits |= 1L << leafOf(column);
    }
    return bits;
  }

  int leafOf(int column) {
    return owners.get(column);
  }

  /** Columns of one leaf, in its own numbers. */
  static ImmutableBitSet local(JoinLeaf leaf, List<Integer> columns) {
    return ImmutableBitSet.of(columns.stream().map(column -> column - leaf.first()).toList());
  }

  private List<Integer> collect(RelNode rel) {
    if (isJoin(rel)) {
      LogicalJoin join = (LogicalJoin) rel;
      return join.getJoinType() == JoinRelType.INNER ? inner(join) : semi(join);
    }
    if (isTransparent(rel)) {
      List<Integer> input = collect(rel.getInput(0));
      if (rel instanceof LogicalFilter filter) {
        addPredicates(filter.getCondition(), input);
        return input;
      }
      return ((LogicalProject) rel)
          .getProjects().stream().map(ref -> input.get(((RexInputRef) ref).getIndex())).toList();
    }
    return add(rel, JoinRelType.INNER, false, List.of());
  }

  private List<Integer> add(
      RelNode rel, JoinRelType type, boolean nullAware, List<RexNode> filters) {
    JoinLeaf leaf = new JoinLeaf(rel, columns, type, nullAware, filters);
    owners.addAll(Collections.nCopies(leaf.width(), leaves.size()));
    leaves.add(leaf);
    columns += leaf.width();
    return IntStream.range(leaf.first, columns).boxed().toList();
  }

  private List<Integer> inner(LogicalJoin join) {
    List<Integer> result = new ArrayList<>(collect(join.getLeft()));
    result.addAll(collect(join.getRight()));
    addPredicates(join.getCondition(), result);
    return result;
  }

  private List<Integer> semi(LogicalJoin join) {
    List<Integer> left = collect(join.getLeft());
    RelNode right = join.getRight();
    List<Integer> both = new ArrayList<>(left);
    both.addAll(
        IntStream.range(columns, columns + right.getRowType().getFieldCount()).boxed().toList());
    List<RexNode> filters =
        RelOptUtil.conjunctions(join.getCondition()).stream()
            .map(term -> renumber(term, both))
            .toList();
    add(right, join.getJoinType(), NullAwareAnti.isMarked(join), filters);
    return left;
  }

  private void addPredicates(RexNode condition, List<Integer> columnNumbers) {
    for (RexNode term : RelOptUtil.conjunctions(condition)) {
      predicates.add(renumber(term, columnNumbers));
    }
  }

  /** The expression with column {@code i} called {@code numbers.get(i)}. */
  static RexNode renumber(RexNode node, List<Integer> numbers) {
    return node.accept(
        new RexShuttle() {
          @Override
          public RexNode visitInputRef(RexInputRef ref) {
            return new RexInputRef(numbers.get(ref.getIndex()), ref.getType());
          }
        });
  }
}
