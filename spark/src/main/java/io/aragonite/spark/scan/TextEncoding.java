package io.aragonite.spark.scan;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.table.BatchSource;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Dictionary;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Texts of a file as codes of a dictionary that its pages promise to be enough: for batches of
 * Spark's reader, where it takes over, and for pages that are not as the file's metadata says.
 */
final class TextEncoding {
  private TextEncoding() {}

  /**
   * The batches of a reader, with codes where shapes have them.
   *
   * @param reader has texts as bytes
   */
  static BatchSource.BatchReader over(BatchSource.BatchReader reader, List<ColumnShape> shapes) {
    return new BatchSource.BatchReader() {
      @Override
      public @Nullable ColumnBatch next(QueryMemory memory, int rows) {
        ColumnBatch batch = reader.next(memory, rows);
        return batch == null ? null : encode(batch, shapes, memory);
      }

      @Override
      public void close() {
        reader.close();
      }
    };
  }

  private static ColumnBatch encode(
      ColumnBatch batch, List<ColumnShape> shapes, QueryMemory memory) {
    List<Column> columns = new ArrayList<>();
    for (int i = 0; i < shapes.size(); i++) {
      Column column = batch.column(i);
      ColumnShape shape = shapes.get(i);
      if (shape.storage().isCode()) {
        Buffer codes = memory.allocate((long) shape.storage().width() * batch.rows());
        encode(column, 0, batch.rows(), shape, codes.address());
        memory.free(column.values());
        memory.free(column.offsets());
        column = new Column(shape, batch.rows(), codes, Buffer.EMPTY, column.validity(), null);
      }
      columns.add(column);
    }
    return new ColumnBatch(columns, batch.rows());
  }

  /**
   * Codes of some rows; any for those that are null.
   *
   * @throws AragoniteException FILE_BROKEN if the dictionary lacks a text
   */
  static void encode(Column texts, int from, int count, ColumnShape shape, long to) {
    Dictionary dictionary = Objects.requireNonNull(shape.dictionary());
    boolean none = texts.shape().storage() == Storage.NONE;
    Buffer validity = texts.validity();
    for (int i = 0; i < count; i++) {
      boolean present = !none && (validity == null || Mem.getBit(validity.address(), from + i));
      int code = present ? find(texts, from + i, dictionary) : 0;
      switch (shape.storage()) {
        case CODE8 -> Mem.putByte(to + i, (byte) code);
        case CODE16 -> Mem.putShort(to + 2L * i, (short) code);
        default -> Mem.putInt(to + 4L * i, code);
      }
    }
  }

  private static int find(Column texts, int row, Dictionary dictionary) {
    long ends = texts.offsets().address() + 4L * row;
    int start = Mem.getInt(ends);
    byte[] text = new byte[Mem.getInt(ends + 4) - start];
    Mem.copy(texts.values().address() + start, text, 0, text.length);
    int code = dictionary.find(text);
    if (code < 0) {
      throw new AragoniteException(
          ErrorCode.FILE_BROKEN,
          "A file has a text that is not in the dictionary of its column, which its metadata says has all; write the file again");
    }
    return code;
  }
}
