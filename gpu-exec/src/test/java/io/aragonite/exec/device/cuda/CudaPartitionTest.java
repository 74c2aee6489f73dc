package io.aragonite.exec.device.cuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.aragonite.exec.device.MovedColumn;
import io.aragonite.exec.device.PartitionFunction;
import io.aragonite.exec.device.PartitionOps;
import io.aragonite.exec.device.PartitionOps.SeparatePartitions;
import io.aragonite.exec.device.TestContext;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.testing.TestSeed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** More rows than a pass moves at once come to where one pass would bring them. */
@Tag("gpu")
class CudaPartitionTest {
  private static final int ROUNDS = 60;

  private final Random random = TestSeed.random(getClass());
  private final CudaDevice device = TestGpu.device(1L << 30);
  private TestContext context = new TestContext(device);

  @AfterEach
  void close() {
    context.close();
    device.close();
  }

  /** Rows of words and columns. */
  private record Rows(int count, MovedColumn words, List<MovedColumn> columns) {
    /** The same, to other memory. */
    Rows to(TestContext context) {
      return new Rows(
          count, again(context, words), columns.stream().map(c -> again(context, c)).toList());
    }

    private MovedColumn again(TestContext context, MovedColumn column) {
      Buffer out = context.memory().allocate((long) column.width() * count);
      return new MovedColumn(column.in(), out, column.width());
    }

    List<byte[]> moved(TestContext context) {
      List<byte[]> moved = new ArrayList<>();
      moved.add(context.bytes(words.out(), words.width() * count));
      columns.forEach(column -> moved.add(context.bytes(column.out(), column.width() * count)));
      return moved;
    }
  }

  private Rows rows(int wordBytes, int count) {
    int[] few = random.ints(5).toArray();
    int[] words = new int[count * wordBytes / 4];
    Arrays.setAll(
        words, i -> random.nextBoolean() ? few[random.nextInt(few.length)] : random.nextInt());
    MovedColumn moved =
        new MovedColumn(
            context.ints(words), context.memory().allocate((long) wordBytes * count), wordBytes);
    List<MovedColumn> columns = new ArrayList<>();
    for (int width : random.ints(random.nextInt(11), 0, 4).map(i -> 1 << i).toArray()) {
      byte[] bytes = new byte[width * count];
      random.nextBytes(bytes);
      Buffer out = context.memory().allocate((long) width * count);
      columns.add(new MovedColumn(context.bytes(bytes), out, width));
    }
    return new Rows(count, moved, columns);
  }

  private static void same(String what, List<byte[]> expected, List<byte[]> got) {
    for (int i = 0; i < expected.size(); i++) {
      assertArrayEquals(expected.get(i), got.get(i), what + ", column " + (i - 1));
    }
  }

  @Test
  void chunksComeToWhereAllRowsTogetherDo() {
    for (int round = 0; round < ROUNDS; round++) {
      int wordBytes = random.nextBoolean() ? 4 : 8;
      int count = 1 + random.nextInt(40_000);
      int chunk = Math.max(1, count / (1 + random.nextInt(5)) - random.nextInt(2));
      int bits = 1 + random.nextInt(random.nextBoolean() ? 12 : PartitionOps.PLACE_BITS);
      String what =
          "round " + round + ": " + count + " rows, chunks of " + chunk + ", " + bits + " bits";
      Rows whole = rows(wordBytes, count);
      Rows parts = whole.to(context);
      PartitionFunction order =
          context.partition().partitionFunction(context, whole.words.in(), wordBytes, count);
      Buffer starts = context.memory().allocate((4L << bits) + 4);
      Buffer others = context.memory().allocate((4L << bits) + 4);
      CudaPartition.rows(context, order, bits, whole.words, count, whole.columns, starts);
      CudaPartition.rows(context, order, bits, parts.words, count, parts.columns, others, chunk);
      int[] begins = context.ints(starts, (1 << bits) + 1);
      assertArrayEquals(begins, context.ints(others, (1 << bits) + 1), what);
      List<byte[]> expected = whole.moved(context);
      same(what, expected, parts.moved(context));
      if (bits <= PartitionOps.PLACE_BITS) {
        place(what, order, bits, whole, chunk, begins);
      }
      context.close();
      context = new TestContext(device);
    }
  }

  /** The same places for partitions that stay together and for those that go to other memory. */
  private void place(
      String what, PartitionFunction order, int bits, Rows rows, int chunk, int[] begins) {
    BitSet apart = new BitSet();
    random.ints(random.nextInt(1 << bits), 0, 1 << bits).forEach(apart::set);
    int[] places = Arrays.copyOf(begins, 1 << PartitionOps.PLACE_BITS);
    List<List<byte[]>> both = new ArrayList<>();
    for (int chunkRows : new int[] {CudaPartition.CHUNK_ROWS, chunk}) {
      Rows main = rows.to(context);
      Rows beside = rows.to(context);
      List<MovedColumn> all = new ArrayList<>(main.columns);
      all.addAll(beside.columns);
      all.addAll(List.of(main.words, beside.words));
      all.forEach(column -> context.memory().fill(column.out(), (byte) 0));
      Buffer there = context.ints(places);
      SeparatePartitions aside =
          new SeparatePartitions(
              apart, beside.words.out(), beside.columns.stream().map(MovedColumn::out).toList());
      CudaPartition.place(
          context, order, bits, main.words, rows.count, main.columns, there, aside, chunkRows);
      assertArrayEquals(places, context.ints(there, places.length), "they are the caller's");
      List<byte[]> moved = new ArrayList<>(main.moved(context));
      moved.addAll(beside.moved(context));
      both.add(moved);
    }
    same(what + ", to places", both.getFirst(), both.getLast());
  }
}
