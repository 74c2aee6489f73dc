package io.aragonite.exec.device.cpu.codegen;

import io.aragonite.exec.device.CompiledPredicate;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;

/**
 * A predicate as generated code. The terms of a conjunction are evaluated in the order of their
 * cost: cheap ones together without branches, then each costly one over the rows that are left.
 * Terms that can raise errors come last, in the order in which they were written, so that a term
 * before them guards them.
 */
public final class GeneratedPredicate implements CompiledPredicate {
  /** Terms up to this cost are evaluated for all rows together. */
  private static final int CHEAP = 12;

  private final CompiledCode code;

  /** Compiles; the class is made when the first batch shows its indirections. */
  public GeneratedPredicate(Expr predicate, List<ColumnShape> inputs) {
    Lowering lowering = new Lowering(inputs);
    List<Node> terms = new ArrayList<>();
    flatten(lowering.coerce(lowering.lower(predicate), DataType.BOOLEAN), terms);
    IdentityHashMap<Node, Integer> known = new IdentityHashMap<>();
    for (Node term : terms) {
      ClassWriter.outline(term, known);
    }
    List<List<Node>> loops = loops(terms, known);
    Inputs read = new Inputs(inputs, terms);
    this.code =
        new CompiledCode(
            read,
            lowering.constants.freeze(),
            pattern -> {
              ClassWriter writer = new ClassWriter(read, pattern, true);
              writer.selectLoop(loops.getFirst());
              for (List<Node> loop : loops.subList(1, loops.size())) {
                writer.refineLoop(loop);
              }
              return new Kernel[] {KernelCache.get(writer.text(true))};
            },
            DeepStack.isDeep(List.of(predicate)));
  }

  static void flatten(Node node, List<Node> terms) {
    if (node.kind == Node.Kind.AND) {
      node.args.forEach(arg -> flatten(arg, terms));
    } else {
      terms.add(node);
    }
  }

  static List<List<Node>> loops(List<Node> terms, IdentityHashMap<Node, Integer> known) {
    List<Node> safe = new ArrayList<>(terms);
    safe.removeIf(term -> term.fails);
    safe.sort(Comparator.comparingInt(term -> term.cost));
    List<List<Node>> loops = new ArrayList<>();
    List<Node> cheap = new ArrayList<>();
    int weight = 0;
    for (Node term : safe) {
      int own = java.util.Objects.requireNonNullElse(known.get(term), 1);
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

  @Override
  public int select(ExecContext context, ColumnBatch batch, Buffer out) {
    KernelArgs args = code.args(context, batch);
    args.selection = out.address();
    return code.run(args, batch);
  }
}
