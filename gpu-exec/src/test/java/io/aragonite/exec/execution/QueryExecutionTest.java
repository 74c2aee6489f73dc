package io.aragonite.exec.execution;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.aragonite.exec.device.ColumnMemory;
import io.aragonite.exec.device.CopyQueue;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.DiscreteDevice;
import io.aragonite.exec.device.Transfers;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.MemoryLeaks;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.runtime.QueryOptions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** The end of queries on devices that fail. */
class QueryExecutionTest {
  /** A queue of copies that fails when it is closed. */
  private record FailingQueue(AtomicInteger closed) implements CopyQueue {
    @Override
    public CopyTicket toDevice(List<ColumnMemory.Copy> copies) {
      return DONE;
    }

    @Override
    public CopyTicket toHost(List<ColumnMemory.Copy> copies) {
      return DONE;
    }

    @Override
    public CopyTicket fromPeers(List<PeerCopy> copies, Point room) {
      return DONE;
    }

    @Override
    public long toDeviceNanos() {
      return 0;
    }

    @Override
    public void close() {
      closed.incrementAndGet();
      throw new AragoniteException(ErrorCode.DEVICE_FAILED, "it failed, as the test wants");
    }
  }

  /** The same but for one method. */
  @SuppressWarnings("unchecked")
  private static <T> T but(Class<T> type, T object, String method, Supplier<?> result) {
    return (T)
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, called, arguments) -> {
              if (called.getName().equals(method)) {
                return result.get();
              }
              try {
                return called.invoke(object, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /** All queues are closed, and none twice: what it gave back belongs to another query by then. */
  @Test
  void queuesOfCopiesAreClosedOnceWhateverHappens() {
    MemoryBudget memory = new MemoryBudget("memory", 1 << 20);
    MemoryBudget hostMemory = new MemoryBudget("memory", 1 << 20);
    List<FailingQueue> queues = new ArrayList<>();
    ExecutorService threads = Executors.newCachedThreadPool();
    try (DiscreteDevice discrete =
        new DiscreteDevice(memory, new CpuDevice(2, hostMemory, new CpuExpressionCompiler()))) {
      Supplier<CopyQueue> newQueue =
          () -> {
            queues.add(new FailingQueue(new AtomicInteger()));
            return queues.getLast();
          };
      Transfers transfers = but(Transfers.class, discrete.transfers(), "newQueue", newQueue);
      Device device = but(Device.class, discrete, "transfers", () -> transfers);
      QueryExecution query =
          new QueryExecution(device, threads, QueryOptions.DEFAULT, new QueryMetrics(), null);
      for (int worker = 0; worker < 2; worker++) {
        query.workers().context(worker).copies();
      }
      AragoniteException error = assertThrows(AragoniteException.class, query::close);
      assertEquals(ErrorCode.DEVICE_FAILED, error.code());
      assertEquals(List.of(1, 1), queues.stream().map(queue -> queue.closed.get()).toList());
    } finally {
      threads.shutdown();
    }
    MemoryLeaks.assertReleased(memory);
    MemoryLeaks.assertReleased(hostMemory);
  }
}
