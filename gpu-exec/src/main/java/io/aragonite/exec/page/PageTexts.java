package io.aragonite.exec.page;

import io.aragonite.exec.memory.Buffer;
import java.util.List;

/**
 * Where the texts of pages come from, beside the pages, and where they go.
 *
 * @param offsets of rows, and one more: the sums of their lengths
 * @param validity as it was filled with the lengths; EMPTY if no page has levels
 * @param places 4 bytes a row: of DICTIONARY where its text begins in {@code words}, of
 *     DELTA_STRINGS how many bytes it shares with the text before; EMPTY if no page is of these
 * @param words the texts of all dictionaries, which are UTF-8
 * @param out room for all texts
 */
public record PageTexts(Buffer offsets, Buffer validity, Buffer places, Buffer words, Buffer out) {
  /** Texts that are in their pages as they are. */
  public PageTexts(Buffer offsets, Buffer validity, Buffer out) {
    this(offsets, validity, Buffer.EMPTY, Buffer.EMPTY, out);
  }

  /** Whether a page's texts need places. */
  public static boolean needsPlaces(PageEncoding encoding) {
    return encoding == PageEncoding.DICTIONARY || encoding == PageEncoding.DELTA_STRINGS;
  }

  /**
   * Checks what a caller says of pages, before a device relies on it.
   *
   * @throws IllegalArgumentException if it names rows that are not there
   */
  public void require(List<EncodedPage> pages) {
    for (EncodedPage page : pages) {
      long end = (long) page.firstRow() + page.rows();
      if (4 * (end + 1) > offsets.size()
          || needsPlaces(page.encoding()) && 4 * end > places.size()) {
        throw new IllegalArgumentException(page + " to " + this);
      }
    }
  }
}
