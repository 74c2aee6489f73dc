package io.aragonite.adapter.format;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.page.MalformedPageException;
import io.aragonite.exec.page.PageForm;
import io.aragonite.exec.table.Decodable;
import io.aragonite.exec.table.EncodedChunk;

/**
 * A column as pages of its file, of values of one width or of texts in dictionaries, which devices
 * decode. Safe for several threads.
 */
public interface PagedColumn {
  /**
   * How values lie in pages, and what becomes of them; of texts what becomes of their codes, or
   * {@link PageForm#LENGTHS} if some are in no dictionary.
   */
  PageForm form();

  /** Bytes of a big-endian value in a page. */
  int width();

  /** Whether pages have levels, so that rows can be null. */
  boolean optional();

  /** Whether devices decompress most pages, as far as the file's metadata tells. */
  boolean compressed();

  /** Whether values are texts, all of which are in the dictionaries of their chunks. */
  boolean texts();

  long rows();

  /** How many chunks it has. */
  int chunks();

  /** Bytes of a chunk in the file. */
  long bytes(int chunk);

  /** Bytes of a chunk's pages when they are decompressed, as far as the file tells. */
  long size(int chunk);

  /**
   * The pages of a chunk; of texts without the dictionary.
   *
   * @param memory for what the file does not have as devices decode it
   * @return without a value if some are of a kind that devices do not decode
   * @throws AragoniteException FILE_BROKEN
   */
  Decodable<EncodedChunk> chunk(int number, QueryMemory memory);

  /**
   * The dictionary of a chunk of texts; if the column has some that are in none, texts of the
   * chunk's first page of such.
   *
   * @param most texts of a dictionary that is wanted; one with more need not be read
   * @param memory where it is
   * @return without a value if the chunk has none, or one with more texts
   * @throws AragoniteException FILE_BROKEN
   */
  Decodable<PartDictionary> words(int chunk, int most, QueryMemory memory);

  /** The error of a page that a device found to be wrong. */
  AragoniteException broken(int chunk, int page, MalformedPageException found);
}
