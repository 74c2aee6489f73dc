package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.operator.join.NullMasks.ComparedKeys;
import io.aragonite.exec.operator.join.NullMasks.MaskedRows;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.RowIds;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Hash tables over the build rows of a null-aware join, for probe rows with a null mask: a table
 * for each mask that build rows have on the other keys, over the keys that neither leaves out. They
 * are made when the first probe row with that mask comes, since most sides have few masks or none.
 */
final class MaskedTables implements AutoCloseable {
  /** Tables that are made at most; all pairs are looked at in place of others. */
  private static final int MOST_TABLES = 256;

  private final Map<Long, @Nullable List<MaskedTable>> made = new HashMap<>();
  private int tables;
  private @Nullable QueryMemory memory;

  /**
   * The build rows with one mask on the keys that a probe mask does not leave out.
   *
   * @param keys how rows are compared; null: all of them agree
   * @param index over the rows; null if all agree
   * @param rows the rows if all agree; else none
   */
  record MaskedTable(@Nullable ComparedKeys keys, @Nullable KeyIndex index, RowIds rows) {
    void free(QueryMemory memory) {
      if (index != null) {
        index.close();
      }
      memory.free(rows.ids());
    }
  }

  /**
   * The tables for probe rows with a mask. The rows without nulls have the join's own index: for
   * them there are tables of the build rows with a null alone.
   *
   * @param nullKeys the build rows with a null among their keys
   * @return null if there are too many masks or keys, or no memory for the tables
   */
  synchronized @Nullable List<MaskedTable> of(
      ExecContext context, NullMasks masks, long mask, ColumnBatch rows, RowIds nullKeys) {
    if (!made.containsKey(mask)) {
      memory = context.memory();
      RowIds some = mask == 0 ? nullKeys : null;
      made.put(mask, masks.areExact() ? make(context, masks, mask, rows, some) : null);
    }
    return made.get(mask);
  }

  private @Nullable List<MaskedTable> make(
      ExecContext context, NullMasks masks, long mask, ColumnBatch rows, @Nullable RowIds some) {
    Map<Long, Filling> fillings = new LinkedHashMap<>();
    List<MaskedTable> done = new ArrayList<>();
    try {
      pieces(context, masks, mask, rows, some, (piece, group) -> count(fillings, group));
      if (tables + fillings.size() > MOST_TABLES) {
        return null;
      }
      fillings.forEach((of, filling) -> filling.begin(context, masks.compared(mask, of)));
      pieces(
          context,
          masks,
          mask,
          rows,
          some,
          (piece, group) -> filling(fillings, group).add(context, piece, rows, group));
      for (Filling filling : fillings.values()) {
        done.add(filling.finish(context));
      }
      tables += done.size();
      return done;
    } catch (AragoniteException e) {
      done.forEach(table -> table.free(context.memory()));
      if (e.code() != ErrorCode.MEMORY_EXCEEDED) {
        throw e;
      }
      return null;
    } finally {
      fillings.values().forEach(filling -> filling.free(context.memory()));
    }
  }

  private static void count(Map<Long, Filling> fillings, MaskedRows group) {
    fillings.computeIfAbsent(group.mask(), mask -> new Filling()).total += group.count();
  }

  private static Filling filling(Map<Long, Filling> fillings, MaskedRows group) {
    Filling filling = fillings.get(group.mask());
    if (filling == null) {
      throw new IllegalStateException("a mask that was not counted: " + group.mask());
    }
    return filling;
  }

  /** Takes the rows with one mask of a piece of the build side. */
  private interface PieceConsumer {
    /**
     * @param numbers of the rows of the piece
     * @param group rows of the piece
     */
    void accept(Buffer numbers, MaskedRows group);
  }

  /** Splits the build side by masks, in pieces of a batch. */
  private static void pieces(
      ExecContext context,
      NullMasks masks,
      long mask,
      ColumnBatch rows,
      @Nullable RowIds some,
      PieceConsumer consumer) {
    int total = some == null ? rows.rows() : some.count();
    int batchRows = context.device().properties().batchRows();
    for (int from = 0; from < total; from += batchRows) {
      context.checkCancelled();
      int count = Math.min(batchRows, total - from);
      long mark = context.scratch().mark();
      Buffer numbers;
      if (some == null) {
        numbers = context.scratch().allocate(4L * count);
        context.scan().iota(context, numbers, from, count);
      } else {
        numbers = some.ids().slice(4L * from, 4L * count);
      }
      ColumnBatch piece = Materialization.rows(context, rows, numbers, count);
      for (MaskedRows group : masks.splitBuild(context, piece, mask)) {
        consumer.accept(numbers, group);
      }
      context.scratch().release(mark);
    }
  }

  /** A table of which rows are put together. */
  private static final class Filling {
    private int total;
    private int filled;
    private @Nullable ComparedKeys keys;
    private Buffer ids = Buffer.EMPTY;
    private Buffer words = Buffer.EMPTY;

    void begin(ExecContext context, @Nullable ComparedKeys compared) {
      keys = compared;
      ids = context.memory().allocate(4L * total);
      if (compared != null) {
        words = context.memory().allocate(8L * total);
      }
    }

    void add(ExecContext context, Buffer numbers, ColumnBatch rows, MaskedRows group) {
      int count = group.count();
      Buffer to = ids.slice(4L * filled, 4L * count);
      if (group.rows() == null) {
        context.device().transfers().copy(context, numbers, to, 4L * count);
      } else {
        context.gather().gatherIds(context, numbers, group.rows(), count, to);
      }
      if (keys != null) {
        ColumnBatch batch = Materialization.rows(context, rows, to, count);
        Buffer some = keys.build().of(context, batch);
        Buffer place = words.slice(8L * filled, 8L * count);
        context.device().transfers().copy(context, some, place, 8L * count);
      }
      filled += count;
    }

    MaskedTable finish(ExecContext context) {
      RowIds rows = new RowIds(ids, total, false);
      if (keys == null) {
        ids = Buffer.EMPTY;
        return new MaskedTable(null, null, rows);
      }
      KeyIndex index =
          new KeyIndex.HashIndex(
              context.hash().build(context, words, rows, total, context.memory()),
              Long.BYTES,
              true);
      return new MaskedTable(keys, index, new RowIds(Buffer.EMPTY, 0, false));
    }

    void free(QueryMemory memory) {
      memory.free(ids);
      memory.free(words);
    }
  }

  @Override
  public void close() {
    QueryMemory owner = memory;
    if (owner != null) {
      for (@Nullable List<MaskedTable> list : made.values()) {
        if (list != null) {
          list.forEach(table -> table.free(owner));
        }
      }
      made.clear();
      tables = 0;
      memory = null;
    }
  }
}
