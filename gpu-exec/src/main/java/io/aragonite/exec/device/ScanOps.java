package io.aragonite.exec.device;

import io.aragonite.exec.expr.KeyLayout.KeyField;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ValueRange;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Passes over arrays of words and flags: fill, prefix sums, selection, expansion of ranges.
 *
 * <p>"Keys" and "words" are 64-bit, compared unsigned; "ids" and row numbers are 32-bit. Row order
 * is the input's unless said otherwise. Outputs are the caller's, who sizes them as stated; up to
 * 64 bytes behind an output may be overwritten, as {@link Allocator} allows, so an output must not
 * be a slice with something to keep behind it. Temporaries come from the context's scratch memory
 * and are given back.
 */
public interface ScanOps {
  /**
   * Sets {@code count} values of {@code width} (1, 2, 4, 8) bytes to the low bytes of {@code
   * value}.
   */
  void fill(ExecContext context, Buffer out, int width, long value, int count);

  /** {@code out[i] = start + i}, 32-bit. */
  void iota(ExecContext context, Buffer out, int start, int count);

  /**
   * {@code out[i] = in[0] + ... + in[i-1]} for i in 0..count, so count + 1 sums.
   *
   * @param in 32-bit counts, unsigned
   * @param out 64-bit sums
   * @return the total
   */
  long exclusiveSum(ExecContext context, Buffer in, int count, Buffer out);

  /**
   * {@code out[i] = in[i]}, signed integers of one width in another; of wider ones the low bytes
   * are kept.
   *
   * @param from bytes of an integer: 1, 2, 4 or 8
   * @param to the same of {@code out}, which is not {@code in}
   */
  void convert(ExecContext context, Buffer in, int from, int count, int to, Buffer out);

  /**
   * {@code out[i] = base + words[i]}, of which the low bytes are kept: the integers that words of
   * {@link SortDigit.DigitKind#RANGED} or SIGNED were made of.
   *
   * @param base the range's least integer; of SIGNED words {@link Long#MIN_VALUE}
   * @param width of an integer: 4 or 8 bytes
   * @param out not {@code words}
   */
  void narrow(ExecContext context, Buffer words, int count, long base, int width, Buffer out);

  /**
   * Values of a key out of packed words ({@link KeyField}).
   *
   * @param words 32-bit, unsigned
   * @param shift bits of a word below the key's
   * @param width of a value: 1, 2, 4 or 8 bytes
   * @param out not {@code words}
   * @param outValidity a bit a word, in whole words of 64 bits; null if the key may not be null
   */
  void unpack(
      ExecContext context,
      Buffer words,
      int count,
      KeyField key,
      int shift,
      int width,
      Buffer out,
      @Nullable Buffer outValidity);

  /**
   * For each column, of BYTE, SHORT, INT, LONG or CODE storage, with any indirection, the bounds of
   * its values that are not null; null if there is none.
   */
  List<@Nullable ValueRange> valueRanges(ExecContext context, List<Column> columns);

  /** The same of one column. */
  default @Nullable ValueRange valueRange(ExecContext context, Column column) {
    return valueRanges(context, List.of(column)).getFirst();
  }

  /**
   * Pairs of the rows that ranges belong to and the positions in the ranges: as {@link #expand},
   * with the ranges' beginnings added.
   *
   * @param sums the result of {@link #exclusiveSum} over the ranges' lengths
   * @param firsts the ranges' beginnings, 32-bit
   */
  void expandRanges(
      ExecContext context,
      Buffer sums,
      Buffer firsts,
      int count,
      long from,
      int outCount,
      Buffer outRow,
      Buffer outPosition);

  /**
   * Load-balanced expansion: for the output positions from {@code from} to {@code from + outCount},
   * the input row whose range holds it and the place within that range.
   *
   * @param sums the result of {@link #exclusiveSum} over {@code count} rows
   */
  void expand(
      ExecContext context,
      Buffer sums,
      int count,
      long from,
      int outCount,
      Buffer outRow,
      Buffer outPlace);

  /**
   * Positions of the non-zero ({@code set}) or zero (not set) bytes among {@code flags}, ascending.
   *
   * @return how many
   */
  int select(ExecContext context, Buffer flags, int count, boolean set, Buffer out);

  /**
   * Positions of the words that are not greater than {@code bound}, ascending.
   *
   * @return how many
   */
  int selectUpTo(ExecContext context, Buffer words, int count, long bound, Buffer out);

  /**
   * Positions of the ids that are rows ({@code matched}) or that are -1 (not matched), ascending.
   *
   * @return how many
   */
  int selectIds(ExecContext context, Buffer ids, int count, boolean matched, Buffer out);
}
