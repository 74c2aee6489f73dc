package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.page.PageForm;
import io.aragonite.exec.page.PageOutput;
import io.aragonite.exec.table.Decodable;
import io.aragonite.exec.table.EncodedColumn;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Texts that are in no dictionary, a batch of pages as a piece of the column: their lengths become
 * offsets, and then their bytes are copied to these.
 */
final class EncodedTexts implements DecodedPages {
  private final ExecContext context;
  private final ColumnMemory memory;
  private final EncodedColumn column;
  private final LongFunction<Buffer> allocate;
  private final List<Piece> pieces = new ArrayList<>();
  private long nulls;

  private record Piece(int rows, Buffer bytes, Buffer offsets, Buffer validity, long nulls) {}

  /**
   * @param allocate what the column holds
   */
  EncodedTexts(
      ExecContext context,
      ColumnMemory memory,
      EncodedColumn column,
      LongFunction<Buffer> allocate) {
    this.context = context;
    this.memory = memory;
    this.column = column;
    this.allocate = allocate;
  }

  /** A batch is a piece. */
  @Override
  public int firstRow(int row) {
    return 0;
  }

  /** Offsets have 32 bits. */
  @Override
  public @Nullable String refusal(EncodedBatch batch) {
    return batch.pageBytes() > Integer.MAX_VALUE ? "chunks of more than 2 GB of texts" : null;
  }

  /** Whether texts are UTF-8 is known when the batch is waited for. */
  @Override
  public void decode(EncodedBatch batch) {
    int rows = batch.rows();
    if (rows == 0) {
      return;
    }
    Buffer validity = Buffer.EMPTY;
    if (column.optional()) {
      validity = allocate.apply((rows + 63L) / 64 * 8);
      memory.fill(context, validity, (byte) 0);
    }
    Buffer offsets = allocate.apply(4L * (rows + 1));
    Buffer lengths = context.memory().allocate(4L * rows);
    Buffer sums = context.memory().allocate(8L * (rows + 1));
    try {
      long none =
          batch.lengths(new PageOutput(PageForm.LENGTHS, 0, Buffer.EMPTY, lengths, validity));
      long total = context.scan().exclusiveSum(context, lengths, rows, sums);
      context.scan().convert(context, sums, 8, rows + 1, 4, offsets);
      Buffer bytes = allocate.apply(total);
      batch.texts(offsets, validity, bytes);
      pieces.add(new Piece(rows, bytes, offsets, validity, none));
      nulls += none;
    } finally {
      context.memory().free(lengths);
      context.memory().free(sums);
    }
  }

  /** Nulls were counted with the lengths. */
  @Override
  public Decodable<List<Column>> checked(long more) {
    ColumnShape shape = new ColumnShape(column.type(), Storage.BYTES, nulls > 0, null, null);
    memory.await(context);
    if (!column.accept(shape, nulls)) {
      return Decodable.byHost("values are others than before");
    }
    return Decodable.of(pieces.stream().map(piece -> column(shape, piece)).toList());
  }

  private static Column column(ColumnShape shape, Piece piece) {
    Buffer bits = piece.nulls > 0 ? piece.validity : null;
    return new Column(shape, piece.rows, piece.bytes, piece.offsets, bits, null);
  }
}
