package io.aragonite.exec.testing.device;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.DiscreteDevice;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.device.cuda.CudaDevice;
import io.aragonite.exec.device.cuda.CudaDriver;
import io.aragonite.exec.memory.MemoryBudget;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The device that tests of primitives and of the engine run on, named by the system property {@code
 * aragonite.test.device}: {@code cpu} (the default), {@code discrete} ({@link DiscreteDevice}) or
 * {@code cuda} (the first GPU).
 */
public final class TestDevices {
  private static final long HOST_MEMORY = 1L << 30;

  private static final AtomicInteger NEXT = new AtomicInteger();

  private TestDevices() {}

  /** The name that the property has. */
  public static String name() {
    return System.getProperty("aragonite.test.device", "cpu");
  }

  /**
   * How many devices run queries together: the system property {@code aragonite.test.devices}, of
   * whose numbers ({@code 1,2,3}) one test engine after the other takes the next.
   */
  public static int count() {
    String[] counts = System.getProperty("aragonite.test.devices", "1").split(",");
    return Integer.parseInt(counts[NEXT.getAndIncrement() % counts.length]);
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
    return create(0, workers, memory, batchRows, morselRows);
  }

  /**
   * @param number of the device among several; GPUs are taken in turn
   * @param memory the device's
   */
  public static Device create(
      int number, int workers, MemoryBudget memory, int batchRows, int morselRows) {
    return switch (name()) {
      case "cpu" ->
          new CpuDevice(workers, memory, new CpuExpressionCompiler(), batchRows, morselRows);
      case "discrete" ->
          new DiscreteDevice(
              number,
              memory,
              new CpuDevice(
                  workers,
                  new MemoryBudget("memory", HOST_MEMORY),
                  new CpuExpressionCompiler(),
                  batchRows,
                  morselRows));
      case "cuda" ->
          new CudaDevice(
              CudaDriver.get().gpu(number % CudaDriver.get().gpus().size()),
              memory,
              new CpuDevice(
                  workers, new MemoryBudget("memory", HOST_MEMORY), new CpuExpressionCompiler()),
              batchRows);
      default -> throw new IllegalArgumentException("aragonite.test.device=" + name());
    };
  }
}
