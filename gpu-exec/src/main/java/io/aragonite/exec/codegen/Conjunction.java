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

  static void flatten(Node node, List<Node> terms) {
    if (node.kind == Node.Kind.AND) {
      node.args.forEach(arg -> flatten(arg, terms));
    } else {
      terms.add(node);
    }
  }

  /** The terms of each loop. Marks the parts of terms that get methods of their own. */
  static List<List<Node>> loops(List<Node> terms) {
    IdentityHashMap<Node, Integer> weights = new IdentityHashMap<>();
    for (Node term : terms) {
      ClassWriter.outline(term, weights);
    }
    List<Node> safe = new ArrayList<>(terms);
    safe.removeIf(term -> term.fails);
    safe.sort(Comparator.comparingInt(term -> term.cost));
    List<List<Node>> loops = new ArrayList<>();
    List<Node> cheap = new ArrayList<>();
    int weight = 0;
    for (Node term : safe) {
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
    for (Node term : terms) {
      if (term.fails) {
        loops.add(List.of(term));
      }
    }
    return loops;
  }
}
