package io.aragonite.exec.operator;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.CompiledProjection;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.KeyColumns;
import io.aragonite.exec.device.KeyFilter;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.StreamOperator;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows whose word a filter knows. What it lets through is looked at again by the join that the
 * filter comes from; so a worker whose rows nearly all pass stops asking.
 */
public final class KeyFilterOperator implements StreamOperator {
  /** Rows after which a worker judges the filter ... */
  private static final long JUDGED = 1 << 16;

  /** ... and the share that must not pass for it to go on. */
  private static final double WORTH = 0.1;

  private final CompiledProjection words;
  private final List<PlainKey> plain;
  private final KeyFilter filter;
  private final List<ColumnShape> shapes;

  /**
   * A column that words have as it is, see {@link KeyColumns.PackedColumn}.
   *
   * @param column integers
   */
  public record PlainKey(int column, long zero, int shift) {}

  /**
   * The columns that have rows' words as they are; empty if not all of a word's have. What lies
   * under a null passes or not, where no null has a partner.
   *
   * @param shapes of the rows
   * @param columns the keys among them
   * @param layout of the words
   * @param nullSafe whether a null may have a partner
   */
  public static List<PlainKey> plainKeys(
      List<ColumnShape> shapes, List<Integer> columns, KeyLayout layout, boolean nullSafe) {
    List<PlainKey> plain = new ArrayList<>();
    int shift = 0;
    for (int i = 0; i < layout.parts().size(); i++) {
      KeyLayout.KeyField field = layout.parts().get(i);
      ColumnShape shape = shapes.get(columns.get(i));
      if (!shape.storage().isInteger() || nullSafe && shape.mayBeNull()) {
        return List.of();
      }
      if (field.bits() > 0) {
        plain.add(new PlainKey(columns.get(i), field.zero(), shift));
      }
      shift += field.bits();
    }
    return plain.size() <= KeyColumns.MOST ? plain : List.of();
  }

  /**
   * @param words one column, the rows' words
   * @param plain columns that have the words, which need not be made then; empty: none have
   * @param shapes of the rows
   */
  public KeyFilterOperator(
      CompiledProjection words, List<PlainKey> plain, KeyFilter filter, List<ColumnShape> shapes) {
    this.words = words;
    this.plain = List.copyOf(plain);
    this.filter = filter;
    this.shapes = shapes;
  }

  @Override
  public List<ColumnShape> shapes() {
    return shapes;
  }

  @Override
  public boolean selects() {
    return true;
  }

  @Override
  public BatchConsumer newWorker(ExecContext context, BatchConsumer downstream) {
    return new Worker(context, downstream);
  }

  private final class Worker implements BatchConsumer {
    private final ExecContext context;
    private final BatchConsumer downstream;
    private long seen;
    private long dropped;

    Worker(ExecContext context, BatchConsumer downstream) {
      this.context = context;
      this.downstream = downstream;
    }

    @Override
    public void accept(ColumnBatch batch) {
      int rows = batch.rows();
      if (rows == 0 || seen >= JUDGED && dropped < WORTH * seen) {
        downstream.accept(batch);
        return;
      }
      Buffer kept = context.scratch().allocate(4L * rows);
      int count = select(batch, kept);
      seen += rows;
      dropped += rows - count;
      if (count < rows) {
        context.addFigure("rows dropped by a join's filter", rows - (long) count);
      }
      if (count == rows) {
        downstream.accept(batch);
      } else if (count > 0) {
        downstream.accept(Batches.select(context, batch, kept, count));
      }
    }

    private int select(ColumnBatch batch, Buffer kept) {
      KeyColumns columns = plainColumns(batch);
      if (columns == null) {
        Buffer made = words.evaluate(context, batch).column(0).values();
        columns = KeyColumns.ofWords(made, batch.rows());
      }
      return filter.select(context, columns, kept);
    }

    @SuppressWarnings("ReferenceEquality") // columns of one indirection share it
    private @Nullable KeyColumns plainColumns(ColumnBatch batch) {
      if (plain.isEmpty()) {
        return null;
      }
      RowIds ids = batch.column(plain.getFirst().column()).rowIds();
      List<KeyColumns.PackedColumn> columns = new ArrayList<>();
      for (PlainKey key : plain) {
        Column column = batch.column(key.column());
        if (column.rowIds() != ids) {
          return null;
        }
        int bytes = column.shape().storage().width();
        columns.add(new KeyColumns.PackedColumn(column.values(), bytes, key.zero(), key.shift()));
      }
      Buffer rows = ids == null ? Buffer.EMPTY : ids.ids();
      return ids != null && ids.mayBeNull() ? null : new KeyColumns(columns, rows, batch.rows());
    }

    @Override
    public void finish() {
      downstream.finish();
    }

    @Override
    public boolean done() {
      return downstream.done();
    }
  }
}
