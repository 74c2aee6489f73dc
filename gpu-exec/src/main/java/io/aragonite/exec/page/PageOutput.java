package io.aragonite.exec.page;

import io.aragonite.exec.memory.Buffer;
import java.util.List;

/**
 * Where the values of pages go.
 *
 * @param form what becomes of values
 * @param width bytes of a big-endian value in a page
 * @param dictionary the values of all dictionaries, as they come out; EMPTY if no page has indices
 *     in place of which they come
 * @param values {@link PageForm#outWidth} bytes a row; those of null rows become 0
 * @param validity a bitmap of rows, in whole words of 64, of which those of the pages are 0 before;
 *     EMPTY if no page has levels
 */
public record PageOutput(
    PageForm form, int width, Buffer dictionary, Buffer values, Buffer validity) {
  /**
   * Checks what a caller says of pages, before a device relies on it.
   *
   * @param in what has the pages' bytes
   * @throws IllegalArgumentException if it names bytes or rows that are not there
   */
  public void require(Buffer in, List<EncodedPage> pages) {
    for (EncodedPage page : pages) {
      long end = (long) page.firstRow() + page.rows();
      boolean levels = page.levelBytes() != EncodedPage.NO_LEVELS;
      long dictionaryEnd = (long) page.dictionaryFirst() + page.dictionaryCount();
      boolean inside =
          page.offset() >= 0
              && page.bytes() >= 0
              && page.offset() + page.bytes() <= in.size()
              && page.firstRow() >= 0
              && page.rows() >= 0
              && end * form.outWidth() <= values.size()
              && (!levels || (end + 63) / 64 * 8 <= validity.size())
              && page.dictionaryFirst() >= 0
              && page.dictionaryCount() >= 0
              && (page.encoding() != PageEncoding.DICTIONARY
                  || dictionaryEnd * form.outWidth() <= dictionary.size());
      if (!inside || !form.fits(page.encoding())) {
        throw new IllegalArgumentException(page + " of " + in + " to " + this);
      }
    }
  }
}
