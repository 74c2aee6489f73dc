package io.aragonite.exec.integration.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.DiscreteDevice;
import io.aragonite.exec.engine.Engine;
import io.aragonite.exec.engine.TestEngine;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.group.DeviceGroup;
import io.aragonite.exec.group.GroupQueries;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Aggregate;
import io.aragonite.exec.plan.PhysicalPlan.SetOperation;
import io.aragonite.exec.plan.PhysicalPlan.Sort;
import io.aragonite.exec.plan.PhysicalPlan.Window;
import io.aragonite.exec.plan.SortKey;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.plan.WindowCall;
import io.aragonite.exec.plan.WindowFrame;
import io.aragonite.exec.plan.WindowFrame.Exclude;
import io.aragonite.exec.plan.WindowFrame.FrameBound;
import io.aragonite.exec.plan.WindowFrame.FrameBoundKind;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnBatch;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A device of several breaks, behind its first copy, its second and so on: before a row was handed
 * out the query ends right on the others, later with DEVICE_FAILED at worst; nothing is left, and
 * the next query is right. {@code -Daragonite.faults.every=true} takes each copy.
 */
@Timeout(300)
class BreakingDeviceTest {
  private static final boolean EVERY = Boolean.getBoolean("aragonite.faults.every");
  private static final String EVERYWHERE = "aragonite.exchange.replicate";
  private static final String ON_HOST = "aragonite.exchange.host";
  private static final int STEP = 3;

  private final Random random = new Random(Long.getLong("aragonite.seed", 4));

  @BeforeEach
  void spreadAllTables() {
    System.setProperty(EVERYWHERE, "0");
    System.setProperty(ON_HOST, "0");
  }

  @AfterEach
  void clear() {
    System.clearProperty(EVERYWHERE);
    System.clearProperty(ON_HOST);
  }

  private static Map<String, PhysicalPlan> plans() {
    TestTable table = GroupQueries.table(new Random(5), 2000, 400);
    TestTable other = GroupQueries.table(new Random(6), 1500, 500);
    List<DataType> types = table.scan().types();
    Map<String, PhysicalPlan> plans = new LinkedHashMap<>();
    for (JoinType type : List.of(JoinType.INNER, JoinType.FULL, JoinType.ANTI)) {
      plans.put(type + " join", GroupQueries.join(table.scan(), other.scan(), type));
    }
    plans.put(
        "count", GroupQueries.count(GroupQueries.join(table.scan(), other.scan(), JoinType.INNER)));
    plans.put(
        "groups",
        new Aggregate(
            table.scan(),
            List.of(0),
            List.of(List.of(0)),
            List.of(
                AggregateCall.of(AggregateFunction.COUNT, DataType.INT64),
                AggregateCall.of(AggregateFunction.MAX, GroupQueries.TEXT, 1)),
            false,
            List.of(GroupQueries.NUMBER, DataType.INT64, GroupQueries.TEXT)));
    plans.put(
        "sort",
        new Sort(
            table.scan(),
            List.of(new SortKey(1, true, false), new SortKey(0, false, false)),
            null,
            null));
    for (SetOperation.SetOperationKind kind : SetOperation.SetOperationKind.values()) {
      plans.put(
          kind.toString(),
          new SetOperation(kind, false, List.of(table.scan(), other.scan()), types));
    }
    plans.put("window", window(table));
    return plans;
  }

  private static Window window(TestTable table) {
    WindowFrame frame =
        new WindowFrame(
            true,
            new FrameBound(FrameBoundKind.UNBOUNDED_PRECEDING, null),
            new FrameBound(FrameBoundKind.CURRENT_ROW, null),
            Exclude.NO_OTHERS);
    WindowCall rank =
        new WindowCall(WindowCall.Function.RANK, null, List.of(), false, DataType.INT64);
    return new Window(
        table.scan(), List.of(0), List.of(new SortKey(1, false, false)), frame, List.of(rank));
  }

  @Test
  void breaksAtAnyCopy() {
    for (Map.Entry<String, PhysicalPlan> plan : plans().entrySet()) {
      Map<?, Integer> expected;
      try (TestEngine one = new TestEngine(1, 1024, 64 << 20, 1)) {
        expected = TestEngine.counts(one.run(plan.getValue()));
      }
      for (int broken = 0; broken < 2; broken++) {
        int failures = 0;
        long copies = 0;
        while (breaks(plan.getKey(), plan.getValue(), expected, broken, copies)) {
          failures++;
          copies += EVERY ? 1 : 1 + random.nextLong(1 + STEP * copies);
        }
        assertTrue(failures > 1, plan.getKey() + ": failures " + failures);
      }
    }
  }

  /** Whether the device broke while the query ran. */
  private static boolean breaks(
      String name, PhysicalPlan plan, Map<?, Integer> expected, int broken, long copies) {
    String what = name + ", device " + broken + " behind " + copies + " copies";
    List<DiscreteDevice> devices = GroupQueries.fakes(2, 64 << 20);
    try (Engine engine = new Engine(new DeviceGroup(devices, true))) {
      devices.get(broken).failAfter(copies);
      boolean handedOut = false;
      List<List<@Nullable Object>> rows = new ArrayList<>();
      try (BatchResult result = engine.execute(plan, QueryOptions.DEFAULT)) {
        for (ColumnBatch batch = result.next(); batch != null; batch = result.next()) {
          handedOut = true;
          rows.addAll(TestEngine.rows(batch));
        }
        assertEquals(expected, TestEngine.counts(rows), what);
      } catch (AragoniteException e) {
        assertEquals(ErrorCode.DEVICE_FAILED, e.code(), what + ": " + e.getMessage());
        assertTrue(handedOut, what + " failed before a row was handed out");
      }
      devices.forEach(GroupQueries::assertReleased);
      boolean failed = !devices.get(broken).usable();
      try (BatchResult result = engine.execute(plan, QueryOptions.DEFAULT)) {
        assertEquals(expected, TestEngine.counts(GroupQueries.rows(result)), what + ", the next");
      }
      devices.forEach(GroupQueries::assertReleased);
      return failed;
    }
  }
}
