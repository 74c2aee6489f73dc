package io.aragonite.exec.device.cpu.codegen;

import io.aragonite.exec.codegen.KernelScope;
import io.aragonite.exec.codegen.LoopPredicate;
import io.aragonite.exec.device.CompiledPredicate;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;

/** A predicate as generated code. */
public final class GeneratedPredicate implements CompiledPredicate {
  private final LoopPredicate loops;

  /** Compiles; the class is made when the first batch shows its indirections. */
  public GeneratedPredicate(Expr predicate, List<ColumnShape> inputs) {
    this.loops = new LoopPredicate(predicate, inputs);
  }

  @Override
  public int select(ExecContext context, ColumnBatch batch, Buffer out) {
    return loops.select(scope(context), batch, out.address());
  }

  static KernelScope scope(ExecContext context) {
    return new KernelScope(context.scratch(), context.stopCheck(), context.hostObjects());
  }
}
