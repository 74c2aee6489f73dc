package io.aragonite.exec.device.contract;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.device.cuda.ptx.InterpretingRunner;
import io.aragonite.exec.device.cuda.ptx.PtxExpressionCompiler;
import io.aragonite.exec.memory.MemoryBudget;

/** Expressions as code for the GPU's interpreter, against the interpreter of SQL. */
class PtxBytecodeExpressionsTest extends CompiledExpressionsTest {
  @Override
  Device newDevice() {
    return new CpuDevice(
        1,
        new MemoryBudget("memory", 1L << 30),
        new PtxExpressionCompiler(InterpretingRunner.ofBytecode(), new CpuExpressionCompiler()));
  }
}
