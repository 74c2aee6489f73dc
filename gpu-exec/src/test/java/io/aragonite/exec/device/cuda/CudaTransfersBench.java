package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.TestContext;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.MemoryDebug;
import io.aragonite.exec.memory.QueryMemory;
import java.lang.foreign.Arena;
import java.util.Arrays;
import jcuda.driver.CUevent;
import jcuda.driver.CUevent_flags;
import jcuda.driver.JCudaDriver;

/**
 * The bus and the fixed costs of a GPU as Java sees them: copies of pinned and of pageable memory,
 * a launch, a launch with a wait, a small result, an allocation, a query's memory. The copies'
 * bytes are checked. Run it as a main class.
 */
public final class CudaTransfersBench {
  private static final long BYTES = 1L << 30;
  private static final int RUNS = 9;
  private static final int CALLS = 2000;

  private CudaTransfersBench() {}

  public static void main(String[] args) {
    if (MemoryDebug.ON) {
      System.err.println("aragonite.memory.debug is on: these figures mean nothing");
    }
    long opening = System.nanoTime();
    CudaGpu gpu = CudaDriver.get().gpu(0);
    int threads = Runtime.getRuntime().availableProcessors();
    CpuDevice cpu =
        new CpuDevice(threads, new MemoryBudget("memory", 4L << 30), new CpuExpressionCompiler());
    try (CudaDevice device = new CudaDevice(gpu, CudaDevice.defaultBudget(gpu), cpu);
        TestContext context = new TestContext(device);
        Arena arena = Arena.ofShared()) {
      System.out.printf(
          "%s, driver for CUDA %d, %d processors; opened in %.0f ms%n",
          gpu.productName(),
          CudaDriver.get().version(),
          threads,
          (System.nanoTime() - opening) / 1e6);
      copies(device, context, arena);
      calls(device, context);
    }
  }

  private static void copies(CudaDevice device, TestContext context, Arena arena) {
    CudaGpu gpu = device.gpu();
    CudaStream stream = CudaStream.of(context);
    Buffer there = context.memory().allocate(BYTES);
    long host = arena.allocate(BYTES, 4096).address();
    long back = arena.allocate(BYTES, 4096).address();
    for (long at = 0; at < BYTES; at += 8) {
      Mem.putLong(host + at, BenchData.mix(at));
    }
    HostPointer pinned = new HostPointer();
    gpu.makeCurrent();
    gpu.check(JCudaDriver.cuMemHostAlloc(pinned, BYTES, 0), "allocating pinned memory");
    HostPointer plain = new HostPointer(pinned.address());
    CUevent done = new CUevent();
    gpu.check(
        JCudaDriver.cuEventCreate(done, CUevent_flags.CU_EVENT_DISABLE_TIMING), "making an event");
    Mem.copy(host, pinned.address(), BYTES);
    rate(
        "pinned to device",
        () -> {
          stream.writePinned(plain, there.address(), BYTES, done);
          stream.sync();
        });
    rate(
        "device to pinned",
        () -> {
          stream.readPinned(there.address(), plain, BYTES, done);
          stream.sync();
        });
    bothWays(device, stream, there, plain, done);
    stream.fill(there.address(), (byte) 0, BYTES);
    rate(
        "pageable to device, staged",
        () -> {
          device.transfers().toDevice(context, host, there, BYTES);
          stream.sync();
        });
    rate(
        "device to pageable, staged", () -> device.transfers().toHost(context, there, back, BYTES));
    long wrong = Mem.segment(host, BYTES).mismatch(Mem.segment(back, BYTES));
    if (wrong >= 0) {
      throw new AssertionError("byte " + wrong + " came back wrong");
    }
    rate(
        "pageable to device, by the driver",
        () -> {
          stream.write(host, there.address(), BYTES);
          stream.sync();
        });
    gpu.check(JCudaDriver.cuMemFreeHost(pinned), "freeing pinned memory");
    context.memory().free(there);
  }

  /** Half of the pinned memory goes to the device while the other half comes from it. */
  private static void bothWays(
      CudaDevice device, CudaStream stream, Buffer there, HostPointer pinned, CUevent done) {
    long half = BYTES / 2;
    HostPointer upper = new HostPointer(pinned.address() + half);
    CUevent back = new CUevent();
    device
        .gpu()
        .check(
            JCudaDriver.cuEventCreate(back, CUevent_flags.CU_EVENT_DISABLE_TIMING),
            "making an event");
    // Another account, for its stream.
    try (QueryMemory other = device.newQueryMemory(0)) {
      CudaStream otherStream = ((CudaQueryMemory) other).stream();
      rate(
          "pinned, both ways at once, the sum",
          () -> {
            stream.writePinned(pinned, there.address(), half, done);
            otherStream.readPinned(there.address() + half, upper, half, back);
            stream.sync();
            otherStream.sync();
          });
    }
  }

  private static void calls(CudaDevice device, TestContext context) {
    CudaStream stream = CudaStream.of(context);
    Buffer small = context.memory().allocate(4096);
    each("a launch (of fill)", () -> context.scan().fill(context, small, 4, 1, 1000));
    each(
        "a launch and a wait",
        () -> {
          context.scan().fill(context, small, 4, 1, 1000);
          stream.sync();
        });
    each("a small result", () -> stream.readInt(small.address()));
    each(
        "an allocation of 1 MB and its end",
        () -> context.memory().free(context.memory().allocate(1 << 20)));
    each(
        "a query's memory with scratch",
        () -> {
          try (QueryMemory memory = device.newQueryMemory(0);
              QueryMemory.Arena scratch = memory.newArena()) {
            scratch.allocate(1000);
          }
        });
  }

  private static void rate(String what, Runnable copy) {
    double[] seconds = new double[RUNS];
    copy.run();
    for (int i = 0; i < RUNS; i++) {
      long start = System.nanoTime();
      copy.run();
      seconds[i] = (System.nanoTime() - start) / 1e9;
    }
    Arrays.sort(seconds);
    System.out.printf(
        "%-36s %7.1f GB/s (%.1f to %.1f)%n",
        what,
        BYTES / seconds[RUNS / 2] / 1e9,
        BYTES / seconds[RUNS - 1] / 1e9,
        BYTES / seconds[0] / 1e9);
  }

  private static void each(String what, Runnable call) {
    for (int i = 0; i < CALLS; i++) {
      call.run();
    }
    long start = System.nanoTime();
    for (int i = 0; i < CALLS; i++) {
      call.run();
    }
    System.out.printf("%-36s %7.2f us%n", what, (System.nanoTime() - start) / 1e3 / CALLS);
  }
}
