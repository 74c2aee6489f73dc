package io.aragonite.exec.device.cuda;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Mem;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import jcuda.Pointer;
import jcuda.driver.CUjitInputType;
import jcuda.driver.CUlinkState;
import jcuda.driver.JCudaDriver;
import jcuda.driver.JITOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes machine code of PTX by the driver's linker, on threads of its own. Loading PTX as a module
 * would hold a lock of the driver for the whole time, so that nothing else could be assembled,
 * launched or allocated meanwhile; the linker holds none.
 */
final class CudaAssembler {
  private static final Logger LOG = LoggerFactory.getLogger(CudaAssembler.class);
  private static final int MOST_THREADS = 16;
  private static final long EXIT_SECONDS = 5;
  private static final AtomicInteger NUMBER = new AtomicInteger();
  private static final ThreadPoolExecutor THREADS = threads();

  private CudaAssembler() {}

  private static ThreadPoolExecutor threads() {
    int count = Math.min(MOST_THREADS, Runtime.getRuntime().availableProcessors());
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            count,
            count,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, "aragonite-assemble-" + NUMBER.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
    // A process must not end under a thread that is in the driver: its code goes first.
    Runtime.getRuntime().addShutdownHook(new Thread(() -> end(threads)));
    return threads;
  }

  private static void end(ThreadPoolExecutor threads) {
    threads.shutdown(); // what has been asked for is waited for by queries
    try {
      if (!threads.awaitTermination(EXIT_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("an expression is still being assembled as the process ends");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Has something done by a thread of the assembler; fails once the process ends. */
  static <T> CompletableFuture<T> submit(Supplier<T> task) {
    try {
      return CompletableFuture.supplyAsync(task, THREADS);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(
          new AragoniteException(ErrorCode.CANCELLED, "The process ends.", e));
    }
  }

  /** Frees what the linker has made. */
  private static final class Link extends CUlinkState implements AutoCloseable {
    private final CudaGpu gpu;

    Link(CudaGpu gpu) {
      this.gpu = gpu;
      gpu.check(JCudaDriver.cuLinkCreate(new JITOptions(), this), "making a linker");
    }

    @Override
    public void close() {
      gpu.check(JCudaDriver.cuLinkDestroy(this), "ending a linker");
    }
  }

  /** Where the linker's result is. */
  private static final class Image extends Pointer {
    long address() {
      return getNativePointer() + getByteOffset();
    }
  }

  /**
   * Machine code of a module in PTX.
   *
   * @throws io.aragonite.exec.error.AragoniteException if the driver refuses the text
   */
  static byte[] assemble(CudaGpu gpu, String ptx) {
    byte[] text = ptx.getBytes(StandardCharsets.US_ASCII);
    byte[] ended = Arrays.copyOf(text, text.length + 1);
    gpu.makeCurrent();
    try (Link link = new Link(gpu)) {
      gpu.check(
          JCudaDriver.cuLinkAddData(
              link,
              CUjitInputType.CU_JIT_INPUT_PTX,
              Pointer.to(ended),
              ended.length,
              "an expression",
              new JITOptions()),
          "assembling an expression");
      Image image = new Image();
      long[] size = new long[1];
      gpu.check(JCudaDriver.cuLinkComplete(link, image, size), "linking an expression");
      byte[] code = new byte[Math.toIntExact(size[0])];
      Mem.copy(image.address(), code, 0, code.length);
      return code;
    }
  }
}
