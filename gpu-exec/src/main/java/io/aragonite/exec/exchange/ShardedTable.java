package io.aragonite.exec.exchange;

import io.aragonite.exec.collective.Rank;
import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.PartitionFunction;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A table of whose rows each device has a share. If it is in order of a key, that is a range of
 * keys; else pieces dealt out in turn, so that rows that are alike because they came together (a
 * day's) are on all devices. A share is a table of its own, always the same object, so that devices
 * keep its columns.
 */
public final class ShardedTable implements Table {
  /** Pieces of a share. */
  private static final int PIECES = 8;

  private final Table whole;
  private final Map<List<Integer>, Table> shares = new HashMap<>();

  private final Supplier<List<PartitionFunction>> orders;
  private final int devices;
  private volatile @Nullable Optional<SortedKey> key;

  /** A table that is dealt out in pieces. */
  public ShardedTable(Table whole) {
    this(whole, List::of, 1);
    key = Optional.empty();
  }

  /**
   * @param orders of the keys of other tables
   * @param devices that run queries together
   */
  public ShardedTable(Table whole, Supplier<List<PartitionFunction>> orders, int devices) {
    this.whole = whole;
    this.orders = orders;
    this.devices = devices;
  }

  /** The key by whose ranges rows are spread; null if they are dealt out. Found at first use. */
  @Nullable
  public SortedKey key() {
    Optional<SortedKey> known = key;
    if (known == null) {
      synchronized (this) {
        known = key;
        if (known == null) {
          known = Optional.ofNullable(SortedKey.of(whole, orders.get(), devices));
          key = known;
        }
      }
    }
    return known.orElse(null);
  }

  /** The order of its key, if it has been found. */
  @Nullable
  public PartitionFunction knownOrder() {
    Optional<SortedKey> known = key;
    return known == null ? null : known.map(SortedKey::order).orElse(null);
  }

  /** Whether it has the rows of a table. */
  @SuppressWarnings("ReferenceEquality") // a table is its object
  public boolean isOf(Table table) {
    return whole == table;
  }

  /** The scan as the rank is to run it. */
  public static PhysicalPlan.Scan share(PhysicalPlan.Scan scan, @Nullable Rank rank) {
    if (rank == null || !(scan.table() instanceof ShardedTable spread)) {
      return scan;
    }
    return new PhysicalPlan.Scan(
        spread.share(rank.index(), rank.devices().size()), scan.columns(), scan.types());
  }

  /** The share of one of {@code ranks}. */
  public synchronized Table share(int rank, int ranks) {
    return shares.computeIfAbsent(List.of(rank, ranks), key -> new Share(this, whole, rank, ranks));
  }

  @Override
  public String name() {
    return whole.name();
  }

  @Override
  public List<String> columnNames() {
    return whole.columnNames();
  }

  @Override
  public List<DataType> columnTypes() {
    return whole.columnTypes();
  }

  @Override
  public long rows() {
    return whole.rows();
  }

  @Override
  public @Nullable ColumnShape shape(int column) {
    return whole.shape(column);
  }

  @Override
  public Pin pin(List<Integer> columns) {
    return whole.pin(columns);
  }

  /**
   * The rows of one device. It cannot be read in parts: they would not be the same rows.
   *
   * @param all keeps the table's shares the same objects for as long as somebody has one
   */
  private record Share(ShardedTable all, Table whole, int rank, int ranks) implements Table {
    @Override
    public String name() {
      return whole.name();
    }

    @Override
    public List<String> columnNames() {
      return whole.columnNames();
    }

    @Override
    public List<DataType> columnTypes() {
      return whole.columnTypes();
    }

    /** About as many. */
    @Override
    public long rows() {
      long rows = whole.rows();
      return rows < 0 ? rows : (rows + ranks - 1) / ranks;
    }

    @Override
    public @Nullable ColumnShape shape(int column) {
      return whole.shape(column);
    }

    @Override
    public Pin pin(List<Integer> columns) {
      Pin pin = whole.pin(columns);
      PinnedBitmaps bitmaps = new PinnedBitmaps();
      boolean done = false;
      try {
        SortedKey key = all.key();
        List<ColumnBatch> mine =
            key == null ? mine(pin.chunks()) : ranged(pin.chunks(), key, bitmaps);
        done = true;
        return new Pin() {
          @Override
          public List<ColumnShape> shapes() {
            return pin.shapes();
          }

          @Override
          public List<ColumnBatch> chunks() {
            return mine;
          }

          @Override
          public void close() {
            try (pin) {
              bitmaps.close();
            }
          }
        };
      } finally {
        if (!done) {
          try (pin) {
            bitmaps.close();
          }
        }
      }
    }

    /**
     * The rows of a range of keys, in order. Pieces end where the share's rows so far are a
     * multiple of 64, and where chunks end.
     */
    private List<ColumnBatch> ranged(
        List<ColumnBatch> chunks, SortedKey key, PinnedBitmaps bitmaps) {
      long from = key.border(rank, ranks);
      long to = key.border(rank + 1, ranks);
      List<ColumnBatch> mine = new ArrayList<>();
      long start = 0;
      for (ColumnBatch chunk : chunks) {
        long end = start + chunk.rows();
        long at = Math.max(start, from);
        while (at < Math.min(end, to)) {
          long last = Math.min(end, to);
          long odd = at - from & 63;
          long lines = last - at & -64;
          long next = odd > 0 ? Math.min(last, at + 64 - odd) : lines > 0 ? at + lines : last;
          mine.add(part(chunk, (int) (at - start), (int) (next - at), bitmaps));
          at = next;
        }
        start = end;
      }
      return mine;
    }

    private static ColumnBatch part(ColumnBatch chunk, int from, int count, PinnedBitmaps bitmaps) {
      return new ColumnBatch(
          chunk.columns().stream()
              .map(column -> column.sliceAnywhere(from, count, bitmaps::allocate))
              .toList(),
          count);
    }

    /** Chunks begin at multiples of 64 rows, and so do pieces. */
    private List<ColumnBatch> mine(List<ColumnBatch> chunks) {
      long rows = chunks.stream().mapToLong(ColumnBatch::rows).sum();
      long pieces = (long) ranks * PIECES;
      long piece = Math.max(64, (rows + pieces - 1) / pieces + 63 & -64);
      List<ColumnBatch> mine = new ArrayList<>();
      long start = 0;
      for (ColumnBatch chunk : chunks) {
        long end = start + chunk.rows();
        for (long at = start; at < end; ) {
          long next = Math.min(end, (at / piece + 1) * piece);
          if (at / piece % ranks == rank) {
            mine.add(Batches.slice(chunk, (int) (at - start), (int) (next - at)));
          }
          at = next;
        }
        start = end;
      }
      return mine;
    }
  }

  /**
   * Bitmaps that begin where a share does, for as long as its columns are pinned: a bit a row,
   * which no budget counts.
   */
  private static final class PinnedBitmaps implements AutoCloseable {
    private @Nullable Arena arena;

    Buffer allocate(long bytes) {
      if (arena == null) {
        arena = Arena.ofShared();
      }
      return new Buffer(arena.allocate(bytes, Long.BYTES).address(), bytes);
    }

    @Override
    public void close() {
      Arena open = arena;
      arena = null;
      if (open != null) {
        open.close();
      }
    }
  }
}
