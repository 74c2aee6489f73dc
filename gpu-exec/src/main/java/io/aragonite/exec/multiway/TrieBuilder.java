package io.aragonite.exec.multiway;

import io.aragonite.exec.column.Column;
import io.aragonite.exec.column.ColumnBatch;
import io.aragonite.exec.column.ColumnShape;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.Primitives;
import io.aragonite.exec.expr.CompiledProjection;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.join.Arrangement;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
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

  /** Whether a row's values fit one word. */
  static boolean fits(List<KeyRange> ranges) {
    return ranges.stream().mapToInt(KeyRange::bits).sum() <= Long.SIZE;
  }

  /**
   * Builds a trie in the query's memory.
   *
   * @param columns the key columns, without indirection or nulls, in the order of the levels
   * @param ranges one a column
   * @param rows rows, one at least
   */
  static Trie build(ExecContext context, List<Column> columns, List<KeyRange> ranges, int rows) {
    QueryMemory memory = context.memory();
    Primitives primitives = context.device().primitives();
    Buffer words = words(context, columns, ranges, rows);
    Buffer ids = memory.allocate(4L * rows);
    primitives.iota(context, ids, 0, rows);
    int bits = ranges.stream().mapToInt(KeyRange::bits).sum();
    primitives.sortPairs(context, words, ids, rows, 0, bits);
    List<Trie.Level> levels = new ArrayList<>();
    int below = 0;
    int count = rows;
    for (int i = ranges.size() - 1; i >= 0; i--) {
      KeyRange range = ranges.get(i);
      boolean dense =
          i == 0 && ranges.size() > 1 && range.size() <= (long) PLACES_A_ROW * rows + 1024;
      if (dense) {
        int size = (int) range.size();
        Buffer starts = memory.allocate(4L * size + 4);
        primitives.trieStarts(context, words, count, below, size, starts);
        levels.add(new Trie.Level(null, range.min(), size, starts));
        break;
      }
      Buffer rest = memory.allocate(8L * count);
      Buffer values = memory.allocate(4L * count);
      Buffer starts = memory.allocate(4L * count + 4);
      int runs =
          primitives.trieLevel(
              context, words, count, below, range.bits(), range.min(), rest, values, starts);
      memory.free(words);
      words = rest;
      levels.add(
          new Trie.Level(
              shrunk(context, values, 4L * runs),
              range.min(),
              runs,
              shrunk(context, starts, 4L * runs + 4)));
      count = runs;
      below = range.bits();
    }
    memory.free(words);
    Collections.reverse(levels);
    return new Trie(levels, ids, rows);
  }

  /** The first bytes of a buffer, in a smaller one if that saves much. */
  private static Buffer shrunk(ExecContext context, Buffer buffer, long bytes) {
    if (bytes > buffer.size() / 4 * 3) {
      return buffer;
    }
    Buffer small = context.memory().allocate(bytes);
    context.device().transfers().copy(context, buffer, small, bytes);
    context.memory().free(buffer);
    return small;
  }

  private static Buffer words(
      ExecContext context, List<Column> columns, List<KeyRange> ranges, int rows) {
    List<ColumnShape> shapes = columns.stream().map(Column::shape).toList();
    List<Expr> keys = new ArrayList<>();
    List<KeyLayout.Part> parts = new ArrayList<>();
    for (int i = columns.size() - 1; i >= 0; i--) {
      keys.add(Expr.ref(i, shapes.get(i).type()));
      parts.add(ranges.get(i).part());
    }
    Expr word = new Expr.KeyWord(keys, new KeyLayout(true, parts));
    CompiledProjection projection =
        context.device().expressions().projection(List.of(word), shapes);
    return Arrangement.words(context, projection, new ColumnBatch(columns, rows));
  }
}
