package io.aragonite.exec.integration.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.aragonite.exec.device.DiscreteDevice;
import io.aragonite.exec.engine.Engine;
import io.aragonite.exec.engine.TestEngine;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.group.DeviceGroup;
import io.aragonite.exec.group.GroupQueries;
import io.aragonite.exec.memory.FailingBudget;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.testing.device.TestDevices;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of queries on several devices when something goes wrong. */
@Timeout(120)
class DeviceGroupFaultTest {
  private static final String EVERYWHERE = "aragonite.exchange.replicate";

  @BeforeEach
  void spreadAllTables() {
    System.setProperty(EVERYWHERE, "0");
  }

  @AfterEach
  void clear() {
    System.clearProperty(EVERYWHERE);
  }

  private static List<List<@Nullable Object>> alone(PhysicalPlan plan) {
    try (TestEngine one = new TestEngine(1, 1024, 64 << 20, 1)) {
      return one.run(plan);
    }
  }

  /** Whenever a device fails: the query runs again on the others, and the next ones do at once. */
  @Test
  void goesOnWithoutADeviceThatFails() {
    TestTable table = GroupQueries.table(new Random(5), 4000, 900);
    PhysicalPlan plan =
        GroupQueries.count(GroupQueries.join(table.scan(), table.scan(), JoinType.INNER));
    List<List<@Nullable Object>> expected = alone(plan);
    int failed = 0;
    for (int after = 1; after < 60; after += 3) {
      List<DiscreteDevice> devices = GroupQueries.fakes(3, 64 << 20);
      int when = after;
      AtomicInteger polls = new AtomicInteger();
      QueryOptions options =
          new QueryOptions(
              List.of(),
              0,
              0,
              null,
              () -> {
                if (polls.incrementAndGet() == when) {
                  devices.get(1).fail();
                }
                return false;
              },
              null);
      try (var engine = new Engine(new DeviceGroup(devices, true))) {
        try (BatchResult result = engine.execute(plan, options)) {
          assertEquals(expected, GroupQueries.rows(result), () -> "failing after " + when);
          if (result.metrics().note().startsWith("after a failure")) {
            failed++;
            assertTrue(result.metrics().note().endsWith("on 2 devices"));
          }
        }
        devices.forEach(GroupQueries::assertReleased);
        try (BatchResult result = engine.execute(plan, QueryOptions.DEFAULT)) {
          assertEquals(expected, GroupQueries.rows(result));
        }
        devices.forEach(GroupQueries::assertReleased);
      }
    }
    assertTrue(failed > 0, "no query was under way when its device failed");
  }

  /** The first device has no other to take its place: the error is its own. */
  @Test
  void allDevicesFail() {
    TestTable table = GroupQueries.table(new Random(5), 4000, 900);
    List<DiscreteDevice> devices = GroupQueries.fakes(2, 64 << 20);
    try (var engine = new Engine(new DeviceGroup(devices, true))) {
      devices.forEach(DiscreteDevice::fail);
      try (BatchResult result =
          engine.execute(GroupQueries.count(table.scan()), QueryOptions.DEFAULT)) {
        AragoniteException error = assertThrows(AragoniteException.class, result::next);
        assertEquals(ErrorCode.DEVICE_FAILED, error.code());
      }
      devices.forEach(GroupQueries::assertReleased);
    }
  }

  /** A device without memory: an error that says so, and nothing left on any of them. */
  @Test
  void aDeviceWithoutMemory() {
    TestTable table = GroupQueries.table(new Random(6), 20_000, 9000);
    PhysicalPlan plan =
        GroupQueries.count(GroupQueries.join(table.scan(), table.scan(), JoinType.INNER));
    List<List<@Nullable Object>> expected = alone(plan);
    int refused = 0;
    for (int kilobytes = 32; kilobytes < 32 << 10; kilobytes *= 2) {
      List<DiscreteDevice> devices = GroupQueries.fakes(3, (long) kilobytes << 10);
      try (var engine = new Engine(new DeviceGroup(devices, true))) {
        try (BatchResult result = engine.execute(plan, QueryOptions.DEFAULT)) {
          assertEquals(expected, GroupQueries.rows(result));
        } catch (AragoniteException e) {
          assertEquals(ErrorCode.MEMORY_EXCEEDED, e.code(), e::getMessage);
          refused++;
        }
        devices.forEach(GroupQueries::assertReleased);
      }
    }
    assertTrue(refused > 0, "memory was never refused");
  }

  /** Whenever one of them has no memory left: a device that has goes on, since it can spill. */
  @Test
  void oneDeviceGoesOnWhereTogetherMemoryIsShort() {
    TestTable table = GroupQueries.table(new Random(6), 4000, 900);
    PhysicalPlan plan =
        GroupQueries.count(GroupQueries.join(table.scan(), table.scan(), JoinType.INNER));
    List<List<@Nullable Object>> expected = alone(plan);
    int alone = 0;
    for (int n = 1; n < 60; n += 4) {
      List<DiscreteDevice> devices = GroupQueries.fakes(3, 64 << 20);
      try (var engine = new Engine(new DeviceGroup(devices, true))) {
        ((FailingBudget) devices.get(1).memory()).failAllocation(n);
        try (BatchResult result = engine.execute(plan, QueryOptions.DEFAULT)) {
          assertEquals(expected, GroupQueries.rows(result));
          String note = result.metrics().note();
          if (note.startsWith("after a failure (")) {
            assertTrue(note.endsWith("): on one device"), note);
            assertEquals("discrete", result.metrics().device());
            alone++;
          } else {
            assertEquals("on 3 devices", note);
          }
        } finally {
          ((FailingBudget) devices.get(1).memory()).failAllocation(0);
        }
        devices.forEach(GroupQueries::assertReleased);
      }
    }
    assertTrue(alone > 0, "memory was never short");
  }

  /** However far it has come, a query that is to end leaves nothing anywhere. */
  @Test
  void endsEarly() {
    assumeTrue(TestDevices.name().equals("discrete") || TestDevices.name().equals("cpu"));
    TestTable table = GroupQueries.table(new Random(7), 20_000, 9000);
    PhysicalPlan plan = GroupQueries.join(table.scan(), table.scan(), JoinType.INNER);
    for (int after = 1; after < 40; after += 3) {
      List<DiscreteDevice> devices = GroupQueries.fakes(4, 64 << 20);
      int when = after;
      AtomicInteger polls = new AtomicInteger();
      QueryOptions options =
          new QueryOptions(List.of(), 0, 0, null, () -> polls.incrementAndGet() >= when, null);
      try (var engine = new Engine(new DeviceGroup(devices, true))) {
        try (BatchResult result = engine.execute(plan, options)) {
          AragoniteException error =
              assertThrows(AragoniteException.class, () -> GroupQueries.rows(result));
          assertEquals(ErrorCode.CANCELLED, error.code());
        }
        devices.forEach(GroupQueries::assertReleased);
        QueryOptions soon = new QueryOptions(List.of(), 0, 0, Duration.ofNanos(1));
        try (BatchResult result = engine.execute(plan, soon)) {
          AragoniteException error =
              assertThrows(AragoniteException.class, () -> GroupQueries.rows(result));
          assertEquals(ErrorCode.TIMED_OUT, error.code());
        }
        devices.forEach(GroupQueries::assertReleased);
        try (BatchResult result = engine.execute(plan, QueryOptions.DEFAULT)) {
          result.next();
        }
        devices.forEach(GroupQueries::assertReleased);
      }
    }
  }
}
