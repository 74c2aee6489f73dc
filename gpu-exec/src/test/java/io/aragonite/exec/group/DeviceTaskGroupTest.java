package io.aragonite.exec.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.collective.Rank;
import io.aragonite.exec.device.ColumnMemory.Copy;
import io.aragonite.exec.device.CopyQueue.CopyTicket;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.DiscreteDevice;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.MemoryLeaks;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.type.DataType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DeviceTaskGroupTest {
  private static final int MEMBERS = 5;

  /** Runs a task on several devices, each with what waits for the others and a number. */
  private static <T> List<T> together(BiFunction<Meeting, Rank, T> task) {
    List<Device> devices = new ArrayList<>();
    for (int i = 0; i < MEMBERS; i++) {
      devices.add(
          new CpuDevice(1, new MemoryBudget("memory", 1 << 24), new CpuExpressionCompiler()));
    }
    try (ExecutorService threads = Executors.newCachedThreadPool();
        DeviceTaskGroup together = new DeviceTaskGroup(devices, threads, QueryOptions.DEFAULT)) {
      return together.run((query, rank) ->
          query.work(context ->
              task.apply(
                  (node, value) ->
                      rank.meet(
                          context,
                          node,
                          value,
                          all -> all.stream().mapToLong(Long::longValue).sum()),
                  rank)));
    } finally {
      devices.forEach(Device::close);
    }
  }

  /** Brings a number to a node, and gets the sum of all. */
  private interface Meeting {
    long sum(PhysicalPlan node, long value);
  }

  private static PhysicalPlan node(long number) {
    return new PhysicalPlan.Values(
        List.of(List.of(Expr.literal(number, DataType.INT64))), List.of(DataType.INT64));
  }

  /** However many rounds, and whoever is late. */
  @Test
  void allGetWhatIsMadeOfAllValues() {
    PhysicalPlan node = node(1);
    long expected = 0;
    for (long i = 0; i < 3000; i++) {
      expected = 31 * expected + MEMBERS * i + 10;
    }
    List<Long> hashes =
        together((meeting, rank) -> {
          Random random = new Random(rank.index());
          long hash = 0;
          for (long i = 0; i < 3000; i++) {
            if (random.nextInt(100) == 0) {
              LockSupport.parkNanos(random.nextInt(2_000_000));
            }
            hash = 31 * hash + meeting.sum(node, i + rank.index());
          }
          return hash;
        });
    assertEquals(Collections.nCopies(MEMBERS, expected), hashes);
  }

  @Test
  void oneAtAnotherNodeIsADefect() {
    // The nodes are equal, and not the same.
    AragoniteException error =
        assertThrows(
            AragoniteException.class,
            () ->
                together((meeting, rank) -> {
                  PhysicalPlan same = node(2);
                  return meeting.sum(same, 1);
                }));
    assertEquals(ErrorCode.INTERNAL, error.code());
  }

  @Test
  void oneThatFailsEndsTheWaitingOfAll() {
    PhysicalPlan node = node(3);
    AragoniteException error =
        assertThrows(
            AragoniteException.class,
            () ->
                together((meeting, rank) -> {
                  meeting.sum(node, 1);
                  if (rank.index() == 3) {
                    throw new AragoniteException(ErrorCode.DISK_FAILED, "as the test wants");
                  }
                  return meeting.sum(node, 2);
                }));
    assertEquals(ErrorCode.DISK_FAILED, error.code());
  }

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
    try (DeviceTaskGroup together = new DeviceTaskGroup(devices, threads, QueryOptions.DEFAULT)) {
      Buffer to = together.query(0).hostMemory().allocate(Long.BYTES);
      Mem.putLong(to.address(), 0);
      List<CopyTicket> tickets =
          together.run((query, rank) ->
              query.work(context -> {
                if (rank.index() == 0) {
                  return context.copies().toHost(List.of());
                }
                Buffer from = context.memory().allocate(Long.BYTES);
                context.memory().fill(from, (byte) 1);
                return context.copies().toHost(List.of(new Copy(to.address(), from)));
              }));
      assertFalse(tickets.get(1).ended());
      DeviceTaskGroup.await(together.query(1));
      assertTrue(tickets.get(1).ended());
      assertEquals(0x0101_0101_0101_0101L, Mem.getLong(to.address()));
      DeviceTaskGroup.await(together.query(1));
    } finally {
      threads.shutdown();
    }
    for (Device device : devices) {
      MemoryLeaks.assertReleased(device.memory());
      MemoryLeaks.assertReleased(device.host().memory());
      device.close();
    }
  }
}
