package io.aragonite.exec.operator.multiway;

import io.aragonite.exec.memory.Buffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A relation's rows by the values of some columns, as Wu, Zinn, Aref and Yalamanchili have it
 * (section 3.1): for each column the values that follow upon each combination of those before it,
 * and where their children begin. SQL has bags: below the last level are the rows.
 *
 * @param levels from the first column to the last
 * @param rows row numbers in the order of the values, 32-bit; of those rows whose keys can be
 *     joined
 * @param rowCount how many
 */
record Trie(List<TrieLevel> levels, Buffer rows, int rowCount) {
  /**
   * The values of a column.
   *
   * @param values 32-bit, ascending below each parent; null for a dense level, whose value at
   *     position p is {@code min + p}, and where positions have no children
   * @param size positions
   * @param starts where the children of each position begin, or its rows, and their number behind
   *     that, 32-bit
   */
  record TrieLevel(@Nullable Buffer values, int min, int size, Buffer starts) {}

  TrieLevel last() {
    return levels.getLast();
  }

  /** Whether no combination of values occurs twice: then a position of the last level is a row. */
  boolean unique() {
    return last().size == rowCount;
  }

  /** All its buffers, in an order of which {@link #over} knows. */
  List<Buffer> buffers() {
    List<Buffer> buffers = new ArrayList<>(List.of(rows));
    for (TrieLevel level : levels) {
      buffers.add(level.starts);
      if (level.values != null) {
        buffers.add(level.values);
      }
    }
    return buffers;
  }

  /** The same trie over copies of its buffers. */
  Trie over(List<Buffer> copies) {
    int next = 1;
    List<TrieLevel> other = new ArrayList<>();
    for (TrieLevel level : levels) {
      Buffer starts = copies.get(next++);
      Buffer values = level.values == null ? null : copies.get(next++);
      other.add(new TrieLevel(values, level.min, level.size, starts));
    }
    return new Trie(other, copies.getFirst(), rowCount);
  }
}
