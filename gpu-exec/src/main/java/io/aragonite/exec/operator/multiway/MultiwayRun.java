package io.aragonite.exec.operator.multiway;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.TrieBound;
import io.aragonite.exec.device.TrieInput;
import io.aragonite.exec.device.TrieStep;
import io.aragonite.exec.device.TrieWeight;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.operator.multiway.JoinSteps.Step;
import io.aragonite.exec.operator.multiway.JoinSteps.StepRelation;
import io.aragonite.exec.operator.multiway.JoinSteps.VariableBound;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.plan.PhysicalPlan.MultiwayJoin;
import io.aragonite.exec.plan.PhysicalPlan.RelationColumn;
import io.aragonite.exec.plan.PhysicalPlan.VariableKey;
import io.aragonite.exec.plan.TraversalOrder;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The level-by-level join of Wu, Zinn, Aref and Yalamanchili (section 4) in pieces: a step's values
 * are tried so many at a time, and what comes of a piece goes through all later steps before the
 * next piece is tried. So memory does not grow with the size of a level. Safe for several threads.
 */
final class MultiwayRun {
  /** The shape of the column that says how many rows of the join a row stands for. */
  static final ColumnShape COUNT = ColumnShape.of(DataType.INT64);

  /** Of a binding, beside what is kept: its candidates' side, first, number and sum, its row. */
  private static final long BYTES = 4 + 4 + 4 + 8 + 4 + 8 + 8;

  /**
   * Of a binding whose values are counted only where others end at hubs: its number, its nodes and
   * values, its count.
   */
  private static final long HUB_BYTES = 4 + 4 * 4 + 8;

  /** Of a binding whose values are counted only: its place in the order of their lists. */
  private static final long COUNTED_BYTES = 8 + 4 + 8 + 4 + 8 + 4 + HUB_BYTES;

  /** Fewer values at a time are not worth while. */
  private static final int SMALLEST_PIECE = 64;

  /**
   * A level that would be cut into more pieces than this is walked depth first where a device has
   * memory of its own and little of it: each piece costs it some launches and waits.
   */
  private static final int MOST_PIECES = 16;

  /** A piece of as many values is worth its launches, however many pieces there are. */
  private static final int LARGE_PIECE = 1 << 20;

  private final MultiwayJoin node;
  private final List<Relation> relations;
  private final List<Trie> tries;
  private final List<Step> steps;
  private final JoinWalk walk;
  private final LongAdder[] begun;
  private final LongAdder[] tried;
  private final LongAdder walks = new LongAdder();

  /** The first step that is walked depth first, whatever there is room for. */
  private int walkFrom = Integer.MAX_VALUE;

  /** The same for a step that has more candidates than {@link #mostTried}. */
  private int walkLargeFrom = Integer.MAX_VALUE;

  private long mostTried = Long.MAX_VALUE;
  private int piece = 1;

  MultiwayRun(MultiwayJoin node, List<Relation> relations, List<Trie> tries) {
    this.node = node;
    this.relations = relations;
    this.tries = tries;
    this.steps = JoinSteps.of(node, tries);
    this.walk = new JoinWalk(node, tries, steps);
    this.begun = new LongAdder[steps.size()];
    this.tried = new LongAdder[steps.size()];
    for (int i = 0; i < tried.length; i++) {
      begun[i] = new LongAdder();
      tried[i] = new LongAdder();
    }
  }

  /**
   * Sets how many values are tried at a time: what suits the device, or fewer where memory is
   * short; and which steps are walked depth first.
   *
   * @param room bytes that a worker may use
   * @return whether there is room for anything
   */
  boolean fit(Device device, long room) {
    boolean combinations = node.counted() && !node.outputs().isEmpty();
    boolean possible = !combinations && walk.isPossible(device);
    // Steps over large batches keep all threads of a GPU busy; a worker walks alone.
    boolean wholeBatches = !device.traits().morselDriven();
    if (possible && node.traversal() == TraversalOrder.DEPTH) {
      // Threads of a GPU share the third variable's values: a hub's second ones are too few.
      walkFrom = wholeBatches ? Math.clamp(steps.size() - 2, 1, 2) : 1;
    }
    long bytes = 0;
    for (int i = 1; i < steps.size() && i <= walkFrom; i++) {
      bytes += bindingBytes(i);
    }
    int batchRows = device.properties().batchRows();
    piece = (int) Math.clamp(room / Math.max(1, bytes), 1, batchRows);
    if (possible
        && wholeBatches
        && piece < LARGE_PIECE
        && node.traversal() == TraversalOrder.FITTING) {
      walkLargeFrom = 1;
      mostTried = (long) MOST_PIECES * piece;
    }
    return piece >= Math.min(batchRows, SMALLEST_PIECE);
  }

  /** Bytes that each value of a step takes while it is tried, and as a binding of the next one. */
  long bindingBytes(int step) {
    Step of = steps.get(step);
    int kept = of.keptRelations().cardinality() + of.keptVariables().cardinality();
    return BYTES + 4L * (kept + node.outputs().size()) + (counts(step) ? COUNTED_BYTES : 0);
  }

  /** Notes what each step had to do. */
  void note(Map<String, Long> figures) {
    for (int i = 0; i < steps.size(); i++) {
      figures.put("step %d: bindings".formatted(i + 1), begun[i].sum());
      figures.put("step %d: values tried".formatted(i + 1), tried[i].sum());
    }
    if (walks.sum() > 0) {
      figures.put("walks depth first", walks.sum());
    }
  }

  /**
   * Values of the variables bound so far.
   *
   * @param nodes for each relation the position that each binding has in the last level reached, or
   *     in its rows; null if it is not begun or not wanted
   * @param values for each variable its value in each binding; null if it is not wanted
   */
  record Bindings(int count, @Nullable Buffer[] nodes, @Nullable Buffer[] values) {}

  /**
   * What a step is to try.
   *
   * @param distinct the sides, and for each part which of them it is
   */
  record Candidates(
      Bindings bindings,
      TrieStep step,
      int[] distinct,
      Buffer sides,
      Buffer firsts,
      Buffer sums,
      long total) {}

  List<ColumnShape> shapes() {
    return shapes(node, relations);
  }

  /** The shapes of what a join yields. */
  static List<ColumnShape> shapes(MultiwayJoin node, List<Relation> relations) {
    List<ColumnShape> shapes = new ArrayList<>();
    for (RelationColumn output : node.outputs()) {
      shapes.add(relations.get(output.relation()).shapes().get(output.column()));
    }
    if (node.counted()) {
      shapes.add(COUNT);
    }
    return shapes;
  }

  /** Nothing is bound yet, in one way. */
  Bindings none() {
    return new Bindings(1, new Buffer[tries.size()], new Buffer[node.variables()]);
  }

  private boolean isLast(int step) {
    return step == steps.size() - 1;
  }

  /** A step over some bindings. */
  private record BoundStep(TrieStep step, int[] distinct) {}

  private BoundStep bound(int number, Bindings bindings) {
    Step step = steps.get(number);
    List<TrieInput> sides = new ArrayList<>();
    int[] distinct = new int[step.parts().size()];
    for (int i = 0; i < distinct.length; i++) {
      StepRelation part = step.parts().get(i);
      TrieInput side = side(part, bindings, node.counted() && isLast(number));
      // Relations of one table that came the same way would find the same.
      int same = side.counted() ? -1 : sides.indexOf(side);
      distinct[i] = same < 0 ? sides.size() : same;
      if (same < 0) {
        sides.add(side);
      }
    }
    List<TrieBound> bounds = new ArrayList<>();
    for (VariableBound comparison : step.comparisons()) {
      Buffer values = Objects.requireNonNull(bindings.values[comparison.variable()]);
      bounds.add(new TrieBound(comparison.kind(), values));
    }
    return new BoundStep(new TrieStep(sides, bounds, bindings.count), distinct);
  }

  /** What a step is to try for some bindings. */
  Candidates candidates(ExecContext context, int number, Bindings bindings, Allocator allocator) {
    BoundStep bound = bound(number, bindings);
    Buffer chosen = allocator.allocate(4L * bindings.count);
    Buffer firsts = allocator.allocate(4L * bindings.count);
    Buffer sums = allocator.allocate(8L * bindings.count + 8);
    Buffer counts = allocator.allocate(4L * bindings.count);
    context.trie().ranges(context, bound.step, chosen, firsts, counts);
    long total = context.scan().exclusiveSum(context, counts, bindings.count, sums);
    begun[number].add(bindings.count);
    tried[number].add(total);
    return new Candidates(bindings, bound.step, bound.distinct, chosen, firsts, sums, total);
  }

  private TrieInput side(StepRelation part, Bindings bindings, boolean counted) {
    Trie trie = tries.get(part.relation());
    boolean rows = part.level() == trie.levels().size();
    Trie.TrieLevel above = part.level() == 0 ? null : trie.levels().get(part.level() - 1);
    Buffer parents = above == null ? null : above.starts();
    int parentSize = above == null ? 0 : above.size();
    Buffer nodes = above == null ? null : bindings.nodes[part.relation()];
    if (rows) {
      return new TrieInput(null, 0, trie.rowCount(), parents, parentSize, nodes, null, false);
    }
    Trie.TrieLevel level = trie.levels().get(part.level());
    boolean last = part.level() == trie.levels().size() - 1;
    boolean counts = counted && last && !trie.unique();
    return new TrieInput(
        level.values(),
        level.min(),
        level.size(),
        parents,
        parentSize,
        nodes,
        counts || level.values() == null ? level.starts() : null,
        counts);
  }

  /** Tries some of a step's candidates. */
  Bindings match(
      ExecContext context,
      int number,
      Candidates candidates,
      long from,
      int count,
      Allocator allocator) {
    Step step = steps.get(number);
    Buffer rows = allocator.allocate(4L * count);
    @Nullable Buffer[] positions = new Buffer[candidates.step.sides().size()];
    for (int i = 0; i < candidates.distinct.length; i++) {
      if (step.keptRelations().get(step.parts().get(i).relation())
          && positions[candidates.distinct[i]] == null) {
        positions[candidates.distinct[i]] = allocator.allocate(4L * count);
      }
    }
    boolean wanted = step.variable() >= 0 && step.keptVariables().get(step.variable());
    Buffer values = wanted ? allocator.allocate(4L * count) : null;
    List<@Nullable Buffer> out = new ArrayList<>();
    for (Buffer position : positions) {
      out.add(position);
    }
    int found =
        context
            .trie()
            .match(
                context,
                candidates.step,
                candidates.sides,
                candidates.firsts,
                candidates.sums,
                from,
                count,
                rows,
                out,
                values);
    Bindings before = candidates.bindings;
    @Nullable Buffer[] nodes = new Buffer[before.nodes.length];
    @Nullable Buffer[] kept = new Buffer[before.values.length];
    for (int i = 0; i < candidates.distinct.length; i++) {
      int relation = step.parts().get(i).relation();
      if (step.keptRelations().get(relation)) {
        nodes[relation] = positions[candidates.distinct[i]];
      }
    }
    Map<Buffer, Buffer> gathered = new IdentityHashMap<>();
    for (int r = 0; r < nodes.length; r++) {
      if (nodes[r] == null && step.keptRelations().get(r)) {
        nodes[r] = gather(context, before.nodes[r], rows, found, allocator, gathered);
      }
    }
    for (int v = 0; v < kept.length; v++) {
      if (v == step.variable()) {
        kept[v] = values;
      } else if (step.keptVariables().get(v)) {
        kept[v] = gather(context, before.values[v], rows, found, allocator, gathered);
      }
    }
    return new Bindings(found, nodes, kept);
  }

  /** {@code values[rows[i]]}, once for what several relations share. */
  private static Buffer gather(
      ExecContext context,
      @Nullable Buffer values,
      Buffer rows,
      int count,
      Allocator allocator,
      Map<Buffer, Buffer> gathered) {
    return gathered.computeIfAbsent(
        Objects.requireNonNull(values),
        from -> {
          Buffer out = allocator.allocate(4L * count);
          context.gather().gatherIds(context, from, rows, count, out);
          return out;
        });
  }

  /**
   * Takes candidates of a step through that step and all later ones.
   *
   * @param from the first
   * @param to behind the last
   */
  void goOn(
      ExecContext context,
      int number,
      Candidates candidates,
      long from,
      long to,
      BatchConsumer consumer) {
    if (isWalked(number, candidates)) {
      walk(context, number, candidates, from, to, consumer);
    } else {
      inPieces(context, number, candidates, from, to, consumer);
    }
  }

  /** Whether a step and all later ones go depth first. */
  boolean isWalked(int number, Candidates candidates) {
    return number >= walkFrom || number >= walkLargeFrom && candidates.total > mostTried;
  }

  private void inPieces(
      ExecContext context,
      int number,
      Candidates candidates,
      long from,
      long to,
      BatchConsumer consumer) {
    for (long at = from; at < to && !consumer.done(); at += piece) {
      context.checkCancelled();
      long mark = context.scratch().mark();
      int some = (int) Math.min(piece, to - at);
      Bindings bindings = match(context, number, candidates, at, some, context.scratch());
      if (bindings.count > 0) {
        if (isLast(number)) {
          consumer.accept(rows(context, bindings));
        } else {
          next(context, number + 1, bindings, consumer);
        }
      }
      context.scratch().release(mark);
    }
  }

  /** Takes bindings through a step and all later ones. */
  private void next(ExecContext context, int number, Bindings bindings, BatchConsumer consumer) {
    if (counts(number)) {
      begun[number].add(bindings.count);
      tried[number].add(count(context, bindings, bound(number, bindings).step, consumer));
      return;
    }
    Candidates candidates = candidates(context, number, bindings, context.scratch());
    if (candidates.total > 0) {
      goOn(context, number, candidates, 0, candidates.total, consumer);
    }
  }

  /** Whether a step is the one whose candidates are counted only. */
  boolean counts(int step) {
    return isLast(step) && node.counted();
  }

  /**
   * Hands on how many rows of the join each binding of the last step stands for.
   *
   * @return how many values were tried
   */
  long count(ExecContext context, Bindings bindings, TrieStep step, BatchConsumer consumer) {
    List<TrieWeight> weights = new ArrayList<>();
    List<StepRelation> parts = steps.getLast().parts();
    for (int r = 0; r < tries.size(); r++) {
      int relation = r;
      boolean earlier = parts.stream().noneMatch(part -> part.relation() == relation);
      Buffer nodes = bindings.nodes[r];
      if (earlier && nodes != null) {
        Trie.TrieLevel last = tries.get(r).last();
        weights.add(new TrieWeight(last.starts(), last.size(), nodes));
      }
    }
    Buffer counts = context.scratch().allocate(8L * bindings.count);
    long values = context.trie().count(context, step, weights, counts);
    Column column = new Column(COUNT, bindings.count, counts, Buffer.EMPTY, null, null);
    List<Column> columns =
        new ArrayList<>(batch(r -> oneRow(context, bindings, r), bindings.count).columns());
    columns.add(column);
    consumer.accept(new ColumnBatch(columns, bindings.count));
    return values;
  }

  /** For each binding the first of a relation's rows that it may stand for. */
  private RowIds oneRow(ExecContext context, Bindings bindings, int relation) {
    Trie trie = tries.get(relation);
    List<VariableKey> keys = node.keys().get(relation);
    Buffer at = Objects.requireNonNull(bindings.nodes[relation]);
    for (int level = 0; level <= keys.size(); level++) {
      if (level < keys.size() && keys.get(level).variable() < node.variables() - 1) {
        // The binding is at this level or below.
        continue;
      }
      at = gathered(context, trie.levels().get(level - 1).starts(), at, bindings.count);
    }
    return new RowIds(gathered(context, trie.rows(), at, bindings.count), bindings.count, false);
  }

  private static Buffer gathered(ExecContext context, Buffer from, Buffer positions, int count) {
    Buffer out = context.scratch().allocate(4L * count);
    context.gather().gatherIds(context, from, positions, count, out);
    return out;
  }

  private void walk(
      ExecContext context,
      int number,
      Candidates candidates,
      long from,
      long to,
      BatchConsumer consumer) {
    walks.increment();
    if (node.counted()) {
      Buffer count = context.scratch().allocate(8);
      long rows = walk.count(context, number, candidates, from, to);
      context.scan().fill(context, count, 8, rows, 1);
      consumer.accept(
          new ColumnBatch(List.of(new Column(COUNT, 1, count, Buffer.EMPTY, null, null)), 1));
      return;
    }
    walk.run(
        context,
        number,
        candidates,
        from,
        to,
        Math.min(piece, context.device().properties().batchRows()),
        (ids, count) -> {
          long mark = context.scratch().mark();
          consumer.accept(
              batch(r -> new RowIds(Objects.requireNonNull(ids[r]), count, false), count));
          context.scratch().release(mark);
          return !consumer.done();
        });
  }

  /** The rows that bindings stand for, through row numbers. */
  private ColumnBatch rows(ExecContext context, Bindings bindings) {
    return batch(
        r -> {
          Buffer rows = context.scratch().allocate(4L * bindings.count);
          context
              .gather()
              .gatherIds(
                  context,
                  tries.get(r).rows(),
                  Objects.requireNonNull(bindings.nodes[r]),
                  bindings.count,
                  rows);
          return new RowIds(rows, bindings.count, false);
        },
        bindings.count);
  }

  private ColumnBatch batch(IntFunction<RowIds> rowsOf, int count) {
    Map<Integer, RowIds> ids = new HashMap<>();
    List<Column> columns = new ArrayList<>();
    for (RelationColumn output : node.outputs()) {
      RowIds rowIds = ids.computeIfAbsent(output.relation(), rowsOf::apply);
      Column column = relations.get(output.relation()).column(output.column());
      columns.add(column.withRowIds(rowIds));
    }
    return new ColumnBatch(columns, count);
  }
}
