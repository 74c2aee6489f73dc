package io.aragonite.spark.execution;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.device.cuda.CudaDevice;
import io.aragonite.exec.device.cuda.CudaDriver;
import io.aragonite.exec.device.cuda.CudaGpu;
import io.aragonite.exec.engine.Engine;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.JvmDefects;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.spill.file.SpillSpace;
import java.util.Objects;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The engine of this executor: one, on which all of its tasks run. */
public final class ExecutorEngine {
  private static final Logger LOG = LoggerFactory.getLogger(ExecutorEngine.class);

  private static @Nullable Engine engine;

  /** The memory of its tasks. */
  private static @Nullable MemoryBudget budget;

  private ExecutorEngine() {}

  /**
   * Opens it.
   *
   * @param memoryBytes of the host that its tasks may use together
   * @param cores tasks that run at once
   * @param gpu the number of the GPU that is the executor's; without: the CPU
   * @throws AragoniteException DEVICE_UNAVAILABLE if there is a GPU that cannot be used, or the JVM has a defect that changes
   *     answers
   */
  public static void open(long memoryBytes, int cores, OptionalInt gpu) {
    close();
    openNew(memoryBytes, cores, gpu);
  }

  private static synchronized void openNew(long memoryBytes, int cores, OptionalInt gpu) {
    JvmDefects.require();
    MemoryBudget memory = new MemoryBudget("spark.aragonite.memory", memoryBytes);
    memory.onShortage(
        RelationColumns::reclaim, RelationColumns::bytes, RelationColumns::pinnedBytes);
    CpuDevice cpu =
        new CpuDevice(
            cores,
            memory,
            new CpuExpressionCompiler(),
            new SpillSpace(null, Long.MAX_VALUE, memory));
    Engine opened = new Engine(gpu.isPresent() ? gpu(gpu.getAsInt(), cpu) : cpu);
    engine = opened;
    budget = memory;
    LOG.info("Aragonite runs on {} with {} bytes of host memory", opened.deviceName(), memoryBytes);
  }

  private static Device gpu(int ordinal, CpuDevice host) {
    CudaDriver driver = CudaDriver.get();
    if (driver.missing() != null) {
      host.close();
      throw new AragoniteException(
          ErrorCode.DEVICE_UNAVAILABLE,
          "Spark gave this executor GPU %d, which cannot be used: %s".formatted(ordinal, driver.missing()));
    }
    CudaGpu gpu = driver.gpu(ordinal);
    return new CudaDevice(gpu, CudaDevice.defaultBudget(gpu), host);
  }

  /**
   * The engine.
   *
   * @throws AragoniteException DEVICE_UNAVAILABLE if the executor has none: the plugin does not run
   *     there
   */
  public static synchronized Engine get() {
    Engine known = engine;
    if (known == null) {
      throw new AragoniteException(
          ErrorCode.DEVICE_UNAVAILABLE,
          "This executor has no engine; spark.plugins must name io.aragonite.spark.AragonitePlugin"
              + " when executors start.");
    }
    return known;
  }

  /**
   * An account with the memory of the executor's tasks, for what a task has beside its query; the
   * caller closes it.
   *
   * @throws AragoniteException DEVICE_UNAVAILABLE if the executor has no engine
   */
  public static synchronized QueryMemory memory() {
    get();
    return new NativeQueryMemory(Objects.requireNonNull(budget), 0);
  }

  /** Bytes of the host that its tasks may use together; without limit if there is no engine. */
  static synchronized long memoryBytes() {
    return budget == null ? Long.MAX_VALUE : budget.limit();
  }

  /** Closes it, with the queries that are under way. */
  public static void close() {
    Engine known;
    synchronized (ExecutorEngine.class) {
      known = engine;
      engine = null;
      budget = null;
    }
    // Not under the lock: queries that are waited for may ask for memory.
    if (known != null) {
      known.close();
    }
    RelationColumns.close();
  }
}
