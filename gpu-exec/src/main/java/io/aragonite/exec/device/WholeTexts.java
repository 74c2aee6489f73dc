package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;

/**
 * Whole texts of a column, for rows whose texts begin alike: they are many words, of which most
 * would be made for nothing. Nulls compare as empty.
 */
public interface WholeTexts {
  /**
   * Whether some row has a text that goes on behind its first bytes.
   *
   * @param order 32-bit rows of the column's batch
   * @param places where the rows to look at are in the order, 32-bit
   */
  boolean longer(Buffer order, Buffer places, int count, long bytes);

  /**
   * Puts the rows of each tie in the order of their texts.
   *
   * @param order as in {@link #longer}; the rows change places
   * @param ties the 32-bit number of the tie that the row at each place is in, ascending
   * @param keys gets a 64-bit number for each place, ascending; equal for rows of one tie that have
   *     equal texts, and for no others
   */
  void sort(ExecContext context, Buffer order, Buffer places, Buffer ties, int count, Buffer keys);
}
