package io.aragonite.tpcds;

import io.aragonite.dataset.BatchBuilder;
import io.aragonite.dataset.Dataset.BatchTask;
import io.aragonite.dataset.DatasetColumn;
import io.trino.tpcds.Results;
import io.trino.tpcds.Session;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Some rows of a table, from the generator's texts.
 *
 * @param scale the scale factor
 * @param first the first of the generator's units, from 1: rows, but orders for sales and returns
 * @param last the last unit
 */
record TpcdsRows(TpcdsTable table, Schema schema, double scale, long first, long last)
    implements BatchTask {

  @Override
  public VectorSchemaRoot make(BufferAllocator allocator) {
    BatchBuilder batch = new BatchBuilder(schema, (int) (last - first + 1));
    List<Consumer<@Nullable String>> encoders = new ArrayList<>();
    for (DatasetColumn column : table.columns()) {
      encoders.add(encoder(batch, column));
    }
    Session session = Session.getDefaultSession().withScale(scale).withTable(table.generated());
    int rows = 0;
    for (List<List<String>> row :
        Results.constructResults(table.generated(), first, last, session)) {
      List<String> values = row.getFirst();
      for (int i = 0; i < encoders.size(); i++) {
        String value = values.get(i);
        encoders.get(i).accept(value == null || value.isEmpty() ? null : value);
      }
      if ((++rows & 0xFFF) == 0 && Thread.currentThread().isInterrupted()) {
        throw new CancellationException("interrupted");
      }
    }
    return batch.build(allocator);
  }

  private static Consumer<@Nullable String> encoder(BatchBuilder batch, DatasetColumn column) {
    return switch (column.kind()) {
      case BIGINT -> {
        BatchBuilder.Longs longs = batch.longs();
        yield orNull(longs, text -> longs.add(Long.parseLong(text)));
      }
      case INTEGER -> {
        BatchBuilder.Ints ints = batch.ints();
        yield orNull(ints, text -> ints.add(Integer.parseInt(text)));
      }
      case DATE -> {
        BatchBuilder.Ints days = batch.ints();
        yield orNull(days, text -> days.add(Math.toIntExact(LocalDate.parse(text).toEpochDay())));
      }
      case DECIMAL -> {
        BatchBuilder.Decimals decimals = batch.decimals();
        yield orNull(decimals, text -> decimals.add(unscaled(text, column.scale())));
      }
      case CHAR, VARCHAR -> {
        BatchBuilder.Strings strings = batch.strings();
        yield orNull(strings, strings::add);
      }
    };
  }

  private static Consumer<@Nullable String> orNull(
      BatchBuilder.BatchColumn column, Consumer<String> value) {
    return text -> {
      if (text == null) {
        column.addNull();
      } else {
        value.accept(text);
      }
    };
  }

  /** A decimal in units of its last digit. */
  static long unscaled(String text, int scale) {
    long value = 0;
    int digits = -1; // after the point, once there was one
    boolean negative = text.charAt(0) == '-';
    for (int i = negative ? 1 : 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '.' && digits < 0) {
        digits = 0;
      } else if (c >= '0' && c <= '9') {
        value = Math.addExact(Math.multiplyExact(value, 10L), c - '0');
        digits += digits < 0 ? 0 : 1;
      } else {
        throw new NumberFormatException(text);
      }
    }
    for (digits = Math.max(digits, 0); digits < scale; digits++) {
      value = Math.multiplyExact(value, 10L);
    }
    if (digits > scale) {
      throw new NumberFormatException(text + " has more than " + scale + " digits");
    }
    return negative ? -value : value;
  }
}
