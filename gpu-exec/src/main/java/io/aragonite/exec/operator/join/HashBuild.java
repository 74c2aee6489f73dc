package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.CompiledPredicate;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.ExpressionCompiler;
import io.aragonite.exec.device.HashTable;
import io.aragonite.exec.device.Parallel;
import io.aragonite.exec.device.PartitionFunction;
import io.aragonite.exec.device.Transfers;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.RowIds;
import org.jspecify.annotations.Nullable;

/** Makes the index over collected build rows: a hash table, or their words in order. */
final class HashBuild {
  private final JoinSpec spec;
  private final JoinKeyEncoder words;

  /** Rows that take part in the table; null: all. */
  private final @Nullable CompiledPredicate present;

  HashBuild(JoinSpec spec, JoinKeyEncoder words, ExpressionCompiler compiler) {
    this.spec = spec;
    this.words = words;
    Expr notNull = spec.keysPresent(true);
    this.present = notNull == null ? null : compiler.predicate(notNull, spec.build());
  }

  /** How words are made. */
  JoinKeyEncoder words() {
    return words;
  }

  /**
   * The words of the rows that take part in a join.
   *
   * @param words in the query's memory; whoever takes them frees them
   * @param bytes of a word, 4 or 8
   * @param owned whether the words are not a column of the rows
   * @param rows the row of each word, in the query's memory; null: all rows take part
   */
  record KeyWords(Buffer words, int bytes, boolean owned, @Nullable RowIds rows, int count) {
    void free(QueryMemory memory) {
      if (owned) {
        memory.free(words);
      }
      if (rows != null) {
        memory.free(rows.ids());
      }
    }
  }

  /**
   * Makes the words of collected rows.
   *
   * @param rows the rows, without indirection
   * @param context of the coordinating thread
   */
  KeyWords keys(ExecContext context, ColumnBatch rows) {
    int count = rows.rows();
    if (words.column() >= 0) {
      return new KeyWords(words.ofAll(context, rows), words.bytes(), false, null, count);
    }
    Buffer allWords = context.memory().allocate(count * 8L);
    Buffer ids = present == null ? Buffer.EMPTY : context.memory().allocate(count * 4L);
    // Between pieces there are gaps where rows take no part.
    int piece = context.device().taskRows(count);
    int tasks = (int) ((count + (long) piece - 1) / piece);
    int[] found = new int[tasks];
    Parallel parallel = context.parallel();
    parallel.forEach(
        tasks,
        (worker, task) ->
            found[task] = wordsOf(worker, rows, (int) ((long) task * piece), piece, allWords, ids));
    int total = compact(found, piece, allWords, ids);
    if (total == count) {
      context.memory().free(ids);
      return new KeyWords(allWords, Long.BYTES, true, null, count);
    }
    return new KeyWords(allWords, Long.BYTES, true, new RowIds(ids, total, false), total);
  }

  /** Whether rows with a null key matter to the join, although they find no partner. */
  boolean wantsNullKeys() {
    return spec.flagsBuild() || spec.nullAware();
  }

  /**
   * Makes the index over collected rows, whose words are made for it.
   *
   * @param owned whether the rows' memory is the build side's from now on
   */
  void build(ExecContext context, ColumnBatch rows, boolean owned, BuildSide side) {
    build(context, rows, keys(context, rows), false, owned, side);
  }

  /**
   * Makes the index over collected rows.
   *
   * @param rows without indirection
   * @param context of the coordinating thread
   * @param keys their words, which are given away
   * @param inOrder whether the words ascend
   * @param owned whether the rows' memory is the build side's from now on
   */
  void build(
      ExecContext context,
      ColumnBatch rows,
      KeyWords keys,
      boolean inOrder,
      boolean owned,
      BuildSide side) {
    QueryMemory memory = context.memory();
    RowIds taking = keys.rows();
    KeyIndex index =
        inOrder
            ? KeyIndex.SortedIndex.of(context, keys.words(), taking, keys.count())
            : index(context, keys);
    RowIds nullKeys = new RowIds(Buffer.EMPTY, 0, false);
    if (spec.nullAware() && taking != null) {
      nullKeys = rest(context, rows.rows(), taking.ids(), keys.count());
    }
    if (!inOrder) {
      keys.free(memory);
    }
    fill(context, rows, owned, index, nullKeys, side);
  }

  /** A hash table of all rows whose keys are not null, or null-safe. */
  KeyIndex.HashIndex index(ExecContext context, ColumnBatch rows) {
    KeyWords keys = keys(context, rows);
    KeyIndex.HashIndex index = index(context, keys);
    keys.free(context.memory());
    return index;
  }

  private static KeyIndex.HashIndex index(ExecContext context, KeyWords keys) {
    return new KeyIndex.HashIndex(table(context, keys), keys.bytes(), true);
  }

  private static HashTable table(ExecContext context, KeyWords keys) {
    QueryMemory memory = context.memory();
    Buffer words = keys.words();
    int count = keys.count();
    if (keys.bytes() == Long.BYTES) {
      return context.hash().build(context, words, keys.rows(), count, memory);
    }
    PartitionFunction order =
        context.partition().partitionFunction(context, words, keys.bytes(), count);
    return context.hash().build(context, words, keys.bytes(), keys.rows(), count, order, memory);
  }

  /**
   * Takes an index over the rows, of a join that does not ask for those with a null among its keys.
   *
   * @param owned whether the rows' memory is the build side's from now on
   */
  void fill(ExecContext context, ColumnBatch rows, boolean owned, KeyIndex index, BuildSide side) {
    fill(context, rows, owned, index, new RowIds(Buffer.EMPTY, 0, false), side);
  }

  private void fill(
      ExecContext context,
      ColumnBatch rows,
      boolean owned,
      KeyIndex index,
      RowIds nullKeys,
      BuildSide side) {
    Buffer flags = Buffer.EMPTY;
    if (spec.flagsBuild()) {
      flags = context.memory().allocate(rows.rows());
      context.scan().fill(context, flags, 1, 0, rows.rows());
    }
    side.fill(context.memory(), rows, owned, index, flags, nullKeys);
  }

  /** Writes words (and, if some rows may not take part, row numbers) from position {@code from}. */
  private int wordsOf(
      ExecContext context, ColumnBatch rows, int from, int piece, Buffer allWords, Buffer ids) {
    int batchRows = context.device().properties().batchRows();
    int end = Math.min(rows.rows(), from + piece);
    int out = from;
    for (int start = from; start < end; start += batchRows) {
      context.checkCancelled();
      int count = Math.min(batchRows, end - start);
      ColumnBatch batch = Batches.slice(rows, start, count);
      long mark = context.scratch().mark();
      if (present != null) {
        Buffer kept = context.scratch().allocate(count * 4L);
        int keeping = present.select(context, batch, kept);
        number(context, kept, keeping, start, ids.slice(out * 4L, keeping * 4L));
        if (keeping < count) {
          batch = Materialization.rows(context, batch, kept, keeping);
          count = keeping;
        }
      }
      if (count > 0) {
        Buffer some = words.of(context, batch);
        Buffer place = allWords.slice(out * 8L, count * 8L);
        context.device().transfers().copy(context, some, place, count * 8L);
      }
      out += count;
      context.scratch().release(mark);
    }
    return out - from;
  }

  /** Rows of a batch as rows of all, of which it is those from {@code start} on. */
  private static void number(ExecContext context, Buffer kept, int keeping, int start, Buffer out) {
    if (keeping > 0) {
      Transfers transfers = context.device().transfers();
      transfers.copy(context, kept, out, keeping * 4L);
      transfers.add(context, out, start);
    }
  }

  /** Closes the gaps between the pieces, if there is more than one. */
  private static int compact(int[] found, int piece, Buffer allWords, Buffer ids) {
    long out = 0;
    for (int task = 0; task < found.length; task++) {
      long from = (long) task * piece;
      if (out < from && found[task] > 0) {
        Mem.copy(allWords.address() + from * 8, allWords.address() + out * 8, found[task] * 8L);
        Mem.copy(ids.address() + from * 4, ids.address() + out * 4, found[task] * 4L);
      }
      out += found[task];
    }
    return (int) out;
  }

  /** The rows that are not among {@code ids}. */
  private static RowIds rest(ExecContext context, int count, Buffer ids, int total) {
    long mark = context.scratch().mark();
    Buffer flags = context.scratch().allocate(count);
    context.scan().fill(context, flags, 1, 0, count);
    context.gather().mark(context, ids, total, flags);
    Buffer rest = context.memory().allocate((count - (long) total) * 4);
    int found = context.scan().select(context, flags, count, false, rest);
    context.scratch().release(mark);
    return new RowIds(rest, found, false);
  }
}
