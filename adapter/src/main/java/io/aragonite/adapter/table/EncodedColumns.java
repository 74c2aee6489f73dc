package io.aragonite.adapter.table;

import io.aragonite.adapter.format.PagedColumn;
import io.aragonite.adapter.format.dictionary.ChunkDictionaries;
import io.aragonite.adapter.format.dictionary.TextCodes;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.page.PageForm;
import io.aragonite.exec.table.Decodable;
import io.aragonite.exec.table.EncodedColumn;
import io.aragonite.exec.table.TableColumnStatistics;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Dictionary;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The columns of a table as its file has them, for devices that decode them. */
final class EncodedColumns {
  private final ColumnCache cache;
  private final StatisticsProvider statistics;

  EncodedColumns(ColumnCache cache) {
    this.cache = cache;
    this.statistics = cache.statistics;
  }

  /**
   * The column as the file has it, as long as memory does not hold it: what needs values on the
   * host, statistics too, loads it later.
   */
  Decodable<EncodedColumn> of(int index) {
    ColumnSlot slot = cache.slot(index);
    if (slot.column != null) {
      return Decodable.byHost("");
    }
    cache.gate.enter();
    DeferredStatistics.beginRead();
    Runnable closing =
        () -> {
          DeferredStatistics.endRead();
          cache.gate.leave();
        };
    boolean open = false;
    try {
      Decodable<EncodedColumn> found = encoded(index, slot, closing);
      open = found.present();
      return found;
    } finally {
      if (!open) {
        closing.run();
      }
    }
  }

  private Decodable<EncodedColumn> encoded(int index, ColumnSlot slot, Runnable closing) {
    Decodable<PagedColumn> found = cache.file.encoded(index);
    if (!found.present()) {
      return Decodable.byHost(found.reason());
    }
    PagedColumn column = found.get();
    TextCodes texts = null;
    if (column.form() == PageForm.LENGTHS) {
      int limit = cache.loader(index, false).dictionaryLimit(cache.rows());
      String refusal = PlainTexts.refusal(column, exactDistinct(index, slot), limit, cache.budget);
      if (refusal != null) {
        return Decodable.byHost(refusal);
      }
    }
    if (column.texts()) {
      int limit = cache.loader(index, false).dictionaryLimit(cache.rows());
      try (QueryMemory memory = new NativeQueryMemory(cache.budget, 0)) {
        Decodable<TextCodes> made =
            ChunkDictionaries.of(column, limit, memory, cache.workers::forEach, Dictionary::new);
        if (!made.present()) {
          return Decodable.byHost(made.reason());
        }
        texts = made.get();
      }
    }
    return Decodable.of(
        new TableEncodedColumn(
            column,
            cache.types.get(index),
            cache.budget,
            cache.workers,
            texts,
            (shape, nulls) -> decodedElsewhere(index, slot, shape, nulls),
            closing));
  }

  private @Nullable Double exactDistinct(int index, ColumnSlot slot) {
    slot.enter();
    try {
      TableColumnStatistics known = statistics.known(index, slot);
      return known != null && known.exact() ? Double.valueOf(known.distinct()) : null;
    } finally {
      slot.unlock();
    }
  }

  /**
   * A device has decoded a column.
   *
   * @return whether it is what is known of it; else the file is another one by now, and the host
   *     finds out what is to be forgotten
   */
  private boolean decodedElsewhere(int index, ColumnSlot slot, ColumnShape shape, long nulls) {
    slot.enter();
    try {
      TableColumnStatistics known = statistics.known(index, slot);
      if (known != null
          && (known.nulls() != nulls || !Objects.equals(known.range(), shape.range()))) {
        return false;
      }
      if (!cache.stamp.isCurrent()) {
        throw cache.stamp.changedWhileRead();
      }
      slot.shape = shape;
      slot.elsewhere = true;
      if (known == null) {
        statistics.decodedElsewhere(slot);
      }
      return true;
    } finally {
      slot.unlock();
    }
  }
}
