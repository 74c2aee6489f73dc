package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A built hash table. Safe for several threads to probe. */
public interface HashTable extends AutoCloseable {
  int rows();

  /** Distinct words, measured as it was built. */
  int distinct();

  /** The largest number of rows with one word. */
  int maxMultiplicity();

  default boolean unique() {
    return distinct() == rows();
  }

  /** Whether words that ascend are looked up in places that ascend. */
  default boolean inOrder() {
    return false;
  }

  /**
   * For each word a row with an equal one, or -1. Which of several is not specified.
   *
   * @param outRows 32-bit
   */
  void lookup(ExecContext context, ProbeWords words, Buffer outRows);

  /** As the other, with words of 8 bytes in order. */
  default void lookup(ExecContext context, Buffer words, int count, Buffer outRows) {
    lookup(context, new ProbeWords(words, Long.BYTES, count), outRows);
  }

  /**
   * All pairs of a probe row and a build row with equal words, probe rows ascending, in pieces.
   *
   * @param cursor where to go on; start with a new one, done when it says so
   * @param capacity room for pairs in both outputs
   * @return the number of pairs written
   */
  int probe(
      ExecContext context,
      ProbeWords words,
      ProbeCursor cursor,
      Buffer outProbe,
      Buffer outBuild,
      int capacity);

  /** As the other, with words of 8 bytes in order. */
  default int probe(
      ExecContext context,
      Buffer words,
      int count,
      ProbeCursor cursor,
      Buffer outProbe,
      Buffer outBuild,
      int capacity) {
    return probe(
        context, new ProbeWords(words, Long.BYTES, count), cursor, outProbe, outBuild, capacity);
  }

  /**
   * Fetches columns of the build rows with equal words, from a table of unique words: {@code
   * out[i]} of each column is the value of the row with word i. What belongs to a word without a
   * row is undefined.
   *
   * @param wordBytes of a word, 4 or 8
   * @return how many words have a row
   */
  int fetch(ExecContext context, Buffer words, int wordBytes, int count, List<MovedColumn> columns);

  /**
   * The buffers that it consists of, for {@link #over}.
   *
   * @return null: it has no copies
   */
  default @Nullable List<Buffer> buffers(ExecContext context) {
    return null;
  }

  /**
   * The same table in copies of its buffers, which stay the caller's: it is not to be closed.
   *
   * @param copies of {@link #buffers}, in their order
   */
  default HashTable over(List<Buffer> copies) {
    throw new UnsupportedOperationException("a hash table without copies");
  }

  @Override
  void close();
}
