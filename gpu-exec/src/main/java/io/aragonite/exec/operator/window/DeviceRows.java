package io.aragonite.exec.operator.window;

import io.aragonite.exec.device.ColumnStore;
import io.aragonite.exec.device.CompiledPredicate;
import io.aragonite.exec.device.CompiledProjection;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.WindowOps;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.PhysicalPlan.Window;
import io.aragonite.exec.plan.SortKey;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import io.aragonite.exec.vector.ValueRange;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a window in order, as those of {@link WindowOps}, in the memory of a device: what
 * code over primitives and expressions needs. Positions count in the order; there is one at least.
 */
final class DeviceRows implements AutoCloseable {
  /** Expressions over batches without an indirection are cut where bitmaps can be. */
  private static final int ALIGNED = 64;

  /**
   * Runs of neighbouring positions.
   *
   * @param starts 32-bit starts, and at last the number of positions
   * @param count how many runs
   * @param of the run of each position
   * @param place the place of each position in its run
   */
  record Runs(Buffer starts, int count, Buffer of, Buffer place) {}

  private final ExecContext context;
  private final Window window;
  private final ColumnBatch rows;
  private final Buffer order;
  private final int count;
  private final List<Buffer> temporary = new ArrayList<>();
  private @Nullable Runs partitions;
  private @Nullable Runs peers;

  /**
   * @param rows columns without an indirection
   * @param order the row at each position
   */
  DeviceRows(ExecContext context, Window window, ColumnBatch rows, Buffer order) {
    this.context = context;
    this.window = window;
    this.rows = rows;
    this.order = order;
    this.count = rows.rows();
  }

  /** Whether the columns that rows are ordered by can be compared by expressions. */
  boolean comparable() {
    return window.partitionBy().stream().allMatch(this::comparable)
        && window.orderBy().stream().map(SortKey::column).allMatch(this::comparable);
  }

  private boolean comparable(int column) {
    return storage(column) != Storage.HANDLE;
  }

  private Storage storage(int column) {
    return rows.column(column).shape().storage();
  }

  ExecContext context() {
    return context;
  }

  int count() {
    return count;
  }

  /** An input column without an indirection. */
  Column input(int column) {
    return rows.column(column);
  }

  /** An input column in the order of positions. */
  Column at(int column) {
    return rows.column(column).withRowIds(new RowIds(order, count, false));
  }

  /** Memory of the query that is given back by {@link #close}. */
  Buffer allocate(long bytes) {
    Buffer buffer = context.memory().allocate(bytes);
    temporary.add(buffer);
    return buffer;
  }

  /** Keeps a buffer of {@link #allocate} beyond {@link #close}. */
  Buffer keep(Buffer buffer) {
    temporary.remove(buffer);
    return buffer;
  }

  /** A value for each of some runs, which is the caller's. */
  Column reduced(AggregateFunction function, Column values, Runs runs, DataType type) {
    return context
        .aggregate()
        .segmentedReduce(
            context, function, values, runs.starts(), runs.count(), type, context.memory());
  }

  /** Gives a column back by {@link #close}. */
  Column temporary(Column column) {
    temporary.add(column.values());
    temporary.add(column.offsets());
    Buffer validity = column.validity();
    if (validity != null) {
      temporary.add(validity);
    }
    return column;
  }

  /** Places, or -1, as a column. */
  Column ints(Buffer values) {
    ColumnShape shape =
        new ColumnShape(DataType.INT32, Storage.INT, false, null, new ValueRange(-1, count));
    return new Column(shape, count, values, Buffer.EMPTY, null, null);
  }

  /** {@code values[positions[i]]} for 32-bit values; -1 where the position is. */
  Buffer pick(Buffer values, Buffer positions) {
    Buffer out = allocate(4L * count);
    context.gather().gatherIds(context, values, positions, count, out);
    return out;
  }

  /** The row at each position. */
  Column order() {
    return ints(order);
  }

  /** The rows at positions of which -1 is none; they outlive this object. */
  Buffer rowsAt(Buffer positions) {
    Buffer out = context.memory().allocate(4L * count);
    context.gather().gatherIds(context, order, positions, count, out);
    return out;
  }

  /** The number of each position. */
  Column positions() {
    Buffer out = allocate(4L * count);
    context.scan().iota(context, out, 0, count);
    return ints(out);
  }

  Runs partitions() {
    Runs known = partitions;
    if (known == null) {
      known = runs(window.partitionBy());
      partitions = known;
    }
    return known;
  }

  /** Rows that are equal in ORDER BY, within partitions. */
  Runs peers() {
    Runs known = peers;
    if (known == null) {
      List<Integer> columns = new ArrayList<>(window.partitionBy());
      window.orderBy().forEach(key -> columns.add(key.column()));
      known = columns.size() == window.partitionBy().size() ? partitions() : runs(columns);
      peers = known;
    }
    return known;
  }

  /** The first position of the run of each position, and the one behind its last. */
  Column startOf(Runs runs) {
    return ints(pick(runs.starts(), runs.of()));
  }

  Column endOf(Runs runs) {
    return ints(pick(runs.starts().slice(4, 4L * runs.count()), runs.of()));
  }

  private Runs runs(List<Integer> keys) {
    // Where nothing is stored all are null.
    List<Integer> columns = keys.stream().filter(c -> storage(c) != Storage.NONE).toList();
    Buffer starts = allocate(4L * count + 4);
    context.scan().fill(context, starts, 4, 0, 1);
    int runs = 1 + (columns.isEmpty() ? 0 : changes(columns, starts));
    context.scan().fill(context, starts.slice(4L * runs, 4), 4, count, 1);
    Buffer sums = context.memory().allocate(8L * runs + 8);
    context.scan().convert(context, starts, Integer.BYTES, runs + 1, Long.BYTES, sums);
    Buffer of = allocate(4L * count);
    Buffer place = allocate(4L * count);
    context.scan().expand(context, sums, runs, 0, count, of, place);
    context.memory().free(sums);
    return new Runs(starts, runs, of, place);
  }

  /** Writes the positions that differ from the one before, from the second number of out on. */
  private int changes(List<Integer> columns, Buffer out) {
    List<Expr> differ = new ArrayList<>();
    List<ColumnShape> shapes = new ArrayList<>();
    for (int column : columns) {
      ColumnShape shape = rows.column(column).shape();
      Expr before = Expr.ref(shapes.size(), shape.type());
      Expr here = Expr.ref(shapes.size() + 1, shape.type());
      shapes.add(shape);
      shapes.add(shape);
      differ.add(differ(before, here));
    }
    Expr all = differ.size() == 1 ? differ.getFirst() : call(Op.OR, differ.toArray(new Expr[0]));
    CompiledPredicate predicate = context.device().expressions().predicate(all, shapes);
    int found = 0;
    for (int from = 1; from < count; from += piece()) {
      context.checkCancelled();
      int some = Math.min(piece(), count - from);
      long mark = context.scratch().mark();
      RowIds before = new RowIds(order.slice(4L * (from - 1), 4L * some), some, false);
      RowIds here = new RowIds(order.slice(4L * from, 4L * some), some, false);
      List<Column> batch = new ArrayList<>();
      for (int column : columns) {
        batch.add(rows.column(column).withRowIds(before));
        batch.add(rows.column(column).withRowIds(here));
      }
      Buffer places = context.scratch().allocate(4L * some);
      int more = predicate.select(context, new ColumnBatch(batch, some), places);
      Buffer numbers = context.scratch().allocate(4L * some);
      context.scan().iota(context, numbers, from, some);
      Buffer to = out.slice(4L * (1 + found), 4L * more);
      context.gather().gatherIds(context, numbers, places, more, to);
      found += more;
      context.scratch().release(mark);
    }
    return found;
  }

  /** Nulls are equal. */
  private static Expr differ(Expr a, Expr b) {
    return call(Op.IS_DISTINCT_FROM, a, b);
  }

  private static Expr call(Op op, Expr... args) {
    return Expr.call(op, DataType.BOOLEAN.withNullable(op != Op.IS_DISTINCT_FROM), args);
  }

  private int piece() {
    return Math.max(ALIGNED, context.device().properties().batchRows() & -ALIGNED);
  }

  /** How many positions a predicate holds for. */
  int matches(Expr predicate, List<Column> inputs) {
    CompiledPredicate compiled =
        context.device().expressions().predicate(predicate, shapes(inputs));
    int found = 0;
    for (int from = 0; from < count; from += piece()) {
      context.checkCancelled();
      int some = Math.min(piece(), count - from);
      long mark = context.scratch().mark();
      Buffer places = context.scratch().allocate(4L * some);
      found += compiled.select(context, slice(inputs, from, some), places);
      context.scratch().release(mark);
    }
    return found;
  }

  /** Expressions over columns of as many rows as there are positions; the query's memory. */
  List<Column> project(List<Expr> expressions, List<Column> inputs) {
    Device device = context.device();
    CompiledProjection projection = device.expressions().projection(expressions, shapes(inputs));
    try (ColumnStore store = new ColumnStore(projection.shapes(), context.memory())) {
      for (int from = 0; from < count; from += piece()) {
        context.checkCancelled();
        int some = Math.min(piece(), count - from);
        long mark = context.scratch().mark();
        store.append(context, projection.evaluate(context, slice(inputs, from, some)));
        context.scratch().release(mark);
      }
      return store.take().columns();
    }
  }

  Column project(Expr expression, List<Column> inputs) {
    return project(List.of(expression), inputs).getFirst();
  }

  private static List<ColumnShape> shapes(List<Column> columns) {
    return columns.stream().map(Column::shape).toList();
  }

  private static ColumnBatch slice(List<Column> columns, int from, int some) {
    List<Column> batch = new ArrayList<>();
    for (Column column : columns) {
      RowIds ids = column.rowIds();
      batch.add(
          ids == null
              ? column.slice(from, some)
              : column.withRowIds(
                  new RowIds(ids.ids().slice(4L * from, 4L * some), some, ids.mayBeNull())));
    }
    return new ColumnBatch(batch, some);
  }

  @Override
  public void close() {
    temporary.forEach(context.memory()::free);
    temporary.clear();
  }
}
