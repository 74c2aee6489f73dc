package io.aragonite.exec.operator.window;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ColumnStore;
import io.aragonite.exec.device.CompiledProjection;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.QueryScope;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.operator.RowCollectionSource;
import io.aragonite.exec.operator.sort.SortCompiler;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.PlanCompiler;
import io.aragonite.exec.pipeline.Source;
import io.aragonite.exec.plan.PhysicalPlan.Window;
import io.aragonite.exec.spill.SpillableRowCollection;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A window without PARTITION BY over rows that memory does not hold: one chunk of the sorted rows
 * after the other is computed as if it were all there is, and what the rows before have come to is
 * added by expressions ({@link RunningWindowState}). Where peers of the order count, a chunk ends
 * where some of them do; where rows look at others before or behind them (LAG, LEAD), chunks
 * overlap by so many. Aggregates over all rows are found in a pass before, of rows in any order.
 */
final class RunningWindow implements Source {
  /** What part of the room a chunk takes: it is there beside the range that is being sorted. */
  private static final int SHARE = 4;

  private static final int MOST_ROWS = 1 << 30;

  private final PlanCompiler compiler;
  private final Window node;
  private final RunningWindowState carries;
  private final Source rows;

  /** Of the inputs and the calls' values in a chunk, whatever chunk it is. */
  private final List<ColumnShape> computed;

  private final CompiledProjection carried;
  private final CompiledProjection output;
  private final List<ColumnShape> shapes;

  /** One row: aggregates over all rows. */
  private final ColumnBatch totals;

  /** One row each: the calls' values up to the chunk, and with it. */
  private ColumnBatch before;

  private @Nullable ColumnBatch after;

  /** Rows that are in no chunk yet, and the source's next morsel. */
  private ColumnStore pending;

  private int next;

  /** Of these rows the first have come out already: they are there to be looked at. */
  private int seen;

  /** Numbers of the only row, a batch of them. */
  private final Buffer zeros;

  private @Nullable ColumnBatch chunk;
  private @Nullable WindowSource source;
  private @Nullable QueryScope scope;
  private int morsels;

  private RunningWindow(
      PlanCompiler compiler,
      Window node,
      RunningWindowState carries,
      Source rows,
      ColumnBatch totals) {
    this.compiler = compiler;
    this.node = node;
    this.carries = carries;
    this.rows = rows;
    this.totals = totals;
    QueryMemory memory = compiler.resources().memory();
    List<ColumnShape> inputs = rows.shapes();
    pending = new ColumnStore(inputs, memory);
    // No rows tell what the results look like.
    WindowSource empty =
        compiler
            .resources()
            .work(
                node,
                context ->
                    WindowCompiler.compute(
                            context, carries.window(), new ColumnStore(inputs, memory).view())
                        .source());
    computed = new ArrayList<>(inputs);
    for (ColumnShape shape : empty.shapes().subList(inputs.size(), empty.shapes().size())) {
      computed.add(unknown(shape));
    }
    List<ColumnShape> kept = computed.subList(inputs.size(), computed.size());
    CompiledProjection made =
        compiler.resources().expressions().projection(carries.kept(), with(kept));
    List<ColumnShape> outside = made.shapes().stream().map(RunningWindow::unknown).toList();
    // What comes out is what goes in with the next chunk, and may be wider than a chunk's values.
    carried = compiler.resources().expressions().projection(carries.kept(), with(outside));
    List<ColumnShape> all = with(outside);
    totals.columns().forEach(column -> all.add(column.shape()));
    output = compiler.resources().expressions().projection(carries.results(), all);
    shapes = typed(output.shapes());
    before = nothing(memory, outside);
    zeros = memory.allocate(4L * compiler.resources().context().device().properties().batchRows());
    memory.fill(zeros, (byte) 0);
  }

  /**
   * The window's rows.
   *
   * @param window what {@link RunningWindowState#takes} holds for
   * @param rows the input, which is closed when it has been read
   */
  static Source of(PlanCompiler compiler, Window node, Window window, SpillableRowCollection rows) {
    RunningWindowState carries = RunningWindowState.of(window, rows.shapes());
    List<ColumnBatch> totals = new ArrayList<>();
    RunningWindowState whole = carries.whole();
    if (whole != null) {
      RunningWindow pass =
          new RunningWindow(compiler, node, whole, again(rows), new ColumnBatch(List.of(), 1));
      compiler
          .resources()
          .work(
              node,
              context -> {
                while (pass.nextRound(context)) {
                  context.checkCancelled();
                }
                totals.add(pass.before);
                return pass;
              });
    }
    Source sorted =
        carries.window().orderBy().isEmpty()
            ? new RowCollectionSource(rows)
            : SortCompiler.parts(compiler, node, carries.window().orderBy(), rows, SHARE);
    return new RunningWindow(
        compiler,
        node,
        carries,
        sorted,
        totals.isEmpty() ? new ColumnBatch(List.of(), 1) : totals.getFirst());
  }

  /** A collection's rows, which stay there. */
  private static Source again(SpillableRowCollection rows) {
    return new Source() {
      @Override
      public List<ColumnShape> shapes() {
        return rows.shapes();
      }

      @Override
      public int morsels() {
        return rows.size();
      }

      @Override
      public void run(ExecContext context, int morsel, BatchConsumer consumer) {
        rows.readInBatches(context, morsel, (worker, batch) -> consumer.accept(batch));
      }
    };
  }

  /** Of any values that there may be. */
  private static ColumnShape unknown(ColumnShape shape) {
    return new ColumnShape(
        shape.type().withNullable(true), shape.storage(), true, shape.dictionary(), null);
  }

  private List<ColumnShape> with(List<ColumnShape> kept) {
    List<ColumnShape> all = new ArrayList<>(computed);
    all.addAll(kept);
    return all;
  }

  /** The types that the plan says, which may be without nulls. */
  private List<ColumnShape> typed(List<ColumnShape> found) {
    List<ColumnShape> result = new ArrayList<>();
    for (int i = 0; i < found.size(); i++) {
      result.add(found.get(i).withType(carries.types().get(i)));
    }
    return result;
  }

  private static ColumnBatch nothing(QueryMemory memory, List<ColumnShape> shapes) {
    List<Column> columns = new ArrayList<>();
    for (ColumnShape shape : shapes) {
      boolean text = shape.storage() == Storage.BYTES;
      Buffer values = zeros(memory, text ? 0 : shape.storage().width());
      Buffer offsets = text ? zeros(memory, 8) : Buffer.EMPTY;
      columns.add(new Column(shape, 1, values, offsets, zeros(memory, 8), null));
    }
    return new ColumnBatch(columns, 1);
  }

  private static Buffer zeros(QueryMemory memory, long bytes) {
    Buffer buffer = memory.allocate(bytes);
    memory.fill(buffer, (byte) 0);
    return buffer;
  }

  @Override
  public List<ColumnShape> shapes() {
    return shapes;
  }

  @Override
  public boolean hasRounds() {
    return true;
  }

  @Override
  public int morsels() {
    return morsels;
  }

  @Override
  public boolean nextRound(ExecContext context) {
    endRound();
    long most = compiler.resources().spill().room() / SHARE;
    // What the chunk before has left are peers.
    int peers = pending.rows();
    int count = 0;
    try {
      while (true) {
        boolean more = collect(context, most);
        count = pending.rows();
        if (count == 0 || (!more && count == seen)) {
          return false;
        }
        if (compute(context, more)) {
          compiler.resources().metrics(node).figures.merge("passes", 1L, Long::sum);
          return true;
        }
        peers = count;
        if (count >= MOST_ROWS) {
          throw new AragoniteException(
              ErrorCode.MEMORY_EXCEEDED, "row numbers of a device end at 2^31");
        }
        most = 2 * taken();
      }
    } catch (AragoniteException e) {
      if (e.code() != ErrorCode.MEMORY_EXCEEDED) {
        throw e;
      }
      throw new AragoniteException(
          ErrorCode.MEMORY_EXCEEDED,
          (carries.rank() >= 0
                  ? "A window has to have some of its rows in memory at once (%,d now), and all"
                      + " that are equal in its ORDER BY (%,d at least): raise memory=, or add"
                      + " columns to ORDER BY; %s"
                  : "A window has to have some of its rows in memory at once (%,d now), and those"
                      + " that LAG, LEAD or a frame of ROWS reaches (%,d at least): raise"
                      + " memory=, or look at rows that are nearer; %s")
              .formatted(
                  Math.max(count, pending.rows()),
                  carries.rank() >= 0 ? peers : carries.lags() + carries.leads(),
                  e.getMessage()),
          e);
    }
  }

  /** Memory that a window over the rows collected so far takes. */
  private long taken() {
    return SpilledWindow.need(carries.window(), pending.bytes(), pending.rows());
  }

  /** Collects rows up to a size; whether there may be more. */
  private boolean collect(ExecContext context, long most) {
    while (pending.rows() == 0 || (taken() < most && pending.rows() < MOST_ROWS)) {
      context.checkCancelled();
      if (next < rows.morsels()) {
        rows.run(context, next++, batch -> pending.append(context, batch));
      } else if (rows.hasRounds() && rows.nextRound(context)) {
        next = 0;
      } else {
        return false;
      }
    }
    return true;
  }

  /**
   * Makes the collected rows the chunk, but for those that may have peers behind them, or rows to
   * look at.
   *
   * @return false: that are all of them, and they have been put back
   */
  private boolean compute(ExecContext context, boolean more) {
    QueryMemory memory = compiler.resources().memory();
    ColumnBatch batch = pending.take();
    pending = new ColumnStore(rows.shapes(), memory);
    chunk = batch;
    scope = new QueryScope(context);
    WindowSource made = WindowCompiler.compute(context, carries.window(), batch).source();
    scope.end();
    int count = batch.rows();
    int ends = count;
    if (more && carries.rank() >= 0) {
      ends = (int) made.number(context, rows.shapes().size() + carries.rank(), count - 1) - 1;
    }
    if (more && carries.lags() + carries.leads() > 0) {
      ends = Math.max(seen, count - carries.leads() & -64);
    }
    boolean some = ends > seen;
    // Where the next chunk begins.
    int from = !some ? 0 : !more ? ends : Math.max(0, ends - (carries.lags() + 63 & -64));
    if (from < count) {
      pending.append(context, made.inputs(rows.shapes().size(), from, count - from));
    }
    if (!some) {
      endRound();
      return false;
    }
    source = made.range(seen, ends);
    morsels = source.morsels();
    seen = ends - from;
    if (from > 0) {
      carry(context, made, from);
    }
    return true;
  }

  /** Remembers the values of the last of some rows of a chunk. */
  private void carry(ExecContext context, WindowSource made, int count) {
    QueryMemory.Arena scratch = context.scratch();
    long mark = scratch.mark();
    int from = count - 1 & -64;
    SpilledWindow.conformed(
        context,
        made.batch(from, count - from),
        computed,
        batch -> {
          ColumnBatch values = carried.evaluate(context, withCarries(batch, List.of(before)));
          Buffer last = scratch.allocate(4);
          context.scan().fill(context, last, 4, batch.rows() - 1, 1);
          List<ColumnShape> kept = carried.shapes().stream().map(RunningWindow::unknown).toList();
          ColumnStore store = new ColumnStore(kept, compiler.resources().memory());
          store.append(context, Batches.select(context, values, last, 1));
          after = store.take();
        });
    scratch.release(mark);
  }

  private ColumnBatch withCarries(ColumnBatch batch, List<ColumnBatch> single) {
    List<Column> columns = new ArrayList<>(batch.columns());
    RowIds only = new RowIds(zeros.slice(0, 4L * batch.rows()), batch.rows(), false);
    for (ColumnBatch row : single) {
      row.columns().forEach(column -> columns.add(column.withRowIds(only)));
    }
    return new ColumnBatch(columns, batch.rows());
  }

  @Override
  public void run(ExecContext context, int morsel, BatchConsumer consumer) {
    WindowSource made = source;
    if (made == null) {
      throw new IllegalStateException("no chunk of the window has been computed");
    }
    made.run(
        context,
        morsel,
        new BatchConsumer() {
          @Override
          public void accept(ColumnBatch batch) {
            SpilledWindow.conformed(
                context,
                batch,
                computed,
                rowsOfChunk -> {
                  ColumnBatch all = withCarries(rowsOfChunk, List.of(before, totals));
                  consumer.accept(typed(output.evaluate(context, all)));
                });
          }

          @Override
          public boolean done() {
            return consumer.done();
          }
        });
  }

  private ColumnBatch typed(ColumnBatch batch) {
    List<Column> columns = new ArrayList<>();
    for (int i = 0; i < batch.columns().size(); i++) {
      columns.add(batch.column(i).withType(carries.types().get(i)));
    }
    return new ColumnBatch(columns, batch.rows());
  }

  private void endRound() {
    QueryMemory memory = compiler.resources().memory();
    source = null;
    morsels = 0;
    if (scope != null) {
      scope.close();
      scope = null;
    }
    if (chunk != null) {
      Batches.free(memory, chunk);
      chunk = null;
    }
    if (after != null) {
      Batches.free(memory, before);
      before = after;
      after = null;
    }
  }

  @Override
  public void close() {
    endRound();
    pending.close();
    rows.close();
    compiler.resources().memory().free(zeros);
    Batches.free(compiler.resources().memory(), before);
    Batches.free(compiler.resources().memory(), totals);
  }
}
