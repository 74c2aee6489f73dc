package io.aragonite.exec.codegen;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;

/** A predicate as loops over a batch in the JVM, in the order of {@link Conjunction}. */
public final class LoopPredicate {
  private final LoopCode code;

  /** Lowers; the class is made when the first batch shows its indirections. */
  public LoopPredicate(Expr predicate, List<ColumnShape> inputs) {
    Lowering lowering = new Lowering(inputs);
    List<ExprNode> terms = new ArrayList<>();
    Conjunction.flatten(lowering.coerce(lowering.lower(predicate), DataType.BOOLEAN), terms);
    List<List<ExprNode>> loops = Conjunction.loops(terms);
    Inputs read = new Inputs(inputs, terms);
    this.code =
        new LoopCode(
            read,
            lowering.constants.freeze(),
            pattern -> {
              ClassWriter writer = new ClassWriter(read, pattern, true);
              writer.selectLoop(loops.getFirst());
              for (List<ExprNode> loop : loops.subList(1, loops.size())) {
                writer.refineLoop(loop);
              }
              return List.of(KernelCache.get(writer.text(true)));
            },
            DeepStack.isDeep(List.of(predicate)));
  }

  /**
   * Writes the numbers of the rows for which the predicate is true, ascending.
   *
   * @param out address of room for a 32-bit number a row
   * @return how many
   */
  public int select(KernelScope scope, ColumnBatch batch, long out) {
    KernelArgs args = code.args(scope, batch);
    args.selection = out;
    return code.run(args, batch);
  }
}
