package io.aragonite.adapter.copy;

import com.google.common.base.Throwables;
import io.aragonite.adapter.copy.FileOutput.EncodedBlock;
import io.aragonite.adapter.result.QueryBatches;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.memory.MemoryReservation;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;

/**
 * Writes rows to a file: blocks are encoded by several threads, and appended in their order by the
 * one that brings the rows.
 */
final class CopyWriter implements AutoCloseable {
  private final ExecutorService workers;
  private final int mostPending;
  private final CopyMemory memory;
  private final long blockBytes;
  private final StopCheck stop;
  private final Deque<Pending> pending = new ArrayDeque<>();
  private final List<RowSlice> block = new ArrayList<>();

  private long bytes;

  /** A block that is being encoded. */
  private record Pending(
      Future<EncodedBlock> encoded, List<RowSlice> rows, MemoryReservation memory) {
    void release() {
      rows.forEach(RowSlice::close);
      memory.close();
    }
  }

  CopyWriter(int threads, CopyMemory memory, StopCheck stop) {
    this.workers =
        Executors.newFixedThreadPool(
            threads,
            task -> {
              Thread thread = new Thread(task, "aragonite-copy");
              thread.setDaemon(true);
              return thread;
            });
    this.mostPending = threads + 1;
    this.memory = memory;
    this.blockBytes = memory.blockBytes(threads + 2);
    this.stop = stop;
  }

  /** Adds rows {@code from} to {@code to} of vectors that are loaded anew afterwards. */
  void write(FileOutput output, QueryBatches batches, int from, int to) throws IOException {
    VectorSchemaRoot root = batches.root();
    QueryWords words = new QueryWords(batches.dictionaries());
    long all = 1;
    for (FieldVector vector : root.getFieldVectors()) {
      all += words.bytes(vector);
    }
    long width = Math.max(1, all / Math.max(1, root.getRowCount()));
    int most = (int) Math.clamp(blockBytes / width, 1, output.blockRows());
    int at = from;
    while (at < to) {
      int take = Math.clamp(most - RowSlice.rows(block), 1, to - at);
      block.add(RowSlice.of(root, at, at + take, memory.allocator()));
      bytes += width * take;
      at += take;
      if (RowSlice.rows(block) >= most) {
        submit(output);
      }
    }
  }

  private void submit(FileOutput output) throws IOException {
    long wanted = output.memory(RowSlice.rows(block), bytes);
    makeRoom(wanted);
    MemoryReservation reserved = memory.reserve(wanted);
    List<RowSlice> rows = List.copyOf(block);
    block.clear();
    bytes = 0;
    pending.add(new Pending(workers.submit(() -> output.encode(rows, reserved)), rows, reserved));
    while (pending.size() > mostPending) {
      appendFirst();
    }
  }

  /** Waits for blocks that are being encoded as long as so many bytes are not there. */
  void makeRoom(long wanted) throws IOException {
    while (!pending.isEmpty() && !memory.hasRoom(wanted)) {
      appendFirst();
    }
  }

  private void appendFirst() throws IOException {
    stop.check();
    Pending first = pending.removeFirst();
    try {
      first.encoded.get().append();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("it was interrupted", e);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      Throwables.throwIfInstanceOf(cause, IOException.class);
      Throwables.throwIfUnchecked(cause);
      throw new IOException(cause);
    } finally {
      first.release();
    }
  }

  /** Appends all that was added, and ends the file. */
  void finish(FileOutput output) throws IOException {
    if (!block.isEmpty()) {
      submit(output);
    }
    while (!pending.isEmpty()) {
      appendFirst();
    }
    output.finish();
  }

  /** Ends the threads; what they have not done is given up. */
  @Override
  public void close() {
    workers.shutdownNow();
    workers.close();
    pending.forEach(Pending::release);
    block.forEach(RowSlice::close);
  }
}
