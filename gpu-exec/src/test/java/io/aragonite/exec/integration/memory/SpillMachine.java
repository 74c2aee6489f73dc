package io.aragonite.exec.integration.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.DiscreteDevice;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.engine.Engine;
import io.aragonite.exec.engine.TestEngine;
import io.aragonite.exec.memory.FailingBudget;
import io.aragonite.exec.memory.MemoryLeaks;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.spill.file.SpillSpace;
import io.aragonite.exec.vector.ColumnBatch;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A device over so much memory, and what must be empty after each query. */
final class SpillMachine implements AutoCloseable {
  final FailingBudget memory;
  final FailingBudget hostMemory;
  final Engine engine;
  final SpillSpace space;

  SpillMachine(boolean discrete, long bytes, Path folder, long disk) {
    this(discrete, bytes, bytes, folder, disk);
  }

  /**
   * @param hostBytes of the host beside a discrete device
   */
  SpillMachine(boolean discrete, long bytes, long hostBytes, Path folder, long disk) {
    hostMemory = new FailingBudget("memory", discrete ? hostBytes : bytes);
    space = new SpillSpace(folder, disk, hostMemory);
    Device cpu = new CpuDevice(2, hostMemory, new CpuExpressionCompiler(), space, 1024, 4096);
    memory = discrete ? new FailingBudget("memory", bytes) : hostMemory;
    engine = new Engine(discrete ? new DiscreteDevice(memory, cpu) : cpu);
  }

  List<List<@Nullable Object>> run(PhysicalPlan plan) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    try (BatchResult result = engine.execute(plan, QueryOptions.DEFAULT)) {
      for (ColumnBatch batch = result.next(); batch != null; batch = result.next()) {
        rows.addAll(TestEngine.rows(batch));
      }
    } finally {
      assertReleased();
    }
    return rows;
  }

  void assertReleased() {
    MemoryLeaks.assertReleased(memory);
    MemoryLeaks.assertReleased(hostMemory);
    assertEquals(0, space.used(), "bytes in spill files");
  }

  @Override
  public void close() {
    engine.close();
    assertReleased();
  }
}
