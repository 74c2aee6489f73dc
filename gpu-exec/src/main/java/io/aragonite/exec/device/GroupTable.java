package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;

/** A growing set of distinct words with their numbers. Not safe for several threads. */
public interface GroupTable extends AutoCloseable {
  int groups();

  /**
   * Finds the number of each word, adding those that are new.
   *
   * @param words 64-bit
   * @param outGroups a 32-bit group number a word
   * @param outNewRows room for {@code count} positions: the first appearance of each new word, in
   *     the order of their numbers
   * @return how many are new
   */
  int assign(ExecContext context, Buffer words, int count, Buffer outGroups, Buffer outNewRows);

  @Override
  void close();
}
