package io.aragonite.exec.operator.window;

import static io.aragonite.exec.operator.window.ExprBuilder.arithmetic;
import static io.aragonite.exec.operator.window.ExprBuilder.cast;
import static io.aragonite.exec.operator.window.ExprBuilder.choose;
import static io.aragonite.exec.operator.window.ExprBuilder.greatest;
import static io.aragonite.exec.operator.window.ExprBuilder.minus;
import static io.aragonite.exec.operator.window.ExprBuilder.number;
import static io.aragonite.exec.operator.window.ExprBuilder.plus;
import static io.aragonite.exec.operator.window.ExprBuilder.test;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.WindowResult;
import io.aragonite.exec.device.WindowResult.Computed;
import io.aragonite.exec.device.WindowResult.Picked;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.operator.window.DeviceRows.Runs;
import io.aragonite.exec.plan.PhysicalPlan.Window;
import io.aragonite.exec.plan.WindowCall;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Functions of a window by a device's primitives and expressions. What it does not know (IGNORE
 * NULLS, EXCLUDE, RANGE with an offset, and what {@link DeviceAggregates} leaves) is for the host.
 */
final class DeviceWindow implements AutoCloseable {
  private final Window window;
  private final DeviceRows rows;
  private @Nullable DeviceFrames frames;

  DeviceWindow(ExecContext context, Window window, ColumnBatch input, Buffer order) {
    this.window = window;
    this.rows = new DeviceRows(context, window, input, order);
  }

  /** A call's result; null: the host has to find it, or an error with it. */
  @Nullable WindowResult find(WindowCall call) {
    if (call.ignoreNulls() || !rows.comparable()) {
      return null;
    }
    return switch (call.function()) {
      case ROW_NUMBER, RANK, DENSE_RANK, PERCENT_RANK, CUME_DIST -> ranking(call);
      case NTILE -> tiles(call);
      case LAG -> offset(call, false);
      case LEAD -> offset(call, true);
      case FIRST_VALUE, LAST_VALUE, NTH_VALUE -> inFrame(call);
      case AGGREGATE -> {
        DeviceFrames known = frames();
        yield known == null ? null : new DeviceAggregates(rows, known, call).find();
      }
      case COMOMENT -> {
        DeviceFrames known = frames();
        yield known == null || !known.whole() ? null : new DeviceComoment(rows, call).find();
      }
      case COMOMENT_ROWS,
          COMOMENT_LEFT_MEAN,
          COMOMENT_LEFT_REST,
          COMOMENT_RIGHT_MEAN,
          COMOMENT_RIGHT_REST ->
          null;
    };
  }

  private @Nullable DeviceFrames frames() {
    DeviceFrames known = frames;
    if (known == null && DeviceFrames.supports(window)) {
      known = DeviceFrames.of(rows, window);
      frames = known;
    }
    return known;
  }

  private Computed computed(WindowCall call, Expr value, ExprBuilder terms) {
    Column column = rows.project(cast(value, call.type()), terms.columns());
    return new Computed(column.withType(call.type()), null);
  }

  private Computed ranking(WindowCall call) {
    Runs partitions = rows.partitions();
    ExprBuilder terms = new ExprBuilder();
    Expr one = number(1);
    Expr value =
        switch (call.function()) {
          case ROW_NUMBER -> plus(terms.number(rows.ints(partitions.place())), one);
          case RANK -> plus(before(terms), one);
          case DENSE_RANK -> {
            Runs peers = rows.peers();
            Buffer first = rows.pick(peers.of(), starts(partitions));
            Expr here = terms.number(rows.ints(peers.of()));
            yield plus(minus(here, terms.number(rows.ints(first))), one);
          }
          case PERCENT_RANK -> {
            Expr others = minus(size(terms), one);
            Expr share = arithmetic(Op.DIVIDE, floating(before(terms)), floating(others));
            Expr alone = test(Op.EQ, others, number(0));
            yield choose(alone, Expr.literal(0.0, DataType.FLOAT64), share);
          }
          case CUME_DIST -> {
            Expr upTo = terms.number(rows.endOf(rows.peers()));
            Expr from = terms.number(rows.startOf(partitions));
            yield arithmetic(Op.DIVIDE, floating(minus(upTo, from)), floating(size(terms)));
          }
          default -> throw new IllegalStateException(call.function().toString());
        };
    return computed(call, value, terms);
  }

  private Buffer starts(Runs runs) {
    return rows.startOf(runs).values();
  }

  private static Expr floating(Expr value) {
    return cast(value, DataType.FLOAT64);
  }

  /** Rows of the partition before the peers of each position. */
  private Expr before(ExprBuilder terms) {
    Expr place = terms.number(rows.ints(rows.partitions().place()));
    return minus(place, terms.number(rows.ints(rows.peers().place())));
  }

  /** Rows of the partition. */
  private Expr size(ExprBuilder terms) {
    Runs partitions = rows.partitions();
    return minus(terms.number(rows.endOf(partitions)), terms.number(rows.startOf(partitions)));
  }

  private @Nullable Computed tiles(WindowCall call) {
    Column argument = rows.at(call.args().getFirst());
    if (!argument.shape().type().kind().isInteger() || hasLess(argument, 1)) {
      return null;
    }
    ExprBuilder terms = new ExprBuilder();
    Expr buckets = terms.number(argument);
    Expr place = terms.number(rows.ints(rows.partitions().place()));
    Expr count = size(terms);
    // The first (count mod buckets) buckets have a row more than the others.
    Expr size = arithmetic(Op.DIVIDE, count, buckets);
    Expr larger = arithmetic(Op.MOD, count, buckets);
    Expr wide = plus(size, number(1));
    Expr inLarger = arithmetic(Op.TIMES, larger, wide);
    Expr bucket =
        choose(
            test(Op.LT, place, inLarger),
            arithmetic(Op.DIVIDE, place, wide),
            plus(larger, arithmetic(Op.DIVIDE, minus(place, inLarger), greatest(size, number(1)))));
    return computed(call, plus(bucket, number(1)), terms);
  }

  /** Whether a value is less than one that is allowed: the host then says so. */
  private boolean hasLess(Column column, long least) {
    ExprBuilder terms = new ExprBuilder();
    Expr value = terms.number(column);
    return rows.matches(test(Op.LT, value, number(least)), terms.columns()) > 0;
  }

  private @Nullable Picked offset(WindowCall call, boolean lead) {
    ExprBuilder terms = new ExprBuilder();
    Expr step = number(1);
    if (call.args().size() > 1) {
      Column given = rows.at(call.args().get(1));
      if (!given.shape().type().kind().isInteger()) {
        return null;
      }
      Expr most = number(Integer.MAX_VALUE);
      Expr least = number(-Integer.MAX_VALUE);
      step = greatest(least, ExprBuilder.least(most, terms.number(given)));
    }
    Expr position = terms.number(rows.positions());
    Expr target = lead ? plus(position, step) : minus(position, step);
    Expr from = terms.number(rows.startOf(rows.partitions()));
    Expr to = terms.number(rows.endOf(rows.partitions()));
    Expr beyond = test(Op.OR, test(Op.LT, target, from), test(Op.GE, target, to));
    Expr unknown = test(Op.IS_NULL, step);
    Expr nowhere = test(Op.OR, unknown, beyond);
    Expr row =
        Expr.call(
            Op.COALESCE,
            DataType.INT64,
            choose(test(Op.IS_TRUE, nowhere), number(-1), target),
            number(-1));
    int otherwise = call.args().size() > 2 ? call.args().get(2) : -1;
    List<Expr> wanted =
        otherwise < 0
            ? List.of(cast(row, DataType.INT32))
            : List.of(
                cast(row, DataType.INT32),
                test(Op.IS_TRUE, test(Op.AND, test(Op.IS_NOT_NULL, step), beyond)));
    List<Column> found = rows.project(wanted, terms.columns());
    Buffer targets = rows.temporary(found.getFirst()).values();
    return new Picked(
        call.args().getFirst(),
        rows.rowsAt(targets),
        otherwise,
        otherwise < 0 ? null : found.get(1));
  }

  private @Nullable Picked inFrame(WindowCall call) {
    DeviceFrames known = frames();
    if (known == null) {
      return null;
    }
    ExprBuilder terms = new ExprBuilder();
    Expr low = terms.number(known.low());
    Expr high = terms.number(known.high());
    Expr target;
    switch (call.function()) {
      case FIRST_VALUE -> target = low;
      case LAST_VALUE -> target = minus(high, number(1));
      default -> {
        Column counts = rows.at(call.args().get(1));
        if (!counts.shape().type().kind().isInteger() || hasLess(counts, 1)) {
          return null;
        }
        // Beyond any frame a number may be anything, but its sum must not overflow.
        Expr nth = ExprBuilder.least(terms.number(counts), number(Integer.MAX_VALUE));
        target = minus(plus(low, nth), number(1));
      }
    }
    Expr inside = test(Op.AND, test(Op.LT, low, high), test(Op.LT, target, high));
    Expr row = choose(test(Op.IS_TRUE, inside), target, number(-1));
    if (row.type().nullable()) {
      row = Expr.call(Op.COALESCE, DataType.INT64, row, number(-1));
    }
    Column found = rows.project(cast(row, DataType.INT32), terms.columns());
    return Picked.of(call.args().getFirst(), rows.rowsAt(rows.temporary(found).values()));
  }

  /** Frees what results do not need. */
  @Override
  public void close() {
    rows.close();
  }
}
