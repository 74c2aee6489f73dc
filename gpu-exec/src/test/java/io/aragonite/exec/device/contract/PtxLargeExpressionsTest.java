package io.aragonite.exec.device.contract;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.device.cuda.ptx.InterpretingRunner;
import io.aragonite.exec.device.cuda.ptx.PtxExpressionCompiler;
import io.aragonite.exec.memory.MemoryBudget;

/** Large expressions and shapes, by PTX that is interpreted. */
class PtxLargeExpressionsTest extends LargeExpressionsTest {
  @Override
  Device newDevice() {
    return new CpuDevice(
        1,
        new MemoryBudget("memory", 1L << 30),
        new PtxExpressionCompiler(new InterpretingRunner(true), new CpuExpressionCompiler()));
  }

  @Override
  int outputs() {
    return 700;
  }
}
