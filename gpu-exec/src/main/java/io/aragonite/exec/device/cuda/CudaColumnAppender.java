package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.GrowingColumn;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Dictionary;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Copies the rows of a column to the end of a growing one. */
final class CudaColumnAppender {
  /**
   * Text columns whose bytes are waited for together: with those that are waited for at once
   * between them, fewer than a stream has results at a time.
   */
  private static final int TOGETHER = 32;

  private CudaColumnAppender() {}

  static void append(ExecContext context, List<Column> columns, List<GrowingColumn> targets) {
    List<Runnable> rest = new ArrayList<>();
    int texts = 0;
    for (int i = 0; i < targets.size(); i++) {
      begin(context, columns.get(i), targets.get(i), rest);
      if (targets.get(i).shape().storage() == Storage.BYTES && ++texts % TOGETHER == 0) {
        rest.forEach(Runnable::run);
        rest.clear();
      }
    }
    rest.forEach(Runnable::run);
  }

  /**
   * Does what can be done without a wait.
   *
   * @param rest gets the rest
   */
  private static void begin(
      ExecContext context, Column given, GrowingColumn target, List<Runnable> rest) {
    int count = given.rows();
    if (count == 0) {
      return;
    }
    long mark = context.scratch().mark();
    Column column = given;
    boolean sameDictionary = given.shape().dictionary() == target.shape().dictionary();
    if (given.shape().storage().isCode()
        && !(sameDictionary && given.shape().storage() == target.shape().storage())) {
      if (target.shape().storage().isCode() && target.shape().storage() != Storage.CODE) {
        throw mismatch(given, target);
      }
      column = wideCodes(context, given);
    }
    target.reserveRows(count);
    CudaStream stream = CudaStream.of(context);
    Storage from = column.shape().storage();
    Storage to = target.shape().storage();
    int at = target.rows();
    boolean nullable = CudaGather.mayBeNull(column) || target.validity() != null;
    Buffer bits = nullable ? target.needValidity() : null;
    if (from == Storage.NONE) {
      CudaGather.bits(stream, column, target.needValidity(), at);
      nulls(context, target, count);
    } else if (from == Storage.BYTES && to == Storage.BYTES) {
      bits(stream, column, bits, at);
      rest.add(texts(context, CudaTexts.of(column), count, target));
      return;
    } else if (from == Storage.CODE && to == Storage.BYTES) {
      bits(stream, column, bits, at);
      decoded(context, column, target);
      context.scratch().release(mark);
      return;
    } else if (from == Storage.CODE && to == Storage.CODE && !sameDictionary) {
      Buffer codes =
          CudaDictionaries.of(context)
              .ints(context, target.translation(dictionary(column, target)));
      CudaGather.gather(stream, "ara_gather_translate", column, target.values(), bits, at, codes);
    } else if (from == to) {
      CudaGather.fixed(stream, column, target.values(), bits, at);
    } else if (from == Storage.LONG && to == Storage.LONG128) {
      CudaGather.gather(stream, "ara_gather_widen", column, target.values(), bits, at);
    } else if (from.widensTo(to)) {
      bits(stream, column, bits, at);
      widened(context, column, target);
    } else {
      throw mismatch(column, target);
    }
    context.scratch().release(mark);
    target.added(count, 0);
  }

  /** Codes of 4 bytes, of the rows alone, in scratch memory; those that are such as they are. */
  private static Column wideCodes(ExecContext context, Column column) {
    int width = column.shape().storage().width();
    if (width == Integer.BYTES) {
      return column;
    }
    int count = column.rows();
    CudaStream stream = CudaStream.of(context);
    Buffer narrow = column.values();
    Buffer validity = column.validity();
    if (column.rowIds() != null) {
      narrow = context.scratch().allocate((long) width * count);
      validity =
          CudaGather.mayBeNull(column)
              ? context.scratch().allocate((count + 63L) / 64 * Long.BYTES)
              : null;
      CudaGather.fixed(stream, column, narrow, validity, 0);
    }
    Buffer codes = context.scratch().allocate(4L * count);
    CudaScan.convert(context, narrow, width, count, Integer.BYTES, codes);
    ColumnShape shape = column.shape();
    return new Column(
        new ColumnShape(
            shape.type(), Storage.CODE, shape.mayBeNull(), shape.dictionary(), shape.range()),
        count,
        codes,
        Buffer.EMPTY,
        validity,
        null);
  }

  private static AragoniteException mismatch(Column column, GrowingColumn target) {
    return new AragoniteException(
        ErrorCode.INTERNAL,
        "A column of shape " + column.shape() + " came where " + target.shape() + " was promised.");
  }

  private static Dictionary dictionary(Column column, GrowingColumn target) {
    Dictionary dictionary = column.shape().dictionary();
    if (dictionary == null) {
      throw mismatch(column, target);
    }
    return dictionary;
  }

  private static void bits(CudaStream stream, Column column, @Nullable Buffer bits, int at) {
    if (bits != null) {
      CudaGather.bits(stream, column, bits, at);
    }
  }

  /** By way of integers as they are, and of 64 bits where there are to be 128. */
  private static void widened(ExecContext context, Column column, GrowingColumn target) {
    int from = column.shape().storage().width();
    int to = target.shape().storage().width();
    int count = column.rows();
    CudaStream stream = CudaStream.of(context);
    long mark = context.scratch().mark();
    Buffer narrow = column.values();
    if (column.rowIds() != null) {
      narrow = context.scratch().allocate((long) from * count);
      CudaGather.fixed(stream, column, narrow, null, 0);
    }
    if (to <= Long.BYTES) {
      Buffer out = target.values();
      long done = (long) to * target.rows();
      CudaScan.convert(context, narrow, from, count, to, out.slice(done, out.size() - done));
    } else {
      Buffer wide = context.scratch().allocate(8L * count);
      CudaScan.convert(context, narrow, from, count, Long.BYTES, wide);
      ColumnShape shape = new ColumnShape(DataType.INT64, Storage.LONG, false, null, null);
      Column longs = new Column(shape, count, wide, Buffer.EMPTY, null, null);
      CudaGather.gather(stream, "ara_gather_widen", longs, target.values(), null, target.rows());
    }
    context.scratch().release(mark);
  }

  private static void nulls(ExecContext context, GrowingColumn target, int count) {
    switch (target.shape().storage()) {
      case NONE -> {}
      case BYTES ->
          CudaScan.fill(
              context,
              offsets(target, target.rows() + 1),
              Integer.BYTES,
              target.dataBytes(),
              count);
      // Nobody reads values under nulls, but codes index dictionaries: keep them in bounds.
      default -> {
        long width = target.shape().storage().width();
        CudaStream.of(context)
            .fill(target.values().address() + target.rows() * width, (byte) 0, count * width);
      }
    }
  }

  private static Buffer offsets(GrowingColumn target, int row) {
    Buffer offsets = target.offsets();
    return offsets.slice(4L * row, offsets.size() - 4L * row);
  }

  /** What is left to be done is returned. */
  private static Runnable texts(
      ExecContext context, CudaTexts texts, int count, GrowingColumn target) {
    Buffer offsets = offsets(target, target.rows());
    LongSupplier total = texts.beginOffsets(context, target.dataBytes(), offsets);
    return () -> {
      long bytes = total.getAsLong();
      target.reserveBytes(bytes);
      texts.copyBytes(context, offsets, bytes, target.values());
      target.added(count, bytes);
    };
  }

  /** The texts of codes: a gather from the dictionary, with the codes as row ids. */
  private static void decoded(ExecContext context, Column column, GrowingColumn target) {
    CudaDictionaries.DictionaryTexts dictionary =
        CudaDictionaries.of(context).texts(context, dictionary(column, target));
    int count = column.rows();
    // At once: the codes take scratch memory until then.
    long mark = context.scratch().mark();
    Buffer codes = context.scratch().allocate(4L * count);
    CudaGather.gather(CudaStream.of(context), "ara_gather_codes", column, codes, null, 0);
    CudaTexts texts =
        new CudaTexts(dictionary.bytes(), dictionary.offsets(), codes, Buffer.EMPTY, count);
    texts(context, texts, count, target).run();
    context.scratch().release(mark);
  }
}
