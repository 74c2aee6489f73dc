package io.aragonite.exec.operator.sort;

import io.aragonite.exec.column.ColumnBatch;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.Primitives;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.plan.SortKey;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sorts rows: by the first word of their order, then, among those that tie, by the next, and so on.
 * Long texts are a word after the other, and what still ties after some of these is compared whole.
 */
public final class Sorter {
  /** Text stretches sorted as words before whole texts are compared. */
  private static final int TEXT_ROUNDS = 5;

  private final ExecContext context;
  private final Primitives primitives;
  private final QueryMemory memory;
  private final ColumnBatch rows;

  /** The order so far. */
  private Buffer order = Buffer.EMPTY;

  /** Rows in ties: their places in the order, ascending, and which tie they are in, from 0. */
  private Buffer places = Buffer.EMPTY;

  private Buffer ties = Buffer.EMPTY;
  private int tied;
  private int tieCount;

  private Sorter(ExecContext context, ColumnBatch rows) {
    this.context = context;
    this.primitives = context.device().primitives();
    this.memory = context.memory();
    this.rows = rows;
  }

  /**
   * The order of rows; rows that tie are in any order.
   *
   * @return 32-bit rows of the batch, from the query's memory
   */
  public static Buffer sort(ExecContext context, ColumnBatch rows, List<SortKey> keys) {
    Sorter sorter = new Sorter(context, rows);
    sorter.run(SortWord.of(rows.shapes(), keys, rows));
    return sorter.order;
  }

  private void run(List<SortWord> words) {
    int count = rows.rows();
    order = memory.allocate(count * 4L);
    primitives.iota(context, order, 0, count);
    if (count < 2 || words.isEmpty()) {
      return;
    }
    Deque<SortWord> todo = new ArrayDeque<>(words);
    first(todo.removeFirst(), todo);
    while (tied > 0 && !todo.isEmpty()) {
      context.checkCancelled();
      refine(todo.removeFirst(), todo);
    }
    memory.free(places);
    memory.free(ties);
  }

  private void first(SortWord word, Deque<SortWord> todo) {
    int count = rows.rows();
    Buffer keys = encode(word, null, count);
    ParallelSort.sort(context, keys, order, count, word.bits());
    if (!todo.isEmpty() || word.isText()) {
      places = memory.allocate(count * 4L);
      ties = memory.allocate(count * 4L);
      primitives.iota(context, places, 0, count);
      primitives.fill(context, ties, 4, 0, count);
      tied = count;
      keepTies(keys);
      more(word, todo);
    }
    memory.free(keys);
  }

  /** Asks for the next stretch of text if it can tell rows apart. */
  private void more(SortWord word, Deque<SortWord> todo) {
    if (!word.isText() || tied == 0) {
      return;
    }
    Digit digit = word.digits().getFirst();
    long reached = (digit.round() + 1L) * Digit.TEXT_BYTES;
    TextTies texts = new TextTies(rows.column(digit.column()), digit.descending());
    boolean longer = false;
    for (int i = 0; i < tied && !longer; i++) {
      longer = texts.length(Mem.getInt(order.address() + place(i) * 4L)) > reached;
    }
    if (!longer) {
      return;
    }
    if (digit.round() + 1 < TEXT_ROUNDS) {
      todo.addFirst(word.nextRound());
      return;
    }
    int[] group = new int[tied];
    for (int from = 0; from < tied; ) {
      int end = from + 1;
      while (end < tied && tie(end) == tie(from)) {
        end++;
      }
      context.checkCancelled();
      int[] ids = new int[end - from];
      for (int i = from; i < end; i++) {
        ids[i - from] = Mem.getInt(order.address() + place(i) * 4L);
      }
      texts.sort(ids);
      for (int i = from; i < end; i++) {
        Mem.putInt(order.address() + place(i) * 4L, ids[i - from]);
        boolean same = i > from && texts.compare(ids[i - from - 1], ids[i - from]) == 0;
        group[i] = same ? group[i - 1] : i;
      }
      from = end;
    }
    Buffer keys = memory.allocate(tied * 8L);
    for (int i = 0; i < tied; i++) {
      Mem.putLong(keys.address() + i * 8L, group[i]);
    }
    keepTies(keys);
    memory.free(keys);
  }

  private long place(int i) {
    return Mem.getInt(places.address() + i * 4L);
  }

  private int tie(int i) {
    return Mem.getInt(ties.address() + i * 4L);
  }

  private void refine(SortWord word, Deque<SortWord> todo) {
    int count = tied;
    Buffer ids = memory.allocate(count * 4L);
    primitives.gatherIds(context, order, places, count, ids);
    Buffer keys = encode(word, ids, count);
    int tieBits = 32 - Integer.numberOfLeadingZeros(tieCount - 1);
    if (word.bits() + tieBits <= 64) {
      for (int i = 0; i < count; i++) {
        long at = keys.address() + i * 8L;
        // A shift by 64 would be one by 0; then there is one tie only, number 0.
        Mem.putLong(at, Mem.getLong(at) | (long) tie(i) << word.bits());
      }
      primitives.sortPairs(context, keys, ids, count, 0, word.bits() + tieBits);
    } else {
      keys = sortTwice(keys, ids, count, word.bits(), tieBits);
    }
    primitives.scatter(context, ids, places, count, 4, order);
    memory.free(ids);
    keepTies(keys);
    memory.free(keys);
    more(word, todo);
  }

  /** Sorts by key, then, stably, by tie; returns the keys in their new order. */
  private Buffer sortTwice(Buffer keys, Buffer ids, int count, int bits, int tieBits) {
    Buffer perm = memory.allocate(count * 4L);
    primitives.iota(context, perm, 0, count);
    Buffer sorted = memory.allocate(count * 8L);
    Mem.copy(keys.address(), sorted.address(), count * 8L);
    primitives.sortPairs(context, sorted, perm, count, 0, bits);
    for (int i = 0; i < count; i++) {
      Mem.putLong(sorted.address() + i * 8L, tie(Mem.getInt(perm.address() + i * 4L)));
    }
    primitives.sortPairs(context, sorted, perm, count, 0, tieBits);
    Buffer newIds = memory.allocate(count * 4L);
    primitives.gatherIds(context, ids, perm, count, newIds);
    Mem.copy(newIds.address(), ids.address(), count * 4L);
    memory.free(newIds);
    for (int i = 0; i < count; i++) {
      int from = Mem.getInt(perm.address() + i * 4L);
      Mem.putLong(sorted.address() + i * 8L, Mem.getLong(keys.address() + from * 8L));
    }
    memory.free(perm);
    memory.free(keys);
    return sorted;
  }

  /**
   * Keeps, of the rows in ties, those that still tie.
   *
   * @param keys what they were sorted by, in order
   */
  private void keepTies(Buffer keys) {
    int kept = 0;
    int groups = 0;
    for (int from = 0; from < tied; ) {
      int tie = tie(from);
      long key = Mem.getLong(keys.address() + from * 8L);
      int end = from + 1;
      while (end < tied && tie(end) == tie && Mem.getLong(keys.address() + end * 8L) == key) {
        end++;
      }
      if (end - from > 1) {
        for (int i = from; i < end; i++) {
          // Never ahead of what is still to be read.
          Mem.putInt(places.address() + kept * 4L, (int) place(i));
          Mem.putInt(ties.address() + kept * 4L, groups);
          kept++;
        }
        groups++;
      }
      from = end;
    }
    tied = kept;
    tieCount = groups;
  }

  private Buffer encode(SortWord word, @Nullable Buffer ids, int count) {
    Buffer keys = memory.allocate(count * 8L);
    int piece = context.device().properties().morselRows();
    int tasks = (int) ((count + (long) piece - 1) / piece);
    context
        .parallel()
        .forEach(
            tasks,
            (worker, task) -> {
              worker.checkCancelled();
              int from = (int) ((long) task * piece);
              int some = Math.min(piece, count - from);
              SortEncoder.encode(word, rows, ids, from, some, keys.slice(from * 8L, some * 8L));
            });
    return keys;
  }
}
