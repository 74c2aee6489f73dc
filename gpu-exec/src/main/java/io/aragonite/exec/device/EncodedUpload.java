package io.aragonite.exec.device;

import io.aragonite.exec.limit.ReadProgress;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.page.PageForm;
import io.aragonite.exec.table.Decodable;
import io.aragonite.exec.table.EncodedChunk;
import io.aragonite.exec.table.EncodedColumn;
import io.aragonite.exec.vector.Column;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Brings a table's column to a device as its file has it, where it is decoded: less goes over the
 * bus, and the host, whose code may not be compiled yet, does not look at the values. The host
 * makes a batch of chunks ready while the one before is on the bus and the one before that is
 * decoded.
 */
final class EncodedUpload {
  /**
   * Bytes of pages, compressed and not, that the device decompresses together at most. It takes as
   * long for few of them as for many, so that they are not spread over batches without need.
   */
  private static final long MOST_COMPRESSED = 1L << 30;

  /**
   * Those of texts, whose pages are large: a block takes 25 ms for one of 1 MB, and some thousand
   * blocks run at a time.
   */
  private static final long MOST_COMPRESSED_TEXTS = 3L << 30;

  /** Bytes of other pages that go to the device together: enough of them to keep it busy. */
  private static final long MOST_BATCH = 64L << 20;

  /** Less is not worth the calls. */
  private static final long LEAST_BATCH = 4L << 20;

  /** In how many batches other columns go, so that they overlap. */
  private static final int BATCHES = 4;

  /** What share of the device's memory a batch may be at most. */
  private static final int BATCH_SHARE = 16;

  private final ExecContext context;
  private final ColumnMemory memory;
  private final String what;
  private final List<Buffer> buffers = new ArrayList<>();

  /** In the order of the column. */
  private final List<EncodedBatch> batches = new ArrayList<>();

  private long pageBytes;

  /**
   * @param what the column's name, for messages
   */
  EncodedUpload(ExecContext context, ColumnMemory memory, String what) {
    this.context = context;
    this.memory = memory;
    this.what = what;
  }

  /** What the column holds on the device, to be freed one day. */
  List<Buffer> buffers() {
    return buffers;
  }

  /** Bytes of pages that went to the device. */
  long pageBytes() {
    return pageBytes;
  }

  /**
   * @param column of rows that fit a piece
   * @return the same rows on the device, texts in pieces; they are there; without a value: the host
   *     is to read the column, and nothing is held
   */
  Decodable<List<Column>> upload(EncodedColumn column) {
    boolean there = false;
    try {
      Decodable<List<Column>> result = decode(column);
      there = result.present();
      return result;
    } finally {
      batches.forEach(EncodedBatch::close);
      if (!there) {
        giveBack();
      }
    }
  }

  /** A fill of the bits may be under way. */
  private void giveBack() {
    try {
      memory.await(context);
    } finally {
      buffers.forEach(memory::free);
      buffers.clear();
    }
  }

  private Decodable<List<Column>> decode(EncodedColumn column) {
    long total = 0;
    long size = 0;
    for (int i = 0; i < column.chunks(); i++) {
      total += column.bytes(i);
      size += column.size(i);
    }
    ReadProgress reading = StopCheck.current().reading();
    reading.expect(column.chunks(), total);
    long batchBytes = batchBytes(column, size);
    DecodedPages decoded =
        column.form() == PageForm.LENGTHS
            ? new EncodedTexts(context, memory, column, this::allocate)
            : new EncodedValues(context, memory, column, this::allocate, this::free);
    int row = 0;
    for (int from = 0; from < column.chunks(); ) {
      context.checkCancelled();
      int to = batchEnd(column, from, batchBytes);
      Decodable<List<EncodedChunk>> chunks = column.chunks(from, to);
      if (!chunks.present()) {
        return Decodable.byHost(chunks.reason());
      }
      EncodedBatch batch = new EncodedBatch(context, column);
      batches.add(batch);
      int before = row - decoded.firstRow(row);
      for (EncodedChunk chunk : chunks.get()) {
        batch.add(from++, chunk, row - before);
        row += chunk.rows();
      }
      String refusal = decoded.refusal(batch);
      if (refusal != null) {
        return Decodable.byHost(refusal);
      }
      batch.copy();
      refusal =
          batches.size() > 1 ? finish(batches.get(batches.size() - 2), decoded, reading) : null;
      if (refusal != null) {
        return Decodable.byHost(refusal);
      }
    }
    if (batches.isEmpty()) {
      return Decodable.byHost("");
    }
    String refusal = finish(batches.getLast(), decoded, reading);
    if (refusal != null) {
      return Decodable.byHost(refusal);
    }
    long nulls = 0;
    for (EncodedBatch batch : batches) {
      nulls += batch.await();
    }
    return decoded.checked(nulls);
  }

  private long batchBytes(EncodedColumn column, long size) {
    boolean texts = column.form() == PageForm.LENGTHS;
    long wanted =
        column.compressed()
            ? texts ? MOST_COMPRESSED_TEXTS : MOST_COMPRESSED
            : Math.clamp(size / BATCHES, LEAST_BATCH, texts ? MOST_COMPRESSED : MOST_BATCH);
    return Math.min(wanted, context.device().memory().limit() / BATCH_SHARE);
  }

  /** Texts of a batch are a piece, whose offsets have 32 bits. */
  private static int batchEnd(EncodedColumn column, int from, long batchBytes) {
    long mostPages = column.form() == PageForm.LENGTHS ? Integer.MAX_VALUE : Long.MAX_VALUE;
    long bytes = 0;
    long pages = 0;
    int to = from;
    do {
      pages += column.size(to);
      bytes += column.size(to) + (column.compressed() ? column.bytes(to) : 0);
      to++;
    } while (to < column.chunks() && bytes < batchBytes && pages + column.size(to) <= mostPages);
    return to;
  }

  private @Nullable String finish(EncodedBatch batch, DecodedPages decoded, ReadProgress reading) {
    String refusal = decoded.decode(batch);
    batch.releaseHost();
    pageBytes += batch.storedBytes();
    reading.read(batch.storedBytes());
    return refusal;
  }

  private Buffer allocate(long bytes) {
    Buffer buffer = memory.allocate(context, bytes, what);
    buffers.add(buffer);
    return buffer;
  }

  private void free(Buffer buffer) {
    buffers.remove(buffer);
    memory.free(buffer);
  }
}
