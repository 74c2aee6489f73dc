package io.aragonite.adapter.result;

import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.ipc.ArrowReader;

/**
 * A query's result as Arrow columns, taken from the engine's batches without going through rows:
 *
 * <pre>{@code
 * try (Statement statement = connection.createStatement();
 *     ResultSet rows = statement.executeQuery("select ...");
 *     ArrowReader reader = rows.unwrap(ArrowResult.class).reader(allocator)) {
 *   VectorSchemaRoot root = reader.getVectorSchemaRoot();
 *   while (reader.loadNextBatch()) { ... }
 * }
 * }</pre>
 *
 * <p>Get it with {@code unwrap} from the statement or the result set, after the query was executed
 * and before the first {@code next()}; from then on the rows can be read in this form only. Vectors
 * are copies in memory of the caller's allocator; they are valid until the next batch is loaded,
 * and are released when the reader is closed. Closing the result set or the statement ends the
 * query as well; the vectors loaded last stay valid.
 *
 * <p>DECIMAL is Decimal128; BOOLEAN is bits; DATE is days; TIME is milliseconds; TIMESTAMP has the
 * unit that its precision asks for; year-month intervals are months, day-time intervals a Duration
 * in milliseconds; text is Utf8, and where the engine has it as codes of a dictionary, {@link
 * #encodedReader} hands out these.
 */
public interface ArrowResult {
  /** A reader whose text columns are plain Utf8. Close it. */
  ArrowReader reader(BufferAllocator allocator);

  /**
   * A reader whose text columns are dictionary-encoded (32-bit codes; the dictionaries are sorted)
   * where the engine has them so. Close it.
   */
  ArrowReader encodedReader(BufferAllocator allocator);
}
