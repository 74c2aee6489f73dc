package io.aragonite.exec.spill;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ColumnStore;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.Parallel;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.spill.file.SpillFile;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Rows put aside, in blocks that leave memory when it is short: for the host's, and from there for
 * a file. Workers write and read beside each other, but nothing is written once reading has begun.
 */
public final class SpillableRowCollection implements AutoCloseable {
  /** What a worker takes at least to read into, once. */
  private static final long ARENA_BYTES = 256 << 10;

  private final QuerySpill query;
  private final List<ColumnShape> shapes;
  private final long blockBytes;
  private final long turn;
  private final QueryMetrics.NodeMetrics node;
  private final List<RowBlock> blocks = new ArrayList<>();

  /**
   * Those of the blocks that are no part of a {@link PartitionedRun}: few are both, and runs are
   * counted.
   */
  private final List<SpillableBlock> own = new ArrayList<>();

  private final List<Writer> writers = new ArrayList<>();

  /** What is on its way to the device, by its first block. */
  private final Map<Integer, CoalescedPrefetch> coming = new HashMap<>();

  private long rows;
  private long bytes;
  private @Nullable SpillFile file;
  private boolean closed;

  SpillableRowCollection(
      QuerySpill query,
      List<ColumnShape> shapes,
      long blockBytes,
      long turn,
      QueryMetrics.NodeMetrics node) {
    this.query = query;
    this.shapes = List.copyOf(shapes);
    this.blockBytes = blockBytes;
    this.turn = turn;
    this.node = node;
  }

  public List<ColumnShape> shapes() {
    return shapes;
  }

  /** When its rows will be wanted: those of a higher number leave memory first. */
  long turn() {
    return turn;
  }

  public QueryMemory memory() {
    return query.memory();
  }

  public QuerySpill query() {
    return query;
  }

  synchronized SpillFile file() {
    SpillFile known = file;
    if (known == null) {
      known = query.newFile();
      file = known;
    }
    return known;
  }

  /** Adds to a figure of the plan node that the rows are of. */
  public void note(String figure, long count) {
    node.figures.merge(figure, count, Long::sum);
  }

  void noteWritten(long count) {
    node.figures.merge(QueryMetrics.NodeMetrics.SPILLED, count, Long::sum);
  }

  void noteRead(long count) {
    node.figures.merge("read back from disk, bytes", count, Long::sum);
  }

  void noteMoved(long count) {
    node.figures.merge("spilled to host memory, bytes", count, Long::sum);
  }

  /** Rows of sealed blocks. */
  public synchronized long rows() {
    return rows;
  }

  /** Bytes of sealed blocks, wherever they are. */
  public synchronized long bytes() {
    return bytes;
  }

  /** Whether all rows are in the device's memory. */
  public boolean resident() {
    return blocks().stream().allMatch(RowBlock::resident);
  }

  /** The blocks of the rows so far, in their order. */
  public synchronized List<RowBlock> blocks() {
    return List.copyOf(blocks);
  }

  /** The blocks that are no parts of runs. */
  synchronized List<SpillableBlock> ownBlocks() {
    return own.isEmpty() ? List.of() : List.copyOf(own);
  }

  /** How many blocks there are. */
  public synchronized int size() {
    return blocks.size();
  }

  /**
   * Puts the blocks into another order, before any is read.
   *
   * @param order the blocks' numbers as they are, in the order in which they are to be
   */
  public synchronized void arrange(List<Integer> order) {
    List<RowBlock> before = List.copyOf(blocks);
    blocks.clear();
    order.forEach(index -> blocks.add(before.get(index)));
  }

  private void add(SpillableBlock block) {
    synchronized (this) {
      own.add(block);
    }
    insert(block);
    query.ahead(block);
  }

  /** Adds rows of a run. */
  void add(PartitionedRun.PartitionBlock part) {
    insert(part);
  }

  private void insert(RowBlock block) {
    boolean third;
    synchronized (this) {
      if (closed) {
        throw new IllegalStateException("a collection was written after it was closed");
      }
      blocks.add(block);
      rows += block.rows();
      bytes += block.bytes();
      third = blocks.size() % 3 == 0;
    }
    // A run's parts are of many collections.
    if (third && query.eager()) {
      query.push(block);
    }
  }

  /** Whether so many rows should become a block: {@link #take} them. */
  public boolean isBlock(ColumnStore store) {
    return shapes.isEmpty() ? store.rows() >= 1 << 30 : store.bytes() >= blockBytes;
  }

  /** A worker's way to write. */
  public Writer newWriter() {
    Writer writer = new Writer();
    synchronized (this) {
      writers.add(writer);
    }
    return writer;
  }

  /** Collects rows and makes blocks of them. For one thread. */
  public final class Writer {
    private final ColumnStore store = new ColumnStore(shapes, query.memory());

    private Writer() {}

    /** Copies rows to the end. */
    public void append(ExecContext context, ColumnBatch batch) {
      store.append(context, batch);
      if (isBlock(store)) {
        seal();
      }
    }

    /** Makes a block of what has been collected. */
    public void seal() {
      if (store.rows() > 0) {
        add(new SpillableBlock(SpillableRowCollection.this, store.take()));
      }
    }
  }

  /** Ends writing: what writers still have becomes blocks. No writer may be at work. */
  public void seal() {
    List<Writer> open;
    synchronized (this) {
      open = List.copyOf(writers);
      writers.clear();
    }
    for (Writer writer : open) {
      writer.seal();
      writer.store.close();
    }
  }

  /** Adds rows whose buffers are the collection's from now on. */
  public void take(ColumnBatch batch) {
    add(new SpillableBlock(this, batch));
  }

  /**
   * All rows in one batch, whose buffers are the caller's; the collection is empty then. Takes
   * little more memory than the rows themselves: a column's parts are freed when it has been put
   * together.
   *
   * @param context of the coordinating thread
   */
  public ColumnBatch gather(ExecContext context) {
    ColumnBatch all = gather(context, 0, size());
    forget();
    return all;
  }

  /** As the other, of the blocks from {@code from} to {@code to}, which are empty then. */
  public ColumnBatch gather(ExecContext context, int from, int to) {
    List<RowBlock> all = blocks().subList(from, to);
    ColumnBatch whole =
        all.size() == 1 ? all.getFirst().take() : gatherTogether(context, from, all);
    if (whole != null) {
      return whole;
    }
    ColumnStore store = new ColumnStore(shapes, query.memory());
    int total = ColumnStore.checkRows(all.stream().mapToLong(RowBlock::rows).sum());
    boolean done = false;
    try {
      // First, since blocks that lack a column already cannot leave memory for others any more.
      for (int column = 0; column < shapes.size(); column++) {
        store.reserve(column, total, textBytes(all, column));
      }
      helpers(context, all)
          .forEach(shapes.size(), (worker, column) -> append(worker, all, column, store));
      ColumnBatch result = store.takeFilled(total);
      done = true;
      return result;
    } finally {
      if (!done) {
        store.close();
      }
      all.forEach(RowBlock::free);
    }
  }

  /** The workers, if there is room for what each of them reads blocks into. */
  private Parallel helpers(ExecContext context, List<RowBlock> all) {
    Parallel workers = context.parallel();
    long most = all.stream().mapToLong(RowBlock::bytes).max().orElse(0);
    return workers.workers() * (ARENA_BYTES + most) <= query.fairShare() - query.memory().used()
        ? workers
        : Parallel.alone(context);
  }

  /** Rows of runs that are in memory; null if some are not, or other blocks are among them. */
  private @Nullable ColumnBatch gatherTogether(ExecContext context, int from, List<RowBlock> all) {
    CoalescedPrefetch known;
    synchronized (this) {
      known = coming.remove(from);
    }
    if (known != null && known.size() != all.size()) {
      known.drop();
      known = null;
    }
    if (known == null && CoalescedPrefetch.takes(all)) {
      int total = ColumnStore.checkRows(all.stream().mapToLong(RowBlock::rows).sum());
      known = CoalescedPrefetch.start(context, all, total, query.memory());
    }
    if (known == null) {
      return null;
    }
    ColumnBatch result = null;
    try {
      result = known.take(context);
    } finally {
      if (result == null) {
        known.drop();
      }
    }
    query.arriving(known);
    all.forEach(RowBlock::free);
    return result;
  }

  /** Bytes on their way to the device that could be given up. */
  synchronized long comingBytes() {
    long bytes = 0;
    for (CoalescedPrefetch rows : coming.values()) {
      bytes += rows.bytes();
    }
    return bytes;
  }

  /**
   * Gives up what came before it was wanted.
   *
   * @return bytes given up
   */
  long dropComing() {
    List<CoalescedPrefetch> gone;
    synchronized (this) {
      if (coming.isEmpty()) {
        return 0;
      }
      gone = List.copyOf(coming.values());
      coming.clear();
    }
    long released = 0;
    for (CoalescedPrefetch each : gone) {
      released += each.bytes();
    }
    gone.forEach(CoalescedPrefetch::drop);
    return released;
  }

  /**
   * Where groups of blocks begin whose rows a device takes at once, and where the last ends.
   *
   * @param most rows of a group at most, if it has more than one block
   */
  public int[] groups(int most) {
    List<RowBlock> all = blocks();
    List<Integer> starts = new ArrayList<>();
    long rowsOfGroup = Long.MAX_VALUE;
    for (int i = 0; i < all.size(); i++) {
      if (rowsOfGroup > most - all.get(i).rows()) {
        starts.add(i);
        rowsOfGroup = 0;
      }
      rowsOfGroup += all.get(i).rows();
    }
    starts.add(all.size());
    return starts.stream().mapToInt(Integer::intValue).toArray();
  }

  /**
   * Has blocks that are in host memory begin to come to a device's own, beside the query's work, as
   * far as there is room.
   *
   * @param keep bytes that are to be left free beside them
   */
  public void prefetch(ExecContext context, int from, int to, long keep) {
    query.optionally(() -> bring(context, from, to, keep));
  }

  private void bring(ExecContext context, int from, int to, long keep) {
    List<RowBlock> some = blocks().subList(from, to);
    if (CoalescedPrefetch.takes(some)) {
      bringTogether(context, from, some, keep);
      return;
    }
    for (RowBlock block : some) {
      if (query.roomAhead(keep + block.bytes())) {
        block.prefetch(context);
      }
    }
  }

  private void bringTogether(ExecContext context, int from, List<RowBlock> some, long keep) {
    synchronized (this) {
      if (closed || coming.containsKey(from)) {
        return;
      }
    }
    if (!query.roomAhead(keep + CoalescedPrefetch.bytes(some))) {
      return;
    }
    CoalescedPrefetch started;
    try {
      int total = ColumnStore.checkRows(some.stream().mapToLong(RowBlock::rows).sum());
      started = CoalescedPrefetch.start(context, some, total, query.memory());
    } catch (AragoniteException e) {
      if (e.code() != ErrorCode.MEMORY_EXCEEDED) {
        throw e;
      }
      // They come when they are wanted.
      return;
    }
    if (started == null) {
      return;
    }
    boolean kept;
    synchronized (this) {
      kept = !closed && coming.putIfAbsent(from, started) == null;
    }
    if (!kept) {
      started.drop();
    }
  }

  private static void append(
      ExecContext worker, List<RowBlock> all, int column, ColumnStore store) {
    QueryMemory.Arena scratch = worker.scratch();
    for (RowBlock block : all) {
      worker.checkCancelled();
      long mark = scratch.mark();
      // Those whose turn has not come may leave memory for what is put together here.
      block.use();
      try {
        store.appendColumn(worker, column, block.column(worker, column, scratch));
        block.drop(column);
      } finally {
        block.release();
      }
      scratch.release(mark);
    }
  }

  private static long textBytes(List<RowBlock> all, int column) {
    return all.stream().mapToLong(block -> block.textBytes(column)).sum();
  }

  /** Frees the blocks and what there is of a file. */
  private void forget() {
    dropComing();
    List<RowBlock> gone;
    synchronized (this) {
      gone = List.copyOf(blocks);
      blocks.clear();
      own.clear();
      rows = 0;
      bytes = 0;
    }
    // Somebody may be writing one of them to the file, which is not there for certain before.
    gone.forEach(RowBlock::free);
    SpillFile oldFile;
    synchronized (this) {
      oldFile = file;
      file = null;
    }
    if (oldFile != null) {
      oldFile.close();
    }
  }

  /**
   * Hands the rows of a block over.
   *
   * @param consumer may keep nothing of them
   */
  public void read(ExecContext context, int index, BiConsumer<ExecContext, ColumnBatch> consumer) {
    RowBlock block = block(index);
    List<Buffer> own = new ArrayList<>();
    Allocator to =
        bytesWanted -> {
          Buffer buffer = query.memory().allocate(bytesWanted);
          own.add(buffer);
          return buffer;
        };
    try {
      ColumnBatch batch = block.open(context, to);
      try {
        consumer.accept(context, batch);
      } finally {
        block.release();
      }
    } finally {
      own.forEach(query.memory()::free);
    }
  }

  /** As {@link #read}; the block is freed then. */
  public void consume(
      ExecContext context, int index, BiConsumer<ExecContext, ColumnBatch> consumer) {
    read(context, index, consumer);
    free(index);
  }

  /**
   * Frees the memory of a block that nobody will read again; the file is freed with the collection.
   */
  public void free(int index) {
    block(index).free();
  }

  private synchronized RowBlock block(int index) {
    return blocks.get(index);
  }

  /** Rows of a block. */
  public int rows(int index) {
    return block(index).rows();
  }

  /** Bytes of a block. */
  public long bytes(int index) {
    return block(index).bytes();
  }

  /** A block in batches of the device's size, with scratch memory reset between them. */
  public void readInBatches(
      ExecContext context, int index, BiConsumer<ExecContext, ColumnBatch> consumer) {
    int batchRows = context.device().properties().batchRows();
    read(
        context,
        index,
        (worker, rowsOfBlock) -> {
          for (int from = 0; from < rowsOfBlock.rows(); from += batchRows) {
            worker.checkCancelled();
            int count = Math.min(batchRows, rowsOfBlock.rows() - from);
            long mark = worker.scratch().mark();
            consumer.accept(worker, Batches.slice(rowsOfBlock, from, count));
            worker.scratch().release(mark);
          }
        });
  }

  /** Frees everything; unsealed rows too. */
  @Override
  public void close() {
    List<Writer> open;
    synchronized (this) {
      closed = true;
      open = List.copyOf(writers);
      writers.clear();
    }
    open.forEach(writer -> writer.store.close());
    forget();
    query.forget(this);
  }
}
