package io.aragonite.exec.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.exchange.PartitionLayout.DeviceChunk;
import io.aragonite.exec.testing.TestSeed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Moves rows as layouts say, by hand, and looks at what lies where. */
class PartitionLayoutTest {
  private static final int BITS = 5;
  private static final int PARTITIONS = 1 << BITS;
  private static final int ROUNDS = 400;

  private final long seed = TestSeed.seed();
  private final Random random = new Random(seed);

  /** A row says which it is, and its partition. */
  private record Row(int device, int chunk, int number, int partition) {}

  private int[] firsts(int devices) {
    int[] firsts = new int[devices + 1];
    for (int d = 1; d < devices; d++) {
      firsts[d] = random.nextInt(PARTITIONS + 1);
    }
    firsts[devices] = PARTITIONS;
    Arrays.sort(firsts);
    return firsts;
  }

  private List<List<Row>> rows(int device, int chunks, BitSet frequent) {
    List<List<Row>> all = new ArrayList<>();
    for (int chunk = 0; chunk < chunks; chunk++) {
      List<Row> rows = new ArrayList<>();
      for (int p = 0; p < PARTITIONS; p++) {
        int count = random.nextInt(frequent.get(p) ? 40 : random.nextInt(8) + 1);
        for (int i = 0; i < count; i++) {
          rows.add(new Row(device, chunk, rows.size(), p));
        }
      }
      all.add(rows);
    }
    return all;
  }

  private static int[] sizes(List<Row> chunk) {
    int[] sizes = new int[PARTITIONS];
    chunk.forEach(row -> sizes[row.partition]++);
    return sizes;
  }

  @Test
  void allRowsComeToWhereTheyAreJoined() {
    for (int round = 0; round < ROUNDS; round++) {
      String what = "round " + round + "; -Daragonite.seed=" + seed;
      int devices = 1 + random.nextInt(5);
      int[] firsts = firsts(devices);
      BitSet frequent = new BitSet();
      for (int i = random.nextInt(4); i > 0; i--) {
        frequent.set(random.nextInt(PARTITIONS));
      }
      boolean stays = random.nextBoolean();
      List<List<List<Row>>> rows = new ArrayList<>();
      for (int d = 0; d < devices; d++) {
        rows.add(rows(d, 1 + random.nextInt(3), frequent));
      }
      List<int[][]> sizes =
          rows.stream()
              .map(some -> some.stream().map(PartitionLayoutTest::sizes).toArray(int[][]::new))
              .toList();
      List<PartitionLayout> layouts = new ArrayList<>();
      for (int d = 0; d < devices; d++) {
        layouts.add(new PartitionLayout(d, firsts, BITS, frequent, stays, sizes));
      }
      check(what, layouts, firsts, frequent, rows);
    }
  }

  private static void check(
      String what,
      List<PartitionLayout> layouts,
      int[] firsts,
      BitSet frequent,
      List<List<List<Row>>> rows) {
    List<Row[]> sent = new ArrayList<>();
    List<Row[]> there = new ArrayList<>();
    for (int d = 0; d < layouts.size(); d++) {
      PartitionLayout layout = layouts.get(d);
      sent.add(new Row[layout.sent()]);
      there.add(new Row[layout.total]);
      for (int chunk = 0; chunk < layout.chunks(); chunk++) {
        assertEquals(rows.get(d).get(chunk).size(), layout.rows(chunk), what);
        int[] places = layout.places(chunk);
        for (Row row : rows.get(d).get(chunk)) {
          Row[] to = layout.kept(d).get(row.partition) ? there.get(d) : sent.get(d);
          put(what, to, places[row.partition]++, row);
        }
      }
    }
    for (int d = 0; d < layouts.size(); d++) {
      PartitionLayout layout = layouts.get(d);
      for (int r = 0; r < layout.runs.size(); r++) {
        DeviceChunk run = layout.runs.get(r);
        int[] outgoing = layout.outgoing(run);
        Row[] from = sent.get(run.device());
        int[] whole = layout.whole[r];
        if (run.device() != d && whole != null) {
          assertTrue(run.chunk() < layout.chunksBefore(), what);
          copy(what, from, outgoing[layout.start(0)], there.get(d), whole);
        }
        for (int s = 0; run.device() != d && whole == null && s < PartitionLayout.SLICES; s++) {
          copy(what, from, outgoing[layout.start(s)], there.get(d), layout.starts[s][r]);
        }
        if (!layout.stays && r < layout.others.length) {
          copy(what, from, outgoing[frequent.nextSetBit(0)], there.get(d), layout.others[r]);
        }
      }
      look(what, layout, d, firsts, frequent, rows, there.get(d));
    }
  }

  private static void put(String what, Row[] to, int at, Row row) {
    assertTrue(to[at] == null, what);
    to[at] = row;
  }

  private static void copy(String what, Row[] from, int first, Row[] to, int[] starts) {
    for (int i = 0; i < PartitionLayout.rows(starts); i++) {
      put(what, to, starts[0] + i, from[first + i]);
    }
  }

  /** Each row that the device should have lies in its run and partition, in order. */
  private static void look(
      String what,
      PartitionLayout layout,
      int device,
      int[] firsts,
      BitSet frequent,
      List<List<List<Row>>> rows,
      Row[] there) {
    List<Row> expected = new ArrayList<>();
    rows.stream()
        .flatMap(List::stream)
        .flatMap(List::stream)
        .filter(row ->
            frequent.get(row.partition)
                ? !layout.stays || row.device == device
                : row.partition >= firsts[device] && row.partition < firsts[device + 1])
        .forEach(expected::add);
    TreeMap<String, Integer> lie = new TreeMap<>();
    for (int s = 0; s < PartitionLayout.SLICES; s++) {
      visit(what, layout, layout.starts[s], firsts[device], there, lie);
    }
    visit(what, layout, layout.others, 0, there, lie);
    TreeMap<String, Integer> wanted = new TreeMap<>();
    expected.forEach(row -> wanted.merge(row.toString(), 1, Integer::sum));
    assertEquals(wanted, lie, what);
    assertEquals(expected.size(), layout.total, what);
  }

  private static void visit(
      String what,
      PartitionLayout layout,
      int[][] runs,
      int first,
      Row[] there,
      TreeMap<String, Integer> lie) {
    for (int r = 0; r < runs.length; r++) {
      for (int p = 0; p + 1 < runs[r].length; p++) {
        int before = -1;
        for (int i = runs[r][p]; i < runs[r][p + 1]; i++) {
          Row row = there[i];
          assertEquals(layout.runs.get(r), new DeviceChunk(row.device, row.chunk), what);
          assertEquals(first + p, row.partition, what);
          assertTrue(row.number > before, what);
          before = row.number;
          lie.merge(row.toString(), 1, Integer::sum);
        }
      }
    }
  }
}
