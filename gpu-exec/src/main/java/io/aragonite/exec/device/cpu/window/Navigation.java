package io.aragonite.exec.device.cpu.window;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.WindowResult.Picked;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.plan.WindowCall;
import io.aragonite.exec.type.DataType;
import org.jspecify.annotations.Nullable;

/** LAG, LEAD, FIRST_VALUE, LAST_VALUE and NTH_VALUE: which row's value each position takes. */
final class Navigation {
  private final ExecContext context;
  private final SortedRows sorted;
  private final WindowCall call;

  /** Positions with a value, for IGNORE NULLS; else null. */
  private final @Nullable Selection selection;

  private final IntVector rows;

  Navigation(ExecContext context, SortedRows sorted, WindowCall call) {
    this.context = context;
    this.sorted = sorted;
    this.call = call;
    QueryMemory memory = context.memory();
    rows = IntVector.allocate(memory, sorted.count());
    if (call.ignoreNulls()) {
      NullCheck value = new NullCheck(sorted.batch().column(call.args().getFirst()));
      selection = Selection.of(memory, sorted.count(), p -> !value.isNull(sorted.order().get(p)));
    } else {
      selection = null;
    }
  }

  Picked offset(boolean lead) {
    int otherwise = call.args().size() > 2 ? call.args().get(2) : -1;
    WindowValues offsets =
        call.args().size() > 1 ? new WindowValues(sorted.batch().column(call.args().get(1))) : null;
    WindowOutput outside =
        otherwise < 0 ? null : new WindowOutput(context.memory(), DataType.BOOLEAN, sorted.count());
    for (int i = 0; i < sorted.partitionCount(); i++) {
      context.checkCancelled();
      int from = sorted.partitions().get(i);
      int to = sorted.partitions().get(i + 1L);
      for (int p = from; p < to; p++) {
        int row = sorted.order().get(p);
        boolean unknown = offsets != null && offsets.isNull(row);
        long offset = offsets == null ? 1 : unknown ? 0 : offsets.integer(row);
        offset = Math.clamp(offset, -Integer.MAX_VALUE, Integer.MAX_VALUE);
        int target = unknown ? -1 : target(p, lead ? offset : -offset, from, to);
        rows.set(p, target < 0 ? -1 : sorted.order().get(target));
        if (outside != null) {
          outside.setInteger(p, target < 0 && !unknown ? 1 : 0);
        }
      }
    }
    return new Picked(
        call.args().getFirst(),
        rows.buffer(),
        otherwise,
        outside == null ? null : outside.finish());
  }

  /** The position {@code step} positions on, of those selected; -1 outside the partition. */
  private int target(int p, long step, int from, int to) {
    if (step == 0) {
      return p;
    }
    if (selection == null) {
      long target = p + step;
      return target < from || target >= to ? -1 : (int) target;
    }
    long place =
        step > 0 ? selection.before().get(p + 1L) + step - 1 : selection.before().get(p) + step;
    boolean inside = place >= selection.before().get(from) && place < selection.before().get(to);
    return inside ? selection.positions().get(place) : -1;
  }

  Picked inFrame(Frames frames) {
    WindowValues counts =
        call.function() == WindowCall.Function.NTH_VALUE
            ? new WindowValues(sorted.batch().column(call.args().get(1)))
            : null;
    int[] pieces = new int[6];
    for (int p = 0; p < sorted.count(); p++) {
      if ((p & 0xff) == 0) {
        context.checkCancelled();
      }
      int pieceCount = frames.pieces(p, pieces);
      long wanted = 1;
      if (counts != null) {
        int row = sorted.order().get(p);
        wanted = counts.isNull(row) ? 0 : counts.integer(row);
        if (wanted <= 0 && !counts.isNull(row)) {
          throw new AragoniteException(
              ErrorCode.INVALID_ARGUMENT,
              "NTH_VALUE counts from 1, and cannot take row " + wanted + ".");
        }
      }
      int target = -1;
      if (wanted > 0) {
        target =
            call.function() == WindowCall.Function.LAST_VALUE
                ? last(pieces, pieceCount)
                : nth(pieces, pieceCount, wanted);
      }
      rows.set(p, target < 0 ? -1 : sorted.order().get(target));
    }
    return Picked.of(call.args().getFirst(), rows.buffer());
  }

  private int nth(int[] pieces, int pieceCount, long nth) {
    long left = nth;
    for (int i = 0; i < pieceCount; i++) {
      int from = pieces[2 * i];
      int to = pieces[2 * i + 1];
      int count = selection == null ? to - from : selection.count(from, to);
      if (left <= count) {
        return selection == null
            ? (int) (from + left - 1)
            : selection.positions().get(selection.before().get(from) + left - 1);
      }
      left -= count;
    }
    return -1;
  }

  private int last(int[] pieces, int pieceCount) {
    for (int i = pieceCount - 1; i >= 0; i--) {
      int from = pieces[2 * i];
      int to = pieces[2 * i + 1];
      if (selection == null) {
        return to - 1;
      }
      if (selection.count(from, to) > 0) {
        return selection.positions().get(selection.before().get(to) - 1L);
      }
    }
    return -1;
  }
}
