package io.aragonite.exec.spill;

import io.aragonite.exec.device.ColumnMemory;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.PackedKeys;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.spill.file.SpillFile;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Rows that were partitioned together on a device with memory of its own, and still lie in one
 * piece, one part behind the other: so they leave by one copy a column, however many parts there
 * are. Each part is a block of its collection. Columns have a fixed width and no nulls. The memory
 * is freed when the last part is.
 */
public final class PartitionedRun extends Spillable {
  /** Runs leave before other blocks: they have rows of all parts. */
  private static final long TURN = Long.MAX_VALUE;

  private final List<PartitionBlock> parts = new ArrayList<>();

  /** The column whose 4-byte values are {@link PackedKeys}; -1: none. */
  private final int packed;

  private final int partBits;

  /** Parts that have not been freed. */
  private int live;

  /**
   * @param batch partitioned rows, whose buffers are the run's from now on
   * @param inHost whether they are in the host's memory already
   * @param collections of the parts
   * @param starts where parts begin, and the last ends
   * @param packed the column that has the pieces of {@link PackedKeys} in place of values; -1: none
   */
  public PartitionedRun(
      QuerySpill query,
      ColumnBatch batch,
      boolean inHost,
      List<SpillableRowCollection> collections,
      int[] starts,
      int packed) {
    super(query, batch, inHost);
    this.packed = packed;
    this.partBits = Integer.numberOfTrailingZeros(Integer.highestOneBit(collections.size()));
    for (int i = 0; i < collections.size(); i++) {
      if (starts[i + 1] > starts[i]) {
        parts.add(new PartitionBlock(collections.get(i), i, starts[i], starts[i + 1] - starts[i]));
      }
    }
    live = parts.size();
  }

  public QuerySpill query() {
    return query;
  }

  /** Gives the parts to their collections; once. */
  public void share() {
    query.add(this);
    parts.forEach(part -> part.collection.add(part));
  }

  /** Whether rows can lie in a run as they are, as columns of such shapes. */
  public static boolean takes(ColumnBatch batch, List<ColumnShape> shapes) {
    for (int i = 0; i < shapes.size(); i++) {
      Column column = batch.column(i);
      ColumnShape shape = column.shape();
      if (column.rowIds() != null
          || column.validity() != null
          || shape.storage() != shapes.get(i).storage()
          || !Objects.equals(shape.dictionary(), shapes.get(i).dictionary())) {
        return false;
      }
    }
    return true;
  }

  /** Whether columns of this shape can lie in a run as long as they have no null. */
  public static boolean moves(ColumnShape shape) {
    int width = shape.storage().width();
    return shape.storage() != Storage.BYTES
        && (width == 1 || width == 2 || width == 4 || width == 8);
  }

  @Override
  long turn() {
    return TURN;
  }

  @Override
  void noteMoved() {
    parts.getFirst().collection.noteMoved(bytes);
  }

  /** Bytes of host memory that could be given up. */
  long onHostBytes() {
    return onHost != null && users == 0 ? bytes : 0;
  }

  /** Bytes of the device's memory that could be given up. */
  long onDeviceBytes() {
    return onDevice != null && users == 0 ? bytes : 0;
  }

  /** See {@link RowBlock#evict}. */
  long evict() {
    if (!lock.tryLock()) {
      return 0;
    }
    try {
      List<Column> host = onHost;
      if (users > 0 || host == null) {
        return 0;
      }
      List<@Nullable List<SpillFile.Extent>> written = new ArrayList<>();
      for (PartitionBlock part : parts) {
        written.add(part.freed ? null : part.write(host));
      }
      for (int i = 0; i < parts.size(); i++) {
        parts.get(i).onDisk = written.get(i);
      }
      freeOnHost();
      return bytes;
    } finally {
      lock.unlock();
    }
  }

  /** Frees the rows if nobody wants them any more; the lock is held. */
  private void end() {
    if (live == 0 && users == 0) {
      stay();
      freeOnDevice();
      freeOnHost();
      query.forget(this);
    }
  }

  /** The rows of one part. */
  final class PartitionBlock implements RowBlock {
    private final SpillableRowCollection collection;
    private final int number;
    private final int from;
    private final int count;
    private boolean freed;

    /** By column. */
    private volatile @Nullable List<SpillFile.Extent> onDisk;

    private PartitionBlock(SpillableRowCollection collection, int number, int from, int count) {
      this.collection = collection;
      this.number = number;
      this.from = from;
      this.count = count;
    }

    SpillableRowCollection collection() {
      return collection;
    }

    @Override
    public int columns() {
      return collection.shapes().size();
    }

    @Override
    public int rows() {
      return count;
    }

    /** Of the rows as they are worked with. */
    @Override
    public long bytes() {
      long width = collection.shapes().stream().mapToLong(shape -> shape.storage().width()).sum();
      return width * count;
    }

    /** The column whose values are packed; -1: none. */
    int packedColumn() {
      return packed;
    }

    /** Bytes of the part's packed keys. */
    long packedBytes() {
      return PackedKeys.bytes(partBits, count);
    }

    /** Unpacks the keys of some parts of runs with the same number. */
    void unpack(ExecContext context, Buffer pieces, int howMany, int keys, Buffer to) {
      context.partition().unpackKeys(context, pieces, howMany, partBits, number, keys, to);
    }

    @Override
    public boolean resident() {
      return onDevice != null && !freed;
    }

    @Override
    public void prefetch(ExecContext context) {
      // Parts of many runs come together: see CoalescedPrefetch.
    }

    @Override
    public void use() {
      lock.lock();
      try {
        arrive();
        users++;
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void release() {
      lock.lock();
      try {
        users--;
        end();
      } finally {
        lock.unlock();
      }
    }

    /** Whether a part in use is in some memory. */
    boolean inMemory() {
      return !freed && (onDevice != null || onHost != null);
    }

    /**
     * Has a column of a part in use, which is in some memory, copied; if it is packed, as it is.
     *
     * @param copies what comes from the host is added to these
     */
    void copy(ExecContext context, int column, Buffer to, List<ColumnMemory.Copy> copies) {
      List<@Nullable Column> device = onDevice;
      List<Column> host = onHost;
      if (device != null) {
        Buffer here = slice(Objects.requireNonNull(device.get(column)), column);
        context.device().transfers().copy(context, here, to, here.size());
      } else if (host != null) {
        copies.add(new ColumnMemory.Copy(slice(host.get(column), column).address(), to));
      } else {
        throw new IllegalStateException("rows of a run were used after they were freed");
      }
    }

    private Buffer slice(Column column, int index) {
      if (index == packed) {
        return column.values().slice(PackedKeys.offset(partBits, number, from), packedBytes());
      }
      int width = column.shape().storage().width();
      return column.values().slice((long) width * from, (long) width * count);
    }

    /** Always a copy: kernels want columns that begin at a line of memory. */
    @Override
    public Column column(ExecContext context, int index, Allocator to) {
      ColumnShape shape = collection.shapes().get(index);
      Buffer values = to.allocate((long) shape.storage().width() * count);
      if (index == packed) {
        long mark = context.scratch().mark();
        Buffer piece = context.scratch().allocate(packedBytes());
        fetch(context, index, piece);
        unpack(context, piece, 1, count, values);
        context.scratch().release(mark);
      } else {
        fetch(context, index, values);
      }
      return new Column(shape, count, values, Buffer.EMPTY, null, null);
    }

    /** Copies a column of a part in use, wherever it is; if it is packed, as it is. */
    private void fetch(ExecContext context, int index, Buffer values) {
      List<SpillFile.Extent> disk = onDisk;
      if (disk != null) {
        QueryMemory.Arena scratch = context.hostScratch();
        long mark = scratch.mark();
        Buffer read = scratch.allocate(values.size());
        collection.file().read(disk.get(index), read.address());
        collection.noteRead(read.size());
        context.device().transfers().toDevice(context, read.address(), values, read.size());
        scratch.release(mark);
      } else {
        List<ColumnMemory.Copy> copies = new ArrayList<>();
        copy(context, index, values, copies);
        for (ColumnMemory.Copy copy : copies) {
          context.device().transfers().toDevice(context, copy.host(), values, values.size());
        }
      }
    }

    @Override
    public long textBytes(int index) {
      return 0;
    }

    @Override
    public @Nullable ColumnBatch take() {
      return null;
    }

    @Override
    public void drop(int index) {
      // It goes with the run.
    }

    private List<SpillFile.Extent> write(List<Column> host) {
      List<SpillFile.Extent> extents = new ArrayList<>();
      SpillFile file = collection.file();
      for (int i = 0; i < host.size(); i++) {
        Buffer some = slice(host.get(i), i);
        extents.add(file.write(some));
        collection.noteWritten(some.size());
      }
      return extents;
    }

    @Override
    public long evict(boolean shared) {
      return PartitionedRun.this.evict();
    }

    @Override
    public long leaveDevice(ExecContext context) {
      return PartitionedRun.this.leaveDevice(context);
    }

    @Override
    public void free() {
      lock.lock();
      try {
        if (!freed) {
          freed = true;
          onDisk = null;
          live--;
          end();
        }
      } finally {
        lock.unlock();
      }
    }
  }
}
