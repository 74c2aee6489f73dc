package io.aragonite.exec.exchange.host;

import io.aragonite.exec.device.CompiledProjection;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;

/**
 * Merges sorted runs in a device's memory, two neighbours at a time: a row's place in the merge is
 * its place in its own run and that among the other one's rows.
 */
final class RunMerge {
  private final ExecContext context;
  private final QueryMemory memory;
  private final CompiledProjection sum;

  RunMerge(ExecContext context) {
    this.context = context;
    this.memory = context.memory();
    ColumnShape number = KeyEncoder.shape(Integer.BYTES, false);
    DataType type = number.type();
    this.sum =
        context
            .device()
            .expressions()
            .projection(
                List.of(Expr.call(Op.PLUS, type, Expr.ref(0, type), Expr.ref(1, type))),
                List.of(number, number));
  }

  /**
   * Words and 4 bytes that go along with each.
   *
   * @param words 8 bytes each, unsigned
   */
  record MergePairs(Buffer words, Buffer along) {}

  /**
   * Merges runs that follow each other; equal words stay in the order that they have.
   *
   * @param runs in the query's memory, freed
   * @param lengths of the runs
   */
  MergePairs merge(MergePairs runs, int[] lengths) {
    MergePairs now = runs;
    int[] left = lengths;
    while (left.length > 1) {
      int count = 0;
      for (int length : left) {
        count += length;
      }
      MergePairs next = new MergePairs(memory.allocate(8L * count), memory.allocate(4L * count));
      int[] longer = new int[(left.length + 1) / 2];
      int from = 0;
      for (int i = 0; i < longer.length; i++) {
        int first = left[2 * i];
        int second = 2 * i + 1 < left.length ? left[2 * i + 1] : 0;
        two(now, next, from, first, second);
        longer[i] = first + second;
        from += longer[i];
      }
      memory.free(now.words);
      memory.free(now.along);
      now = next;
      left = longer;
    }
    return now;
  }

  private void two(MergePairs in, MergePairs out, int from, int first, int second) {
    put(in, out, from, from, first, from + first, second, false);
    put(in, out, from, from + first, second, from, first, true);
  }

  /**
   * Puts a run's rows in their places.
   *
   * @param base where the merge of both begins
   * @param upper whether equal rows of the other run come before
   */
  private void put(
      MergePairs in,
      MergePairs out,
      int base,
      int from,
      int count,
      int other,
      int otherCount,
      boolean upper) {
    int most = Math.max(64, context.device().properties().batchRows());
    Buffer theirs = in.words.slice(8L * other, 8L * otherCount);
    Buffer words = out.words.slice(8L * base, 8L * (count + otherCount));
    Buffer along = out.along.slice(4L * base, 4L * (count + otherCount));
    for (int done = 0; done < count; done += most) {
      context.checkCancelled();
      int some = Math.min(most, count - done);
      long mark = context.scratch().mark();
      Buffer own = in.words.slice(8L * (from + done), 8L * some);
      Buffer place = context.scratch().allocate(4L * some);
      context.scan().iota(context, place, done, some);
      if (otherCount > 0) {
        Buffer among = context.scratch().allocate(4L * some);
        context.sort().bound(context, theirs, otherCount, own, some, upper, among);
        ColumnBatch both =
            new ColumnBatch(
                List.of(
                    KeyEncoder.column(place, Integer.BYTES, some, null),
                    KeyEncoder.column(among, Integer.BYTES, some, null)),
                some);
        Column placed = sum.evaluate(context, both).column(0);
        place = placed.values();
      }
      context.gather().scatter(context, own, place, some, Long.BYTES, words);
      context
          .gather()
          .scatter(
              context,
              in.along.slice(4L * (from + done), 4L * some),
              place,
              some,
              Integer.BYTES,
              along);
      context.scratch().release(mark);
    }
  }
}
