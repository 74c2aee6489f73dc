package io.aragonite.exec.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.page.MalformedPageException;
import io.aragonite.exec.page.PageForm;
import io.aragonite.exec.table.Decodable;
import io.aragonite.exec.table.EncodedChunk;
import io.aragonite.exec.table.EncodedColumn;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.testing.TestSeed;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Dictionary;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ReadAheadTest {
  private static final int CHUNK_BYTES = 100;

  private final AtomicInteger openColumns = new AtomicInteger();
  private final AtomicInteger openChunks = new AtomicInteger();
  private final AtomicInteger mostChunks = new AtomicInteger();

  /** What a column does when it is asked for. */
  private enum Fate {
    DECODED,
    BY_HOST,
    BROKEN,
    BROKEN_AT_A_CHUNK,
    BY_HOST_AT_A_CHUNK
  }

  /** A column; its chunks have as many rows as their number says, plus one. */
  private record FakeColumn(Fate fate, int chunks, int bad) {}

  private final class FakeTable implements Table {
    private final List<FakeColumn> columns;
    private final AtomicInteger pins = new AtomicInteger();

    FakeTable(List<FakeColumn> columns) {
      this.columns = columns;
    }

    @Override
    public String name() {
      return "fake";
    }

    @Override
    public List<String> columnNames() {
      return IntStream.range(0, columns.size()).mapToObj(i -> "c" + i).toList();
    }

    @Override
    public List<DataType> columnTypes() {
      return columns.stream().map(column -> DataType.of(TypeKind.INT64, false)).toList();
    }

    @Override
    public long bytes(int column) {
      return CHUNK_BYTES;
    }

    @Override
    public Pin pin(List<Integer> wanted) {
      pins.incrementAndGet();
      return new Pin() {
        @Override
        public List<ColumnShape> shapes() {
          return List.of();
        }

        @Override
        public List<ColumnBatch> chunks() {
          return List.of();
        }

        @Override
        public void close() {}
      };
    }

    @Override
    public Decodable<EncodedColumn> encoded(int number) {
      FakeColumn column = columns.get(number);
      return switch (column.fate) {
        case BY_HOST -> Decodable.byHost("why " + number);
        case BROKEN -> throw error(number);
        default -> {
          openColumns.incrementAndGet();
          yield Decodable.of(new FakeEncoded(number, column));
        }
      };
    }
  }

  private static AragoniteException error(int column) {
    return new AragoniteException(ErrorCode.FILE_BROKEN, "column " + column);
  }

  private final class FakeEncoded implements EncodedColumn {
    private final int number;
    private final FakeColumn column;
    private final AtomicBoolean closed = new AtomicBoolean();

    FakeEncoded(int number, FakeColumn column) {
      this.number = number;
      this.column = column;
    }

    @Override
    public Decodable<List<EncodedChunk>> chunks(int from, int to) {
      assertFalse(closed.get(), "chunks of a closed column");
      assertTrue(from < to && to <= column.chunks, from + " to " + to);
      if (column.bad >= from && column.bad < to) {
        if (column.fate == Fate.BROKEN_AT_A_CHUNK) {
          throw error(number);
        }
        if (column.fate == Fate.BY_HOST_AT_A_CHUNK) {
          return Decodable.byHost("why " + number);
        }
      }
      List<EncodedChunk> chunks = new ArrayList<>();
      for (int i = from; i < to; i++) {
        AtomicBoolean open = new AtomicBoolean(true);
        mostChunks.accumulateAndGet(openChunks.incrementAndGet(), Math::max);
        chunks.add(
            new EncodedChunk(
                i + 1,
                List.of(),
                Buffer.EMPTY,
                () -> {
                  assertTrue(open.getAndSet(false), "closed twice");
                  openChunks.decrementAndGet();
                }));
      }
      return Decodable.of(chunks);
    }

    @Override
    public int chunks() {
      return column.chunks;
    }

    @Override
    public long size(int chunk) {
      return CHUNK_BYTES;
    }

    @Override
    public long bytes(int chunk) {
      return CHUNK_BYTES;
    }

    @Override
    public void close() {
      assertFalse(closed.getAndSet(true), "closed twice");
      openColumns.decrementAndGet();
    }

    @Override
    public DataType type() {
      return DataType.of(TypeKind.INT64, false);
    }

    @Override
    public PageForm form() {
      throw new UnsupportedOperationException();
    }

    @Override
    public int width() {
      return 8;
    }

    @Override
    public boolean optional() {
      return false;
    }

    @Override
    public boolean compressed() {
      return false;
    }

    @Override
    public @Nullable Dictionary dictionary() {
      return null;
    }

    @Override
    public long rows() {
      return column.chunks;
    }

    @Override
    public AragoniteException broken(int chunk, int page, MalformedPageException found) {
      return error(number);
    }

    @Override
    public boolean accept(ColumnShape shape, long nulls) {
      return true;
    }
  }

  private static List<FakeColumn> columns(Random random) {
    List<FakeColumn> columns = new ArrayList<>();
    for (int i = 1 + random.nextInt(6); i > 0; i--) {
      int chunks = 1 + random.nextInt(random.nextBoolean() ? 4 : 150);
      Fate fate =
          random.nextInt(3) > 0
              ? Fate.DECODED
              : Fate.values()[random.nextInt(Fate.values().length)];
      columns.add(new FakeColumn(fate, chunks, random.nextInt(chunks)));
    }
    return columns;
  }

  /** What a query sees of a column: how many chunks, and what ended them. */
  private static String read(Decodable<EncodedColumn> found, Random random, int most) {
    if (!found.present()) {
      return found.reason();
    }
    int at = 0;
    try (EncodedColumn column = found.get()) {
      while (at < Math.min(column.chunks(), most)) {
        int to = Math.min(column.chunks(), at + 1 + random.nextInt(60));
        Decodable<List<EncodedChunk>> chunks = column.chunks(at, to);
        if (!chunks.present()) {
          return chunks.reason();
        }
        assertEquals(to - at, chunks.get().size());
        for (EncodedChunk chunk : chunks.get()) {
          assertEquals(++at, chunk.rows());
          chunk.close();
        }
      }
    } catch (AragoniteException e) {
      return e.getMessage();
    }
    return "";
  }

  private static String ask(
      Table table, @Nullable ReadAhead ahead, int column, Random random, int most) {
    try {
      return read(ahead == null ? table.encoded(column) : ahead.encoded(column), random, most);
    } catch (AragoniteException e) {
      return e.getMessage();
    }
  }

  @Test
  void aQuerySeesWhatItWouldSeeWithout() {
    Random random = TestSeed.random(ReadAheadTest.class);
    for (int round = 0; round < 3000; round++) {
      FakeTable table = new FakeTable(columns(random));
      List<Integer> wanted =
          IntStream.range(0, table.columns.size())
              .filter(i -> random.nextInt(5) > 0)
              .boxed()
              .toList();
      long seed = random.nextLong();
      List<String> alone = walk(table, null, wanted, new Random(seed));
      long room = CHUNK_BYTES * (long) (1 + random.nextInt(200));
      List<String> behind;
      try (ReadAhead ahead = new ReadAhead(table, wanted, room)) {
        behind = walk(table, ahead, wanted, new Random(seed));
      }
      assertEquals(alone, behind, "round " + round);
      assertEquals(0, openChunks.get(), "chunks that nobody has closed");
      assertEquals(0, openColumns.get(), "columns that nobody has closed");
    }
  }

  /** Some columns whole, some in part, some not at all, some that nobody goes ahead to. */
  private static List<String> walk(
      Table table, @Nullable ReadAhead ahead, List<Integer> wanted, Random random) {
    List<String> seen = new ArrayList<>();
    for (int column = 0; column < table.columnNames().size(); column++) {
      int most = random.nextInt(4) == 0 ? random.nextInt(60) : Integer.MAX_VALUE;
      Random steps = new Random(random.nextLong());
      boolean skipped = random.nextInt(6) == 0;
      if (random.nextInt(8) == 0) {
        pause();
      }
      if (!skipped || !wanted.contains(column)) {
        seen.add(column + ask(table, ahead, column, steps, most));
      }
    }
    return seen;
  }

  private static void pause() {
    try {
      Thread.sleep(1);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void noMoreIsReadyThanThereIsRoomFor() throws InterruptedException {
    FakeTable table =
        new FakeTable(
            List.of(new FakeColumn(Fate.DECODED, 500, 0), new FakeColumn(Fate.DECODED, 500, 0)));
    try (ReadAhead ahead = new ReadAhead(table, List.of(0, 1), 40 * CHUNK_BYTES)) {
      for (int i = 0; i < 500 && openChunks.get() < 40; i++) {
        Thread.sleep(10);
      }
      Thread.sleep(50);
      assertEquals(40, openChunks.get(), "chunks that are ready");
      assertEquals("", ask(table, ahead, 0, new Random(1), Integer.MAX_VALUE));
      assertEquals("", ask(table, ahead, 1, new Random(1), Integer.MAX_VALUE));
    }
    assertTrue(mostChunks.get() <= 40 + 60 + 1, "most " + mostChunks);
    assertEquals(0, openChunks.get());
  }

  @Test
  void theHostDecodesAheadWhatTheDeviceCannot() throws InterruptedException {
    FakeTable table =
        new FakeTable(
            List.of(new FakeColumn(Fate.DECODED, 3, 0), new FakeColumn(Fate.BY_HOST, 3, 0)));
    try (ReadAhead ahead = new ReadAhead(table, List.of(0, 1), 1000)) {
      for (int i = 0; i < 500 && table.pins.get() == 0; i++) {
        Thread.sleep(10);
      }
      assertEquals(1, table.pins.get());
      assertEquals("why 1", ask(table, ahead, 1, new Random(1), 1));
    }
    assertEquals(0, openColumns.get());
  }

  @Test
  void aCancelledQueryEndsTheThread() {
    AtomicBoolean cancelled = new AtomicBoolean();
    StopCheck check =
        new StopCheck(() -> {
          if (cancelled.get()) {
            throw new AragoniteException(ErrorCode.CANCELLED, "cancelled");
          }
        });
    FakeTable table = new FakeTable(List.of(new FakeColumn(Fate.DECODED, 500, 0)));
    try (StopCheck.Scope _ = check.enter();
        ReadAhead ahead = new ReadAhead(table, List.of(0), CHUNK_BYTES)) {
      cancelled.set(true);
      AragoniteException error =
          assertThrows(
              AragoniteException.class,
              () -> {
                while (true) {
                  check.check();
                  try (EncodedColumn column = ahead.encoded(0).get()) {
                    column.chunks(0, 500).get().forEach(EncodedChunk::close);
                  }
                }
              });
      assertEquals(ErrorCode.CANCELLED, error.code());
    }
    assertEquals(0, openChunks.get());
    assertEquals(0, openColumns.get());
  }
}
