package io.aragonite.exec.device.cpu.codegen;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.device.cuda.ptx.InterpretingRunner;
import io.aragonite.exec.device.cuda.ptx.PtxExpressionCompiler;
import io.aragonite.exec.expr.ExpressionCompiler;
import org.junit.jupiter.api.AfterEach;

/**
 * Expressions translated to PTX, whose text an interpreter runs, against the interpreter of SQL.
 */
class PtxExpressionsTest extends CompiledExpressionsTest {
  private PtxExpressionCompiler ptx;

  @Override
  ExpressionCompiler newCompiler() {
    ptx = new PtxExpressionCompiler(new InterpretingRunner(false), new CpuExpressionCompiler());
    return ptx;
  }

  @AfterEach
  void nothingIsRefused() {
    System.out.println(ptx.compiled() + " compiled; on the host: " + ptx.onHost());
    assertTrue(
        ptx.onHost().keySet().stream().noneMatch(reason -> reason.startsWith("no code")),
        () -> "translations refused: " + ptx.onHost());
  }
}
