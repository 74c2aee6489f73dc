package io.aragonite.exec.device.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.aragonite.exec.device.ColumnMemory;
import io.aragonite.exec.device.CopyQueue;
import io.aragonite.exec.device.CopyQueue.PeerCopy;
import io.aragonite.exec.device.TestContext;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.device.cuda.ptx.PtxKernels;
import io.aragonite.exec.engine.DevicePolicy;
import io.aragonite.exec.engine.Engine;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.runtime.QueryResult;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A kernel that fails, in a process of its own, since no other could use the GPU after it. */
@Tag("gpu")
class CudaFaultTest {
  private static final String TRAP =
      """
      .version 7.0
      .target sm_80
      .address_size 64
      .visible .entry ara_trap() { trap; }
      """;

  private static final Map<String, BiConsumer<CudaDevice, TestContext>> WAITS =
      Map.of(
          "a number",
          (device, context) ->
              device.transfers().readLong(context, context.memory().allocate(64), 0),
          "pieces",
          (device, context) -> {
            Buffer piece = context.memory().allocate(64);
            Buffer host = context.hostMemory().allocate(64);
            device.transfers().toHost(context, List.of(piece, piece), List.of(host, host));
          },
          "a result",
          (device, context) -> {
            CudaStream stream = CudaStream.of(context);
            stream.awaitResult(stream.takeResult());
          });

  private static final int BYTES = 1 << 20;

  /**
   * On a GPU that has asked for another one's work, which has failed.
   *
   * @param there memory of the GPU
   * @param coming the other one's bytes, to there
   * @param copy of it to the host, which was asked for before the failure was known, as they were
   */
  private record Behind(
      TestContext context, Buffer there, CopyQueue.Ticket coming, CopyQueue.Ticket copy) {}

  private static final Map<String, Consumer<Behind>> WAITS_BEHIND =
      Map.of(
          "a copy",
          behind -> behind.copy.await(),
          "bytes of the other GPU",
          behind -> {
            long asked = System.nanoTime();
            check(code(behind.coming::await) == ErrorCode.DEVICE_FAILED, "no error of the copy");
            // The other copy's wait would end this one as well, when it gives up.
            check(System.nanoTime() - asked < 5_000_000_000L, "the failure is not seen");
            behind.copy.await();
          },
          "pageable memory that is read",
          behind ->
              CudaStream.of(behind.context)
                  .read(behind.there.address(), pageable().address(), BYTES),
          "pageable memory that is written",
          behind ->
              CudaStream.of(behind.context)
                  .write(pageable().address(), behind.there.address(), BYTES),
          "kernels before their code is unloaded",
          behind -> {
            CudaRows rows = new CudaRows(CudaStream.of(behind.context).gpu(), 1);
            rows.run(behind.context, PtxKernels.empty(), 1, new long[0]);
            try (TestContext other = new TestContext(behind.context.device())) {
              rows.run(other, PtxKernels.empty(), 1, new long[0]);
            }
          });

  /** Memory that no GPU has been told of. */
  private static MemorySegment pageable() {
    return Arena.global().allocate(BYTES, 64);
  }

  @Test
  void failedKernelRetiresTheGpuAndTheProcessGoesOn() {
    TestGpu.require();
    run();
  }

  /** Whatever it is that is waited for behind the kernel. */
  @Test
  void failedKernelIsFoundByWhoeverLooksForAResult() {
    TestGpu.require();
    WAITS.keySet().parallelStream().forEach(CudaFaultTest::run);
  }

  /** The driver that is there decides whether others are lost: those of CUDA 13 lose all. */
  @Test
  void gpusThatAreLostWithItAreRetiredAsWell() {
    TestGpu.require();
    assumeTrue(CudaDriver.get().gpus().size() > 1, "one GPU only");
    run("two");
  }

  /**
   * Where the driver keeps a GPU alive that waits for work of one which has failed: as the emulated
   * ones do here, which are two in the other process.
   */
  @Test
  void workBehindThatOfAGpuThatHasFailedIsNotWaitedForForever() {
    TestGpu.require();
    WAITS_BEHIND.keySet().parallelStream().forEach(what -> run("partner", what));
  }

  /** Copies are the receiver's own then, which the driver takes through the host. */
  @Test
  void norIsThatOfAGpuWhoseMemoryIsNotReached() {
    TestGpu.require();
    run(Map.of("EMULATED_UNREACHED", "true"), "partner", "bytes of the other GPU");
  }

  private static void run(String... arguments) {
    run(Map.of(), arguments);
  }

  private static void run(Map<String, String> variables, String... arguments) {
    try {
      runProcess(variables, arguments);
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void runProcess(Map<String, String> variables, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "--enable-native-access=ALL-UNNAMED",
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-ea",
            "-cp",
            System.getProperty("java.class.path"),
            CudaFaultTest.class.getName()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(Map.of("EMULATED_GPUS", "2", "EMULATED_APART", "true"));
    builder.environment().putAll(variables);
    Process process = builder.start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(true, process.waitFor(120, TimeUnit.SECONDS), output);
    assertEquals(0, process.exitValue(), output);
    assertTrue(output.contains("the process went on"), output);
  }

  public static void main(String[] args) {
    if (args.length == 0) {
      one();
    } else if (args[0].equals("two")) {
      two();
    } else if (args[0].equals("partner")) {
      partner(WAITS_BEHIND.get(args[1]));
    } else {
      looking(WAITS.get(args[0]));
    }
    System.out.println("the process went on");
  }

  private static void looking(BiConsumer<CudaDevice, TestContext> wait) {
    CudaGpu gpu = CudaDriver.get().gpu(0);
    CpuDevice cpu =
        new CpuDevice(2, new MemoryBudget("memory", 1 << 28), new CpuExpressionCompiler());
    CudaDevice device = new CudaDevice(gpu, new MemoryBudget("gpuMemory", 1 << 28), cpu);
    try (CudaModule module = gpu.load("a test", (TRAP + "\0").getBytes(StandardCharsets.UTF_8))) {
      fail(device, module.kernel("ara_trap"), wait);
    }
    check(gpu.retired(), "the GPU is not retired");
    check(device.memory().used() == 0, device.memory().used() + " bytes are still reserved");
    device.close();
  }

  private static void two() {
    CudaGpu first = CudaDriver.get().gpu(0);
    CudaGpu second = CudaDriver.get().gpu(1);
    check(second.freeBytes() > 0, "the other GPU has no memory");
    CpuDevice cpu =
        new CpuDevice(2, new MemoryBudget("memory", 1 << 28), new CpuExpressionCompiler());
    CudaDevice device = new CudaDevice(first, new MemoryBudget("gpuMemory", 1 << 28), cpu);
    try (CudaModule module = first.load("a test", (TRAP + "\0").getBytes(StandardCharsets.UTF_8))) {
      fail(device, module.kernel("ara_trap"));
    }
    check(first.retired(), "the GPU is not retired");
    JCudaDriver.cuCtxSetCurrent(second.context());
    boolean lost = JCudaDriver.cuCtxSynchronize() != CUresult.CUDA_SUCCESS;
    check(second.retired() == lost, "the other GPU is " + (lost ? "lost" : "not lost"));
    device.close();
  }

  private static void partner(Consumer<Behind> wait) {
    if (CudaDriver.get().gpus().size() < 2) {
      return;
    }
    CudaDevice alive = device(0);
    CudaDevice failing = device(1);
    TestContext receives = new TestContext(alive);
    TestContext sends = new TestContext(failing);
    byte[] code = (TRAP + "\0").getBytes(StandardCharsets.UTF_8);
    try (CudaModule module = failing.gpu().load("a test", code)) {
      Buffer from = sends.memory().allocate(BYTES);
      Buffer to = receives.memory().allocate(BYTES);
      long host = receives.hostMemory().allocate(BYTES).address();
      CopyQueue copies = alive.transfers().newQueue(receives);
      CopyQueue others = failing.transfers().newQueue(sends);
      // Not before: GPUs take long to open while other processes' kernels fail on them.
      endAfter(60);
      CudaStream.of(sends).launch(module.kernel("ara_trap"), 1, 1, 0);
      List<Behind> behind = new ArrayList<>();
      ErrorCode asked =
          code(() -> {
            CopyQueue.Ticket coming =
                copies.fromPeers(List.of(new PeerCopy(failing, from, to, others.point())));
            coming.order();
            CopyQueue.Ticket copy = copies.toHost(List.of(new ColumnMemory.Copy(host, to)));
            behind.add(new Behind(receives, to, coming, copy));
          });
      check(
          code(() -> failing.transfers().await(sends)) == ErrorCode.DEVICE_FAILED,
          "no error of the device");
      // Where all GPUs are lost together they may be so before anything can be asked of them.
      ErrorCode waited = asked == null ? code(() -> wait.accept(behind.getFirst())) : asked;
      check(waited == ErrorCode.DEVICE_FAILED, "no error of what waits for it");
      copies.close();
      others.close();
      receives.close();
      sends.close();
    }
    check(alive.gpu().retired(), "the GPU that waits is not retired");
    alive.close();
    failing.close();
  }

  private static CudaDevice device(int number) {
    return new CudaDevice(
        CudaDriver.get().gpu(number),
        new MemoryBudget("gpuMemory", 1 << 28),
        new CpuDevice(2, new MemoryBudget("memory", 1 << 28), new CpuExpressionCompiler()));
  }

  /** What waits in the driver is ended by nothing else. */
  private static void endAfter(int seconds) {
    Thread.ofPlatform()
        .daemon()
        .start(() -> {
          try {
            Thread.sleep(1000L * seconds);
          } catch (InterruptedException e) {
            return;
          }
          System.out.println("still waiting after " + seconds + " s");
          Runtime.getRuntime().halt(1);
        });
  }

  private static void one() {
    CudaGpu gpu = CudaDriver.get().gpu(0);
    CpuDevice cpu =
        new CpuDevice(2, new MemoryBudget("memory", 1 << 28), new CpuExpressionCompiler());
    CudaDevice device = new CudaDevice(gpu, new MemoryBudget("gpuMemory", 1 << 28), cpu);
    try (Engine engine = new Engine(new DevicePolicy(cpu, () -> device))) {
      try (CudaModule module = gpu.load("a test", (TRAP + "\0").getBytes(StandardCharsets.UTF_8))) {
        fail(device, module.kernel("ara_trap"));
      }
      check(gpu.retired(), "the GPU is not retired");
      // What comes next is told so at once.
      check(code(() -> device.newQueryMemory(0)) == ErrorCode.DEVICE_FAILED, "another error");
      List<List<Long>> rows = new ArrayList<>();
      for (long i = 0; i < 1000; i++) {
        rows.add(List.of(i));
      }
      TestTable table =
          new TestTable(List.of(ColumnShape.of(DataType.of(TypeKind.INT64, false))), rows, 64);
      try (QueryResult result = engine.execute(table.scan(), QueryOptions.DEFAULT)) {
        long count = 0;
        for (ColumnBatch batch = result.next(); batch != null; batch = result.next()) {
          count += batch.rows();
        }
        check(count == 1000, count + " rows");
        check(result.metrics().device().equals("cpu"), result.metrics().device());
      }
      check(device.memory().used() == 0, device.memory().used() + " bytes are still reserved");
    }
  }

  private static void fail(CudaDevice device, CudaKernel trap) {
    fail(device, trap, (given, context) -> given.transfers().await(context));
  }

  private static void fail(
      CudaDevice device, CudaKernel trap, BiConsumer<CudaDevice, TestContext> wait) {
    TestContext context = new TestContext(device);
    context.memory().allocate(1 << 20);
    CudaStream.of(context).launch(trap, 1, 1, 0);
    check(
        code(() -> wait.accept(device, context)) == ErrorCode.DEVICE_FAILED,
        "no error of the device");
    context.close();
  }

  /** The error that an action ends with; null if it ends without. */
  private static @Nullable ErrorCode code(Runnable action) {
    try {
      action.run();
      return null;
    } catch (AragoniteException e) {
      return e.code();
    }
  }

  private static void check(boolean good, String otherwise) {
    if (!good) {
      throw new AssertionError(otherwise);
    }
  }
}
