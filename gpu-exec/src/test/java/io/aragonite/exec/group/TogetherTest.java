package io.aragonite.exec.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.QueryOptions;
import io.aragonite.exec.device.ColumnMemory.Copy;
import io.aragonite.exec.device.CopyQueue.Ticket;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.DiscreteDevice;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.MemoryDebug;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TogetherTest {
  /** A copy that a device has begun, to memory of another one, ends before any memory goes. */
  @Test
  void copiesEndBeforeMemoryOfOthersGoes() {
    List<Device> devices = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      MemoryBudget host = new MemoryBudget("host", 1 << 24);
      devices.add(
          new DiscreteDevice(
              i,
              new MemoryBudget("memory", 1 << 24),
              new CpuDevice(1, host, new CpuExpressionCompiler())));
    }
    ExecutorService threads = Executors.newCachedThreadPool();
    try (Together together = new Together(devices, threads, QueryOptions.DEFAULT)) {
      Buffer to = together.query(0).hostMemory().allocate(Long.BYTES);
      Mem.putLong(to.address(), 0);
      List<Ticket> tickets =
          together.run((query, member) ->
              query.work(context -> {
                if (member.index() == 0) {
                  return context.copies().toHost(List.of());
                }
                Buffer from = context.memory().allocate(Long.BYTES);
                context.memory().fill(from, (byte) 1);
                return context.copies().toHost(List.of(new Copy(to.address(), from)));
              }));
      assertFalse(tickets.get(1).ended());
      Together.await(together.query(1));
      assertTrue(tickets.get(1).ended());
      assertEquals(0x0101_0101_0101_0101L, Mem.getLong(to.address()));
      Together.await(together.query(1));
    } finally {
      threads.shutdown();
    }
    for (Device device : devices) {
      MemoryDebug.assertReleased(device.memory());
      MemoryDebug.assertReleased(device.host().memory());
      device.close();
    }
  }
}
