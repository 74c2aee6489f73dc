package io.aragonite.exec.operator.aggregate;

import io.aragonite.exec.cost.GroupModel;
import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.CompiledTableAggregation;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.ExpressionCompiler;
import io.aragonite.exec.device.Parallel;
import io.aragonite.exec.device.SumTable;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.KeyLayout.KeyField;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.settings.EngineSettings;
import io.aragonite.exec.settings.EngineSettings.GroupingMethod;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ValueRange;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Counts and sums of many groups by keys whose values lie close together: packed, they address a
 * table in the device's memory, so that no group is looked for, and rows get no group numbers. On a
 * GPU each row is added by atomic operations, which wait for each other where many rows have one
 * key: a sample of the keys says whether they do. On a host each worker has a table, and the tables
 * are added up at the end.
 */
final class DirectAddressAggregation implements KernelAggregation {
  /** Entries of a table for each row of a batch. */
  private static final long ENTRIES_A_ROW = 2;

  private static final int MOST_BITS = 28;

  /** Groups that keep all of a GPU's units for atomic operations busy. */
  private static final int LEAST_GROUPS = 1 << 13;

  /** A key may have one in so many rows. */
  private static final int MOST_FREQUENT_SHARE = 16;

  private static final int SAMPLED_PAIRS = 1 << 12;

  /** What the table must promise. */
  private static final double DOUBT = 1.3;

  /** Entries of a table for each group that is expected, on a host. */
  private static final long ENTRIES_A_GROUP = 4;

  /** Groups from which on a host's table pays. */
  private static final int LEAST_HOST_GROUPS = 1 << 10;

  /** Entries that a worker of a host merges at once, and at most how often. */
  private static final int PIECE_ENTRIES = 1 << 15;

  private static final int PIECES_A_WORKER = 4;

  /** Pairs of neighbours by which a host tells whether rows come in order. */
  private static final int HOST_PAIRS = 1 << 9;

  private final AggregateSpec spec;
  private final GroupKeys keys;
  private final int groups;
  private final CompiledTableAggregation compiled;
  private final KernelInput input;
  private final SlotSums slots;
  private final SumTableGroups result;

  /** The columns of {@link #head} that are the keys. */
  private final List<Integer> keyColumns;

  /** The most rows that can come; -1: nothing is known. */
  private final long mostRows;

  /** Of workers whose rows have all come, on a host; {@link #takeGroups} closes them. */
  private final List<SumTable> finished = new ArrayList<>();

  /** On a host: whether a table suits the rows, as the first worker that had some has found. */
  private @Nullable Boolean suitsHost;

  private DirectAddressAggregation(
      AggregateSpec spec,
      GroupKeys keys,
      int groups,
      CompiledTableAggregation compiled,
      KernelInput input,
      SlotSums slots,
      List<Integer> keyColumns,
      long mostRows) {
    this.spec = spec;
    this.keys = keys;
    this.groups = groups;
    this.compiled = compiled;
    this.input = input;
    this.slots = slots;
    this.result = new SumTableGroups(spec, keys, slots);
    this.keyColumns = List.copyOf(keyColumns);
    this.mostRows = mostRows;
  }

  /**
   * Such an aggregation if the device has code for it, else null.
   *
   * @param grouped the rows to be grouped
   */
  static @Nullable DirectAddressAggregation of(
      AggregateSpec spec, PipelineHead grouped, ExpressionCompiler compiler) {
    GroupingMethod method = EngineSettings.current().grouping();
    boolean wanted = method == GroupingMethod.AUTO || method == GroupingMethod.DIRECT;
    GroupKeys keys = spec.keys.getFirst();
    if (!wanted || keys == null || !SlotSums.areSums(spec) || !isAddress(keys)) {
      return null;
    }
    return KernelInput.tried(grouped, input -> of(spec, keys, input, compiler));
  }

  private static @Nullable DirectAddressAggregation of(
      AggregateSpec spec, GroupKeys keys, KernelInput input, ExpressionCompiler compiler) {
    SlotSums slots = SlotSums.of(spec, input);
    Expr.KeyWord group = input.group(spec, 0, keys.layout());
    CompiledTableAggregation compiled =
        group == null
            ? null
            : compiler.tableAggregation(
                input.predicate(), group, slots.sums(), input.head().shapes());
    if (group == null || compiled == null) {
      return null;
    }
    List<Integer> columns =
        group.keys().stream().map(key -> ((Expr.InputRef) key).index()).toList();
    return new DirectAddressAggregation(
        spec, keys, groups(keys), compiled, input, slots, columns, input.head().mostRows());
  }

  /** Whether packed keys address a table. */
  private static boolean isAddress(GroupKeys keys) {
    return keys.layout().exact() && keys.bits() <= MOST_BITS;
  }

  /** Packed keys are smaller than this. */
  private static int groups(GroupKeys keys) {
    KeyField last = keys.layout().parts().getLast();
    ValueRange range = keys.shapes().getLast().range();
    long parts = 1L << last.bits();
    if (range != null) {
      parts = Math.min(parts, range.max() - last.zero() + 1);
    }
    return (int) (parts << keys.bits() - last.bits());
  }

  @Override
  public PipelineHead head() {
    return input.head();
  }

  @Override
  public BatchConsumer newWorker(ExecContext context, WorkerGroups groups, BatchConsumer others) {
    BatchConsumer anotherWay = input.before(context, others);
    return new BatchConsumer() {
      private boolean decided;
      private @Nullable SumTable table;
      private boolean refused;

      @Override
      public void accept(ColumnBatch batch) {
        if (!decided && batch.rows() > 1) {
          decided = true;
          table = suits(context, batch, groups.mostBytes()) ? tryTable(context) : null;
        }
        SumTable totals = table;
        if (totals == null || refused || !compiled.add(context, batch, totals)) {
          // Sums that leave 64 bits will go on doing so; code that a GPU waits for will be there.
          refused = compiled.tablePerWorker();
          anotherWay.accept(batch);
        }
      }

      @Override
      public void finish() {
        SumTable totals = table;
        if (totals != null && compiled.tablePerWorker()) {
          synchronized (finished) {
            finished.add(totals);
          }
        } else if (totals != null) {
          give(context, totals, groups);
        }
        anotherWay.finish();
      }
    };
  }

  private void give(ExecContext context, SumTable table, WorkerGroups groups) {
    QueryMemory.Arena scratch = context.scratch();
    long mark = scratch.mark();
    try (table) {
      ColumnBatch found = result.of(context, table, 0, table.groups(), scratch, this::passed);
      if (found.rows() > 0) {
        groups.addDistinctGroups(context, found);
      }
    }
    scratch.release(mark);
  }

  private void passed(ExecContext context, long rows) {
    input.passed().accept(rows);
    context.addFigure("rows summed by a kernel of all expressions", rows);
  }

  @Override
  public long bytes() {
    return finished.size() * SumTable.bytes(groups, sums());
  }

  @Override
  public List<List<ColumnBatch>> takeGroups(ExecContext context, Parallel parallel) {
    List<SumTable> merged = new ArrayList<>();
    List<List<SumTable>> added = new ArrayList<>();
    for (SumTable table : finished) {
      int to = 0;
      while (to < merged.size() && !merged.get(to).reserve(table)) {
        to++;
      }
      if (to == merged.size()) {
        merged.add(table);
        added.add(new ArrayList<>());
      } else {
        added.get(to).add(table);
      }
    }
    List<List<ColumnBatch>> groups = new ArrayList<>();
    for (int i = 0; i < merged.size(); i++) {
      groups.add(merge(context, parallel, merged.get(i), added.get(i)));
    }
    finished.forEach(SumTable::close);
    finished.clear();
    return groups;
  }

  /** Adds tables to one, and makes columns of it, in pieces by as many workers as there are. */
  private List<ColumnBatch> merge(
      ExecContext context, Parallel parallel, SumTable to, List<SumTable> tables) {
    int pieces =
        Math.max(1, Math.min(groups / PIECE_ENTRIES, PIECES_A_WORKER * parallel.workers()));
    ColumnBatch[] chunks = new ColumnBatch[pieces];
    parallel.forEach(
        pieces,
        (worker, i) -> {
          int first = (int) ((long) groups * i / pieces);
          int end = (int) ((long) groups * (i + 1) / pieces);
          tables.forEach(table -> worker.aggregate().addSums(worker, table, to, first, end));
          chunks[i] = result.of(worker, to, first, end, worker.memory(), this::passed);
        });
    List<ColumnBatch> found = new ArrayList<>();
    for (ColumnBatch chunk : chunks) {
      if (chunk.rows() > 0) {
        found.add(chunk);
      } else {
        chunk.columns().forEach(column -> Batches.free(context.memory(), column));
      }
    }
    return found;
  }

  /** Null for want of memory: others can do with less. */
  private @Nullable SumTable tryTable(ExecContext context) {
    try {
      return new SumTable(context, groups, sums());
    } catch (AragoniteException e) {
      if (e.code() != ErrorCode.MEMORY_EXCEEDED) {
        throw e;
      }
      return null;
    }
  }

  private int sums() {
    return slots.sums().size();
  }

  /** Whether a table is the best way for rows like these. */
  private boolean suits(ExecContext context, ColumnBatch batch, long mostBytes) {
    EngineSettings settings = EngineSettings.current();
    if (SumTable.bytes(groups, sums()) > mostBytes) {
      return false;
    }
    if (settings.grouping() == GroupingMethod.DIRECT) {
      return true;
    }
    if (compiled.tablePerWorker()) {
      synchronized (finished) {
        suitsHost = suitsHost != null ? suitsHost : suitsHost(context, batch);
        return suitsHost;
      }
    }
    if (batch.rows() < settings.sizes().sampledRows()
        || groups < LEAST_GROUPS
        || groups > ENTRIES_A_ROW * batch.rows()) {
      return false;
    }
    KeySample sample = sample(context, batch, SAMPLED_PAIRS);
    if (sample.ascending()
        || sample.mostFrequent() > Math.max(1, sample.places() / MOST_FREQUENT_SHARE)) {
      return false;
    }
    double rows = batch.rows();
    double found = Math.min(groups, sample.groups(rows));
    GroupModel model = new GroupModel(context.device().profile());
    GroupModel.Shape shape = GroupingStrategy.shape(spec, keys, rows, found);
    double others = Math.min(model.table(shape), model.sort(shape));
    return found >= LEAST_GROUPS && DOUBT * model.directAddress(rows, groups, sums()) < others;
  }

  /**
   * On a host a table is quicker than one of words unless most of it stays empty, in memory that
   * must be cleared and looked through; rows in order are grouped without any.
   */
  private boolean suitsHost(ExecContext context, ColumnBatch batch) {
    boolean dense =
        groups >= LEAST_HOST_GROUPS
            && groups <= ENTRIES_A_GROUP * spec.node.expected()
            && (mostRows < 0 || groups <= ENTRIES_A_GROUP * mostRows);
    return dense && !sample(context, batch, HOST_PAIRS).ascending();
  }

  private KeySample sample(ExecContext context, ColumnBatch batch, int pairs) {
    return KeySample.of(context, keys, keyColumns.stream().map(batch::column).toList(), pairs);
  }
}
