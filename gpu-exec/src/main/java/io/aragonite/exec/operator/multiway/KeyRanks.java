package io.aragonite.exec.operator.multiway;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.CompiledProjection;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.ValueRange;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Ranks of values that are no numbers of 32 bits, among those of one relation for each variable
 * that is compared with another: what a value has no rank for joins with nothing. Ranks compare as
 * the values do, those of floating-point numbers aside, which no join over tries compares.
 */
final class KeyRanks implements KeyNumbers {
  /** A column whose values have ranks. */
  record RankedColumn(Relation relation, int column) {}

  /**
   * A column of a stored table, which has the same ranks in every query.
   *
   * @param column of the table
   */
  private record StoredKeyColumn(Table table, int column) {}

  private final List<RankedColumn> members;
  private @Nullable Buffer words;
  private int size;

  KeyRanks(List<RankedColumn> members) {
    this.members = members;
  }

  @Override
  public Object identity() {
    List<StoredKeyColumn> stored = new ArrayList<>();
    for (RankedColumn member : members) {
      PhysicalPlan.Scan scan = member.relation.scan();
      if (scan == null) {
        return this;
      }
      stored.add(new StoredKeyColumn(scan.table(), scan.columns().get(member.column)));
    }
    return List.copyOf(stored);
  }

  @Override
  public boolean isOfStored() {
    return members.stream().allMatch(member -> member.relation.scan() != null);
  }

  @Override
  public int bits() {
    long most = members.stream().mapToLong(member -> member.relation.rowCount()).sum();
    return Long.SIZE - Long.numberOfLeadingZeros(Math.max(1, most));
  }

  /**
   * Each value's rank, -1 if it has none.
   *
   * @param column without nulls or an indirection; it is not freed
   */
  @Override
  public Column numbers(ExecContext context, Column column) {
    return places(context, column, words(context), size);
  }

  /**
   * Each value's place among distinct words, -1 if it has none.
   *
   * @param column without nulls or an indirection; it is not freed
   * @param distinct ascending
   */
  static Column places(ExecContext context, Column column, Buffer distinct, int size) {
    QueryMemory memory = context.memory();
    int count = column.rows();
    Buffer needles = words(context, column);
    Buffer places = memory.allocate(4L * count);
    Buffer counts = memory.allocate(4L * count);
    context.sort().matchSorted(context, distinct, size, needles, count, places, counts);
    memory.free(counts);
    memory.free(needles);
    return column(places, count, size);
  }

  /** A column of ranks. */
  static Column column(Buffer ranks, int count, int size) {
    DataType type = DataType.INT32;
    ValueRange range = new ValueRange(-1, Math.max(0, size - 1));
    ColumnShape shape = new ColumnShape(type, Storage.INT, false, null, range);
    return new Column(shape, count, ranks, Buffer.EMPTY, null, null);
  }

  /**
   * Words without those that are there before, ascending.
   *
   * @param starts where each one's run begins among all words, 32-bit, and how many there are at
   *     the end
   */
  record DistinctWords(Buffer words, Buffer starts, int size) {
    /**
     * @param all is freed
     * @param count one at least
     */
    static DistinctWords of(ExecContext context, Buffer all, int count) {
      QueryMemory memory = context.memory();
      Buffer ids = memory.allocate(4L * count);
      context.scan().iota(context, ids, 0, count);
      context.sort().sortPairs(context, all, ids, count, 0, Long.SIZE);
      memory.free(ids);
      Buffer distinct = memory.allocate(8L * count);
      Buffer values = memory.allocate(4L * count);
      Buffer starts = memory.allocate(4L * count + 4);
      int size = context.trie().level(context, all, count, 0, 32, 0, distinct, values, starts);
      memory.free(values);
      memory.free(all);
      return new DistinctWords(distinct, starts, size);
    }
  }

  /** The distinct values, ascending, as words. */
  private Buffer words(ExecContext context) {
    Buffer known = words;
    if (known != null) {
      return known;
    }
    QueryMemory memory = context.memory();
    List<Buffer> parts = new ArrayList<>();
    List<Integer> counts = new ArrayList<>();
    int total = 0;
    for (RankedColumn member : members) {
      Column column = member.relation.column(member.column);
      JoinableRows present = JoinableRows.of(context, List.of(column));
      parts.add(words(context, present.columns().getFirst()));
      counts.add(present.count());
      total = Math.addExact(total, present.count());
      present.free(context);
    }
    Buffer all = memory.allocate(8L * total);
    int at = 0;
    for (int i = 0; i < parts.size(); i++) {
      long bytes = 8L * counts.get(i);
      context.device().transfers().copy(context, parts.get(i), all.slice(8L * at, bytes), bytes);
      memory.free(parts.get(i));
      at += counts.get(i);
    }
    DistinctWords distinct = DistinctWords.of(context, all, total);
    memory.free(distinct.starts);
    size = distinct.size;
    words = distinct.words;
    return distinct.words;
  }

  /**
   * Words in the order of a column's numbers. The hash of one floating-point number is a bijection
   * of its bits, with one zero: just what makes them equal.
   */
  static Buffer words(ExecContext context, Column column) {
    Expr value = Expr.ref(0, column.shape().type());
    KeyLayout layout =
        KeyRange.isFloating(column.shape())
            ? KeyLayout.HASHED
            : new KeyLayout(
                true, List.of(new KeyLayout.KeyField(Long.MIN_VALUE, Long.SIZE, false)));
    CompiledProjection projection =
        context
            .device()
            .expressions()
            .projection(List.of(new Expr.KeyWord(List.of(value), layout)), List.of(column.shape()));
    return Batches.evaluate(context, projection, new ColumnBatch(List.of(column), column.rows()));
  }
}
