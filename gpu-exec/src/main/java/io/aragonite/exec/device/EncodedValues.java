package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.page.PageForm;
import io.aragonite.exec.page.PageOutput;
import io.aragonite.exec.table.Decodable;
import io.aragonite.exec.table.EncodedColumn;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Dictionary;
import io.aragonite.exec.vector.ValueRange;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** Values of one width, or codes of texts in dictionaries: all batches decode into one piece. */
final class EncodedValues implements DecodedPages {
  private final ExecContext context;
  private final ColumnMemory memory;
  private final EncodedColumn column;
  private final LongFunction<Buffer> allocate;
  private final Consumer<Buffer> free;

  /** Room for all values, once some chunks have turned out to be the device's. */
  private @Nullable PageOutput made;

  /**
   * @param allocate what the column holds
   * @param free what it holds no more
   */
  EncodedValues(
      ExecContext context,
      ColumnMemory memory,
      EncodedColumn column,
      LongFunction<Buffer> allocate,
      Consumer<Buffer> free) {
    this.context = context;
    this.memory = memory;
    this.column = column;
    this.allocate = allocate;
    this.free = free;
  }

  @Override
  public int firstRow(int row) {
    return row;
  }

  @Override
  public @Nullable String refusal(EncodedBatch batch) {
    return null;
  }

  @Override
  public @Nullable String decode(EncodedBatch batch) {
    batch.decode(output());
    return null;
  }

  private PageOutput output() {
    PageOutput out = made;
    if (out == null) {
      PageForm form = column.form();
      Buffer values = allocate.apply(column.rows() * form.outWidth());
      Buffer validity = Buffer.EMPTY;
      if (column.optional()) {
        validity = allocate.apply((column.rows() + 63L) / 64 * 8);
        memory.fill(context, validity, (byte) 0);
      }
      out = new PageOutput(form, column.width(), Buffer.EMPTY, values, validity);
      made = out;
    }
    return out;
  }

  /** With the shape that the host would have found. */
  @Override
  public Decodable<List<Column>> checked(long nulls) {
    PageOutput out = output();
    int rows = (int) column.rows();
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
      free.accept(out.validity());
    }
    return Decodable.of(List.of(new Column(shape, rows, out.values(), Buffer.EMPTY, bits, null)));
  }
}
