package io.aragonite.spark.execution;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.spark.column.SliceBatch;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.jspecify.annotations.Nullable;

/**
 * A relation that Spark has brought to this executor, as a table of the engine's: all tasks read
 * the same columns, and the engine keeps with them the hash tables that joins look into. The
 * columns are made of slices when the first task wants them. They count as memory of tasks, and are
 * given up when that is short and nobody uses them.
 */
final class BroadcastTable implements Table {
  /** Bytes of slices at most: so all texts of a column are in one piece. */
  private static final long MOST_BYTES = 1 << 28;

  /** What part of the tasks' memory a table may take, since it is never read in parts. */
  private static final int SHARE = 4;

  /** None when it is closed: caches may hold the table for a while. */
  private List<UnsafeRow> slices;

  private final List<org.apache.spark.sql.types.DataType> sparkTypes;
  private final List<DataType> types;
  private final long rows;

  /** Not waited for by whoever wants memory, since its holder may want some itself. */
  private final ReentrantLock lock = new ReentrantLock();

  private @Nullable QueryMemory memory;
  private @Nullable ColumnBatch columns;
  private int pins;
  private volatile boolean closed;
  private volatile long bytes;

  /** Of these, what cannot be given up since tasks use it. */
  private volatile long pinnedBytes;

  private BroadcastTable(
      List<UnsafeRow> slices,
      List<org.apache.spark.sql.types.DataType> sparkTypes,
      List<DataType> types,
      long rows) {
    this.slices = slices;
    this.sparkTypes = sparkTypes;
    this.types = types;
    this.rows = rows;
  }

  /** The table of slices; null if they are too many for one, or none. */
  static @Nullable BroadcastTable of(
      List<UnsafeRow> slices,
      List<org.apache.spark.sql.types.DataType> sparkTypes,
      List<DataType> types) {
    long rows = BroadcastSlices.rows(slices);
    long size = slices.stream().mapToLong(UnsafeRow::getSizeInBytes).sum();
    long most = Math.min(MOST_BYTES, ExecutorEngine.memoryBytes() / SHARE);
    boolean fits = rows <= 1 << 30 && size <= most && !types.isEmpty();
    return fits && rows > 0 ? new BroadcastTable(slices, sparkTypes, types, rows) : null;
  }

  @Override
  public String name() {
    return "broadcast";
  }

  @Override
  public List<String> columnNames() {
    return IntStream.range(0, types.size()).mapToObj(i -> "c" + i).toList();
  }

  @Override
  public List<DataType> columnTypes() {
    return types;
  }

  @Override
  public boolean closed() {
    return closed;
  }

  @Override
  public boolean keepsHashTables() {
    return true;
  }

  @Override
  public long rows() {
    return rows;
  }

  /** Bytes that its columns take now. */
  long bytes() {
    return bytes;
  }

  /** Bytes of its columns that tasks use now. */
  long pinnedBytes() {
    return pinnedBytes;
  }

  @Override
  public Pin pin(List<Integer> wanted) {
    lock.lock();
    try {
      if (closed) {
        throw new AragoniteException(
            ErrorCode.CANCELLED, "The executor's engine has ended, and its broadcasts with it.");
      }
      ColumnBatch made = columns;
      if (made == null) {
        made = load();
      }
      pins++;
      pinnedBytes = bytes;
      return new TablePin(made, wanted);
    } finally {
      lock.unlock();
    }
  }

  private ColumnBatch load() {
    QueryMemory taken = ExecutorEngine.memory();
    try {
      ColumnBatch made = SliceBatch.whole(slices, sparkTypes, types, taken);
      memory = taken;
      columns = made;
      bytes = taken.used();
      return made;
    } finally {
      if (columns == null) {
        taken.close();
      }
    }
  }

  private void unpin() {
    lock.lock();
    try {
      pins--;
      pinnedBytes = pins == 0 ? 0 : bytes;
      if (closed) {
        giveUp();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Gives its columns up if nobody uses them; they can be made again. */
  long reclaim() {
    if (bytes == 0 || !lock.tryLock()) {
      return 0;
    }
    try {
      return giveUp();
    } finally {
      lock.unlock();
    }
  }

  private long giveUp() {
    QueryMemory held = memory;
    if (pins > 0 || held == null) {
      return 0;
    }
    long freed = bytes;
    memory = null;
    columns = null;
    bytes = 0;
    held.close();
    return freed;
  }

  /** Nobody will ask for it any more; what is pinned stays until it is not. */
  void close() {
    lock.lock();
    try {
      closed = true;
      slices = List.of();
      giveUp();
    } finally {
      lock.unlock();
    }
  }

  private final class TablePin implements Pin {
    private final List<Column> pinned;
    private boolean open = true;

    TablePin(ColumnBatch all, List<Integer> wanted) {
      this.pinned = wanted.stream().map(all::column).toList();
    }

    @Override
    public List<ColumnShape> shapes() {
      return pinned.stream().map(Column::shape).toList();
    }

    @Override
    public List<ColumnBatch> chunks() {
      return List.of(new ColumnBatch(pinned, (int) rows));
    }

    @Override
    public void close() {
      if (open) {
        open = false;
        unpin();
      }
    }
  }
}
