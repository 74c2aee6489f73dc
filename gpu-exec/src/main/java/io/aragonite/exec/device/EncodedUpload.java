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
import io.aragonite.exec.vector.ValueRange;
import java.util.ArrayList;
import java.util.List;

/**
 * Brings a table's column to a device as its file has it, where it is decoded: less goes over the
 * bus, and the host, whose code may not be compiled yet, does not look at the values.
 */
final class EncodedUpload {
  /** Bytes of pages that are on the device together, about: more keep it no busier. */
  private static final long BATCH_BYTES = 256L << 20;

  /** What share of the device's memory they may be at most. */
  private static final int BATCH_SHARE = 16;

  private final ExecContext context;
  private final ColumnMemory memory;
  private final String what;
  private final List<Buffer> buffers = new ArrayList<>();
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
   * @return the same rows on the device; they are there; without a value: the host is to read the
   *     column, and nothing is held
   */
  Decodable<Column> upload(EncodedColumn column) {
    boolean there = false;
    try {
      Decodable<Column> result = decode(column);
      there = result.present();
      return result;
    } finally {
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

  private Decodable<Column> decode(EncodedColumn column) {
    PageForm form = column.form();
    int rows = Math.toIntExact(column.rows());
    Decodable<EncodedChunk> first = column.chunk(0);
    if (!first.present()) {
      return Decodable.byHost(first.reason());
    }
    ReadProgress reading = StopCheck.current().reading();
    reading.expect(column.chunks(), column.bytes());
    Buffer values = allocate((long) rows * form.outWidth());
    Buffer validity = Buffer.EMPTY;
    if (column.optional()) {
      validity = allocate((rows + 63L) / 64 * 8);
      memory.fill(context, validity, (byte) 0);
    }
    PageOutput out = new PageOutput(form, column.width(), Buffer.EMPTY, values, validity);
    long nulls = 0;
    int row = 0;
    long most = Math.min(BATCH_BYTES, context.device().memory().limit() / BATCH_SHARE);
    EncodedBatch batch = new EncodedBatch(column);
    for (int i = 0; i < column.chunks(); i++) {
      context.checkCancelled();
      Decodable<EncodedChunk> chunk = i == 0 ? first : column.chunk(i);
      if (!chunk.present()) {
        return Decodable.byHost(chunk.reason());
      }
      batch.add(i, chunk.get(), row);
      row += chunk.get().rows();
      if (batch.bytes() >= most || i + 1 == column.chunks()) {
        nulls += batch.decode(context, memory, out);
        pageBytes += batch.storedBytes();
        reading.read(batch.storedBytes());
        batch = new EncodedBatch(column);
      }
    }
    return checked(column, rows, values, validity, nulls);
  }

  /** The column with the shape that the host would have found. */
  private Decodable<Column> checked(
      EncodedColumn column, int rows, Buffer values, Buffer validity, long nulls) {
    Buffer bits = nulls > 0 ? validity : null;
    Storage storage = Storage.of(column.type());
    ColumnShape loose = new ColumnShape(column.type(), storage, nulls > 0, null, null);
    Column loosely = new Column(loose, rows, values, Buffer.EMPTY, bits, null);
    boolean integers = storage == Storage.INT || storage == Storage.LONG;
    ValueRange range = integers ? context.scan().valueRange(context, loosely) : null;
    ColumnShape shape = new ColumnShape(column.type(), storage, nulls > 0, null, range);
    memory.await(context);
    if (!column.accept(shape, nulls)) {
      return Decodable.byHost("values are others than before");
    }
    if (bits == null && validity.size() > 0) {
      buffers.remove(validity);
      memory.free(validity);
    }
    return Decodable.of(new Column(shape, rows, values, Buffer.EMPTY, bits, null));
  }

  private Buffer allocate(long bytes) {
    Buffer buffer = memory.allocate(context, bytes, what);
    buffers.add(buffer);
    return buffer;
  }
}
