package io.aragonite.exec.operator.multiway;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.CompiledPredicate;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a relation that can join with anything: without nulls in keys, and without keys that
 * have no number.
 *
 * @param columns of keys, without nulls or indirections
 * @param ids the rows' numbers, 32-bit; null: all rows
 * @param copies those of the columns, and of columns before them, whose memory is to be freed
 */
record JoinableRows(List<Column> columns, int count, @Nullable Buffer ids, List<Column> copies) {
  /** The rows without a null in these columns. */
  static JoinableRows of(ExecContext context, List<Column> columns) {
    List<Expr> terms = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      ColumnShape shape = columns.get(i).shape();
      Expr value = Expr.ref(i, shape.type());
      if (shape.mayBeNull()) {
        terms.add(Expr.call(Op.IS_NOT_NULL, DataType.BOOLEAN, value));
      }
    }
    return new JoinableRows(columns, columns.getFirst().rows(), null, List.of())
        .where(context, terms);
  }

  /** The same rows with other columns, of which those that are new are copies. */
  JoinableRows with(List<Column> others) {
    List<Column> all = new ArrayList<>(copies);
    others.stream().filter(column -> !columns.contains(column)).forEach(all::add);
    return new JoinableRows(others, count, ids, all);
  }

  /** The rows that have a number in each of some columns, which are numbers or -1. */
  JoinableRows numbered(ExecContext context, List<Integer> numbers) {
    List<Expr> terms = new ArrayList<>();
    for (int i : numbers) {
      DataType type = columns.get(i).shape().type();
      terms.add(
          Expr.call(Op.GE, DataType.BOOLEAN, Expr.ref(i, type), Expr.literal(0L, DataType.INT32)));
    }
    return where(context, terms);
  }

  private JoinableRows where(ExecContext context, List<Expr> terms) {
    if (terms.isEmpty() || count == 0) {
      return this;
    }
    QueryMemory memory = context.memory();
    Expr all = terms.getFirst();
    for (Expr term : terms.subList(1, terms.size())) {
      all = Expr.call(Op.AND, DataType.BOOLEAN, all, term);
    }
    List<ColumnShape> shapes = columns.stream().map(Column::shape).toList();
    Buffer kept = memory.allocate(4L * count);
    int some = select(context, context.device().expressions().predicate(all, shapes), kept);
    if (some == count) {
      memory.free(kept);
      return new JoinableRows(
          columns.stream().map(JoinableRows::withoutNulls).toList(), count, ids, copies);
    }
    RowIds indirection = new RowIds(kept, some, false);
    List<Column> chosen = new ArrayList<>();
    for (Column column : columns) {
      Column copy = context.gather().materialize(context, column.withRowIds(indirection), memory);
      Buffer validity = copy.validity();
      if (validity != null) {
        memory.free(validity);
      }
      chosen.add(withoutNulls(copy));
    }
    Buffer numbers = kept;
    if (ids != null) {
      numbers = memory.allocate(4L * some);
      context.gather().gatherIds(context, ids, kept, some, numbers);
      memory.free(kept);
      memory.free(ids);
    }
    free(context);
    return new JoinableRows(chosen, some, numbers, chosen);
  }

  private static Column withoutNulls(Column column) {
    return new Column(
        column.shape().withMayBeNull(false),
        column.dataRows(),
        column.values(),
        column.offsets(),
        null,
        null);
  }

  private int select(ExecContext context, CompiledPredicate predicate, Buffer out) {
    QueryMemory.Arena scratch = context.scratch();
    int piece = context.device().properties().batchRows();
    int kept = 0;
    for (int from = 0; from < count; from += Math.min(piece, count - from)) {
      context.checkCancelled();
      long mark = scratch.mark();
      int some = Math.min(piece, count - from);
      Buffer positions = scratch.allocate(4L * some);
      int found =
          predicate.select(
              context, Batches.slice(new ColumnBatch(columns, count), from, some), positions);
      Buffer numbers = scratch.allocate(4L * some);
      context.scan().iota(context, numbers, from, some);
      context
          .gather()
          .gatherIds(context, numbers, positions, found, out.slice(4L * kept, 4L * found));
      kept += found;
      scratch.release(mark);
    }
    return kept;
  }

  /** Frees what is a copy. */
  void free(ExecContext context) {
    copies.forEach(column -> Batches.free(context.memory(), column));
  }
}
