package io.aragonite.exec.device;

import io.aragonite.exec.limit.ReadProgress;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.page.PageForm;
import io.aragonite.exec.page.PageOutput;
import io.aragonite.exec.table.Decodable;
import io.aragonite.exec.table.EncodedChunk;
import io.aragonite.exec.table.EncodedColumn;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Dictionary;
import io.aragonite.exec.vector.ValueRange;
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
    EncodedTexts texts =
        column.form() == PageForm.LENGTHS
            ? new EncodedTexts(context, memory, column, this::allocate)
            : null;
    PageOutput out = null;
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
      int before = row;
      for (EncodedChunk chunk : chunks.get()) {
        // A batch of texts is a piece.
        batch.add(from++, chunk, texts == null ? row : row - before);
        row += chunk.rows();
      }
      if (batch.pageBytes() > Integer.MAX_VALUE && texts != null) {
        return Decodable.byHost("chunks of more than 2 GB of texts");
      }
      if (out == null && texts == null) {
        out = output(column);
      }
      batch.copy();
      if (batches.size() > 1) {
        finish(batches.get(batches.size() - 2), out, texts, reading);
      }
    }
    if (batches.isEmpty()) {
      return Decodable.byHost("");
    }
    finish(batches.getLast(), out, texts, reading);
    long nulls = 0;
    for (EncodedBatch batch : batches) {
      nulls += batch.await();
    }
    return texts == null ? checked(column, row, out, nulls) : texts.checked();
  }

  private long batchBytes(EncodedColumn column, long size) {
    long most = column.form() == PageForm.LENGTHS ? MOST_COMPRESSED : MOST_BATCH;
    long wanted =
        column.compressed() ? MOST_COMPRESSED : Math.clamp(size / BATCHES, LEAST_BATCH, most);
    return Math.min(wanted, context.device().memory().limit() / BATCH_SHARE);
  }

  private static int batchEnd(EncodedColumn column, int from, long batchBytes) {
    long bytes = 0;
    int to = from;
    do {
      bytes += column.size(to) + (column.compressed() ? column.bytes(to) : 0);
      to++;
    } while (to < column.chunks() && bytes < batchBytes);
    return to;
  }

  /** Room for all values, once some chunks have turned out to be the device's. */
  private PageOutput output(EncodedColumn column) {
    PageForm form = column.form();
    Buffer values = allocate(column.rows() * form.outWidth());
    Buffer validity = Buffer.EMPTY;
    if (column.optional()) {
      validity = allocate((column.rows() + 63L) / 64 * 8);
      memory.fill(context, validity, (byte) 0);
    }
    return new PageOutput(form, column.width(), Buffer.EMPTY, values, validity);
  }

  /** One of {@code out} and {@code texts} is there. */
  private void finish(
      EncodedBatch batch,
      @Nullable PageOutput out,
      @Nullable EncodedTexts texts,
      ReadProgress reading) {
    if (texts != null) {
      texts.decode(batch);
    } else if (out != null) {
      batch.decode(out);
    }
    batch.releaseHost();
    pageBytes += batch.storedBytes();
    reading.read(batch.storedBytes());
  }

  /** The column with the shape that the host would have found. */
  private Decodable<List<Column>> checked(
      EncodedColumn column, int rows, @Nullable PageOutput out, long nulls) {
    if (out == null) {
      return Decodable.byHost("");
    }
    Buffer bits = nulls > 0 ? out.validity() : null;
    Dictionary dictionary = column.dictionary();
    Storage storage = dictionary != null ? Storage.CODE : Storage.of(column.type());
    ColumnShape loose = new ColumnShape(column.type(), storage, nulls > 0, dictionary, null);
    Column loosely = new Column(loose, rows, out.values(), Buffer.EMPTY, bits, null);
    boolean integers = storage == Storage.INT || storage == Storage.LONG;
    ValueRange range = integers ? context.scan().valueRange(context, loosely) : null;
    ColumnShape shape = new ColumnShape(column.type(), storage, nulls > 0, dictionary, range);
    memory.await(context);
    if (!column.accept(shape, nulls)) {
      return Decodable.byHost("values are others than before");
    }
    if (bits == null && out.validity().size() > 0) {
      buffers.remove(out.validity());
      memory.free(out.validity());
    }
    return Decodable.of(List.of(new Column(shape, rows, out.values(), Buffer.EMPTY, bits, null)));
  }

  private Buffer allocate(long bytes) {
    Buffer buffer = memory.allocate(context, bytes, what);
    buffers.add(buffer);
    return buffer;
  }
}
