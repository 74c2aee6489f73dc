package io.aragonite.exec.table;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.page.MalformedPageException;
import io.aragonite.exec.page.PageForm;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Dictionary;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A column of values of one width, or of texts in dictionaries, as its file has it, for a device
 * that decodes it itself.
 */
public interface EncodedColumn extends AutoCloseable {
  DataType type();

  /** How values lie in pages, and what becomes of them. */
  PageForm form();

  /** Bytes of a big-endian value in a page. */
  int width();

  /** Whether pages have levels, so that rows can be null. */
  boolean optional();

  /** Whether devices decompress most pages. */
  boolean compressed();

  /** Of texts, as whose codes they come out; null: the values are numbers. */
  @Nullable Dictionary dictionary();

  long rows();

  /** How many chunks it has. */
  int chunks();

  /** Bytes of a chunk in the file. */
  long bytes(int chunk);

  /** Bytes of a chunk's pages when they are decompressed, as far as the file tells. */
  long size(int chunk);

  /**
   * The pages of some chunks, made ready beside each other; whoever gets them closes each.
   *
   * @return without a value if some are of a kind that devices do not decode
   * @throws AragoniteException FILE_BROKEN
   */
  Decodable<List<EncodedChunk>> chunks(int from, int to);

  /** The error of a page that a device found to be wrong. */
  AragoniteException broken(int chunk, int page, MalformedPageException found);

  /**
   * Holds what came out against what is known of the column.
   *
   * @param nulls how many rows are null
   * @return false: it is not that, and the host is to read the column
   */
  boolean accept(ColumnShape shape, long nulls);

  /** The file may go. */
  @Override
  void close();
}
