package io.aragonite.exec.operator.window;

import static io.aragonite.exec.operator.window.ExprBuilder.greatest;
import static io.aragonite.exec.operator.window.ExprBuilder.least;
import static io.aragonite.exec.operator.window.ExprBuilder.minus;
import static io.aragonite.exec.operator.window.ExprBuilder.number;
import static io.aragonite.exec.operator.window.ExprBuilder.plus;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.plan.PhysicalPlan.Window;
import io.aragonite.exec.plan.WindowFrame;
import io.aragonite.exec.plan.WindowFrame.Exclude;
import io.aragonite.exec.plan.WindowFrame.FrameBound;
import io.aragonite.exec.plan.WindowFrame.FrameBoundKind;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import java.util.List;

/**
 * The frame of each position in the memory of a device.
 *
 * @param low first position of each frame, 32-bit
 * @param high end (exclusive) of each frame, at least {@code low}
 * @param fromStart whether every frame begins where its partition does
 * @param whole whether every frame is its partition
 */
record DeviceFrames(Column low, Column high, boolean fromStart, boolean whole) {
  /** Whether frames are stretches of positions that are found without looking at values. */
  static boolean supports(Window window) {
    WindowFrame frame = window.frame();
    return frame.exclude() == Exclude.NO_OTHERS
        && (frame.rows() || (!hasOffset(frame.start()) && !hasOffset(frame.end())));
  }

  private static boolean hasOffset(FrameBound bound) {
    return bound.kind() == FrameBoundKind.PRECEDING || bound.kind() == FrameBoundKind.FOLLOWING;
  }

  /** Offsets must be literals by now. */
  static DeviceFrames of(DeviceRows rows, Window window) {
    boolean byRows = window.frame().rows();
    FrameBound start = window.frame().start();
    FrameBound end = window.frame().end();
    ExprBuilder terms = new ExprBuilder();
    Expr position = terms.number(rows.positions());
    Expr from = terms.number(rows.startOf(rows.partitions()));
    Expr to = terms.number(rows.endOf(rows.partitions()));
    Expr low =
        start.kind() == FrameBoundKind.CURRENT_ROW && !byRows
            ? terms.number(rows.startOf(rows.peers()))
            : bound(start, 0, position, from, to);
    Expr high =
        end.kind() == FrameBoundKind.CURRENT_ROW && !byRows
            ? terms.number(rows.endOf(rows.peers()))
            : bound(end, 1, position, from, to);
    List<Column> found =
        rows.project(
            List.of(
                ExprBuilder.cast(low, DataType.INT32),
                ExprBuilder.cast(greatest(low, high), DataType.INT32)),
            terms.columns());
    found.forEach(rows::temporary);
    boolean peersAll = !byRows && window.orderBy().isEmpty();
    boolean fromStart =
        start.kind() == FrameBoundKind.UNBOUNDED_PRECEDING
            || (peersAll && start.kind() == FrameBoundKind.CURRENT_ROW);
    boolean toEnd =
        end.kind() == FrameBoundKind.UNBOUNDED_FOLLOWING
            || (peersAll && end.kind() == FrameBoundKind.CURRENT_ROW);
    return new DeviceFrames(
        rows.ints(found.get(0).values()),
        rows.ints(found.get(1).values()),
        fromStart,
        fromStart && toEnd);
  }

  /**
   * @param more what is added to a position: 1 for an end
   */
  private static Expr bound(FrameBound bound, int more, Expr position, Expr from, Expr to) {
    return switch (bound.kind()) {
      case UNBOUNDED_PRECEDING -> from;
      case UNBOUNDED_FOLLOWING -> to;
      case CURRENT_ROW -> plus(position, number(more));
      case PRECEDING -> clip(minus(position, number(bound.rows() - more)), from, to);
      case FOLLOWING -> clip(plus(position, number(bound.rows() + more)), from, to);
    };
  }

  private static Expr clip(Expr position, Expr from, Expr to) {
    return greatest(from, least(to, position));
  }
}
