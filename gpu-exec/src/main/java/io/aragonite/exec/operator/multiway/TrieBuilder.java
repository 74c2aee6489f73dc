package io.aragonite.exec.operator.multiway;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.CompiledProjection;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Builds tries: the values of all columns of a row become one word, the words are sorted, and each
 * level is the runs of the words, or of the level below it, without the columns behind it.
 */
final class TrieBuilder {
  /** A first level is dense if it has so many places at most for each row. */
  private static final int PLACES_A_ROW = 2;

  private TrieBuilder() {}

  /** Bytes that building takes at most, and of these what is left in the end. */
  record MemoryNeed(long most, long left) {
    static MemoryNeed of(long rows, int levels) {
      // Words and numbers of rows, and as much again while they are sorted or a level is made.
      return new MemoryNeed(rows * (28 + 8L * levels), rows * (4 + 8L * levels));
    }
  }

  /**
   * Builds a trie in the query's memory.
   *
   * @param rows the key columns, in the order of the levels, of one row at least; they are freed if
   *     they are copies
   * @param ranges one a column
   */
  static Trie build(ExecContext context, JoinableRows rows, List<KeyRange> ranges) {
    QueryMemory memory = context.memory();
    int rowCount = rows.count();
    Buffer words = words(context, rows.columns(), ranges, rowCount);
    rows.free(context);
    Buffer ids = rows.ids();
    if (ids == null) {
      ids = memory.allocate(4L * rowCount);
      context.scan().iota(context, ids, 0, rowCount);
    }
    int bits = ranges.stream().mapToInt(KeyRange::bits).sum();
    context.sort().sortPairs(context, words, ids, rowCount, 0, bits);
    List<Trie.TrieLevel> levels = new ArrayList<>();
    int below = 0;
    int count = rowCount;
    for (int i = ranges.size() - 1; i >= 0; i--) {
      KeyRange range = ranges.get(i);
      boolean dense =
          i == 0 && ranges.size() > 1 && range.size() <= (long) PLACES_A_ROW * rowCount + 1024;
      if (dense) {
        int size = (int) range.size();
        Buffer starts = memory.allocate(4L * size + 4);
        context.trie().starts(context, words, count, below, size, starts);
        levels.add(new Trie.TrieLevel(null, range.min(), size, starts));
        break;
      }
      Buffer rest = memory.allocate(8L * count);
      Buffer values = memory.allocate(4L * count);
      Buffer starts = memory.allocate(4L * count + 4);
      int runs =
          context
              .trie()
              .level(context, words, count, below, range.bits(), range.min(), rest, values, starts);
      memory.free(words);
      words = rest;
      levels.add(
          new Trie.TrieLevel(
              shrunk(context, values, 4L * runs),
              range.min(),
              runs,
              shrunk(context, starts, 4L * runs + 4)));
      count = runs;
      below = range.bits();
    }
    memory.free(words);
    Collections.reverse(levels);
    return new Trie(levels, ids, rowCount);
  }

  /** The first bytes of a buffer, in a smaller one if that saves much. */
  static Buffer shrunk(ExecContext context, Buffer buffer, long bytes) {
    if (bytes > buffer.size() / 4 * 3) {
      return buffer;
    }
    Buffer small = context.memory().allocate(bytes);
    context.device().transfers().copy(context, buffer, small, bytes);
    context.memory().free(buffer);
    return small;
  }

  /**
   * The values of each row in one word, those of the first column in its highest bits.
   *
   * @param columns without nulls or indirections
   */
  static Buffer words(ExecContext context, List<Column> columns, List<KeyRange> ranges, int rows) {
    List<ColumnShape> shapes = columns.stream().map(Column::shape).toList();
    List<Expr> keys = new ArrayList<>();
    List<KeyLayout.KeyField> parts = new ArrayList<>();
    for (int i = columns.size() - 1; i >= 0; i--) {
      keys.add(Expr.ref(i, shapes.get(i).type()));
      parts.add(ranges.get(i).part());
    }
    Expr word = new Expr.KeyWord(keys, new KeyLayout(true, parts));
    CompiledProjection projection =
        context.device().expressions().projection(List.of(word), shapes);
    return Batches.evaluate(context, projection, new ColumnBatch(columns, rows));
  }
}
