package io.aragonite.sqltests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.DiscreteDevice;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.testing.TestSample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Statements of every operator, of which one request for memory is refused: the first, the second
 * and so on, of the host and of each device. Each time the answer is right or the error says that
 * memory was short, and memory, files and threads are as before. With {@code
 * -Daragonite.faults.every=true} each statement runs in each way with each request refused, with
 * {@code -Daragonite.faults.way=discrete} in that way alone, with {@code
 * -Daragonite.faults.case=window} those with such names; without it in some ways, drawn by {@link
 * TestSample}, with some.
 */
class RefusedStatementsTest {
  private static final boolean EVERY = Boolean.getBoolean("aragonite.faults.every");

  /** The way that runs; all if it is empty. */
  private static final String WAY = System.getProperty("aragonite.faults.way", "");

  /** The statements that run; all if it is empty. */
  private static final String CASE = System.getProperty("aragonite.faults.case", "");

  /** Which statements each way runs. */
  private static final TestSample SAMPLE = new TestSample(RefusedStatementsTest.class);

  private static final String SPILL_ROOM = "aragonite.test.spillRoom";
  private static final String BATCH_ROWS = "aragonite.test.batchRows";
  private static final String DEVICE = "aragonite.test.device";
  private static final String DEVICES = "aragonite.test.devices";
  private static final String REPLICATE = "aragonite.exchange.replicate";
  private static final String ON_HOST = "aragonite.exchange.host";
  private static final String EXCHANGED = "aragonite.exchange.join";

  /** How fast the numbers of requests grow. */
  private static final long STEP = 12;

  /** Whether the tests run on a GPU, or what stands for one. */
  private static final boolean GPU = System.getProperty(DEVICE, "").equals("cuda");

  @TempDir private Path folder = Path.of("");

  /**
   * A way to run statements.
   *
   * @param megabytes of its own, so that no other has its engine
   */
  private record Way(
      String name, int megabytes, Map<String, String> properties, Map<String, String> system) {}

  private static List<Way> ways() {
    return List.of(
        new Way("plain", 201, Map.of(), Map.of(BATCH_ROWS, "128")),
        new Way("spilled", 202, Map.of(), Map.of(BATCH_ROWS, "64", SPILL_ROOM, "3000")),
        new Way("sorted groups", 203, Map.of("multiway", "on"), Map.of("aragonite.group", "sort")),
        new Way(
            "discrete", 204, Map.of(), Map.of(DEVICE, "discrete", "aragonite.join.filter", "on")),
        new Way(
            "discrete, spilled",
            205,
            Map.of(),
            Map.of(
                DEVICE,
                "discrete",
                BATCH_ROWS,
                "128",
                SPILL_ROOM,
                "12000",
                "aragonite.test.scanRoom",
                "4000")),
        group(206, "hash"),
        group(207, "broadcast"));
  }

  private static Way group(int megabytes, String exchanged) {
    return new Way(
        "two devices, " + exchanged,
        megabytes,
        Map.of(),
        Map.of(
            DEVICE, "discrete", DEVICES, "2", REPLICATE, "0", ON_HOST, "0", EXCHANGED, exchanged));
  }

  /** Ways with a device of their own are none on a GPU. */
  private static List<Way> here(List<Way> ways) {
    return ways.stream()
        .filter(way -> !GPU || !way.system.containsKey(DEVICE))
        .filter(way -> WAY.isEmpty() || way.name.equals(WAY))
        .toList();
  }

  private static List<Way> joins() {
    List<Way> ways = new ArrayList<>();
    for (String join : List.of("nphj", "phj", "phj_um", "smj", "smj_um")) {
      ways.add(new Way(join, 210 + ways.size(), Map.of("join", join), Map.of(BATCH_ROWS, "128")));
    }
    ways.add(
        new Way(
            "transfer", 217, Map.of(), Map.of(BATCH_ROWS, "128", "aragonite.join.transfer", "on")));
    ways.add(new Way("hsmj", 216, Map.of("join", "hsmj"), Map.of(DEVICE, "discrete")));
    return ways;
  }

  @TestFactory
  @Timeout(600)
  Stream<DynamicTest> everyStatement() {
    List<DynamicTest> tests = new ArrayList<>();
    List<Way> ways = here(ways());
    List<FaultCase> all = named(FaultCase.all());
    for (Way way : ways) {
      tests.add(test(way, EVERY || !CASE.isEmpty() ? all : SAMPLE.some(all, 0.03)));
    }
    return tests.stream();
  }

  @TestFactory
  @Timeout(600)
  Stream<DynamicTest> everyJoinAlgorithm() {
    List<FaultCase> all = named(FaultCase.joins());
    return here(joins()).stream()
        .map(way -> test(way, EVERY || !CASE.isEmpty() ? all : SAMPLE.some(all, 0.1)));
  }

  private static List<FaultCase> named(List<FaultCase> all) {
    return all.stream().filter(one -> one.name().matches(".*(?:" + CASE + ").*")).toList();
  }

  private DynamicTest test(Way way, List<FaultCase> cases) {
    return DynamicTest.dynamicTest(way.name, () -> run(way, cases));
  }

  private void run(Way way, List<FaultCase> cases) throws IOException, SQLException {
    Path own = Files.createDirectory(folder.resolve("of-" + way.megabytes));
    Map<String, String> properties = new HashMap<>(way.properties);
    properties.put("memory", way.megabytes + "MB");
    properties.put("device", GPU ? "cuda" : "cpu");
    properties.put("threads", "2");
    Random random = new Random(Long.getLong("aragonite.seed", way.megabytes));
    List<String> wrong = new ArrayList<>();
    try (FaultMachine machine = new FaultMachine(own, properties, way.system)) {
      for (FaultCase one : cases) {
        FaultCase here = one.in(machine.out().toString());
        try {
          long refusals = new Sweep(machine, here, random).run();
          assertTrue(refusals > 0, "no request was refused");
        } catch (AssertionError | SQLException e) {
          wrong.add(one + ": " + e);
        }
      }
    }
    assertEquals("", String.join("\n", wrong));
  }

  /** Something that goes wrong once, when it is its turn. */
  private interface Fault {
    void begin();

    void end();

    boolean happened();
  }

  /** Of what a budget is asked for, that request is refused. */
  private static final class Refusal implements Fault {
    private final MemoryBudget budget;
    private final AtomicLong left;

    Refusal(MemoryBudget budget, long number) {
      this.budget = budget;
      this.left = new AtomicLong(number);
    }

    @Override
    public void begin() {
      budget.setAdmission(bytes -> {
        if (left.decrementAndGet() == 0) {
          throw new AragoniteException(
              ErrorCode.MEMORY_EXCEEDED, "A test refuses this; raise memory=");
        }
      });
    }

    @Override
    public void end() {
      budget.setAdmission(null);
    }

    @Override
    public boolean happened() {
      return left.get() <= 0;
    }
  }

  /** That block a device's driver does not have, although the budget does. */
  private static final class NoBlock implements Fault {
    private final DiscreteDevice device;
    private final long number;
    private boolean refused;

    NoBlock(DiscreteDevice device, long number) {
      this.device = device;
      this.number = number;
    }

    @Override
    public void begin() {
      device.refuseAfter(number - 1);
    }

    @Override
    public void end() {
      refused = device.hasRefused();
      device.refuseAfter(Long.MAX_VALUE);
    }

    @Override
    public boolean happened() {
      return refused;
    }
  }

  /** All refusals of one statement. */
  private static final class Sweep {
    private final FaultMachine machine;
    private final FaultCase one;
    private final Random random;
    private List<String> expected = List.of();
    private List<String> made = List.of();
    private List<String> unmade = List.of();

    Sweep(FaultMachine machine, FaultCase one, Random random) {
      this.machine = machine;
      this.one = one;
      this.random = random;
    }

    long run() throws IOException, SQLException {
      machine.execute(one.setup());
      unmade = machine.state(one);
      for (int i = 0; i < 3; i++) {
        expected = machine.run(one.sql());
        made = machine.state(one);
        machine.undo(one);
      }
      machine.begin();
      long refusals = 0;
      for (MemoryBudget budget : machine.budgets()) {
        String whose = " of memory " + machine.budgets().indexOf(budget);
        for (long n = 1; once("request " + n + whose, new Refusal(budget, n)); n = next(n)) {
          refusals++;
        }
      }
      for (Device device : machine.devices()) {
        if (device instanceof DiscreteDevice discrete) {
          String whose = " of the driver of " + device.name();
          for (long n = 1; once("block " + n + whose, new NoBlock(discrete, n)); n = next(n)) {
            refusals++;
          }
        }
      }
      return refusals;
    }

    private long next(long number) {
      return number + (EVERY ? 1 : 1 + random.nextLong(STEP * number));
    }

    /** Whether something was refused. */
    private boolean once(String request, Fault fault) throws IOException, SQLException {
      String what = one.name() + ", " + request;
      boolean done = false;
      fault.begin();
      try {
        assertEquals(expected, machine.run(one.sql()), what);
        done = true;
      } catch (SQLException e) {
        if (e.getErrorCode() != ErrorCode.MEMORY_EXCEEDED.number()) {
          throw new AssertionError(what + ": " + e.getMessage(), e);
        }
      } finally {
        fault.end();
      }
      assertEquals(done ? made : unmade, machine.state(one), what);
      if (done) {
        machine.undo(one);
      }
      machine.assertNothingLeft(what);
      return fault.happened();
    }
  }
}
