package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.page.PageTexts;
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
 * Texts of which not all are in dictionaries, a batch of pages as a piece of the column: their
 * lengths become offsets, and then their bytes are copied to these, of the pages or of the
 * dictionaries' texts, which are made so before.
 */
final class EncodedTexts implements DecodedPages {
  private static final String TOO_LARGE = "chunks of more than 2 GB of texts";

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
    return batch.pageBytes() > Integer.MAX_VALUE ? TOO_LARGE : null;
  }

  /** Whether texts are UTF-8 is known when the batch is waited for. */
  @Override
  public @Nullable String decode(EncodedBatch batch) {
    int rows = batch.rows();
    if (rows == 0) {
      return null;
    }
    List<Buffer> temporary = new ArrayList<>();
    try {
      return decode(
          batch,
          rows,
          bytes -> {
            Buffer buffer = context.memory().allocate(bytes);
            temporary.add(buffer);
            return buffer;
          });
    } finally {
      temporary.forEach(context.memory()::free);
    }
  }

  private @Nullable String decode(EncodedBatch batch, int rows, LongFunction<Buffer> temporary) {
    BatchWords words = words(batch, temporary);
    Buffer validity = column.optional() ? bits(rows, allocate) : Buffer.EMPTY;
    Buffer lengths = temporary.apply(4L * rows);
    long none = batch.lengths(lengths, validity);
    Buffer offsets = allocate.apply(4L * (rows + 1));
    long total = sums(lengths, rows, offsets, temporary);
    // A text of a dictionary may be in any number of rows.
    if (total > Integer.MAX_VALUE) {
      return TOO_LARGE;
    }
    Buffer places = Buffer.EMPTY;
    if (batch.needsPlaces()) {
      places = temporary.apply(4L * rows);
      Buffer again = column.optional() ? bits(rows, temporary) : Buffer.EMPTY;
      batch.places(words.offsets, places, again);
    }
    Buffer bytes = allocate.apply(total);
    batch.texts(new PageTexts(offsets, validity, places, words.bytes, bytes));
    pieces.add(new Piece(rows, bytes, offsets, validity, none));
    nulls += none;
    return null;
  }

  /** The texts of all dictionaries of a batch. */
  private record BatchWords(Buffer offsets, Buffer bytes) {}

  private BatchWords words(EncodedBatch batch, LongFunction<Buffer> temporary) {
    Buffer lengths = batch.wordLengths();
    int count = batch.dictionaryValues();
    if (count == 0) {
      return new BatchWords(Buffer.EMPTY, Buffer.EMPTY);
    }
    Buffer offsets = temporary.apply(4L * (count + 1));
    Buffer bytes = temporary.apply(sums(lengths, count, offsets, temporary));
    batch.words(offsets, bytes);
    return new BatchWords(offsets, bytes);
  }

  private Buffer bits(int rows, LongFunction<Buffer> from) {
    Buffer bits = from.apply((rows + 63L) / 64 * 8);
    memory.fill(context, bits, (byte) 0);
    return bits;
  }

  /** Makes offsets of lengths; returns the last one, which may be larger than any offset. */
  private long sums(Buffer lengths, int count, Buffer offsets, LongFunction<Buffer> temporary) {
    Buffer sums = temporary.apply(8L * (count + 1));
    long total = context.scan().exclusiveSum(context, lengths, count, sums);
    context.scan().convert(context, sums, 8, count + 1, 4, offsets);
    return total;
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
