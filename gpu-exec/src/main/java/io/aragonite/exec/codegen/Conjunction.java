package io.aragonite.exec.codegen;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;

/**
 * The terms of a conjunction in the order in which they are evaluated: cheap ones together without
 * branches, then each costly one over the rows that are left. Terms that can raise errors come
 * last, in the order in which they were written, so that a term before them guards them.
 */
final class Conjunction {
  /** Terms up to this cost are evaluated for all rows together. */
  private static final int CHEAP = 12;

  private Conjunction() {}

  static void flatten(ExprNode node, List<ExprNode> terms) {
    if (node.kind == ExprNode.NodeKind.AND) {
      node.args.forEach(arg -> flatten(arg, terms));
    } else {
      terms.add(node);
    }
  }

  /** The terms of each loop. Marks the parts of terms that get methods of their own. */
  static List<List<ExprNode>> loops(List<ExprNode> terms) {
    IdentityHashMap<ExprNode, Integer> weights = new IdentityHashMap<>();
    for (ExprNode term : terms) {
      ClassWriter.outline(term, weights);
    }
    List<ExprNode> safe = new ArrayList<>(terms);
    safe.removeIf(term -> term.fails);
    safe.sort(Comparator.comparingInt(term -> term.cost));
    List<List<ExprNode>> loops = new ArrayList<>();
    List<ExprNode> cheap = new ArrayList<>();
    int weight = 0;
    for (ExprNode term : safe) {
      int own = java.util.Objects.requireNonNullElse(weights.get(term), 1);
      if (term.cost > CHEAP || weight + own > ClassWriter.MAX_METHOD_WEIGHT) {
        if (!cheap.isEmpty()) {
          loops.add(cheap);
        }
        cheap = new ArrayList<>();
        weight = 0;
      }
      cheap.add(term);
      weight += own;
    }
    if (!cheap.isEmpty()) {
      loops.add(cheap);
    }
    for (ExprNode term : terms) {
      if (term.fails) {
        loops.add(List.of(term));
      }
    }
    return loops;
  }
}
