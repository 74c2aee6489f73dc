package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.page.EncodedPage;
import io.aragonite.exec.page.PageOutput;
import io.aragonite.exec.page.StoredBytes;
import java.util.List;

/**
 * Pages of a file's columns, decompressed and decoded. Their bytes are what a file says: each
 * length, offset, width, index and level in them is checked before it is used. An operation writes
 * nothing behind its outputs, since other pages may have been decoded there; what it has written is
 * void if it throws.
 */
public interface PageOps {
  /**
   * Decompresses pages, or copies what is not compressed.
   *
   * @param pages none of which overlaps another in {@code out}
   * @throws io.aragonite.exec.page.MalformedPageException with the number of the first page that
   *     does not give the bytes it should
   */
  void decompress(ExecContext context, Buffer in, List<StoredBytes> pages, Buffer out);

  /**
   * Decodes pages into values of one width.
   *
   * @param pages no two of which have rows in common
   * @return how many rows are null
   * @throws io.aragonite.exec.page.MalformedPageException with the place of the first wrong page in
   *     {@code pages}
   */
  long decode(ExecContext context, Buffer in, List<EncodedPage> pages, PageOutput out);
}
