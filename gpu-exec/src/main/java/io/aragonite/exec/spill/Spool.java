package io.aragonite.exec.spill;

import io.aragonite.exec.QueryMetrics;
import io.aragonite.exec.column.ColumnBatch;
import io.aragonite.exec.column.ColumnShape;
import io.aragonite.exec.column.ColumnStore;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.operator.Batches;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Rows put aside, in blocks that leave memory when it is short: for the host's, and from there for
 * a file. Workers write and read beside each other, but nothing is written once reading has begun.
 */
public final class Spool implements AutoCloseable {
  private final QuerySpill query;
  private final List<ColumnShape> shapes;
  private final long blockBytes;
  private final long turn;
  private final QueryMetrics.Node node;
  private final List<Block> blocks = new ArrayList<>();
  private final List<Writer> writers = new ArrayList<>();
  private long rows;
  private long bytes;
  private @Nullable SpillFile file;
  private boolean closed;

  Spool(
      QuerySpill query,
      List<ColumnShape> shapes,
      long blockBytes,
      long turn,
      QueryMetrics.Node node) {
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

  QueryMemory memory() {
    return query.memory();
  }

  QueryMemory hostMemory() {
    return query.hostMemory();
  }

  long lotBytes() {
    return query.lotBytes();
  }

  synchronized SpillFile file() {
    SpillFile known = file;
    if (known == null) {
      known = query.newFile();
      file = known;
    }
    return known;
  }

  void noteWritten(long count) {
    node.figures.merge("spilled to disk, bytes", count, Long::sum);
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
    return blocks().stream().allMatch(Block::resident);
  }

  synchronized List<Block> blocks() {
    return List.copyOf(blocks);
  }

  /** How many blocks there are. */
  public synchronized int size() {
    return blocks.size();
  }

  private void add(Block block) {
    synchronized (this) {
      if (closed) {
        throw new IllegalStateException("a spool was written after it was closed");
      }
      blocks.add(block);
      rows += block.rows();
      bytes += block.bytes();
      if (QuerySpill.eager() && blocks.size() % 3 == 0) {
        query.push(block);
      }
    }
    query.ahead(block);
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
      if (shapes.isEmpty() ? store.rows() >= 1 << 30 : store.bytes() >= blockBytes) {
        seal();
      }
    }

    /** Makes a block of what has been collected. */
    public void seal() {
      if (store.rows() > 0) {
        add(new Block(Spool.this, store.take()));
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

  /** Adds rows whose buffers are the spool's from now on. */
  public void take(ColumnBatch batch) {
    add(new Block(this, batch));
  }

  /**
   * All rows in one batch, whose buffers are the caller's; the spool is empty then. Takes little
   * more memory than the rows themselves: a column's parts are freed when it has been put together.
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
    List<Block> all = blocks().subList(from, to);
    ColumnBatch whole = all.size() == 1 ? all.getFirst().take() : null;
    if (whole != null) {
      return whole;
    }
    ColumnStore store = new ColumnStore(shapes, query.memory());
    all.forEach(Block::use);
    int total = ColumnStore.checkRows(all.stream().mapToLong(Block::rows).sum());
    boolean done = false;
    try {
      context
          .parallel()
          .forEach(shapes.size(), (worker, column) -> append(worker, all, column, store));
      ColumnBatch result = store.takeFilled(total);
      done = true;
      return result;
    } finally {
      all.forEach(Block::release);
      if (!done) {
        store.close();
      }
      all.forEach(Block::free);
    }
  }

  /**
   * Where groups of blocks begin whose rows a device takes at once, and where the last ends.
   *
   * @param most rows of a group at most, if it has more than one block
   */
  public int[] groups(int most) {
    List<Block> all = blocks();
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
   */
  public void prefetch(ExecContext context, int from, int to) {
    for (Block block : blocks().subList(from, to)) {
      if (query.roomAhead(block.bytes())) {
        block.prefetch(context);
      }
    }
  }

  private static void append(ExecContext worker, List<Block> all, int column, ColumnStore store) {
    store.reserve(column, all.stream().mapToLong(Block::rows).sum(), textBytes(all, column));
    QueryMemory.Arena scratch = worker.scratch();
    for (Block block : all) {
      worker.checkCancelled();
      long mark = scratch.mark();
      store.appendColumn(worker, column, block.column(worker, column, scratch));
      scratch.release(mark);
      block.drop(column);
    }
  }

  private static long textBytes(List<Block> all, int column) {
    return all.stream().mapToLong(block -> block.textBytes(column)).sum();
  }

  /** Frees the blocks and what there is of a file. */
  private void forget() {
    List<Block> gone;
    synchronized (this) {
      gone = List.copyOf(blocks);
      blocks.clear();
      rows = 0;
      bytes = 0;
    }
    // Somebody may be writing one of them to the file, which is not there for certain before.
    gone.forEach(Block::free);
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
    Block block = block(index);
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

  /** Frees the memory of a block that nobody will read again; the file is freed with the spool. */
  public void free(int index) {
    block(index).free();
  }

  private synchronized Block block(int index) {
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
