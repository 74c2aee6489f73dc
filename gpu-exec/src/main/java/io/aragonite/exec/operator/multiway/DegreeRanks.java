package io.aragonite.exec.operator.multiway;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.CompiledPredicate;
import io.aragonite.exec.device.CompiledProjection;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.ValueRange;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Ranks of a graph's nodes by their degrees, for patterns that {@link ChainSymmetry} finds to be
 * counted alike in any order: hubs come last, so that no node has many neighbours behind it. Of the
 * edges of a graph in this order no list is longer than the root of twice their number (Schank and
 * Wagner, Finding, counting and listing all triangles in large graphs, 2005).
 *
 * @param identity the table's columns
 * @param words the nodes, 64-bit, ascending
 * @param ranks the rank of each, 32-bit
 * @param size how many nodes
 */
record DegreeRanks(Object identity, Buffer words, Buffer ranks, int size) implements KeyNumbers {
  /** Bytes that it takes to find the ranks of a table, for each of its rows. */
  static final long BYTES = 48;

  /** The largest degree over the mean from which the order is worth being found. */
  private static final int HUB = 8;

  /** Whether a column's values are integers as they are stored. */
  static boolean suits(ColumnShape shape) {
    return switch (shape.storage()) {
      case BYTE, SHORT, INT, LONG -> true;
      default -> false;
    };
  }

  /**
   * Ranks the nodes of a table of edges; null if an edge is not there as often in one direction as
   * in the other, or if there is no hub.
   *
   * @param source nodes as integers, in one piece
   * @param target of the same type
   */
  static @Nullable DegreeRanks of(
      ExecContext context, Object identity, Column source, Column target) {
    JoinableRows rows = JoinableRows.of(context, List.of(source, target));
    KeyRanks.DistinctWords nodes =
        rows.count() == 0
            ? null
            : KeyRanks.DistinctWords.of(
                context, KeyRanks.words(context, rows.columns().getFirst()), rows.count());
    DegreeRanks ranks = null;
    if (nodes != null) {
      Buffer byDegree = byDegree(context, nodes, rows.count());
      if (byDegree != null && symmetric(context, nodes, rows)) {
        Buffer words = TrieBuilder.shrunk(context, nodes.words(), 8L * nodes.size());
        ranks = new DegreeRanks(identity, words, byDegree, nodes.size());
      } else {
        context.memory().free(nodes.words());
        if (byDegree != null) {
          context.memory().free(byDegree);
        }
      }
      context.memory().free(nodes.starts());
    }
    rows.free(context);
    if (rows.ids() != null) {
      context.memory().free(rows.ids());
    }
    return ranks;
  }

  @Override
  public boolean isOfStored() {
    return true;
  }

  @Override
  public int bits() {
    return Long.SIZE - Long.numberOfLeadingZeros(size);
  }

  @Override
  public Column numbers(ExecContext context, Column column) {
    Column places = KeyRanks.places(context, column, words, size);
    Buffer numbers = context.memory().allocate(4L * column.rows());
    context.gather().gatherIds(context, ranks, places.values(), column.rows(), numbers);
    context.memory().free(places.values());
    return KeyRanks.column(numbers, column.rows(), size);
  }

  List<Buffer> buffers() {
    return List.of(words, ranks);
  }

  /** The same ranks over copies of the buffers. */
  DegreeRanks over(List<Buffer> copies) {
    return new DegreeRanks(identity, copies.getFirst(), copies.getLast(), size);
  }

  /** The rank of each node by its degree; null if there is no hub. */
  private static @Nullable Buffer byDegree(
      ExecContext context, KeyRanks.DistinctWords nodes, int edges) {
    QueryMemory memory = context.memory();
    int size = nodes.size();
    Column begin = KeyRanks.column(nodes.starts().slice(0, 4L * size), size, edges + 1);
    Buffer next = memory.allocate(4L * size);
    context.scan().iota(context, next, 1, size);
    Buffer ends = memory.allocate(4L * size);
    context.gather().gatherIds(context, nodes.starts(), next, size, ends);
    memory.free(next);
    Column end = KeyRanks.column(ends, size, edges + 1);
    DataType type = begin.shape().type();
    Expr degree = Expr.call(Op.MINUS, type, Expr.ref(1, type), Expr.ref(0, type));
    int bits = Long.SIZE - Long.numberOfLeadingZeros(edges);
    Expr word =
        new Expr.KeyWord(
            List.of(degree), new KeyLayout(true, List.of(new KeyLayout.KeyField(0, bits, false))));
    ColumnBatch bounds = new ColumnBatch(List.of(begin, end), size);
    CompiledProjection projection =
        context
            .device()
            .expressions()
            .projection(List.of(word), List.of(begin.shape(), end.shape()));
    Buffer words = Batches.evaluate(context, projection, bounds);
    memory.free(ends);
    if (largest(context, words, size) < (long) HUB * edges / size) {
      memory.free(words);
      return null;
    }
    Buffer places = memory.allocate(4L * size);
    context.scan().iota(context, places, 0, size);
    context.sort().sortPairs(context, words, places, size, 0, bits);
    memory.free(words);
    Buffer numbers = memory.allocate(4L * size);
    context.scan().iota(context, numbers, 0, size);
    Buffer ranks = memory.allocate(4L * size);
    context.gather().scatter(context, numbers, places, size, Integer.BYTES, ranks);
    memory.free(numbers);
    memory.free(places);
    return ranks;
  }

  /** The largest degree. */
  private static long largest(ExecContext context, Buffer words, int size) {
    ColumnShape shape = new ColumnShape(DataType.INT64, Storage.LONG, false, null, null);
    Column column = new Column(shape, size, words, Buffer.EMPTY, null, null);
    return Objects.requireNonNull(context.scan().valueRange(context, column)).max();
  }

  /** Whether each edge is there as often from one node to the other as back. */
  private static boolean symmetric(
      ExecContext context, KeyRanks.DistinctWords nodes, JoinableRows rows) {
    QueryMemory memory = context.memory();
    int count = rows.count();
    Column from = KeyRanks.places(context, rows.columns().getFirst(), nodes.words(), nodes.size());
    Column to = KeyRanks.places(context, rows.columns().getLast(), nodes.words(), nodes.size());
    ValueRange range = context.scan().valueRange(context, to);
    boolean same = range != null && range.min() >= 0;
    if (same) {
      Buffer forward = sorted(context, List.of(from, to), nodes.size(), count);
      Buffer backward = sorted(context, List.of(to, from), nodes.size(), count);
      same = equal(context, forward, backward, count);
      memory.free(forward);
      memory.free(backward);
    }
    memory.free(from.values());
    memory.free(to.values());
    return same;
  }

  /** Pairs of places as words, ascending. */
  private static Buffer sorted(ExecContext context, List<Column> pair, int size, int count) {
    KeyRange range = new KeyRange(0, size);
    Buffer words = TrieBuilder.words(context, pair, List.of(range, range), count);
    Buffer ids = context.memory().allocate(4L * count);
    context.scan().iota(context, ids, 0, count);
    context.sort().sortPairs(context, words, ids, count, 0, 2 * range.bits());
    context.memory().free(ids);
    return words;
  }

  private static boolean equal(ExecContext context, Buffer left, Buffer right, int count) {
    ColumnShape shape = new ColumnShape(DataType.INT64, Storage.LONG, false, null, null);
    ColumnBatch both =
        new ColumnBatch(
            List.of(
                new Column(shape, count, left, Buffer.EMPTY, null, null),
                new Column(shape, count, right, Buffer.EMPTY, null, null)),
            count);
    Expr differs =
        Expr.call(
            Op.NE, DataType.BOOLEAN, Expr.ref(0, DataType.INT64), Expr.ref(1, DataType.INT64));
    CompiledPredicate predicate =
        context.device().expressions().predicate(differs, List.of(shape, shape));
    QueryMemory.Arena scratch = context.scratch();
    int piece = context.device().properties().batchRows();
    for (int from = 0; from < count; from += Math.min(piece, count - from)) {
      context.checkCancelled();
      long mark = scratch.mark();
      int some = Math.min(piece, count - from);
      int found =
          predicate.select(context, Batches.slice(both, from, some), scratch.allocate(4L * some));
      scratch.release(mark);
      if (found > 0) {
        return false;
      }
    }
    return true;
  }
}
