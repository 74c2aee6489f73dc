package io.aragonite.exec.operator.window;

import static io.aragonite.exec.operator.window.ExprBuilder.arithmetic;
import static io.aragonite.exec.operator.window.ExprBuilder.cast;
import static io.aragonite.exec.operator.window.ExprBuilder.choose;
import static io.aragonite.exec.operator.window.ExprBuilder.test;

import io.aragonite.exec.device.WindowResult.Computed;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.operator.window.DeviceRows.Runs;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.WindowCall;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.RowIds;
import org.jspecify.annotations.Nullable;

/**
 * Products of distances from the means of whole partitions by a device's primitives: the means
 * first, then the distances from them. What the means are off by is taken away at the end (the
 * corrected two-pass algorithm of Chan, Golub and LeVeque, 1983).
 */
final class DeviceComoment {
  private static final DataType NUMBER = DataType.FLOAT64.withNullable(true);

  private final DeviceRows rows;
  private final WindowCall call;
  private final Runs partitions;

  DeviceComoment(DeviceRows rows, WindowCall call) {
    this.rows = rows;
    this.call = call;
    this.partitions = rows.partitions();
  }

  /** The result; null: for the host. */
  @Nullable Computed find() {
    int left = call.args().getFirst();
    int right = call.args().getLast();
    if (rows.input(left).shape().storage() != Storage.DOUBLE
        || rows.input(right).shape().storage() != Storage.DOUBLE) {
      return null;
    }
    Column x = paired(left, right);
    Column y = left == right ? x : paired(right, left);
    Column count = reduced(AggregateFunction.COUNT, x, DataType.INT64);
    Column dx = distances(x, count);
    Column dy = left == right ? dx : distances(y, count);
    ExprBuilder terms = new ExprBuilder();
    Column products = made(arithmetic(Op.TIMES, terms.value(dx), terms.value(dy)), terms);
    ExprBuilder all = new ExprBuilder();
    Expr mean = arithmetic(Op.DIVIDE, spread(all, sum(dy)), spread(all, count));
    Expr rest = arithmetic(Op.TIMES, spread(all, sum(dx)), mean);
    Expr total = arithmetic(Op.MINUS, spread(all, sum(products)), rest);
    return new Computed(rows.project(total, all.columns()).withType(call.type()), null);
  }

  private Column made(Expr value, ExprBuilder terms) {
    return rows.temporary(rows.project(value, terms.columns()));
  }

  /** A column where another one is not null. */
  private Column paired(int column, int other) {
    ExprBuilder terms = new ExprBuilder();
    Expr value = terms.value(rows.at(column));
    if (column == other || !rows.input(other).shape().mayBeNull()) {
      return made(value, terms);
    }
    Expr there = test(Op.IS_NOT_NULL, terms.value(rows.at(other)));
    return made(choose(there, value, Expr.literal(null, NUMBER)), terms);
  }

  private Column sum(Column values) {
    return reduced(AggregateFunction.SUM, values, NUMBER);
  }

  /** A value for each partition. */
  private Column reduced(AggregateFunction function, Column values, DataType type) {
    return rows.temporary(rows.reduced(function, values, partitions, type));
  }

  /** Of each position the value of its partition, as a DOUBLE. */
  private Expr spread(ExprBuilder terms, Column ofPartitions) {
    RowIds of = new RowIds(partitions.of(), rows.count(), false);
    return cast(terms.value(ofPartitions.withRowIds(of)), NUMBER);
  }

  private Column distances(Column values, Column count) {
    ExprBuilder terms = new ExprBuilder();
    Expr mean = arithmetic(Op.DIVIDE, spread(terms, sum(values)), spread(terms, count));
    return made(arithmetic(Op.MINUS, terms.value(values), mean), terms);
  }
}
