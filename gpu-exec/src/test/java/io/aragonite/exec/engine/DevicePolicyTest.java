package io.aragonite.exec.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.AggregateOps;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.DeviceProperties;
import io.aragonite.exec.device.DeviceTraits;
import io.aragonite.exec.device.DiscreteDevice;
import io.aragonite.exec.device.ExpressionCompiler;
import io.aragonite.exec.device.GatherOps;
import io.aragonite.exec.device.HashOps;
import io.aragonite.exec.device.PageOps;
import io.aragonite.exec.device.PartitionOps;
import io.aragonite.exec.device.ScanOps;
import io.aragonite.exec.device.SortOps;
import io.aragonite.exec.device.Transfers;
import io.aragonite.exec.device.TrieOps;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.profile.MachineProfile;
import io.aragonite.exec.profile.ProfileStore;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.testing.TestSeed;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DevicePolicyTest {
  private static final DataType LONG = DataType.of(TypeKind.INT64, false);
  private static final int ROWS = 1 << 16;

  private final CpuDevice cpu =
      new CpuDevice(1, new MemoryBudget("memory", 1 << 28), new CpuExpressionCompiler());
  private final List<AutoCloseable> open = new ArrayList<>(List.of(cpu));

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable closeable : open) {
      closeable.close();
    }
  }

  private static TestTable table(int rows) {
    List<List<Long>> values = new ArrayList<>();
    for (long i = 0; i < rows; i++) {
      values.add(List.of(i));
    }
    return new TestTable(List.of(ColumnShape.of(LONG)), values, 1 << 20);
  }

  /** SELECT c FROM t WHERE c < 5. */
  private static PhysicalPlan.Filter few(PhysicalPlan scan) {
    return new PhysicalPlan.Filter(
        scan,
        new Expr.Call(
            Op.LT,
            List.of(new Expr.InputRef(0, LONG), new Expr.Literal(5L, LONG)),
            DataType.of(TypeKind.BOOLEAN, false)));
  }

  private final class Gpu implements Device {
    final DiscreteDevice device;
    MachineProfile profile = prompt();
    boolean usable = true;
    boolean holds;

    Gpu(long memory) {
      device =
          new DiscreteDevice(
              new MemoryBudget("gpuMemory", memory),
              new CpuDevice(
                  1,
                  new MemoryBudget("memory", 1 << 28),
                  new CpuExpressionCompiler(),
                  1 << 16,
                  1 << 16));
      open.add(device);
    }

    @Override
    public String name() {
      return "cuda:7";
    }

    @Override
    public DeviceTraits traits() {
      return device.traits();
    }

    @Override
    public DeviceProperties properties() {
      return device.properties();
    }

    @Override
    public MemoryBudget memory() {
      return device.memory();
    }

    @Override
    public QueryMemory newQueryMemory(long limitBytes) {
      return device.newQueryMemory(limitBytes);
    }

    @Override
    public ScanOps scan() {
      return device.scan();
    }

    @Override
    public GatherOps gather() {
      return device.gather();
    }

    @Override
    public SortOps sort() {
      return device.sort();
    }

    @Override
    public PartitionOps partition() {
      return device.partition();
    }

    @Override
    public HashOps hash() {
      return device.hash();
    }

    @Override
    public AggregateOps aggregate() {
      return device.aggregate();
    }

    @Override
    public TrieOps trie() {
      return device.trie();
    }

    @Override
    public PageOps pages() {
      return device.pages();
    }

    @Override
    public ExpressionCompiler expressions() {
      return device.expressions();
    }

    @Override
    public Transfers transfers() {
      return device.transfers();
    }

    @Override
    public Device host() {
      return device.host();
    }

    @Override
    public boolean holds(Table table, int column) {
      return holds;
    }

    @Override
    public boolean usable() {
      return usable;
    }

    @Override
    public MachineProfile profile() {
      return profile;
    }

    @Override
    public void close() {}
  }

  /** An H200 that starts at once, behind a bus of 1 GB/s: small tables do for tests. */
  private static MachineProfile prompt() {
    double[] figures = MachineProfile.H200.figures();
    List<String> names = List.of(ProfileStore.names());
    figures[names.indexOf("startNanos")] = 0;
    figures[names.indexOf("syncNanos")] = 0;
    figures[names.indexOf("hostBytesPerNano")] = 1;
    return MachineProfile.of("a prompt GPU", figures);
  }

  /** An H200 that takes so many times as long to start work and to wait for it. */
  private static MachineProfile started(double times) {
    double[] figures = MachineProfile.H200.figures();
    List<String> names = List.of(ProfileStore.names());
    figures[names.indexOf("startNanos")] *= times;
    figures[names.indexOf("syncNanos")] *= times;
    return MachineProfile.of("a slow starter", figures);
  }

  /** A policy whose GPU has been opened. */
  private DevicePolicy opened(Gpu gpu) {
    DevicePolicy policy = new DevicePolicy(cpu, () -> gpu);
    gpu.holds = true;
    // Enough to do for each value that bringing it there pays at once.
    Expr column = new Expr.InputRef(0, LONG);
    Expr much = doubled(doubled(doubled(doubled(column))));
    PhysicalPlan large = new PhysicalPlan.Project(huge(1L << 40), List.of(much));
    assertEquals("cpu", policy.preview(large).device().name(), "not opened by a look");
    policy.choose(large);
    assertEquals("cuda:7", policy.gpu().name());
    return policy;
  }

  private static PhysicalPlan.Scan huge(long rows) {
    return new PhysicalPlan.Scan(new Huge(rows), List.of(0), List.of(LONG));
  }

  /** A table that nobody reads. */
  private record Huge(long rows) implements Table {
    @Override
    public String name() {
      return "huge";
    }

    @Override
    public List<String> columnNames() {
      return List.of("c");
    }

    @Override
    public List<DataType> columnTypes() {
      return List.of(LONG);
    }

    @Override
    public Pin pin(List<Integer> columns) {
      throw new AssertionError();
    }
  }

  @Test
  void smallQueriesOpenNothing() {
    DevicePolicy policy =
        new DevicePolicy(
            cpu,
            () -> {
              throw new AssertionError("opened");
            });
    for (int i = 0; i < 50; i++) {
      assertEquals("cpu", policy.choose(table(1000).scan()).device().name());
    }
    assertNull(policy.gpu());
  }

  @Test
  void fasterDeviceIsChosen() {
    Gpu gpu = new Gpu(1 << 26);
    DevicePolicy policy = opened(gpu);
    assertEquals("cuda:7", policy.choose(few(table(ROWS).scan())).device().name());
    gpu.profile = MachineProfile.H200;
    DevicePolicy.DeviceDecision slow = policy.choose(few(table(ROWS / 8).scan()));
    assertEquals("cpu", slow.device().name(), "the fixed cost is more than all of the CPU's time");
    assertTrue(slow.reason().matches(".* 0\\.0[1-9] ms on cuda:7.*"), slow.reason());
  }

  @Test
  void whatAQueryTookIsBelievedRatherThanItsPrice() {
    Gpu gpu = new Gpu(1 << 26);
    DevicePolicy policy = opened(gpu);
    gpu.profile = MachineProfile.H200;
    PhysicalPlan small = few(table(ROWS / 8).scan());
    for (int run = 0; run < 2; run++) {
      DevicePolicy.DeviceDecision decision = policy.choose(small);
      assertEquals("cpu", decision.device().name());
      policy.ran(decision, 5_000_000);
    }
    for (int run = 0; run < 2; run++) {
      DevicePolicy.DeviceDecision decision = policy.choose(small);
      assertEquals("cuda:7", decision.device().name(), decision.reason());
      assertTrue(decision.reason().contains("5.00 ms on cpu"), decision.reason());
      policy.ran(decision, 7_000_000);
    }
    DevicePolicy.DeviceDecision back = policy.choose(small);
    assertEquals("cpu", back.device().name(), back.reason());
    assertTrue(back.reason().contains("7.00 ms on cuda:7"), back.reason());
  }

  @Test
  void whatOthersTookCorrectsAPrice() {
    Gpu gpu = new Gpu(1 << 26);
    DevicePolicy policy = opened(gpu);
    gpu.profile = MachineProfile.H200;
    PhysicalPlan small = few(table(ROWS / 8).scan());
    PhysicalPlan other = few(table(ROWS / 8).scan());
    assertEquals("cpu", policy.choose(other).device().name());
    for (int run = 0; run < 2; run++) {
      policy.ran(policy.choose(small), 5_000_000);
    }
    assertEquals("cuda:7", policy.choose(other).device().name());
  }

  @Test
  void resultsTellWhatTheyTook() {
    Gpu gpu = new Gpu(1 << 26);
    DevicePolicy policy = opened(gpu);
    gpu.profile = MachineProfile.H200;
    PhysicalPlan small = few(table(10).scan());
    String before = policy.preview(small).reason();
    try (Engine engine = new Engine(policy)) {
      for (int run = 0; run < 2; run++) {
        try (BatchResult result = engine.execute(small, QueryOptions.DEFAULT)) {
          assertEquals(before, policy.preview(small).reason());
          while (result.next() != null) {
            // rows do not matter
          }
          assertEquals("cpu", result.metrics().device());
        }
      }
      assertNotEquals(before, policy.preview(small).reason());
    }
  }

  /**
   * Sixty queries whose prices are wrong: each by up to two times in either direction, and all of
   * the CPU's by four, as on 32 cores. After some rounds they run where they are quicker, but for
   * what runs differ by.
   */
  @Test
  void whatQueriesTookMakesUpForWrongPrices() {
    Random random = TestSeed.random(getClass());
    Gpu gpu = new Gpu(1L << 37);
    DevicePolicy policy = opened(gpu);
    gpu.profile = started(80);
    Pattern prices = Pattern.compile("estimated ([0-9.]+) ms on cpu, ([0-9.]+) ms on cuda:7.*");
    List<PhysicalPlan> plans = new ArrayList<>();
    List<double[]> takes = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      PhysicalPlan plan = few(huge((long) Math.pow(10, random.nextDouble(4.5, 6.7))));
      Matcher found = prices.matcher(policy.preview(plan).reason());
      assertTrue(found.matches(), () -> policy.preview(plan).reason());
      plans.add(plan);
      takes.add(
          new double[] {
            1e6 * Double.parseDouble(found.group(1)) * 4 * wrong(random),
            1e6 * Double.parseDouble(found.group(2)) * wrong(random)
          });
    }
    int there = 0;
    double sum = 0;
    double worst = 1;
    for (int round = 0; round <= 24; round++) {
      sum = 0;
      worst = 1;
      there = 0;
      for (int i = 0; i < plans.size(); i++) {
        DevicePolicy.DeviceDecision decision = policy.choose(plans.get(i));
        double[] of = takes.get(i);
        int on = decision.device().name().equals("cpu") ? 0 : 1;
        policy.ran(decision, (long) (of[on] * random.nextDouble(1, 1.05)));
        double regret = of[on] / Math.min(of[0], of[1]);
        sum += regret;
        worst = Math.max(worst, regret);
        there += on;
      }
    }
    int inAll = there;
    assertTrue(inAll >= 10 && inAll <= 50, () -> inAll + " of 60 on the GPU");
    assertTrue(sum / plans.size() <= 1.02, "regret in the mean " + sum / plans.size());
    assertTrue(worst <= 1.1, "worst regret " + worst);
  }

  /** A factor from a half to two. */
  private static double wrong(Random random) {
    return Math.pow(2, random.nextDouble(-1, 1));
  }

  @Test
  void theOtherProcessorIsTriedOnceIfItMayBeQuicker() {
    Gpu gpu = new Gpu(1L << 37);
    DevicePolicy policy = opened(gpu);
    gpu.profile = MachineProfile.H200;
    PhysicalPlan small = few(table(ROWS / 8).scan());
    List<String> devices = new ArrayList<>();
    for (int run = 0; run < 14; run++) {
      DevicePolicy.DeviceDecision decision = policy.choose(small);
      boolean cpuRuns = decision.device().name().equals("cpu");
      devices.add(cpuRuns ? "cpu" : "gpu");
      boolean tried = decision.reason().contains("tried, since only its price is known there");
      assertEquals(!cpuRuns, tried, decision.reason());
      // A little less than the GPU is thought to take, which takes ten times as long.
      policy.ran(decision, cpuRuns ? 30_000 : 300_000);
    }
    List<String> expected = new ArrayList<>(Collections.nCopies(8, "cpu"));
    expected.addAll(List.of("gpu", "gpu", "cpu", "cpu", "cpu", "cpu"));
    assertEquals(expected, devices);
  }

  /** As one for which the GPU has too little memory, which ends on the CPU. */
  @Test
  void whatDoesNotEndThereIsTriedAFewTimes() {
    Gpu gpu = new Gpu(1L << 37);
    DevicePolicy policy = opened(gpu);
    gpu.profile = MachineProfile.H200;
    PhysicalPlan small = few(table(ROWS / 8).scan());
    int tries = 0;
    for (int run = 0; run < 40; run++) {
      DevicePolicy.DeviceDecision decision = policy.choose(small);
      if (decision.device().name().equals("cpu")) {
        policy.ran(decision, 30_000);
      } else {
        tries++;
      }
    }
    assertEquals(4, tries);
  }

  /** SELECT SUM(c) FROM t WHERE c < 5, on one core or an H200 that has the column. */
  @Test
  void smallQueriesStayAndLargeOnesGoByPrice() {
    Gpu gpu = new Gpu(1L << 37);
    gpu.profile = MachineProfile.H200;
    DevicePolicy policy = opened(gpu);
    long turn = 0;
    for (long rows = 1000; rows <= 1_000_000_000; rows *= 10) {
      PhysicalPlan filter = few(huge(rows));
      PhysicalPlan sum =
          new PhysicalPlan.Aggregate(
              filter, List.of(), List.of(List.of()), List.of(), false, List.of(LONG));
      DevicePolicy.DeviceDecision choice = policy.choose(sum);
      boolean there = choice.device().name().equals("cuda:7");
      assertTrue(there || turn == 0, "once it pays it pays for more: " + rows);
      turn = there && turn == 0 ? rows : turn;
      String why = choice.reason();
      assertTrue(why.matches("estimated .* ms on cpu, .* ms on cuda:7, 0.00 ms to bring.*"), why);
    }
    assertTrue(turn >= 100_000 && turn <= 10_000_000, "goes from " + turn + " rows on");
  }

  @Test
  void transfersArePaidByCredit() {
    Gpu gpu = new Gpu(1 << 26);
    DevicePolicy policy = opened(gpu);
    gpu.holds = false;
    // Half a megabyte: a gain of 149 microseconds each, an investment of 524.
    PhysicalPlan scan = few(table(ROWS).scan());
    int before = 0;
    while (policy.choose(scan).device().name().equals("cpu")) {
      before++;
      assertTrue(before < 100, "never worth it");
    }
    assertTrue(before >= 3 && before <= 6, before + " queries on the CPU before");
    gpu.holds = true;
    assertEquals("cuda:7", policy.choose(scan).device().name());
  }

  @Test
  void brokenOrSmallGpuIsLeftAlone() {
    Gpu gpu = new Gpu(ROWS * 8);
    DevicePolicy policy = opened(gpu);
    DevicePolicy.DeviceDecision streams = policy.choose(few(table(ROWS).scan()));
    assertTrue(streams.reason().contains("do not stay on cuda:7, streaming them takes"));
    gpu.usable = false;
    assertEquals("cuda:7 has failed", policy.choose(table(100).scan()).reason());
  }

  @Test
  void goesOnOnTheCpuWhenGpuMemoryIsShort() {
    Gpu gpu = new Gpu(3 * ROWS * 8);
    try (Engine engine = new Engine(opened(gpu))) {
      // The scan fits, what is made of it does not.
      PhysicalPlan scan = table(ROWS).scan();
      Expr column = new Expr.InputRef(0, LONG);
      List<Expr> four = List.of(doubled(column), doubled(column), doubled(column), column);
      try (BatchResult result =
          engine.execute(new PhysicalPlan.Project(scan, four), QueryOptions.DEFAULT)) {
        long rows = 0;
        for (var batch = result.next(); batch != null; batch = result.next()) {
          rows += batch.rows();
        }
        assertEquals(ROWS, rows);
        assertEquals("cpu", result.metrics().device());
        String note = result.metrics().note();
        assertTrue(note.startsWith("after cuda:7: AR-601"), note);
      }
      assertEquals(0, gpu.memory().used());
    }
  }

  @Test
  void otherErrorsAreNotTriedAgain() {
    Gpu gpu = new Gpu(1 << 26);
    try (Engine engine = new Engine(opened(gpu))) {
      PhysicalPlan scan = table(ROWS).scan();
      Expr zero = new Expr.Literal(0L, LONG);
      Expr quotient = new Expr.Call(Op.DIVIDE, List.of(new Expr.InputRef(0, LONG), zero), LONG);
      try (BatchResult result =
          engine.execute(new PhysicalPlan.Project(scan, List.of(quotient)), QueryOptions.DEFAULT)) {
        AragoniteException error = assertThrows(AragoniteException.class, result::next);
        assertEquals(ErrorCode.DIVISION_BY_ZERO, error.code());
        assertEquals("cuda:7", result.metrics().device());
      }
    }
  }

  private static Expr doubled(Expr column) {
    return new Expr.Call(Op.PLUS, List.of(column, column), LONG);
  }
}
