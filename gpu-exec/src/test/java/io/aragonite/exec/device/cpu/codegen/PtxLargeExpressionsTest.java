package io.aragonite.exec.device.cpu.codegen;

import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.device.cuda.ptx.InterpretingRunner;
import io.aragonite.exec.device.cuda.ptx.PtxExpressionCompiler;
import io.aragonite.exec.expr.ExpressionCompiler;

/** Large expressions and shapes, by PTX that is interpreted. */
class PtxLargeExpressionsTest extends LargeExpressionsTest {
  @Override
  ExpressionCompiler newCompiler() {
    return new PtxExpressionCompiler(new InterpretingRunner(false), new CpuExpressionCompiler());
  }
}
