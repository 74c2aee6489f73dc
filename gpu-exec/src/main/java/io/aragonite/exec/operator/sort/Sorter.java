package io.aragonite.exec.operator.sort;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.SortDigit;
import io.aragonite.exec.device.SortOps.Ties;
import io.aragonite.exec.device.StagedCall;
import io.aragonite.exec.device.WholeTexts;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.plan.SortKey;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.ValueRange;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sorts rows: by the first word of their order, then, among those that tie, by the next, and so on.
 * Long texts are a word after the other; what still ties after some of these is compared whole
 * where a device does that ({@link WholeTexts}), and goes on word by word on others.
 */
public final class Sorter {
  /** Text stretches sorted as words before whole texts are compared. */
  private static final int TEXT_ROUNDS = 5;

  private final ExecContext context;
  private final QueryMemory memory;
  private final ColumnBatch rows;

  /** The order so far. */
  private Buffer order = Buffer.EMPTY;

  /** Rows in ties: their places in the order, ascending, and which tie they are in, from 0. */
  private Buffer places = Buffer.EMPTY;

  private Buffer ties = Buffer.EMPTY;

  // Where the next places and ties go.
  private Buffer sparePlaces = Buffer.EMPTY;
  private Buffer spareTies = Buffer.EMPTY;

  private int tied;
  private int tieCount;

  private Sorter(ExecContext context, ColumnBatch rows) {
    this.context = context;
    this.memory = context.memory();
    this.rows = rows;
  }

  /**
   * The order of rows; rows that tie are in any order.
   *
   * @return 32-bit rows of the batch, from the query's memory
   */
  public static Buffer sort(ExecContext context, ColumnBatch rows, List<SortKey> keys) {
    if (leftToHost(context, rows, keys)) {
      return sortOnHost(context, rows, keys);
    }
    Sorter sorter = new Sorter(context, rows);
    sorter.run(SortWord.of(context, rows, keys));
    return sorter.order;
  }

  private static boolean leftToHost(ExecContext context, ColumnBatch rows, List<SortKey> keys) {
    return context.device().leavesToHost(rows.rows())
        && keys.stream().allMatch(key -> rows.column(key.column()).rowIds() == null);
  }

  private static Buffer sortOnHost(ExecContext context, ColumnBatch rows, List<SortKey> keys) {
    List<Column> columns = new ArrayList<>();
    List<SortKey> renumbered = new ArrayList<>();
    for (SortKey key : keys) {
      renumbered.add(new SortKey(columns.size(), key.descending(), key.nullsFirst()));
      columns.add(rows.column(key.column()));
    }
    long bytes = 4L * rows.rows();
    try (StagedCall staged = new StagedCall(context)) {
      ColumnBatch read = staged.in(new ColumnBatch(columns, rows.rows()));
      Buffer sorted = sort(staged.host(), read, renumbered);
      Buffer order = context.memory().allocate(bytes);
      staged.back(sorted, order, bytes);
      context.hostMemory().free(sorted);
      return order;
    }
  }

  private void run(List<SortWord> words) {
    int count = rows.rows();
    order = memory.allocate(count * 4L);
    context.scan().iota(context, order, 0, count);
    if (count < 2 || words.isEmpty()) {
      return;
    }
    Deque<SortWord> todo = new ArrayDeque<>(words);
    first(todo.removeFirst(), todo);
    while (tied > 0 && !todo.isEmpty()) {
      context.checkCancelled();
      refine(todo.removeFirst(), todo);
    }
    for (Buffer buffer : List.of(places, ties, sparePlaces, spareTies)) {
      memory.free(buffer);
    }
  }

  private void first(SortWord word, Deque<SortWord> todo) {
    int count = rows.rows();
    Buffer keys = encode(word, null, count);
    context.sort().sortPairs(context, keys, order, count, 0, word.bits());
    if (!todo.isEmpty() || word.isText()) {
      places = memory.allocate(count * 4L);
      ties = memory.allocate(count * 4L);
      sparePlaces = memory.allocate(count * 4L);
      spareTies = memory.allocate(count * 4L);
      context.scan().iota(context, places, 0, count);
      context.scan().fill(context, ties, 4, 0, count);
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
    SortDigit digit = word.digits().getFirst();
    WholeTexts texts = context.sort().wholeTexts(rows.column(digit.column()), digit.descending());
    if (texts == null) {
      if (hasNumbers(word.nextRound(), digit.descending())) {
        todo.addFirst(word.nextRound());
      }
      return;
    }
    long reached = (digit.round() + 1L) * SortDigit.TEXT_BYTES;
    if (!texts.longer(order, places, tied, reached)) {
      return;
    }
    if (digit.round() + 1 < TEXT_ROUNDS) {
      todo.addFirst(word.nextRound());
    } else {
      Buffer keys = memory.allocate(tied * 8L);
      texts.sort(context, order, places, ties, tied, keys);
      keepTies(keys);
      memory.free(keys);
    }
  }

  /** Whether any of the rows in ties has text in the stretch of a word. */
  private boolean hasNumbers(SortWord word, boolean descending) {
    Buffer ids = tiedRows();
    Buffer keys = encode(word, ids, tied);
    ValueRange range =
        context.scan().valueRange(context, column(DataType.INT64, keys.slice(0, tied * 8L), tied));
    memory.free(ids);
    memory.free(keys);
    // An empty stretch is 0, if descending -1; a null is 0.
    return range != null && (range.min() < (descending ? -1 : 0) || range.max() > 0);
  }

  /** The rows in ties, in order. */
  private Buffer tiedRows() {
    Buffer ids = memory.allocate(tied * 4L);
    context.gather().gatherIds(context, order, places, tied, ids);
    return ids;
  }

  private void refine(SortWord word, Deque<SortWord> todo) {
    int count = tied;
    Buffer ids = tiedRows();
    Buffer keys = encode(word, ids, count);
    int tieBits = 32 - Integer.numberOfLeadingZeros(tieCount - 1);
    if (word.bits() + tieBits <= 64) {
      if (tieBits > 0) {
        encodeTies(null, count, word.bits(), keys);
      }
      context.sort().sortPairs(context, keys, ids, count, 0, word.bits() + tieBits);
    } else {
      keys = sortTwice(keys, ids, count, word.bits(), tieBits);
    }
    context.gather().scatter(context, ids, places, count, 4, order);
    memory.free(ids);
    keepTies(keys);
    memory.free(keys);
    more(word, todo);
  }

  /** ORs the ties of rows, given by their places among those in ties, into their words. */
  private void encodeTies(@Nullable Buffer perm, int count, int shift, Buffer words) {
    Column column = column(DataType.INT32, ties, count);
    SortDigit digit = SortDigit.ofNumbers(tieCount - 1);
    context.sort().sortDigit(context, digit, column, perm, 0, count, shift, words);
  }

  private static Column column(DataType type, Buffer values, int count) {
    return new Column(ColumnShape.of(type), count, values, Buffer.EMPTY, null, null);
  }

  /**
   * Sorts by key, then, stably, by tie; returns the keys, changed one to one, in their new order.
   */
  private Buffer sortTwice(Buffer keys, Buffer ids, int count, int bits, int tieBits) {
    Buffer perm = memory.allocate(count * 4L);
    context.scan().iota(context, perm, 0, count);
    Buffer sorted = memory.allocate(count * 8L);
    context.device().transfers().copy(context, keys, sorted, count * 8L);
    context.sort().sortPairs(context, sorted, perm, count, 0, bits);
    context.scan().fill(context, sorted, 8, 0, count);
    encodeTies(perm, count, 0, sorted);
    context.sort().sortPairs(context, sorted, perm, count, 0, tieBits);
    Buffer newIds = memory.allocate(count * 4L);
    context.gather().gatherIds(context, ids, perm, count, newIds);
    context.device().transfers().copy(context, newIds, ids, count * 4L);
    memory.free(newIds);
    context.scan().fill(context, sorted, 8, 0, count);
    SortDigit signed =
        new SortDigit(0, SortDigit.DigitKind.SIGNED, 0, 0, 64, false, false, false, 0);
    context
        .sort()
        .sortDigit(context, signed, column(DataType.INT64, keys, count), perm, 0, count, 0, sorted);
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
    Ties kept = context.sort().keepTies(context, keys, ties, places, tied, spareTies, sparePlaces);
    tied = kept.rows();
    tieCount = kept.count();
    Buffer oldTies = ties;
    ties = spareTies;
    spareTies = oldTies;
    Buffer oldPlaces = places;
    places = sparePlaces;
    sparePlaces = oldPlaces;
  }

  private Buffer encode(SortWord word, @Nullable Buffer ids, int count) {
    Buffer keys = memory.allocate(count * 8L);
    int piece = context.device().taskRows(count);
    if (piece >= count) {
      word.encode(context, rows, ids, 0, count, keys);
      return keys;
    }
    int tasks = (int) ((count + (long) piece - 1) / piece);
    context
        .parallel()
        .forEach(
            tasks,
            (worker, task) -> {
              worker.checkCancelled();
              int from = (int) ((long) task * piece);
              int some = Math.min(piece, count - from);
              word.encode(worker, rows, ids, from, some, keys.slice(from * 8L, some * 8L));
            });
    return keys;
  }
}
