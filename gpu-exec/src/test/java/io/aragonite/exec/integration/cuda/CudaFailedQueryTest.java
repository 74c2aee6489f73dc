package io.aragonite.exec.integration.cuda;

import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.device.cuda.CudaDevice;
import io.aragonite.exec.device.cuda.CudaDriver;
import io.aragonite.exec.device.cuda.CudaGpu;
import io.aragonite.exec.device.cuda.FailingKernel;
import io.aragonite.exec.device.cuda.TestGpu;
import io.aragonite.exec.engine.DevicePolicy;
import io.aragonite.exec.engine.Engine;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The engine goes on without a GPU whose kernel has failed, in a process of its own. */
@Tag("gpu")
class CudaFailedQueryTest {
  @Test
  void failedKernelRetiresTheGpuAndTheProcessGoesOn() {
    TestGpu.require();
    FailingKernel.run(CudaFailedQueryTest.class, Map.of());
  }

  public static void main(String[] args) {
    CudaGpu gpu = CudaDriver.get().gpu(0);
    CpuDevice cpu =
        new CpuDevice(2, new MemoryBudget("memory", 1 << 28), new CpuExpressionCompiler());
    CudaDevice device = new CudaDevice(gpu, new MemoryBudget("gpuMemory", 1 << 28), cpu);
    try (Engine engine = new Engine(new DevicePolicy(cpu, () -> device))) {
      FailingKernel.fail(device);
      FailingKernel.check(gpu.retired(), "the GPU is not retired");
      // What comes next is told so at once.
      FailingKernel.check(
          FailingKernel.code(() -> device.newQueryMemory(0)) == ErrorCode.DEVICE_FAILED,
          "another error");
      List<List<Long>> rows = new ArrayList<>();
      for (long i = 0; i < 1000; i++) {
        rows.add(List.of(i));
      }
      TestTable table =
          new TestTable(List.of(ColumnShape.of(DataType.of(TypeKind.INT64, false))), rows, 64);
      try (BatchResult result = engine.execute(table.scan(), QueryOptions.DEFAULT)) {
        long count = 0;
        for (ColumnBatch batch = result.next(); batch != null; batch = result.next()) {
          count += batch.rows();
        }
        FailingKernel.check(count == 1000, count + " rows");
        FailingKernel.check(result.metrics().device().equals("cpu"), result.metrics().device());
      }
      FailingKernel.check(
          device.memory().used() == 0, device.memory().used() + " bytes are still reserved");
    }
    FailingKernel.goOn();
  }
}
