package io.aragonite.adapter.catalog;

import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.format.FileErrors;
import io.aragonite.dataset.Dataset;
import io.aragonite.dataset.DatasetCache;
import io.aragonite.dataset.TerminalProgress;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.tpcds.TpcdsData;
import io.aragonite.tpch.TpchData;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.DoubleFunction;
import java.util.function.Supplier;

/**
 * Where the data of embedded schemas lie. Properties are checked at once, and files are generated
 * by the first call of what is returned.
 *
 * <p>Its errors are DISK_FAILED, and CANCELLED or TIMED_OUT if the statement ends.
 */
public final class GeneratedCatalog {
  private static final long LOOK_NANOS = 20_000_000;

  private GeneratedCatalog() {}

  /**
   * The tables of TPC-H.
   *
   * @throws AragoniteException INVALID_PROPERTY
   */
  public static Supplier<Path> tpch(double scale, int threads) {
    return directory("tpch", scale, TpchData::new, threads);
  }

  /**
   * The tables of TPC-DS.
   *
   * @throws AragoniteException INVALID_PROPERTY
   */
  public static Supplier<Path> tpcds(double scale, int threads) {
    return directory("tpcds", scale, TpcdsData::new, threads);
  }

  private static Supplier<Path> directory(
      String property, double scale, DoubleFunction<Dataset> maker, int threads) {
    try {
      Dataset dataset = maker.apply(scale);
      return () -> ensured(dataset, DatasetCache.defaultRoot(), threads);
    } catch (IllegalArgumentException e) {
      throw new AragoniteException(
          ErrorCode.INVALID_PROPERTY,
          "%s=%s is not valid: %s".formatted(property, scale, e.getMessage()),
          e);
    }
  }

  private static Path ensured(Dataset dataset, Path root, int threads) {
    Execution run = Execution.current();
    try {
      return run == null
          ? DatasetCache.ensure(dataset, root, threads, new TerminalProgress())
          : ensured(dataset, root, threads, run);
    } catch (IOException e) {
      throw new AragoniteException(
          ErrorCode.DISK_FAILED,
          "%s data of scale %s cannot be written to %s: %s"
              .formatted(dataset.title(), dataset.scale(), root, FileErrors.reason(e)),
          e);
    } catch (InterruptedException e) {
      if (run != null) {
        run.check(); // it has ended, which is why
      }
      Thread.currentThread().interrupt();
      throw new AragoniteException(
          ErrorCode.CANCELLED, "Generating %s data was interrupted.".formatted(dataset.title()), e);
    }
  }

  /** The same for a statement: its end interrupts the thread, which is no longer so afterwards. */
  private static Path ensured(Dataset dataset, Path root, int threads, Execution run)
      throws IOException, InterruptedException {
    Thread worker = Thread.currentThread();
    AtomicBoolean done = new AtomicBoolean();
    ReentrantLock interrupting = new ReentrantLock();
    Thread watch =
        Thread.ofPlatform()
            .daemon()
            .name("aragonite-generating")
            .start(() -> {
              while (!done.get()) {
                LockSupport.parkNanos(LOOK_NANOS);
                interrupting.lock();
                try {
                  if (!done.get() && run.stopFlag().get()) {
                    worker.interrupt();
                    return;
                  }
                } finally {
                  interrupting.unlock();
                }
              }
            });
    try {
      return DatasetCache.ensure(dataset, root, threads, new TerminalProgress());
    } finally {
      interrupting.lock();
      done.set(true);
      interrupting.unlock();
      LockSupport.unpark(watch);
      if (run.stopFlag().get()) {
        boolean _ = Thread.interrupted();
      }
    }
  }
}
