package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.page.EncodedPage;
import io.aragonite.exec.page.PageOutput;
import io.aragonite.exec.page.PageTexts;
import io.aragonite.exec.page.StoredBytes;
import java.util.List;

/**
 * Pages of a file's columns, decompressed and decoded. Their bytes are what a file says: each
 * length, offset, width, index and level in them is checked before it is used. An operation writes
 * nothing behind its outputs, since other pages may have been decoded there; what it has written is
 * void if a page was wrong. It takes its place in the order of the query's work, and what comes of
 * it is known later.
 */
public interface PageOps {
  /** What has come of some pages. To be closed. */
  interface PageOutcome extends AutoCloseable {
    /**
     * Waits until the pages have been looked at.
     *
     * @return how many rows are null
     * @throws io.aragonite.exec.page.MalformedPageException with the number of the first page that
     *     is wrong, or its place among those that were given
     */
    long await();

    @Override
    default void close() {}
  }

  /**
   * Decompresses pages, or copies what is not compressed. The page of an error is {@link
   * StoredBytes#page}.
   *
   * @param pages none of which overlaps another in {@code out}
   * @param out may be the same buffer, as long as nothing is written that is read
   */
  PageOutcome decompress(ExecContext context, Buffer in, List<StoredBytes> pages, Buffer out);

  /**
   * Decodes pages into values of one width. The page of an error is its place in {@code pages}.
   *
   * @param pages no two of which have rows in common
   */
  PageOutcome decode(ExecContext context, Buffer in, List<EncodedPage> pages, PageOutput out);

  /**
   * Copies the texts of pages whose lengths {@link #decode} has found, and checks that they are
   * UTF-8. The page of an error is its place in {@code pages}.
   *
   * @param in with the pages as they were for their lengths
   * @return of no nulls
   */
  PageOutcome texts(ExecContext context, Buffer in, List<EncodedPage> pages, PageTexts texts);
}
