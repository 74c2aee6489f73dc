package io.aragonite.exec.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.DiscreteDevice;
import io.aragonite.exec.device.ExpressionCompiler;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.exchange.host.HostColumn;
import io.aragonite.exec.exchange.host.HostMatches;
import io.aragonite.exec.exchange.host.HostMatches.Ranges;
import io.aragonite.exec.exchange.host.HostMatches.Whole;
import io.aragonite.exec.exchange.host.HostSide;
import io.aragonite.exec.group.HostJoin.Settings;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.MemoryDebug;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.testing.TestSeed;
import io.aragonite.exec.testing.device.TestDevices;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sort-merge joins of host memory on 1 to 8 devices, against a join by a map. */
@Timeout(120)
class HostJoinTest {
  private static final String STRATEGY = "aragonite.sort.together";
  private static final String PART = "aragonite.sort.part";
  private static final int[] COUNTS = {1, 2, 3, 4, 5, 8};

  /** What is compiled for one fake serves all. */
  private static final ExpressionCompiler EXPRESSIONS = new CpuExpressionCompiler();

  /** What a chunkset of some hundred rows takes. */
  private static final long LITTLE = 40_000;

  private final long seed = TestSeed.seed();
  private final Random random = new Random(seed);
  private final MemoryBudget inputs = new MemoryBudget("inputs", 1 << 28);
  private final QueryMemory memory = new NativeQueryMemory(inputs, 0);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Device> open = new ArrayList<>();

  @AfterEach
  void nothingIsLeft() {
    threads.shutdown();
    memory.close();
    for (Device device : open) {
      MemoryDebug.assertReleased(device.memory());
      MemoryDebug.assertReleased(device.host().memory());
      device.close();
    }
  }

  /** The tests' own devices, or fakes with memory of their own, one of which reaches no other. */
  private List<Device> devices(int count, boolean fakes) {
    List<Device> devices = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      MemoryBudget budget = new MemoryBudget("memory", 1 << 28);
      devices.add(
          fakes
              ? new DiscreteDevice(
                  i,
                  budget,
                  new CpuDevice(1, new MemoryBudget("host", 1 << 28), new CpuExpressionCompiler()))
              : TestDevices.create(i, 2, budget, CpuDevice.BATCH_ROWS, CpuDevice.MORSEL_ROWS));
    }
    open.addAll(devices);
    return devices;
  }

  /** Keys, some of them null, and payload that is made of the row's number. */
  private record Side(HostSide side, @Nullable Long[] keys) {}

  private static long payload(int column, long row) {
    return column == 0 ? row : row * 31 + column;
  }

  private static void put(long address, int width, long value) {
    switch (width) {
      case 1 -> Mem.putByte(address, (byte) value);
      case 2 -> Mem.putShort(address, (short) value);
      case 4 -> Mem.putInt(address, (int) value);
      default -> Mem.putLong(address, value);
    }
  }

  private static long get(HostColumn column, long row) {
    long address = column.address(row);
    return switch (column.width()) {
      case 1 -> Mem.getByte(address);
      case 2 -> Mem.getShort(address);
      case 4 -> Mem.getInt(address);
      default -> Mem.getLong(address);
    };
  }

  private HostColumn column(int width, List<Long> pieces, LongUnaryOperator value) {
    List<Long> addresses = new ArrayList<>();
    long row = 0;
    for (long rows : pieces) {
      Buffer buffer = memory.allocate(width * rows);
      for (long i = 0; i < rows; i++, row++) {
        put(buffer.address() + width * i, width, value.applyAsLong(row));
      }
      addresses.add(buffer.address());
    }
    return new HostColumn(width, addresses, pieces);
  }

  /**
   * @param nulls one row of so many has none; 0: all have a key
   */
  private Side side(long[] keys, int width, List<Integer> payload, int nulls, boolean sorted) {
    List<Long> pieces = new ArrayList<>();
    int left = keys.length;
    while (left > 64 && random.nextInt(4) > 0) {
      int some = 64 * (1 + random.nextInt((left - 1) / 64));
      pieces.add((long) some);
      left -= some;
    }
    pieces.add((long) left);
    @Nullable Long[] values = new Long[keys.length];
    for (int i = 0; i < keys.length; i++) {
      values[i] = nulls > 0 && random.nextInt(nulls) == 0 ? null : (Long) keys[i];
    }
    List<Long> validity = new ArrayList<>();
    int row = 0;
    for (long rows : pieces) {
      // The first piece in any case: a side that is said to be sorted is taken at its word else.
      boolean some = nulls > 0 && (validity.isEmpty() || random.nextInt(4) > 0);
      Buffer bits = memory.allocate((rows + 63) / 64 * 8);
      memory.fill(bits, (byte) 0);
      for (int i = 0; i < rows; i++, row++) {
        if (!some) {
          values[row] = keys[row];
        } else if (values[row] != null) {
          long at = bits.address() + i / 8;
          Mem.putByte(at, (byte) (Mem.getByte(at) | 1 << i % 8));
        }
      }
      validity.add(some ? bits.address() : 0L);
    }
    // What is under a null is some other row's key.
    HostColumn key = column(width, pieces, i -> keys[(int) i]);
    List<HostColumn> columns = new ArrayList<>();
    for (int c = 0; c < payload.size(); c++) {
      int column = c;
      columns.add(column(payload.get(c), pieces, i -> payload(column, i)));
    }
    return new Side(new HostSide(key, nulls > 0 ? validity : List.of(), columns, sorted), values);
  }

  private long[] keys(int rows, int width, LongUnaryOperator key) {
    long[] keys = new long[rows];
    for (int i = 0; i < rows; i++) {
      keys[i] = width == 4 ? (int) key.applyAsLong(i) : key.applyAsLong(i);
    }
    return keys;
  }

  /** Pairs of row numbers, sorted. */
  private static List<String> expected(Side left, Side right) {
    Map<Long, List<Integer>> rows = new HashMap<>();
    for (int i = 0; i < right.keys.length; i++) {
      if (right.keys[i] != null) {
        rows.computeIfAbsent(right.keys[i], key -> new ArrayList<>()).add(i);
      }
    }
    List<String> pairs = new ArrayList<>();
    for (int i = 0; i < left.keys.length; i++) {
      if (left.keys[i] != null) {
        for (int partner : rows.getOrDefault(left.keys[i], List.of())) {
          pairs.add(i + "," + partner);
        }
      }
    }
    pairs.sort(null);
    return pairs;
  }

  /** The same of what was found, whose columns must belong together and ascend. */
  private List<String> found(HostMatches matches, Side left, Side right) {
    check(matches.left().getFirst(), matches.left().subList(1, matches.left().size()), left);
    check(matches.rightKey(), matches.rightPayload(), right);
    List<String> pairs = new ArrayList<>();
    long last = 0;
    for (Ranges ranges : matches.ranges()) {
      assertTrue(ranges.leftFrom() >= last, "ranges ascend");
      last = ranges.leftFrom() + ranges.rows();
      List<String> rows = new ArrayList<>();
      for (long row = ranges.leftFrom(); row < last; row++) {
        for (int i = 0; i < ranges.count(row); i++) {
          rows.add(pair(matches, row, ranges.first(row) + i));
        }
      }
      List<String> visited = new ArrayList<>();
      ranges.forEach(
          ranges.leftFrom(),
          last,
          (leftFrom, leftTo, rightFrom, rightTo) -> {
            for (long row = leftFrom; row < leftTo; row++) {
              for (long partner = rightFrom; partner < rightTo; partner++) {
                visited.add(pair(matches, row, partner));
              }
            }
          });
      assertEquals(rows, visited);
      pairs.addAll(rows);
    }
    for (Whole key : matches.keys()) {
      for (long i = 0; i < key.leftRows(); i++) {
        for (long j = 0; j < key.rightRows(); j++) {
          pairs.add(pair(matches, key.leftFrom() + i, key.rightFrom() + j));
        }
      }
    }
    assertEquals(pairs.size(), matches.pairs());
    pairs.sort(null);
    return pairs;
  }

  private static String pair(HostMatches matches, long row, long partner) {
    HostColumn right = matches.rightPayload().getFirst();
    return get(matches.left().get(1), row) + "," + get(right, partner);
  }

  private static void check(@Nullable HostColumn key, List<HostColumn> payload, Side side) {
    long rows = Arrays.stream(side.keys).filter(k -> k != null).count();
    for (long i = 0; i < rows; i++) {
      long number = get(payload.getFirst(), i);
      if (key != null) {
        assertEquals(rows, key.rows());
        assertTrue(i == 0 || key.get(i - 1) <= key.get(i), "keys ascend");
        assertEquals(side.keys[(int) number], key.get(i));
      }
      for (int c = 0; c < payload.size(); c++) {
        HostColumn column = payload.get(c);
        long bits = Long.SIZE - 8L * column.width();
        assertEquals(payload(c, number) << bits >> bits, get(column, i));
      }
    }
  }

  private String join(List<Device> devices, Side left, Side right, Settings settings) {
    QueryOptions options = QueryOptions.DEFAULT;
    try (HostJoin join = HostJoin.run(devices, threads, options, left.side, right.side, settings)) {
      assertEquals(expected(left, right), found(join.matches(), left, right));
      return join.way();
    }
  }

  private void everyWay(Side left, Side right, String what) {
    for (int count : COUNTS) {
      List<Device> devices = devices(count, count == 1 || random.nextInt(4) > 0);
      for (Settings settings :
          List.of(
              new Settings(0, random.nextBoolean(), true),
              new Settings(0, false, false),
              new Settings(LITTLE, false, true))) {
        // Sides that are joined where they were sorted are partitioned: both must be cut alike.
        boolean merges = count > 1 && (!settings.resident() || random.nextBoolean());
        for (String strategy : merges ? List.of("partition", "merge") : List.of("auto")) {
          System.setProperty(STRATEGY, strategy);
          int part = List.of(1, 40, 1 << 23).get(random.nextInt(3));
          System.setProperty(PART, Integer.toString(part));
          try {
            join(devices, left, right, settings);
          } catch (AragoniteException | AssertionError e) {
            throw new AssertionError(
                "%s on %d %s, %s, %s, parts of %d rows, seed %d"
                    .formatted(
                        what, count, devices.getFirst().name(), settings, strategy, part, seed),
                e);
          } finally {
            System.clearProperty(STRATEGY);
            System.clearProperty(PART);
          }
        }
      }
    }
  }

  private static final List<Integer> NUMBER = List.of(4);

  @Test
  void keysOfAllKinds() {
    for (int width : new int[] {4, 8}) {
      Map<String, LongUnaryOperator> kinds = new HashMap<>();
      kinds.put("dense", i -> i);
      kinds.put("random", i -> random.nextLong());
      kinds.put("repeated", i -> random.nextInt(-400, 400));
      kinds.put(
          "near the ends",
          i ->
              random.nextBoolean()
                  ? (width == 4 ? Integer.MAX_VALUE : Long.MAX_VALUE) - random.nextInt(3)
                  : (width == 4 ? Integer.MIN_VALUE : Long.MIN_VALUE) + random.nextInt(3));
      kinds.put("skewed", i -> (long) (1000 * Math.pow(random.nextDouble(), 8)));
      kinds.forEach((name, key) -> {
        boolean few = name.startsWith("near");
        long[] ours = keys(few ? 120 : 1500, width, key);
        long[] theirs =
            keys(
                few ? 90 : 2100,
                width,
                i -> i % 3 == 0 ? key.applyAsLong(i) : ours[random.nextInt(ours.length)]);
        everyWay(side(ours, width, NUMBER, 0, false), side(theirs, width, NUMBER, 0, false), name);
      });
    }
  }

  @Test
  void payloadAndNulls() {
    long[] ours = keys(900, 4, i -> random.nextInt(500));
    long[] theirs = keys(1300, 8, i -> random.nextInt(500));
    everyWay(
        side(ours, 4, List.of(8, 1, 2, 4), 5, false),
        side(theirs, 8, List.of(4, 8), 3, true),
        "nulls");
    everyWay(side(ours, 4, NUMBER, 1, false), side(theirs, 8, NUMBER, 0, false), "nulls only");
  }

  @Test
  void oneKeyAndFewRows() {
    for (int rows : new int[] {0, 1, 2, 7, 65, 130}) {
      long[] same = keys(rows, 4, i -> 7);
      long[] other = keys(70, 4, i -> i);
      Side one = side(same, 4, NUMBER, 0, false);
      everyWay(one, side(keys(100, 4, i -> 7), 4, NUMBER, 0, false), rows + " of one key");
      everyWay(one, side(other, 4, NUMBER, 0, false), rows + " of one key with others");
      everyWay(side(other, 4, NUMBER, 0, false), one, "others with " + rows + " of one key");
    }
  }

  /**
   * What is sampled says nothing of where to cut, and the sides come in unlike numbers of pieces.
   */
  @Test
  void fewRowsWithNullKeys() {
    Side one = side(keys(1, 4, i -> 5), 4, NUMBER, 0, false);
    Side none = side(keys(0, 4, i -> 5), 4, NUMBER, 0, false);
    for (int rows = 240; rows <= 540; rows += 60) {
      Side nulls = side(keys(rows, 4, i -> i), 4, NUMBER, 1, false);
      System.setProperty(PART, "40");
      try {
        for (int count = 1; count <= 2; count++) {
          join(devices(count, true), one, nulls, Settings.DEFAULT);
          join(devices(count, true), none, nulls, Settings.DEFAULT);
          join(devices(count, true), nulls, one, Settings.DEFAULT);
        }
      } catch (AragoniteException | AssertionError e) {
        throw new AssertionError("%d rows, seed %d".formatted(rows, seed), e);
      } finally {
        System.clearProperty(PART);
      }
    }
  }

  /** Sorted sides are neither copied nor sorted. */
  @Test
  void sortedSides() {
    for (int width : new int[] {4, 8}) {
      long[] ours = keys(1500, width, i -> i / 3);
      long[] theirs = keys(1000, width, i -> i < 500 ? i : 300 + i / 5);
      Arrays.sort(theirs);
      Side left = side(ours, width, NUMBER, 0, true);
      Side right = side(theirs, width, NUMBER, 0, true);
      for (int count : COUNTS) {
        String way = join(devices(count, true), left, right, Settings.DEFAULT);
        assertTrue(way.startsWith("0 and 0 chunksets"), way);
      }
      everyWay(left, side(keys(900, width, i -> random.nextInt(600)), width, NUMBER, 0, false), "");
    }
  }

  /** Sides that do not fit are sorted in several chunksets, which are merged. */
  @Test
  void chunksets() {
    long[] keys = keys(20_000, 4, i -> random.nextInt(40_000));
    Side side = side(keys, 4, NUMBER, 0, false);
    String way = join(devices(2, true), side, side, new Settings(200_000, false, true));
    assertTrue(Integer.parseInt(way.substring(0, way.indexOf(' '))) > 3, way);
  }

  @Test
  void aDeviceThatFailsIsNamed() {
    List<Device> devices = devices(3, true);
    Side side = side(keys(1000, 4, i -> i), 4, NUMBER, 0, false);
    ((DiscreteDevice) devices.get(1)).fail();
    AragoniteException error =
        assertThrows(AragoniteException.class, () -> join(devices, side, side, Settings.DEFAULT));
    assertEquals(ErrorCode.DEVICE_FAILED, error.code());
  }

  /** The least of them decides how much is sorted at once. */
  @Test
  void unlikeDevices() {
    long[] keys = keys(20_000, 4, i -> random.nextInt(40_000));
    Side side = side(keys, 4, NUMBER, 0, false);
    List<Device> devices = devices(2, true);
    CpuDevice host = new CpuDevice(1, new MemoryBudget("host", 1 << 28), EXPRESSIONS);
    devices.add(new DiscreteDevice(2, new MemoryBudget("little memory", 200_000), host));
    open.add(devices.getLast());
    String way = join(devices, side, side, Settings.DEFAULT);
    assertTrue(Integer.parseInt(way.substring(0, way.indexOf(' '))) > 1, way);
  }

  @Test
  void tooLittleMemoryIsNamed() {
    Side side = side(keys(1000, 4, i -> i), 4, NUMBER, 0, false);
    List<Device> devices = devices(2, true);
    AragoniteException error =
        assertThrows(
            AragoniteException.class,
            () -> join(devices, side, side, new Settings(1000, false, true)));
    assertEquals(ErrorCode.MEMORY_EXCEEDED, error.code());
  }
}
