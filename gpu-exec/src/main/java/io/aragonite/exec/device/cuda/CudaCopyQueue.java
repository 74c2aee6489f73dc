package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ColumnMemory;
import io.aragonite.exec.device.CopyQueue;
import io.aragonite.exec.device.cuda.CudaStream.StreamUse;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import jcuda.driver.CUevent;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;

/**
 * Copies on two streams of their own, one a direction, since a GPU has a copy engine for each;
 * events order them and the query's stream. Page-locked memory is reached by the engines
 * themselves; what is pageable goes through {@link CudaStaging}, by threads of that, so that the
 * caller waits for nothing.
 */
final class CudaCopyQueue implements CopyQueue {
  private final CudaStream query;
  private final CudaGpu gpu;
  private final CudaStaging staging;
  private final Direction in;
  private final Direction out;

  /** From other GPUs; null until something was asked for. */
  private @Nullable Direction peers;

  /** Events that nobody uses, with their clock. */
  private final Deque<CUevent> idle = new ArrayDeque<>();

  private final float[] elapsed = new float[1];

  /** Where stretches are counted from; null: they are not kept. */
  private @Nullable CUevent origin;

  private long originNanos;
  private final List<Stretch> stretches = new ArrayList<>();
  private final List<Mark> marks = new ArrayList<>();

  /** Whose events others may wait for until the queue is closed. */
  private final List<CudaEvent> points = new ArrayList<>();

  /**
   * Where the query's stream begins with something.
   *
   * @param asked when it was asked for, by System.nanoTime()
   */
  private record Mark(@Nullable String what, CUevent event, long asked) {}

  CudaCopyQueue(CudaStream query, CudaStaging staging) {
    this.query = query;
    this.gpu = query.gpu();
    this.staging = staging;
    this.in = new Direction(StreamUse.TO_DEVICE);
    this.out = new Direction(StreamUse.TO_HOST);
  }

  /** One direction of the bus. */
  private final class Direction {
    final boolean toDevice;
    final CudaStream stream;

    /** Streams of other GPUs, whose engines write to this one. */
    final CudaPeerCopies pushes;

    /** Copies whose time has not been taken. */
    final Deque<Copies> open = new ArrayDeque<>();

    /** The last of the copies that threads of the staging make, one after the other. */
    CompletableFuture<?> last = CompletableFuture.completedFuture(true);

    double millis;

    Direction(StreamUse use) {
      this.toDevice = use != StreamUse.TO_HOST;
      this.stream = gpu.takeStream(use);
      this.pushes = new CudaPeerCopies(gpu, stream);
      stream.resetCounters();
    }

    CopyTicket start(List<ColumnMemory.Copy> copies) {
      if (copies.isEmpty()) {
        return DONE;
      }
      measure(false);
      Copies ticket = new Copies(this);
      boolean started = false;
      try {
        start(ticket, copies);
        started = true;
      } finally {
        if (!started) {
          ticket.giveBack();
        }
      }
      open.add(ticket);
      return ticket;
    }

    CopyTicket startFrom(List<PeerCopy> copies, CudaEvent room) {
      measure(false);
      Copies ticket = new Copies(this);
      boolean started = false;
      try {
        stream.waitFor(room.event(), room.stream());
        stream.record(ticket.begun);
        pushes.start(copies, room);
        ticket.end();
        started = true;
      } finally {
        if (!started) {
          ticket.giveBack();
        }
      }
      open.add(ticket);
      return ticket;
    }

    private void start(Copies ticket, List<ColumnMemory.Copy> copies) {
      query.record(ticket.before);
      boolean pinned =
          copies.stream().allMatch(c -> CudaPinnedMemory.holds(c.host(), c.device().size()));
      if (pinned) {
        ticket.begin();
        if (toDevice) {
          stream.writePinned(copies);
        } else {
          copies.forEach(copy ->
              stream.readPinned(copy.device().address(), copy.host(), copy.device().size()));
        }
        ticket.end();
      } else {
        beside(
            ticket,
            () -> {
              ticket.begin();
              if (toDevice) {
                staging.toDevice(null, stream, copies);
              } else {
                staging.toHost(null, stream, copies);
              }
              ticket.end();
            });
      }
    }

    /** Has a thread of the staging hand copies over, behind those before. */
    private void beside(Copies ticket, Runnable work) {
      CompletableFuture<?> task =
          last.handle((value, error) -> true).thenRunAsync(work, staging.helpers());
      ticket.staged = task;
      last = task;
    }

    /** Takes the time of copies that have ended. */
    void measure(boolean wait) {
      while (!open.isEmpty() && (wait || open.getFirst().ended())) {
        Copies copies = open.removeFirst();
        try {
          if (copies.failed()) {
            // Whoever waits for it gets the error.
            continue;
          }
          copies.await();
          gpu.check(
              JCudaDriver.cuEventElapsedTime(elapsed, copies.begun, copies.done),
              "asking for a time");
          millis += elapsed[0];
          keep(this, copies);
        } finally {
          copies.giveBack();
        }
      }
    }

    /**
     * Waits for the threads of the staging, which use the host's memory, whatever comes of them.
     */
    void join() {
      last.handle((value, error) -> true).join();
    }

    /** After {@link #join}. A stream that may still have something to do is nobody's any more. */
    void close() {
      boolean ends = pushes.working();
      try {
        try {
          measure(true);
        } finally {
          if (ends) {
            stream.sync();
          }
          pushes.close();
        }
      } finally {
        query.addCopied(stream.usage());
      }
      if (ends) {
        gpu.giveBack(stream);
      }
    }
  }

  /** Copies under way. */
  private final class Copies implements CopyTicket {
    final Direction direction;

    /** Behind what the query had asked for when this was begun. */
    final CUevent before = event();

    final CUevent begun = event();
    final CUevent done = event();

    /** Ends when all has been given to the copy engine; null: it has been. */
    @Nullable CompletableFuture<?> staged;

    /** Whether it has ended or failed, and its events are used by others. */
    boolean measured;

    Copies(Direction direction) {
      this.direction = direction;
    }

    void begin() {
      direction.stream.waitFor(before, query);
      direction.stream.record(begun);
    }

    void end() {
      direction.stream.record(done);
    }

    @Override
    public boolean ended() {
      if (measured) {
        return true;
      }
      if (staged != null && !staged.isDone()) {
        return false;
      }
      gpu.makeCurrent();
      return JCudaDriver.cuEventQuery(done) == CUresult.CUDA_SUCCESS;
    }

    /** Whether it could not be given to the copy engine; waits until that is known. */
    boolean failed() {
      CompletableFuture<?> task = staged;
      return task != null && task.handle((value, error) -> error != null).join();
    }

    /** Its events may be used by others: nobody waits for them from now on. */
    void giveBack() {
      measured = true;
      idle.add(before);
      idle.add(begun);
      idle.add(done);
    }

    private void handedOver() {
      CompletableFuture<?> task = staged;
      if (task != null) {
        try {
          task.join();
        } catch (CompletionException e) {
          if (e.getCause() instanceof RuntimeException cause) {
            throw cause;
          }
          throw e;
        }
      }
    }

    @Override
    public void order() {
      handedOver();
      if (!measured) {
        query.waitFor(done, direction.stream);
      }
    }

    @Override
    public void await() {
      handedOver();
      if (measured) {
        return;
      }
      if (direction.equals(peers)) {
        direction.pushes.await(done);
      } else {
        direction.stream.await(done, "waiting for copies");
      }
    }
  }

  private String name(Direction direction) {
    return direction.equals(in) ? "to device" : direction.equals(out) ? "to host" : "from peers";
  }

  /** The query's stream has nothing to do yet, so that the event takes place now. */
  @Override
  public void trace() {
    if (origin == null) {
      CUevent now = event();
      query.sync();
      query.record(now);
      query.sync();
      originNanos = System.nanoTime();
      origin = now;
    }
  }

  private long nanos(CUevent origin, CUevent event) {
    gpu.check(JCudaDriver.cuEventElapsedTime(elapsed, origin, event), "asking for a time");
    return originNanos + (long) (elapsed[0] * 1e6);
  }

  private void keep(Direction direction, Copies copies) {
    CUevent from = origin;
    if (from != null) {
      stretches.add(
          new Stretch(
              name(direction), "copying", nanos(from, copies.begun), nanos(from, copies.done)));
    }
  }

  @Override
  public void mark(@Nullable String what) {
    if (origin != null) {
      CUevent event = event();
      query.record(event);
      marks.add(new Mark(what, event, System.nanoTime()));
    }
  }

  @Override
  public List<Stretch> stretches() {
    CUevent from = origin;
    if (from == null) {
      return List.of();
    }
    mark(null);
    query.sync();
    in.measure(true);
    out.measure(true);
    if (peers != null) {
      peers.measure(true);
    }
    for (int i = 0; i + 1 < marks.size(); i++) {
      String what = marks.get(i).what;
      if (what != null) {
        long begun = nanos(from, marks.get(i).event);
        stretches.add(new Stretch("kernels", what, begun, nanos(from, marks.get(i + 1).event)));
        stretches.add(new Stretch("asking", what, marks.get(i).asked, marks.get(i + 1).asked));
      }
    }
    marks.forEach(mark -> idle.add(mark.event));
    marks.clear();
    return List.copyOf(stretches);
  }

  private CUevent event() {
    CUevent known = idle.poll();
    return known == null ? gpu.takeEvent() : known;
  }

  @Override
  public CopyTicket toDevice(List<ColumnMemory.Copy> copies) {
    return in.start(copies);
  }

  @Override
  public CopyTicket toHost(List<ColumnMemory.Copy> copies) {
    return out.start(copies);
  }

  @Override
  public CudaEvent point() {
    CudaEvent point = new CudaEvent(event(), query);
    points.add(point);
    query.record(point.event());
    return point;
  }

  @Override
  public CopyTicket fromPeers(List<PeerCopy> copies, Point room) {
    if (copies.isEmpty()) {
      return DONE;
    }
    Direction known = peers;
    if (known == null) {
      known = new Direction(StreamUse.FROM_PEERS);
      peers = known;
    }
    return known.startFrom(copies, room instanceof CudaEvent place ? place : point());
  }

  @Override
  public long toDeviceNanos() {
    in.measure(true);
    return (long) (in.millis * 1e6);
  }

  @Override
  public String remark() {
    return in.stream.copiedOneByOne()
        ? "many small pieces went over the bus one by one: a driver of CUDA 13.0 or later copies"
            + " them together"
        : "";
  }

  @Override
  public void close() {
    in.join();
    out.join();
    if (gpu.retired()) {
      if (peers != null) {
        // Engines of GPUs that work may still read what their queries free next.
        peers.pushes.close();
      }
      query.addCopied(in.stream.usage());
      query.addCopied(out.stream.usage());
      return;
    }
    try {
      try {
        in.close();
      } finally {
        try {
          out.close();
        } finally {
          if (peers != null) {
            peers.close();
          }
        }
      }
    } finally {
      points.forEach(point -> gpu.giveBack(point.event()));
      points.clear();
      idle.forEach(gpu::giveBack);
      idle.clear();
    }
  }
}
