package io.aragonite.exec.operator;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ColumnPiece;
import io.aragonite.exec.device.DeviceProperties;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.Source;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A table in host memory whose columns the device's memory does not hold: cut into pieces, of which
 * the next ones are on their way while one is worked with (Rui and Tu 2017, section 3.4, figure 6).
 * What a query does with the rows does not matter: filters, aggregates and probe sides of joins
 * stream alike. A piece's buffers are taken and freed in the order of the query's work, so that
 * seventeen pieces at most are held by a worker, and no more than there is room for.
 */
public final class StreamedScan implements Source {
  /** Pieces under way while one is worked with, at least: those that room is found for. */
  private static final int AHEAD = 2;

  /**
   * And at most: some work is done for several pieces together, and lasts as long as some of them
   * are on their way.
   */
  private static final int MOST_AHEAD = 16;

  /** Some 5 ms of the bus: long against launches and waits, short against the whole. */
  private static final long PIECE_BYTES = 256 << 20;

  private final Table.Pin pin;
  private final List<ColumnShape> shapes;
  private final QueryMetrics.NodeMetrics node;
  private final Consumer<Runnable> optionally;
  private final List<List<ColumnBatch>> pieces;
  private final @Nullable HostRowUpload[] uploads;
  private final long bytes;
  private final int ahead;
  private @Nullable QueryMemory memory;

  /** The highest morsel that a worker has taken. */
  private int taken = -1;

  private int done;

  /** Pieces that were not there yet when they were wanted: few, if the bus is not what counts. */
  private int waitedFor;

  private long start;
  private long busyBefore;

  /**
   * @param pin the table's columns in host memory, which are unpinned when the pipeline ends
   * @param room bytes of the device's memory that pieces may take, those under way included
   * @param node gets figures
   * @param optionally runs what the query can do without: it does not wait for others' memory
   */
  public StreamedScan(
      Table.Pin pin,
      DeviceProperties properties,
      long room,
      QueryMetrics.NodeMetrics node,
      Consumer<Runnable> optionally) {
    this.optionally = optionally;
    this.pin = pin;
    this.shapes = pin.shapes();
    this.node = node;
    this.bytes = pin.chunks().stream().mapToLong(HostColumns::bytes).sum();
    long rows = pin.chunks().stream().mapToLong(ColumnBatch::rows).sum();
    long most = Math.min(PIECE_BYTES, room / (AHEAD + 1));
    long fitting = rows == 0 ? 64 : (long) (most / Math.max(1, (double) bytes / rows)) & -64;
    this.pieces = cut(pin.chunks(), (int) Math.clamp(fitting, 64, properties.batchRows()), most);
    this.uploads = new HostRowUpload[pieces.size()];
    long piece = Math.max(1, bytes / Math.max(1, pieces.size()));
    this.ahead = (int) Math.clamp(room / piece - 1, AHEAD, MOST_AHEAD);
  }

  /**
   * Puts small chunks together and cuts large ones.
   *
   * @param pieceRows rows of a piece at most
   * @param pieceBytes bytes of a piece at most, but for one of 64 rows that have more: texts may be
   *     long in one place and short in another
   */
  private static List<List<ColumnBatch>> cut(
      List<ColumnBatch> chunks, int pieceRows, long pieceBytes) {
    List<List<ColumnBatch>> pieces = new ArrayList<>();
    List<ColumnBatch> piece = new ArrayList<>();
    int rows = 0;
    long left = pieceBytes;
    for (ColumnBatch chunk : chunks) {
      int from = 0;
      while (from < chunk.rows()) {
        int most = Math.min(chunk.rows() - from, pieceRows - rows);
        int count = fitting(chunk, from, most, left);
        if (count == 0 && rows == 0) {
          count = Math.min(64, most);
        }
        if (count > 0) {
          ColumnBatch slice = Batches.slice(chunk, from, count);
          piece.add(slice);
          rows += count;
          from += count;
          left -= bytes(slice);
        }
        // What does not end on a line of the bitmap ends a piece.
        if (count < most || rows == pieceRows || (rows & 63) != 0) {
          pieces.add(List.copyOf(piece));
          piece.clear();
          rows = 0;
          left = pieceBytes;
        }
      }
    }
    if (!piece.isEmpty()) {
      pieces.add(List.copyOf(piece));
    }
    return pieces;
  }

  /**
   * The largest number of rows that have no more than so many bytes: {@code most}, or else a
   * multiple of 64.
   */
  private static int fitting(ColumnBatch chunk, int from, int most, long bytes) {
    if (bytes(Batches.slice(chunk, from, most)) <= bytes) {
      return most;
    }
    int fits = 0;
    int tooMany = (most + 63) / 64;
    while (tooMany - fits > 1) {
      int middle = (fits + tooMany) >>> 1;
      if (bytes(Batches.slice(chunk, from, 64 * middle)) <= bytes) {
        fits = middle;
      } else {
        tooMany = middle;
      }
    }
    return 64 * fits;
  }

  /** Bytes of rows on the device. */
  private static long bytes(ColumnBatch rows) {
    return rows.columns().stream().mapToLong(ColumnPiece::bytes).sum();
  }

  @Override
  public List<ColumnShape> shapes() {
    return shapes;
  }

  @Override
  public int morsels() {
    return pieces.size();
  }

  @Override
  public long rows() {
    return pin.chunks().stream().mapToLong(ColumnBatch::rows).sum();
  }

  @Override
  public boolean keepsOrder() {
    return true;
  }

  @Override
  public void run(ExecContext context, int morsel, BatchConsumer consumer) {
    context.checkCancelled();
    context.scratch().reset();
    HostRowUpload rows = take(context, morsel);
    if (!rows.ended()) {
      synchronized (this) {
        waitedFor++;
      }
    }
    consumer.accept(rows.arrive(context));
    // After an error the query's end frees it, when no copies are under way any more.
    rows.free(context.memory());
    ended(context);
  }

  /** The piece of a morsel, which is the worker's from now on; later ones begin to come. */
  private synchronized HostRowUpload take(ExecContext context, int morsel) {
    if (memory == null) {
      memory = context.memory();
      start = System.nanoTime();
      busyBefore = context.copies().toDeviceNanos();
    }
    HostRowUpload known = uploads[morsel];
    uploads[morsel] = null;
    HostRowUpload mine = known == null ? begin(context, morsel) : known;
    int last = Math.min(morsel + ahead, pieces.size() - 1);
    for (int next = morsel + 1; next <= last; next++) {
      if (uploads[next] == null && next > taken) {
        try {
          int number = next;
          optionally.accept(() -> uploads[number] = begin(context, number));
        } catch (AragoniteException e) {
          if (e.code() != ErrorCode.MEMORY_EXCEEDED) {
            uploads[morsel] = mine;
            throw e;
          }
          // It comes when it is wanted then.
          break;
        }
      }
    }
    taken = Math.max(taken, morsel);
    return mine;
  }

  private HostRowUpload begin(ExecContext context, int number) {
    return HostRowUpload.begin(context, shapes, pieces.get(number));
  }

  private synchronized void ended(ExecContext context) {
    if (++done < pieces.size()) {
      return;
    }
    double nanos = Math.max(1, System.nanoTime() - start);
    long busy = context.copies().toDeviceNanos() - busyBefore;
    node.note =
        String.format(
            Locale.ROOT,
            "streamed to the device: %.3g GB in %d pieces at %.3g GB/s, %d waited for, the bus busy"
                + " %.0f %% of the time",
            bytes / 1e9,
            pieces.size(),
            bytes / nanos,
            waitedFor,
            Math.min(100, 100 * busy / nanos));
  }

  @Override
  public void close() {
    free();
  }

  private synchronized void free() {
    QueryMemory owner = memory;
    try {
      for (HostRowUpload upload : uploads) {
        if (upload != null && owner != null) {
          upload.drop(owner);
        }
      }
      Arrays.fill(uploads, null);
    } finally {
      pin.close();
    }
  }
}
