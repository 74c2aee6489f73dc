package io.aragonite.exec.device;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.page.MalformedPageException;
import io.aragonite.exec.page.PageForm;
import io.aragonite.exec.table.Decodable;
import io.aragonite.exec.table.EncodedChunk;
import io.aragonite.exec.table.EncodedColumn;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Dictionary;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A column some of whose chunks are ready before the query asks for them. The thread of its {@link
 * ReadAhead} makes them, in order; the query takes them, in the same order. All guarded by the
 * room.
 */
final class ReadAheadColumn implements EncodedColumn {
  private static final Logger LOG = LoggerFactory.getLogger(ReadAheadColumn.class);

  /** Chunks that are made ready together: enough for all threads that load. */
  private static final int STEP = 32;

  private enum State {
    /** Nobody has come to it. */
    WAITING,
    /** The thread looks for it. */
    SEARCHED,
    /** The thread makes chunks ready. */
    FILLED,
    /** What is not ready the query makes itself. */
    LEFT
  }

  private final ReadAheadRoom room;
  private final Deque<EncodedChunk> ready = new ArrayDeque<>();
  private final Deque<Long> readyBytes = new ArrayDeque<>();
  private State state = State.WAITING;
  private @Nullable Decodable<EncodedColumn> found;
  private @Nullable EncodedColumn column;
  private boolean taken;
  private boolean closed;
  private boolean working;

  /** Chunks that have been ready. */
  private int filled;

  /** Chunks that the query wants now. */
  private int wanted;

  ReadAheadColumn(ReadAheadRoom room) {
    this.room = room;
  }

  /** The thread begins; false if the query was here before. */
  boolean begin() {
    synchronized (room) {
      if (taken || closed) {
        return false;
      }
      state = State.SEARCHED;
      return true;
    }
  }

  /**
   * What the thread has found.
   *
   * @param of null: the query is to look for it itself
   */
  void found(@Nullable Decodable<EncodedColumn> of) {
    synchronized (room) {
      found = of;
      column = of == null ? null : of.value();
      state = column == null ? State.LEFT : State.FILLED;
      room.notifyAll();
    }
  }

  /** The thread makes chunks ready until all are, or nobody wants more. */
  void fill() {
    while (true) {
      int from;
      int to;
      EncodedColumn of;
      synchronized (room) {
        of = column;
        if (of == null) {
          return;
        }
        boolean more = false;
        try {
          room.await(() -> room.closed() || closed || !room.full() || wanted > filled);
          more = !room.closed() && !closed && filled < of.chunks();
        } finally {
          if (!more) {
            leave();
          }
        }
        if (!more) {
          return;
        }
        from = filled;
        to = stepEnd(of, from);
        working = true;
      }
      List<EncodedChunk> made = null;
      try {
        made = of.chunks(from, to).value();
      } catch (RuntimeException e) {
        LOG.debug("chunks {} to {} are left to the query", from, to, e);
      } finally {
        keep(of, made);
      }
      if (made == null) {
        return;
      }
    }
  }

  /** One chunk at least, and what the query waits for; more of them as far as there is room. */
  private int stepEnd(EncodedColumn of, int from) {
    int most = Math.min(of.chunks(), from + STEP);
    int to = from + 1;
    for (long bytes = of.size(from); to < most; to++) {
      bytes += of.size(to);
      if (to >= wanted && bytes > room.left()) {
        break;
      }
    }
    return to;
  }

  private void leave() {
    state = State.LEFT;
    room.notifyAll();
  }

  private void keep(EncodedColumn of, @Nullable List<EncodedChunk> made) {
    synchronized (room) {
      working = false;
      if (made == null) {
        leave();
        return;
      }
      for (EncodedChunk chunk : made) {
        long bytes = of.size(filled++);
        ready.add(chunk);
        readyBytes.add(bytes);
        room.add(bytes);
      }
      if (closed) {
        releaseReady();
      }
      room.notifyAll();
    }
  }

  /**
   * The query wants the column.
   *
   * @return null: it is to look for it itself; else what was found, which it closes
   */
  @Nullable Decodable<EncodedColumn> take() {
    synchronized (room) {
      if (state == State.WAITING) {
        taken = true;
        return null;
      }
      room.await(() -> state != State.SEARCHED);
      taken = true;
      return column == null ? found : Decodable.of(this);
    }
  }

  @Override
  public Decodable<List<EncodedChunk>> chunks(int from, int to) {
    List<EncodedChunk> chunks = new ArrayList<>();
    synchronized (room) {
      wanted = to;
      room.notifyAll();
      room.await(() -> filled >= to || state == State.LEFT);
      while (chunks.size() < to - from && !ready.isEmpty()) {
        chunks.add(ready.remove());
        room.add(-readyBytes.remove());
      }
    }
    int next = from + chunks.size();
    if (next == to) {
      return Decodable.of(chunks);
    }
    boolean all = false;
    try {
      Decodable<List<EncodedChunk>> rest = column().chunks(next, to);
      if (rest.present()) {
        all = true;
        chunks.addAll(rest.get());
        return Decodable.of(chunks);
      }
      return rest;
    } finally {
      if (!all) {
        chunks.forEach(EncodedChunk::close);
      }
    }
  }

  /** Nobody took it, or whoever did has failed before closing it. */
  void giveUp() {
    boolean mine;
    synchronized (room) {
      mine = column != null && !closed;
    }
    if (mine) {
      close();
    }
  }

  @Override
  public void close() {
    synchronized (room) {
      if (closed) {
        return;
      }
      closed = true;
      room.notifyAll();
      try {
        awaitThread();
        releaseReady();
      } finally {
        column().close();
      }
    }
  }

  /** Its chunks are of the file, which is to stay until they are made. */
  private void awaitThread() {
    boolean interrupted = false;
    while (working) {
      try {
        room.wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void releaseReady() {
    ready.forEach(EncodedChunk::close);
    ready.clear();
    readyBytes.forEach(bytes -> room.add(-bytes));
    readyBytes.clear();
  }

  private EncodedColumn column() {
    return Objects.requireNonNull(column, "found");
  }

  @Override
  public DataType type() {
    return column().type();
  }

  @Override
  public PageForm form() {
    return column().form();
  }

  @Override
  public int width() {
    return column().width();
  }

  @Override
  public boolean optional() {
    return column().optional();
  }

  @Override
  public boolean compressed() {
    return column().compressed();
  }

  @Override
  public @Nullable Dictionary dictionary() {
    return column().dictionary();
  }

  @Override
  public long rows() {
    return column().rows();
  }

  @Override
  public int chunks() {
    return column().chunks();
  }

  @Override
  public long bytes(int chunk) {
    return column().bytes(chunk);
  }

  @Override
  public long size(int chunk) {
    return column().size(chunk);
  }

  @Override
  public AragoniteException broken(int chunk, int page, MalformedPageException found) {
    return column().broken(chunk, page, found);
  }

  @Override
  public boolean accept(ColumnShape shape, long nulls) {
    return column().accept(shape, nulls);
  }
}
