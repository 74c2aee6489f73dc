package io.aragonite.exec.device;

import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.profile.MachineProfile;
import io.aragonite.exec.profile.ProfileStore;
import io.aragonite.exec.spill.file.SpillSpace;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The one seam between processors: what it is, its memory, its primitives, its expression compiler.
 * Safe for several threads.
 */
public interface Device extends AutoCloseable {
  /** Rows that a host sorts faster than a device with memory of its own is told to. */
  int FEW_ROWS = 4096;

  /** A text with its offset, as far as types can tell. */
  int TEXT_BYTES = 20;

  /** For instance {@code cpu} or {@code cuda:0}. */
  String name();

  /** What kind of a device it is. */
  DeviceTraits traits();

  DeviceProperties properties();

  /** The budget of the device's own memory. */
  MemoryBudget memory();

  /**
   * An account for one query with {@link #memory}.
   *
   * @param limitBytes what the query may hold at most; 0: as much as the budget has
   */
  QueryMemory newQueryMemory(long limitBytes);

  /**
   * Rows that a worker takes at a time of work over {@code rows} of them that workers can share: a
   * morsel, or all where the device spreads them over threads of its own. An operation on a morsel
   * writes nothing behind its output then, which another worker may have written.
   */
  default int taskRows(int rows) {
    return traits().morselDriven() ? properties().morselRows() : Math.max(1, rows);
  }

  /**
   * Whether work of many steps over so few rows is the host's: kernels would be launched for longer
   * than the host takes.
   */
  default boolean leavesToHost(int rows) {
    return !traits().hostMemory() && rows <= Math.min(FEW_ROWS, properties().batchRows() / 64);
  }

  /**
   * Workers of a query.
   *
   * @param wanted threads that a user gives it; 0: as many as suit the device
   */
  default int workers(int wanted) {
    // Threads are the host's; how much work a device wants at once is its own affair.
    return wanted > 0 && traits().morselDriven() ? wanted : properties().workers();
  }

  /**
   * An account over host memory for one query, where it can be of the kind that copies to and from
   * the device's memory are quickest with.
   *
   * @param limitBytes as in {@link #newQueryMemory}
   */
  default QueryMemory newHostMemory(long limitBytes) {
    return host().newQueryMemory(limitBytes);
  }

  /**
   * The host memory of a query: the account of the device's memory itself where that is the host's.
   *
   * @param memory the query's account, which {@link #newQueryMemory} made
   * @param limitBytes of an account beside it, as in {@link #newHostMemory}
   */
  default QueryMemory hostMemory(QueryMemory memory, long limitBytes) {
    return traits().hostMemory() ? memory : newHostMemory(limitBytes);
  }

  /** Passes over arrays of words and flags. */
  ScanOps scan();

  /** Values to and from rows that row ids name. */
  GatherOps gather();

  /** Order. */
  SortOps sort();

  /** Partitions. */
  PartitionOps partition();

  /** Hash tables, filters and joins of partitions. */
  HashOps hash();

  /** Groups and their aggregates. */
  AggregateOps aggregate();

  /**
   * Loops over the rows of windows; null where functions of windows are made of other operations.
   * Every {@link #host} has them.
   */
  default @Nullable WindowOps windows() {
    return null;
  }

  /** Tries of multi-predicate joins. */
  TrieOps trie();

  /** Pages of files. */
  PageOps pages();

  ExpressionCompiler expressions();

  /** How bytes get into and out of its memory. */
  Transfers transfers();

  /**
   * The device whose memory is the host's, for work that this one leaves to the host (and for the
   * host's side of transfers); the CPU device itself. It is closed with this one.
   */
  Device host();

  /**
   * Pins columns of a table with the chunks in this device's memory. Closed before the query's
   * memory is, so chunks may come from that.
   *
   * @param columns positions of the columns wanted, in the order wanted
   */
  default Table.Pin pin(ExecContext context, Table table, List<Integer> columns) {
    return traits().hostMemory() ? table.pin(columns) : PinnedCopy.of(context, table, columns);
  }

  /** Claims columns that {@link #pin} would bring; none where there is nothing to bring. */
  default List<? extends ColumnClaim> claim(Table table, List<Integer> columns) {
    return List.of();
  }

  /** Whether {@link #pin} of a column would not have to bring it into the device's memory. */
  default boolean holds(Table table, int column) {
    return true;
  }

  /** Bytes of those of the columns that are not in the device's memory, about. */
  default long missingBytes(Table table, List<Integer> columns) {
    long missing = 0;
    for (int column : columns) {
      if (!holds(table, column)) {
        ColumnShape known = table.shape(column);
        Storage storage =
            known == null
                ? Storage.of(table.columnTypes().get(column))
                : ColumnNarrowing.shape(known).storage();
        missing += table.rows() * (storage == Storage.BYTES ? TEXT_BYTES : storage.width());
      }
    }
    return missing;
  }

  /** Where its queries put rows that the host's memory does not hold. */
  default SpillSpace spill() {
    return host().spill();
  }

  /** What is kept of tables beside their columns; null if nothing is. */
  default @Nullable DerivedCache derived() {
    return null;
  }

  /** Whether it works; a GPU does not after some errors, for this process. */
  default boolean usable() {
    return true;
  }

  /**
   * What the query with that account, which {@link #newQueryMemory} made, has done on the device;
   * also when the account is closed.
   */
  default DeviceUsage usage(QueryMemory memory) {
    return DeviceUsage.NONE;
  }

  /** Bytes of cache that data should stay within that is visited at random, by all that runs. */
  default long cacheBytes() {
    return 1 << 19;
  }

  /** What calibration knows it by: the model of the device, and its driver. */
  default String model() {
    return name();
  }

  /** What it was measured to do, or is assumed to. */
  default MachineProfile profile() {
    return ProfileStore.get(model(), MachineProfile.CPU);
  }

  @Override
  void close();
}
