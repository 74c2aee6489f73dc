package io.aragonite.exec.device.cuda;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.aragonite.exec.device.ColumnMemory;
import io.aragonite.exec.device.CopyQueue;
import io.aragonite.exec.device.CopyQueue.PeerCopy;
import io.aragonite.exec.device.TestContext;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.device.cuda.ptx.PtxKernels;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.MemoryBudget;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A kernel that fails, in a process of its own, since no other could use the GPU after it. */
@Tag("gpu")
class CudaFaultTest {
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
      TestContext context, Buffer there, CopyQueue.CopyTicket coming, CopyQueue.CopyTicket copy) {}

  private static final Map<String, Consumer<Behind>> WAITS_BEHIND =
      Map.of(
          "a copy",
          behind -> behind.copy.await(),
          "bytes of the other GPU",
          behind -> {
            long asked = System.nanoTime();
            FailingKernel.check(
                FailingKernel.code(behind.coming::await) == ErrorCode.DEVICE_FAILED,
                "no error of the copy");
            // The other copy's wait would end this one as well, when it gives up.
            FailingKernel.check(
                System.nanoTime() - asked < 5_000_000_000L, "the failure is not seen");
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
            CudaPtxRunner rows = new CudaPtxRunner(CudaStream.of(behind.context).gpu(), 1, null);
            rows.run(behind.context, PtxKernels.empty(), 1, new long[0]);
            try (TestContext other = new TestContext(behind.context.device())) {
              rows.run(other, PtxKernels.empty(), 1, new long[0]);
            }
          });

  /** Memory that no GPU has been told of. */
  private static MemorySegment pageable() {
    return Arena.global().allocate(BYTES, 64);
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
    FailingKernel.run(
        CudaFaultTest.class,
        Map.of("EMULATED_UNREACHED", "true"),
        "partner",
        "bytes of the other GPU");
  }

  private static void run(String... arguments) {
    FailingKernel.run(CudaFaultTest.class, Map.of(), arguments);
  }

  public static void main(String[] args) {
    if (args[0].equals("two")) {
      two();
    } else if (args[0].equals("partner")) {
      partner(WAITS_BEHIND.get(args[1]));
    } else {
      looking(WAITS.get(args[0]));
    }
    FailingKernel.goOn();
  }

  private static void looking(BiConsumer<CudaDevice, TestContext> wait) {
    CudaGpu gpu = CudaDriver.get().gpu(0);
    CpuDevice cpu =
        new CpuDevice(2, new MemoryBudget("memory", 1 << 28), new CpuExpressionCompiler());
    CudaDevice device = new CudaDevice(gpu, new MemoryBudget("gpuMemory", 1 << 28), cpu);
    FailingKernel.fail(device, wait);
    FailingKernel.check(gpu.retired(), "the GPU is not retired");
    FailingKernel.check(
        device.memory().used() == 0, device.memory().used() + " bytes are still reserved");
    device.close();
  }

  private static void two() {
    CudaGpu first = CudaDriver.get().gpu(0);
    CudaGpu second = CudaDriver.get().gpu(1);
    FailingKernel.check(second.freeBytes() > 0, "the other GPU has no memory");
    CpuDevice cpu =
        new CpuDevice(2, new MemoryBudget("memory", 1 << 28), new CpuExpressionCompiler());
    CudaDevice device = new CudaDevice(first, new MemoryBudget("gpuMemory", 1 << 28), cpu);
    FailingKernel.fail(device);
    FailingKernel.check(first.retired(), "the GPU is not retired");
    JCudaDriver.cuCtxSetCurrent(second.context());
    boolean lost = JCudaDriver.cuCtxSynchronize() != CUresult.CUDA_SUCCESS;
    FailingKernel.check(
        second.retired() == lost, "the other GPU is " + (lost ? "lost" : "not lost"));
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
    try (CudaModule module = FailingKernel.load(failing)) {
      Buffer from = sends.memory().allocate(BYTES);
      Buffer to = receives.memory().allocate(BYTES);
      long host = receives.hostMemory().allocate(BYTES).address();
      CopyQueue copies = alive.transfers().newQueue(receives);
      CopyQueue others = failing.transfers().newQueue(sends);
      // Not before: GPUs take long to open while other processes' kernels fail on them.
      endAfter(60);
      FailingKernel.launch(module, sends);
      List<Behind> behind = new ArrayList<>();
      ErrorCode asked =
          FailingKernel.code(() -> {
            CopyQueue.CopyTicket coming =
                copies.fromPeers(List.of(new PeerCopy(failing, from, to, others.point())));
            coming.order();
            CopyQueue.CopyTicket copy = copies.toHost(List.of(new ColumnMemory.Copy(host, to)));
            behind.add(new Behind(receives, to, coming, copy));
          });
      FailingKernel.check(
          FailingKernel.code(() -> failing.transfers().await(sends)) == ErrorCode.DEVICE_FAILED,
          "no error of the device");
      // Where all GPUs are lost together they may be so before anything can be asked of them.
      ErrorCode waited =
          asked == null ? FailingKernel.code(() -> wait.accept(behind.getFirst())) : asked;
      FailingKernel.check(waited == ErrorCode.DEVICE_FAILED, "no error of what waits for it");
      copies.close();
      others.close();
      receives.close();
      sends.close();
    }
    FailingKernel.check(alive.gpu().retired(), "the GPU that waits is not retired");
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
}
