package io.aragonite.exec.operator.join;

import io.aragonite.exec.collective.Rank;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HostColumn;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.exchange.host.HostSide;
import io.aragonite.exec.exchange.host.HostSorter;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.operator.FilterOperator;
import io.aragonite.exec.operator.ProjectOperator;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.PlanCompiler;
import io.aragonite.exec.pipeline.StreamOperator;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Filter;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.plan.PhysicalPlan.Project;
import io.aragonite.exec.plan.PhysicalPlan.Scan;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A table in host memory as a side of a join, and what is done with its rows on the device. */
final class HostTable {
  /** Rows of a chunk that sorted rows are cut into. */
  private static final int CHUNK_ROWS = 1 << 30;

  /** Where the host, or the device that sorts it, has no room for a side in order. */
  static final class InsufficientMemoryException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    InsufficientMemoryException(AragoniteException cause) {
      super("there is no room for a side in order", cause);
    }
  }

  private final PlanCompiler compiler;
  private final HostSortMergePlanner.HostJoinInput side;
  private final Table.Pin pin;
  private final List<StreamOperator> operators = new ArrayList<>();
  private final List<QueryMetrics.NodeMetrics> nodes = new ArrayList<>();
  private final List<ColumnShape> shapes;
  private final HostColumn key;
  private final boolean ascends;
  private int sortedRuns;

  private HostTable(PlanCompiler compiler, HostSortMergePlanner.HostJoinInput side, Table.Pin pin) {
    this.compiler = compiler;
    this.side = side;
    this.pin = pin;
    List<ColumnShape> at = pin.shapes();
    nodes.add(compiler.resources().metrics(side.scan()));
    for (PhysicalPlan step : side.steps()) {
      StreamOperator operator =
          switch (step) {
            case Filter filter -> {
              Expr predicate = compiler.resolve(filter.predicate());
              yield new FilterOperator(
                  compiler.resources().expressions(), predicate, at, Double.NaN);
            }
            case Project project ->
                new ProjectOperator(
                    compiler.resources().expressions(),
                    compiler.resolve(project.expressions()),
                    at);
            default -> throw new IllegalStateException("a side has no such step");
          };
      operators.add(operator);
      nodes.add(compiler.resources().metrics(step));
      at = operator.shapes();
    }
    this.shapes = at;
    this.key = SortedRun.column(pin.chunks(), side.key(), keyShape());
    this.ascends =
        SortedRun.comparable(keyShape())
            && keyShape().storage() != Storage.CODE
            && side.scan().table().ascends(side.scan().columns().get(side.key()));
  }

  /** Null if host memory does not hold the table. */
  static @Nullable HostTable of(
      PlanCompiler compiler, HostSortMergePlanner.@Nullable HostJoinInput side) {
    if (side == null) {
      return null;
    }
    Scan scan = side.scan();
    if (scan.table().parts(scan.columns(), false) != null) {
      return null;
    }
    Table.Pin pin;
    try {
      pin = scan.table().pin(scan.columns());
    } catch (AragoniteException e) {
      if (e.code() != ErrorCode.MEMORY_EXCEEDED || compiler.resources().rank() != null) {
        throw e;
      }
      return null;
    }
    return new HostTable(compiler, side, compiler.resources().closeLater(pin));
  }

  /** Shapes of the columns that come out of its last step. */
  List<ColumnShape> shapes() {
    return shapes;
  }

  /** Shapes of the table's columns. */
  List<ColumnShape> scanned() {
    return pin.shapes();
  }

  ColumnShape keyShape() {
    return pin.shapes().get(side.key());
  }

  long rows() {
    return key.rows();
  }

  /** How many chunksets were sorted; 0 if the table is sorted. */
  int sortedRuns() {
    return sortedRuns;
  }

  /** Whether some of its rows may not come out of its last step. */
  boolean filters() {
    return side.steps().stream().anyMatch(Filter.class::isInstance);
  }

  double rowBytes() {
    long bytes = pin.chunks().stream().mapToLong(HostColumns::bytes).sum();
    return (double) bytes / Math.max(1, rows());
  }

  private static boolean isSet(Buffer bits, int row) {
    return Mem.getBit(bits.address(), row);
  }

  /** Whether there is a row whose key is null. */
  boolean nullKeys() {
    for (ColumnBatch chunk : pin.chunks()) {
      Buffer bits = chunk.column(side.key()).validity();
      for (int row = 0; bits != null && row < chunk.rows(); row++) {
        if (!isSet(bits, row)) {
          return true;
        }
      }
    }
    return false;
  }

  /** Whether it needs no sorting, or can be sorted with all its columns. */
  boolean sortable() {
    return ascends
        || pin.shapes().stream()
            .allMatch(shape ->
                switch (shape.storage()) {
                  case BYTES, LONG128, NONE -> false;
                  default -> true;
                });
  }

  private HostSide plain(List<HostColumn> payload) {
    List<Long> validity = new ArrayList<>();
    for (ColumnBatch chunk : pin.chunks()) {
      Buffer bits = chunk.column(side.key()).validity();
      validity.add(bits == null ? 0L : bits.address());
    }
    boolean nulls = validity.stream().anyMatch(address -> address != 0);
    return new HostSide(key, nulls ? validity : List.of(), payload);
  }

  /**
   * Its rows in order: as they are, or sorted by all ranks together, who call it.
   *
   * @param room bytes of each device's memory
   * @param one whether one run is wanted
   * @throws InsufficientMemoryException if there is no memory for it; copies have ended then; alone
   *     only, since one of several that goes on another way would leave the others waiting
   */
  List<SortedRun> runs(Join node, HostTable other, long room, boolean one, Rank rank) {
    if (ascends || rows() == 0) {
      return List.of(SortedRun.of(key, pin.chunks()));
    }
    try {
      return compiler
          .resources()
          .work(node, context -> sorted(context, node, other, room, one, rank));
    } catch (AragoniteException e) {
      if (e.code() == ErrorCode.MEMORY_EXCEEDED && rank.devices().size() == 1) {
        throw new InsufficientMemoryException(e);
      }
      throw e;
    }
  }

  private List<SortedRun> sorted(
      ExecContext context, Join node, HostTable other, long room, boolean one, Rank rank) {
    boolean first = rank.index() == 0;
    // Bitmaps cannot be sorted along: a byte for each row goes in their place.
    List<HostColumn> own = first ? payload(context) : List.of();
    List<HostColumn> payload = rank.meet(context, node, own, List::getFirst);
    List<List<HostColumn>> runs =
        HostSorter.sort(
            context,
            rank,
            plain(payload),
            other.plain(List.of()),
            room,
            one,
            compiler.resources().executor());
    List<SortedRun> made = new ArrayList<>();
    if (first) {
      runs.forEach(run -> made.add(run(context, run)));
    }
    List<SortedRun> result = rank.meet(context, node, made, List::getFirst);
    sortedRuns = result.size();
    return result;
  }

  private boolean nulls(int column) {
    return pin.chunks().stream().anyMatch(chunk -> chunk.column(column).validity() != null);
  }

  /** All columns but the key, each followed by a byte for each row where there are nulls. */
  private List<HostColumn> payload(ExecContext context) {
    List<HostColumn> payload = new ArrayList<>();
    List<Long> rows = pin.chunks().stream().map(chunk -> (long) chunk.rows()).toList();
    for (int c = 0; c < pin.shapes().size(); c++) {
      if (c == side.key()) {
        continue;
      }
      int column = c;
      int width = pin.shapes().get(c).storage().width();
      List<Long> addresses =
          pin.chunks().stream().map(chunk -> chunk.column(column).values().address()).toList();
      payload.add(new HostColumn(width, addresses, rows));
      if (nulls(c)) {
        payload.add(bytes(context, c));
      }
    }
    return payload;
  }

  private HostColumn bytes(ExecContext context, int column) {
    Buffer bytes = context.hostMemory().allocate(rows());
    long at = bytes.address();
    for (ColumnBatch chunk : pin.chunks()) {
      context.checkCancelled();
      Buffer bits = chunk.column(column).validity();
      for (int row = 0; row < chunk.rows(); row++, at++) {
        Mem.putByte(at, (byte) (bits == null || isSet(bits, row) ? 1 : 0));
      }
    }
    return HostColumn.of(bytes.address(), 1, rows());
  }

  /** Sorted columns as rows. */
  private SortedRun run(ExecContext context, List<HostColumn> sorted) {
    HostColumn keys = sorted.getFirst();
    List<Column> columns = new ArrayList<>();
    int next = 1;
    for (int c = 0; c < pin.shapes().size(); c++) {
      ColumnShape shape = pin.shapes().get(c);
      HostColumn values = c == side.key() ? keys : sorted.get(next++);
      Buffer bits = c != side.key() && nulls(c) ? bits(context, sorted.get(next++)) : null;
      columns.add(column(shape, values, bits));
    }
    List<ColumnBatch> chunks = new ArrayList<>();
    for (long from = 0; from < keys.rows(); from += CHUNK_ROWS) {
      int count = (int) Math.min(CHUNK_ROWS, keys.rows() - from);
      List<Column> part = new ArrayList<>();
      for (Column column : columns) {
        part.add(slice(column, from, count));
      }
      chunks.add(new ColumnBatch(part, count));
    }
    return SortedRun.of(keys, chunks);
  }

  /** Of a whole run, whose rows may be more than a column's: only to be cut. */
  private static Column column(ColumnShape shape, HostColumn values, @Nullable Buffer bits) {
    Buffer buffer =
        values.rows() == 0
            ? Buffer.EMPTY
            : new Buffer(values.address(0), values.rows() * values.width());
    return new Column(shape, 0, buffer, Buffer.EMPTY, bits, null);
  }

  private static Column slice(Column column, long from, int count) {
    long width = column.shape().storage().width();
    Buffer bits = column.validity();
    return new Column(
        column.shape(),
        count,
        column.values().slice(width * from, width * count),
        Buffer.EMPTY,
        bits == null ? null : bits.slice(from / 8, (count + 7) / 8),
        null);
  }

  private static Buffer bits(ExecContext context, HostColumn bytes) {
    QueryMemory memory = context.hostMemory();
    long rows = bytes.rows();
    Buffer bits = memory.allocate((rows + 63) / 64 * 8);
    for (long row = 0; row < rows; row += 64) {
      long word = 0;
      long address = bytes.address(row);
      for (int k = 0; k < Math.min(64, rows - row); k++) {
        word |= (long) Mem.getByte(address + k) << k;
      }
      Mem.putLong(bits.address() + row / 8, word);
    }
    return bits;
  }

  /** What rows of the table go through on their way, counted as the plan's nodes' rows. */
  BatchConsumer chain(ExecContext context, BatchConsumer downstream) {
    BatchConsumer at = downstream;
    for (int i = operators.size(); i >= 0; i--) {
      BatchConsumer next = at;
      QueryMetrics.NodeMetrics node = nodes.get(i);
      BatchConsumer counted =
          new BatchConsumer() {
            @Override
            public void accept(ColumnBatch batch) {
              node.rows.add(batch.rows());
              node.batches.increment();
              next.accept(batch);
            }

            @Override
            public boolean done() {
              return next.done();
            }
          };
      at = i == 0 ? counted : operators.get(i - 1).newWorker(context, counted);
    }
    return at;
  }
}
