package io.aragonite.exec.device.contract;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.device.cuda.ptx.InterpretingRunner;
import io.aragonite.exec.device.cuda.ptx.PtxExpressionCompiler;
import io.aragonite.exec.memory.MemoryBudget;
import org.junit.jupiter.api.AfterEach;

/**
 * Expressions translated to PTX, whose text an interpreter runs, against the interpreter of SQL.
 */
class PtxExpressionsTest extends CompiledExpressionsTest {
  private final InterpretingRunner runner = new InterpretingRunner(false);
  private PtxExpressionCompiler ptx;

  @Override
  Device newDevice() {
    ptx = new PtxExpressionCompiler(runner, new CpuExpressionCompiler());
    return new CpuDevice(1, new MemoryBudget("memory", 1L << 30), ptx);
  }

  @AfterEach
  void nothingIsRefused() {
    long onHost = ptx.onHost().values().stream().mapToLong(Long::longValue).sum();
    System.out.println(ptx.compiled() + " compiled; on the host: " + ptx.onHost());
    assertTrue(onHost < ptx.compiled() / 2, () -> "too many on the host: " + ptx.onHost());
    assertTrue(
        ptx.onHost().keySet().stream().noneMatch(reason -> reason.startsWith("no code")),
        () -> "translations refused: " + ptx.onHost());
    for (int rows : new int[] {1, 2, 4}) {
      assertTrue(
          runner.kernels().stream().anyMatch(kernel -> kernel.rowsPerThread() == rows),
          () -> "no kernel of %d rows a thread".formatted(rows));
    }
  }
}
