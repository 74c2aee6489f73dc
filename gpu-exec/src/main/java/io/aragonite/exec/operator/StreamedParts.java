package io.aragonite.exec.operator;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.Source;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A table of files for a device with memory of its own: threads of the host read and decode the
 * next parts, and the next batch is on its way to the device, while it works with one (Rui and Tu
 * 2017, section 3.4, with the disk in front).
 */
public final class StreamedParts implements Source, AutoCloseable {
  /** Parts that are read beside each other at most. */
  private static final int MOST_AHEAD = 16;

  /** What part of the host's free memory parts that were read ahead may take. */
  private static final int SHARE = 2;

  /** A part in host memory, of an account of its own, since it lives no longer. */
  private record LoadedPart(QueryMemory memory, List<ColumnBatch> chunks) {}

  /** A batch on its way to the device. */
  private record Upload(HostColumns.PendingCopy moving, List<Buffer> buffers) {
    void free(QueryMemory memory) {
      buffers.forEach(memory::free);
    }
  }

  private final Table.TableParts parts;
  private final Device device;
  private final QueryMetrics.NodeMetrics node;
  private final Consumer<Runnable> optionally;
  private final int threads;
  private final ExecutorService readers;
  private final AutoCloseable registration;

  /** By part: being read, or read; null before and after. */
  private final @Nullable CompletableFuture<LoadedPart>[] loads;

  /** The first part that nobody has asked for. */
  private int next;

  /** The last part that a worker has taken, and those before it. */
  private int taken = -1;

  /** What the largest part has taken, 0: none has been read. */
  private long largest;

  private int done;
  private long start;
  private long waited;
  private long bytes;
  private boolean closed;

  /**
   * @param device with memory of its own
   * @param node gets figures
   * @param optionally runs what the query can do without: it does not wait for others' memory
   */
  @SuppressWarnings({"unchecked", "rawtypes"}) // there are no arrays of generic types
  public StreamedParts(
      Table.TableParts parts,
      Device device,
      QueryMetrics.NodeMetrics node,
      Consumer<Runnable> optionally) {
    this.optionally = optionally;
    this.parts = parts;
    this.device = device;
    this.node = node;
    this.threads = Math.clamp(device.host().properties().workers(), 1, MOST_AHEAD);
    this.loads = new CompletableFuture[parts.count()];
    this.readers =
        Executors.newFixedThreadPool(
            threads, Thread.ofPlatform().daemon().name("aragonite-read-", 0).factory());
    this.registration = device.host().memory().onShortage(this::giveUp);
  }

  @Override
  public List<ColumnShape> shapes() {
    return parts.shapes();
  }

  @Override
  public int morsels() {
    return loads.length;
  }

  @Override
  public boolean keepsOrder() {
    return true;
  }

  @Override
  public void run(ExecContext context, int morsel, BatchConsumer consumer) {
    if (consumer.done()) {
      return;
    }
    LoadedPart part = take(context, morsel);
    try {
      stream(context, part, consumer);
    } finally {
      part.memory.close();
    }
    ended();
  }

  /** The part, which is the worker's from now on; later ones begin to be read. */
  private LoadedPart take(ExecContext context, int morsel) {
    CompletableFuture<LoadedPart> mine;
    synchronized (this) {
      start = start == 0 ? System.nanoTime() : start;
      taken = Math.max(taken, morsel);
      mine = loads[morsel] == null ? begin(morsel) : loads[morsel];
      next = Math.max(next, morsel + 1);
      int last = Math.min(loads.length, morsel + 1 + ahead());
      for (; next < last; next++) {
        if (loads[next] == null) {
          loads[next] = begin(next);
        }
      }
      loads[morsel] = mine;
    }
    context.checkCancelled();
    long since = System.nanoTime();
    try {
      LoadedPart part = mine.join();
      synchronized (this) {
        loads[morsel] = null;
        waited += System.nanoTime() - since;
        largest = Math.max(largest, part.memory.used());
        bytes += part.chunks.stream().mapToLong(HostColumns::bytes).sum();
      }
      return part;
    } catch (CompletionException e) {
      AragoniteException cause = e.getCause() instanceof AragoniteException a ? a : null;
      if (cause == null || cause.code() != ErrorCode.MEMORY_EXCEEDED) {
        throw cause != null ? cause : e;
      }
      // There is room when what was read ahead of it has been used.
      synchronized (this) {
        loads[morsel] = null;
      }
      return read(morsel);
    }
  }

  /** How many parts may be read ahead: one until it is known how large they are. */
  private int ahead() {
    MemoryBudget host = device.host().memory();
    long room = (host.limit() - host.used()) / SHARE;
    return largest == 0 ? 1 : (int) Math.clamp(room / largest, 1, threads);
  }

  private CompletableFuture<LoadedPart> begin(int number) {
    if (closed) {
      throw new AragoniteException(ErrorCode.CANCELLED, "The query has ended.");
    }
    return CompletableFuture.supplyAsync(() -> read(number), readers);
  }

  private LoadedPart read(int number) {
    QueryMemory memory = device.newHostMemory(0);
    boolean read = false;
    try {
      LoadedPart part = new LoadedPart(memory, parts.read(number, memory));
      read = true;
      return part;
    } finally {
      if (!read) {
        memory.close();
      }
    }
  }

  /**
   * Frees parts that were read ahead, the last ones first; they are read again when they are
   * wanted.
   */
  private long giveUp(long wanted) {
    long released = 0;
    for (int i = loads.length - 1; i >= 0 && released < wanted; i--) {
      CompletableFuture<LoadedPart> gone;
      synchronized (this) {
        gone = loads[i];
        if (gone == null || i <= taken || !gone.isDone()) {
          continue;
        }
        loads[i] = null;
      }
      released += free(gone);
    }
    return released;
  }

  private static long free(CompletableFuture<LoadedPart> load) {
    LoadedPart part = load.handle((loaded, error) -> loaded).join();
    if (part == null) {
      return 0;
    }
    long bytes = part.memory.used();
    part.memory.close();
    return bytes;
  }

  private void stream(ExecContext context, LoadedPart part, BatchConsumer consumer) {
    List<ColumnBatch> batches = new ArrayList<>();
    int batchRows = device.properties().batchRows();
    for (ColumnBatch chunk : part.chunks) {
      for (int from = 0; from < chunk.rows(); from += batchRows) {
        batches.add(Batches.slice(chunk, from, Math.min(batchRows, chunk.rows() - from)));
      }
    }
    List<Upload> begun = new ArrayList<>();
    try {
      for (int i = 0; i < batches.size() && !consumer.done(); i++) {
        context.checkCancelled();
        context.scratch().reset();
        if (begun.size() == i) {
          begun.add(begin(context, batches.get(i), part.memory));
        }
        if (i + 1 < batches.size()) {
          beginAhead(context, batches.get(i + 1), part.memory, begun);
        }
        Upload upload = begun.get(i);
        upload.moving.ticket().order();
        consumer.accept(upload.moving.rows());
        upload.free(context.memory());
      }
    } finally {
      // The host's memory goes next. Copies end in the order in which they began.
      if (!begun.isEmpty()) {
        begun.getLast().moving.ticket().await();
      }
    }
  }

  private void beginAhead(
      ExecContext context, ColumnBatch batch, QueryMemory host, List<Upload> begun) {
    try {
      optionally.accept(() -> begun.add(begin(context, batch, host)));
    } catch (AragoniteException e) {
      if (e.code() != ErrorCode.MEMORY_EXCEEDED) {
        throw e;
      }
      // It comes when it is wanted then.
    }
  }

  private static Upload begin(ExecContext context, ColumnBatch batch, QueryMemory host) {
    QueryMemory owner = context.memory();
    List<Buffer> buffers = new ArrayList<>();
    boolean copying = false;
    try {
      HostColumns.PendingCopy moving =
          HostColumns.startToDevice(
              context,
              TablePartSource.brief(batch, host),
              size -> {
                Buffer buffer = owner.allocate(size);
                buffers.add(buffer);
                return buffer;
              });
      copying = true;
      return new Upload(moving, buffers);
    } finally {
      if (!copying) {
        buffers.forEach(owner::free);
      }
    }
  }

  private synchronized void ended() {
    if (++done < loads.length) {
      return;
    }
    double nanos = Math.max(1, System.nanoTime() - start);
    node.note =
        String.format(
            Locale.ROOT,
            "read ahead by %d threads and streamed to the device: %.3g GB in %d parts at %.3g"
                + " GB/s, waited for parts %.0f %% of the time",
            threads,
            bytes / 1e9,
            loads.length,
            bytes / nanos,
            Math.min(100, 100 * waited / nanos));
  }

  @Override
  public void close() {
    try {
      registration.close();
    } catch (Exception e) {
      throw new IllegalStateException("a registration does not throw", e);
    }
    List<CompletableFuture<LoadedPart>> open = new ArrayList<>();
    synchronized (this) {
      closed = true;
      for (int i = 0; i < loads.length; i++) {
        if (loads[i] != null) {
          open.add(Objects.requireNonNull(loads[i]));
          loads[i] = null;
        }
      }
    }
    open.forEach(StreamedParts::free);
    readers.shutdown();
  }
}
