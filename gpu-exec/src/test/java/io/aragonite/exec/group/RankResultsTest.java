package io.aragonite.exec.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.DiscreteDevice;
import io.aragonite.exec.execution.ResultStream;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.runtime.QueryOptions;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Results of queries on several devices, and what the devices keep behind them. */
@Timeout(120)
class RankResultsTest {
  private static final String EVERYWHERE = "aragonite.exchange.replicate";

  @BeforeEach
  void spreadAllTables() {
    System.setProperty(EVERYWHERE, "0");
  }

  @AfterEach
  void close() {
    System.clearProperty(EVERYWHERE);
  }

  private static RankResults open(DeviceGroup group, Executor threads, PhysicalPlan plan) {
    DeviceGroup.GroupDecision choice = group.choose(plan, group.usable());
    ExchangePlanner.ExchangePlan spread = choice.result();
    return new RankResults(
        choice.devices(),
        threads,
        Objects.requireNonNull(spread.plan()),
        spread,
        QueryOptions.DEFAULT,
        new QueryMetrics());
  }

  private static List<List<@Nullable Object>> onOneDevice(PhysicalPlan plan) {
    try (DiscreteDevice device = GroupQueries.fakes(1, 64 << 20).getFirst();
        ExecutorService threads = Executors.newCachedThreadPool();
        ResultStream rows =
            new ResultStream(device, threads, plan, QueryOptions.DEFAULT, new QueryMetrics())) {
      return GroupQueries.rows(rows);
    }
  }

  /** Whose rows have all been read: no rank is told to end while it closes what is its own. */
  @Test
  void ranksOfAQueryThatHasEndedEndByThemselves() {
    TestTable table = GroupQueries.table(new Random(12), 3000, 900);
    PhysicalPlan plan =
        GroupQueries.count(GroupQueries.join(table.scan(), table.scan(), JoinType.INNER));
    List<List<@Nullable Object>> expected = onOneDevice(plan);
    List<DiscreteDevice> devices = GroupQueries.fakes(4, 64 << 20);
    DeviceGroup group = new DeviceGroup(devices, true);
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      for (int i = 0; i < 50; i++) {
        RankResults results = open(group, threads, plan);
        assertEquals(expected, GroupQueries.rows(results));
        results.close();
        assertNull(results.failure());
        devices.forEach(GroupQueries::assertReleased);
      }
    }
    group.close();
  }

  /** Tables that are loaded anew are other tables: those before must not be kept. */
  @Test
  void tablesThatAreGoneAreForgotten() throws InterruptedException {
    List<DiscreteDevice> devices = GroupQueries.fakes(2, 64 << 20);
    DeviceGroup group = new DeviceGroup(devices, true);
    try (group;
        ExecutorService threads = Executors.newCachedThreadPool()) {
      for (int i = 0; i < 5; i++) {
        TestTable table = GroupQueries.table(new Random(i), 4000, 900);
        try (RankResults result = open(group, threads, GroupQueries.count(table.scan()))) {
          assertEquals(1, GroupQueries.rows(result).size());
        }
      }
      for (int i = 0; i < 100 && spreadTables(group) > 1; i++) {
        System.gc();
        Thread.sleep(10);
      }
      assertTrue(spreadTables(group) <= 1, () -> spreadTables(group) + " tables are kept");
    }
  }

  private static long spreadTables(DeviceGroup group) {
    synchronized (group) {
      return group.tables.stream().filter(table -> table.get() != null).count();
    }
  }
}
