package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ColumnMemory;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import jcuda.driver.CUevent;
import jcuda.driver.CUevent_flags;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;

/**
 * Copies of pageable host memory at the bus's speed. The copy engine reads and writes pinned memory
 * only; so pieces go through pinned buffers, several host threads moving them in or out (one alone
 * manages a fifth of the bus's 55 GB/s) while the engine works on others. Shared by a device's
 * queries; the buffers are made at first use.
 */
final class CudaStaging implements AutoCloseable {
  /** Some 75 microseconds of the bus: long against a call, short against the whole. */
  static final int PIECE = 4 << 20;

  /** What is smaller goes through the driver's own staging, by one call. */
  private static final int DIRECT = 64 << 10;

  private static final int MOST_THREADS = 8;

  /** A pinned buffer, and the event after which the copy engine needs it no more. */
  private static final class Slot {
    final HostPointer memory;
    final CUevent done;

    /** In which the event was recorded last. */
    @Nullable CudaStream stream;

    Slot(HostPointer memory, CUevent done) {
      this.memory = memory;
      this.done = done;
    }

    void await() {
      if (stream != null) {
        stream.await(done, "waiting for a copy");
      }
    }
  }

  private final CudaGpu gpu;
  private final int threads;
  private final int slotCount;
  private final MemoryBudget pinned;
  private final ExecutorService helpers;
  private final BlockingQueue<Slot> slots = new LinkedBlockingQueue<>();
  private boolean made;
  private boolean closed;

  /**
   * @param workers host threads that may be used
   */
  CudaStaging(CudaGpu gpu, int workers) {
    this.gpu = gpu;
    this.threads = Math.clamp(workers, 1, MOST_THREADS);
    this.slotCount = 2 * threads;
    this.pinned = new MemoryBudget("pinned", (long) slotCount * PIECE);
    this.helpers =
        Executors.newCachedThreadPool(
            Thread.ofPlatform().daemon().name("aragonite-staging-", 0).factory());
  }

  /** The pinned memory held. */
  MemoryBudget pinned() {
    return pinned;
  }

  /** Returns when the host memory may be used again. */
  void toDevice(
      ExecContext context, CudaStream stream, long hostAddress, long address, long bytes) {
    if (bytes <= DIRECT && !CudaPinnedMemory.holds(hostAddress, bytes)) {
      stream.write(hostAddress, address, bytes);
    } else {
      toDevice(
          context, stream, List.of(new ColumnMemory.Copy(hostAddress, new Buffer(address, bytes))));
    }
  }

  /**
   * Copies many places at once. Returns when the host memory may be used again.
   *
   * @param context where to look whether the query is to end; null: nobody asks
   */
  void toDevice(@Nullable ExecContext context, CudaStream stream, List<ColumnMemory.Copy> copies) {
    List<Piece> pieces = new ArrayList<>();
    boolean direct = false;
    for (ColumnMemory.Copy copy : copies) {
      long bytes = copy.device().size();
      if (bytes >= PIECE && CudaPinnedMemory.holds(copy.host(), bytes)) {
        stream.writePinned(copy.host(), copy.device().address(), bytes);
        direct = true;
      } else {
        cut(copy.host(), copy.device().address(), bytes, pieces);
      }
    }
    try {
      run(
          context,
          pieces,
          (slot, piece) -> {
            long to = slot.memory.address();
            for (HostRun run : piece.runs) {
              Mem.copy(run.host, to, run.bytes);
              to += run.bytes;
            }
            slot.stream = stream;
            stream.writePinned(slot.memory, piece.device, piece.bytes(), slot.done);
          });
    } finally {
      // After an error too: the host memory may go next.
      if (direct) {
        stream.sync();
      }
    }
  }

  /** Returns when the bytes are there. */
  void toHost(ExecContext context, CudaStream stream, long address, long hostAddress, long bytes) {
    if (bytes <= DIRECT) {
      stream.read(address, hostAddress, bytes);
    } else {
      toHost(
          context, stream, List.of(new ColumnMemory.Copy(hostAddress, new Buffer(address, bytes))));
    }
  }

  /** Copies from many places at once. Returns when the bytes are there. */
  void toHost(@Nullable ExecContext context, CudaStream stream, List<ColumnMemory.Copy> copies) {
    List<Piece> pieces = new ArrayList<>();
    boolean direct = false;
    for (ColumnMemory.Copy copy : copies) {
      long bytes = copy.device().size();
      if (CudaPinnedMemory.holds(copy.host(), bytes)) {
        stream.readPinned(copy.device().address(), copy.host(), bytes);
        direct = true;
      } else {
        cut(copy.host(), copy.device().address(), bytes, pieces);
      }
    }
    try {
      run(
          context,
          pieces,
          (slot, piece) -> {
            slot.stream = stream;
            stream.readPinned(piece.device, slot.memory, piece.bytes(), slot.done);
            stream.await(slot.done, "waiting for a copy to the host");
            long from = slot.memory.address();
            for (HostRun run : piece.runs) {
              Mem.copy(from, run.host, run.bytes);
              from += run.bytes;
            }
          });
    } finally {
      if (direct) {
        stream.sync();
      }
    }
  }

  /** Threads for copies beside a query's own. */
  ExecutorService helpers() {
    return helpers;
  }

  private record HostRun(long host, long bytes) {}

  /** What one call copies: device memory that lies together, wherever it is on the host. */
  private static final class Piece {
    final long device;
    final List<HostRun> runs = new ArrayList<>();
    private long bytes;

    Piece(long device) {
      this.device = device;
    }

    long bytes() {
      return bytes;
    }

    void add(long host, long more) {
      runs.add(new HostRun(host, more));
      bytes += more;
    }
  }

  private static void cut(long host, long device, long bytes, List<Piece> pieces) {
    long done = 0;
    if (!pieces.isEmpty()) {
      // A call takes as long as many KB, and calls of several threads wait for each other.
      Piece last = pieces.getLast();
      if (last.device + last.bytes == device && last.bytes < PIECE) {
        done = Math.min(PIECE - last.bytes, bytes);
        last.add(host, done);
      }
    }
    for (long at = done; at < bytes; at += PIECE) {
      Piece piece = new Piece(device + at);
      piece.add(host + at, Math.min(PIECE, bytes - at));
      pieces.add(piece);
    }
  }

  @FunctionalInterface
  private interface Move {
    void move(Slot slot, Piece piece);
  }

  /** Moves all pieces, by this thread and helpers. */
  private void run(@Nullable ExecContext context, List<Piece> pieces, Move move) {
    if (pieces.isEmpty()) {
      return;
    }
    makeSlots();
    int used = Math.min(threads, pieces.size());
    AtomicInteger next = new AtomicInteger();
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    CountDownLatch ended = new CountDownLatch(used - 1);
    for (int i = 1; i < used; i++) {
      helpers.execute(() -> {
        work(null, pieces, next, failure, move);
        ended.countDown();
      });
    }
    work(context, pieces, next, failure, move);
    await(ended);
    switch (failure.get()) {
      case null -> {}
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case Throwable e -> throw new IllegalStateException(e);
    }
  }

  /**
   * @param context where to look whether the query is to end; null in helpers
   */
  private void work(
      @Nullable ExecContext context,
      List<Piece> pieces,
      AtomicInteger next,
      AtomicReference<@Nullable Throwable> failure,
      Move move) {
    try {
      gpu.makeCurrent();
      for (int i = next.getAndIncrement(); i < pieces.size(); i = next.getAndIncrement()) {
        if (failure.get() != null) {
          return;
        }
        if (context != null) {
          context.checkCancelled();
        }
        Slot slot = take();
        try {
          slot.await();
          move.move(slot, pieces.get(i));
        } finally {
          slots.add(slot);
        }
      }
    } catch (Throwable e) {
      failure.compareAndSet(null, e);
    }
  }

  /** Slots are always given back soon, so that an interrupt need not end the wait. */
  private Slot take() {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return slots.take();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static void await(CountDownLatch ended) {
    boolean interrupted = false;
    while (true) {
      try {
        ended.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized void makeSlots() {
    if (made) {
      return;
    }
    if (closed) {
      throw new IllegalStateException("the device is closed");
    }
    try {
      while (slots.size() < slotCount) {
        slots.add(slot());
      }
      made = true;
    } finally {
      if (!made) {
        // All or none; whoever comes next tries again.
        freeSlots();
      }
    }
  }

  private Slot slot() {
    gpu.makeCurrent();
    pinned.reserve(PIECE, "Staging of " + gpu.name());
    HostPointer memory = new HostPointer();
    CUevent done = new CUevent();
    boolean allocated = false;
    boolean complete = false;
    try {
      gpu.check(JCudaDriver.cuMemHostAlloc(memory, PIECE, 0), "allocating pinned memory");
      allocated = true;
      gpu.check(
          JCudaDriver.cuEventCreate(done, CUevent_flags.CU_EVENT_DISABLE_TIMING),
          "making an event");
      complete = true;
    } finally {
      if (!complete) {
        pinned.release(PIECE);
        if (allocated && !gpu.retired()) {
          JCudaDriver.cuMemFreeHost(memory);
        }
      }
    }
    // What JCuda made also holds a direct buffer, which costs each call some steps into Java.
    return new Slot(new HostPointer(memory.address()), done);
  }

  /** Frees the pinned memory. No copy may be running. */
  @Override
  public synchronized void close() {
    closed = true;
    helpers.shutdown();
    freeSlots();
  }

  private void freeSlots() {
    for (Slot slot = slots.poll(); slot != null; slot = slots.poll()) {
      pinned.release(PIECE);
      if (!gpu.retired()) {
        slot.await();
        gpu.makeCurrent();
        gpu.check(JCudaDriver.cuEventDestroy(slot.done), "ending an event");
        gpu.check(JCudaDriver.cuMemFreeHost(slot.memory), "freeing pinned memory");
      }
    }
  }
}
