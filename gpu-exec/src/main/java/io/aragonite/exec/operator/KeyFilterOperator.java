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
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows whose words filters know. What they let through is looked at again by the joins that the
 * filters come from; so a worker stops asking one that nearly all rows pass. Of several filters
 * each worker asks those first that drop the most rows for what they cost, as it has seen: the
 * order in which joins leave them says nothing of that.
 */
public final class KeyFilterOperator implements StreamOperator {
  /** Rows after which a worker judges the filter ... */
  private static final long JUDGED = 1 << 16;

  /** ... and the share that must not pass for it to go on. */
  private static final double WORTH = 0.1;

  /** A filter of so many bytes stays in a core's nearest cache ... */
  private static final long NEAREST = 1 << 15;

  /** ... or in its own. */
  private static final long OWN = 1 << 20;

  private final List<KeyTest> tests;
  private final List<ColumnShape> shapes;

  /**
   * A filter, and how rows' words come to it.
   *
   * @param words one column, the rows' words
   * @param plain columns that have the words, which need not be made then; empty: none have
   */
  public record KeyTest(CompiledProjection words, List<PlainKey> plain, KeyFilter filter) {
    /** What asking for a row costs, in looks at a few bits that lie near. */
    private double cost() {
      double look = filter.bytes() <= NEAREST ? 1 : filter.bytes() <= OWN ? 1.5 : 3;
      return look + (filter.exact() ? 0 : 1) + (plain.isEmpty() ? 3 : 0);
    }
  }

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
   * @param shapes of the rows
   */
  public KeyFilterOperator(KeyTest test, List<ColumnShape> shapes) {
    this(List.of(test), shapes);
  }

  private KeyFilterOperator(List<KeyTest> tests, List<ColumnShape> shapes) {
    this.tests = tests;
    this.shapes = shapes;
  }

  /** These filters and one more, of the same rows. */
  public KeyFilterOperator and(KeyTest test) {
    List<KeyTest> all = new ArrayList<>(tests);
    all.add(test);
    return new KeyFilterOperator(List.copyOf(all), shapes);
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

  /** What a worker has seen of a filter. */
  private static final class SeenFilter {
    private final KeyTest test;
    private final double cost;
    private long seen;
    private long dropped;

    SeenFilter(KeyTest test) {
      this.test = test;
      this.cost = test.cost();
    }

    boolean worth() {
      return seen < JUDGED || dropped >= WORTH * seen;
    }

    /** What dropping a row costs; of a filter that was not asked yet as if it dropped half. */
    double price() {
      return cost * (seen + 2.0) / (dropped + 1.0);
    }

    int select(ExecContext context, ColumnBatch batch, Buffer kept) {
      KeyColumns columns = plainColumns(test.plain, batch);
      if (columns == null) {
        Buffer made = test.words.evaluate(context, batch).column(0).values();
        columns = KeyColumns.ofWords(made, batch.rows());
      }
      int count = test.filter.select(context, columns, kept);
      seen += batch.rows();
      dropped += batch.rows() - count;
      return count;
    }
  }

  private final class Worker implements BatchConsumer {
    private final ExecContext context;
    private final BatchConsumer downstream;
    private final List<SeenFilter> order = new ArrayList<>();

    Worker(ExecContext context, BatchConsumer downstream) {
      this.context = context;
      this.downstream = downstream;
      tests.forEach(test -> order.add(new SeenFilter(test)));
    }

    @Override
    public void accept(ColumnBatch batch) {
      ColumnBatch rows = batch;
      for (int i = 0; i < order.size() && rows.rows() > 0; i++) {
        if (order.get(i).worth()) {
          rows = kept(order.get(i), rows);
        }
      }
      if (order.size() > 1) {
        order.sort(Comparator.comparingDouble(SeenFilter::price));
      }
      if (rows.rows() > 0 || batch.rows() == 0) {
        downstream.accept(rows);
      }
    }

    private ColumnBatch kept(SeenFilter asked, ColumnBatch batch) {
      int rows = batch.rows();
      Buffer kept = context.scratch().allocate(4L * rows);
      int count = asked.select(context, batch, kept);
      if (count == rows) {
        return batch;
      }
      context.addFigure("rows dropped by a join's filter", rows - (long) count);
      return Batches.select(context, batch, kept, count);
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

  @SuppressWarnings("ReferenceEquality") // columns of one indirection share it
  private static @Nullable KeyColumns plainColumns(List<PlainKey> plain, ColumnBatch batch) {
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
}
