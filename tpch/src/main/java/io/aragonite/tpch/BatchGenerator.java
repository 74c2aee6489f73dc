package io.aragonite.tpch;

import io.aragonite.dataset.BatchBuilder;
import io.trino.tpch.CustomerGenerator;
import io.trino.tpch.Distributions;
import io.trino.tpch.LineItemGenerator;
import io.trino.tpch.NationGenerator;
import io.trino.tpch.OrderGenerator;
import io.trino.tpch.PartGenerator;
import io.trino.tpch.PartSupplierGenerator;
import io.trino.tpch.RegionGenerator;
import io.trino.tpch.SupplierGenerator;
import io.trino.tpch.TextPool;
import java.lang.ref.WeakReference;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Makes record batches, any of them at any time and on any thread: what a batch holds depends on
 * nothing but the scale and the range. The rows themselves come from {@code io.trino.tpch}, whose
 * output equals that of the TPC's own dbgen.
 */
final class BatchGenerator {
  private static final int POOL_BYTES = 300 << 20; // fixed by the specification (4.2.2.14)

  /** The last text that was made, as long as the garbage collector leaves it. */
  private static WeakReference<TextPool> pool = new WeakReference<>(null);

  private final TpchScale scale;
  private final double factor;
  private final Distributions words = Distributions.getDefaultDistributions();
  private final TextPool text;

  /** Makes the pool of text, which takes about a second and 300 MB of heap while this lives. */
  BatchGenerator(TpchScale scale) {
    this.scale = scale;
    this.factor = scale.factor();
    this.text = text(words);
  }

  /** The same for all scales. */
  private static synchronized TextPool text(Distributions words) {
    TextPool known = pool.get();
    if (known != null) {
      return known;
    }
    TextPool made =
        new TextPool(
            POOL_BYTES,
            words,
            progress -> {
              if (Thread.currentThread().isInterrupted()) {
                throw new CancellationException("interrupted");
              }
            });
    pool = new WeakReference<>(made);
    return made;
  }

  /**
   * Makes one batch, to be closed by the caller.
   *
   * @throws CancellationException if the thread is interrupted
   */
  VectorSchemaRoot generate(
      TpchTable table, Schema schema, RowRange range, BufferAllocator allocator) {
    BatchBuilder batch = new BatchBuilder(schema, range.rows());
    switch (table) {
      case REGION ->
          fill(table, range, (p, n) -> new RegionGenerator(words, text), RowEncoders.region(batch));
      case NATION ->
          fill(table, range, (p, n) -> new NationGenerator(words, text), RowEncoders.nation(batch));
      case SUPPLIER ->
          fill(
              table,
              range,
              (p, n) -> new SupplierGenerator(factor, p, n, words, text),
              RowEncoders.supplier(batch));
      case CUSTOMER ->
          fill(
              table,
              range,
              (p, n) -> new CustomerGenerator(factor, p, n, words, text),
              RowEncoders.customer(batch));
      case PART ->
          fill(
              table,
              range,
              (p, n) -> new PartGenerator(factor, p, n, words, text),
              RowEncoders.part(batch));
      case PARTSUPP ->
          fill(
              table,
              range,
              (p, n) -> new PartSupplierGenerator(factor, p, n, text),
              RowEncoders.partSupplier(batch));
      case ORDERS ->
          fill(
              table,
              range,
              (p, n) -> new OrderGenerator(factor, p, n, words, text),
              RowEncoders.order(batch));
      case LINEITEM ->
          fill(
              table,
              range,
              (p, n) -> new LineItemGenerator(factor, p, n, words, text),
              RowEncoders.lineItem(batch));
    }
    return batch.build(allocator);
  }

  private <R> void fill(
      TpchTable table, RowRange range, RowCursor.PartGenerator<R> parts, Consumer<R> encoder) {
    RowCursor<R> rows = new RowCursor<>(table, scale, range, parts);
    for (int i = 0; i < range.rows(); i++) {
      if ((i & 0xFFF) == 0 && Thread.currentThread().isInterrupted()) {
        throw new CancellationException("interrupted");
      }
      encoder.accept(rows.next());
    }
  }
}
