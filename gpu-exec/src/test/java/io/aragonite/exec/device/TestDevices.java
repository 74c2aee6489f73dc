package io.aragonite.exec.device;

import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.device.cuda.CudaDevice;
import io.aragonite.exec.device.cuda.CudaDriver;
import io.aragonite.exec.memory.MemoryBudget;

/**
 * The device that tests of primitives and of the engine run on, named by the system property {@code
 * aragonite.test.device}: {@code cpu} (the default), {@code discrete} ({@link DiscreteDevice}) or
 * {@code cuda} (the first GPU).
 */
public final class TestDevices {
  private static final long HOST_MEMORY = 1L << 30;

  private TestDevices() {}

  /** The name that the property has. */
  public static String name() {
    return System.getProperty("aragonite.test.device", "cpu");
  }

  /** A device of one worker with batches of its usual size. */
  public static Device create() {
    return create(
        1, new MemoryBudget("memory", HOST_MEMORY), CpuDevice.BATCH_ROWS, CpuDevice.MORSEL_ROWS);
  }

  /**
   * @param memory the device's
   */
  public static Device create(int workers, MemoryBudget memory, int batchRows, int morselRows) {
    return switch (name()) {
      case "cpu" ->
          new CpuDevice(workers, memory, new CpuExpressionCompiler(), batchRows, morselRows);
      case "discrete" ->
          new DiscreteDevice(
              memory,
              new CpuDevice(
                  workers,
                  new MemoryBudget("memory", HOST_MEMORY),
                  new CpuExpressionCompiler(),
                  batchRows,
                  morselRows));
      case "cuda" ->
          new CudaDevice(
              CudaDriver.get().gpu(0),
              memory,
              new CpuDevice(
                  1, new MemoryBudget("memory", HOST_MEMORY), new CpuExpressionCompiler()),
              batchRows);
      default -> throw new IllegalArgumentException("aragonite.test.device=" + name());
    };
  }
}
