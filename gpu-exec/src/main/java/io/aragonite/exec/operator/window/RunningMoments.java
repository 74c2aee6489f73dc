package io.aragonite.exec.operator.window;

import static io.aragonite.exec.operator.window.ExprBuilder.arithmetic;
import static io.aragonite.exec.operator.window.ExprBuilder.choose;
import static io.aragonite.exec.operator.window.ExprBuilder.minus;
import static io.aragonite.exec.operator.window.ExprBuilder.plus;
import static io.aragonite.exec.operator.window.ExprBuilder.test;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.plan.WindowCall;
import io.aragonite.exec.plan.WindowCall.Function;
import io.aragonite.exec.type.DataType;
import java.util.List;

/**
 * Products of distances from the means over two stretches of rows, put together: counts and means
 * of both tell what is missing in the sum of their products (Chan, Golub and LeVeque, "Updating
 * Formulae and a Pairwise Algorithm for Computing Sample Variances", 1979).
 */
final class RunningMoments {
  private static final DataType NUMBER = DataType.FLOAT64.withNullable(true);

  /** What has to be known besides products; the places of numbers are those of this list. */
  private static final List<Function> PARTS =
      List.of(
          Function.COMOMENT_ROWS,
          Function.COMOMENT_LEFT_MEAN,
          Function.COMOMENT_LEFT_REST,
          Function.COMOMENT_RIGHT_MEAN,
          Function.COMOMENT_RIGHT_REST);

  private static final int LEFT = 1;
  private static final int RIGHT = 3;

  /** The first call's columns of the rows here, and of those before. */
  private final int here;

  private final int before;

  /** The place of the first part among the calls. */
  private final int parts;

  private RunningMoments(int here, int before, int parts) {
    this.here = here;
    this.before = before;
    this.parts = parts;
  }

  /** What has to be known of the rows of a call besides it: how many they are, first. */
  static List<WindowCall> parts(WindowCall call) {
    return PARTS.stream()
        .map(part -> new WindowCall(part, null, call.args(), false, NUMBER))
        .toList();
  }

  /**
   * What a call is of all rows: products, or one of the parts.
   *
   * @param place of the call among the calls
   * @param parts place of the first of the parts
   * @param here the first call's column of these rows
   * @param before the same of those before
   */
  static Expr together(WindowCall call, int place, int parts, int here, int before) {
    RunningMoments moments = new RunningMoments(here, before, parts);
    Expr both =
        switch (call.function()) {
          case COMOMENT_ROWS -> plus(moments.here(parts), moments.before(parts));
          case COMOMENT_LEFT_MEAN -> moments.mean(LEFT);
          case COMOMENT_LEFT_REST -> moments.rest(LEFT);
          case COMOMENT_RIGHT_MEAN -> moments.mean(RIGHT);
          case COMOMENT_RIGHT_REST -> moments.rest(RIGHT);
          default -> {
            Expr steps = times(moments.step(LEFT), moments.step(RIGHT));
            Expr apart = times(steps, times(moments.before(parts), moments.share()));
            Expr finite = plus(moments.zero(LEFT), moments.zero(RIGHT));
            Expr products = plus(moments.here(place), moments.before(place));
            yield plus(products, plus(apart, finite));
          }
        };
    return choose(
        test(Op.IS_NULL, moments.before(place)),
        moments.here(place),
        choose(test(Op.IS_NULL, moments.here(place)), moments.before(place), both));
  }

  private Expr here(int call) {
    return Expr.ref(here + call, NUMBER);
  }

  private Expr before(int call) {
    return Expr.ref(before + call, NUMBER);
  }

  /** What part of all rows those here are. */
  private Expr share() {
    return arithmetic(Op.DIVIDE, here(parts), plus(here(parts), before(parts)));
  }

  /** From the mean before to the mean here. Of near numbers the difference is exact. */
  private Expr step(int mean) {
    int place = parts + mean;
    return plus(minus(here(place), before(place)), minus(here(place + 1), before(place + 1)));
  }

  /** No number beside an infinite value, as the square of its distance is none. */
  private Expr zero(int mean) {
    return minus(step(mean), step(mean));
  }

  /** What has to be added to the first part of the mean before. */
  private Expr change(int mean) {
    return plus(before(parts + mean + 1), times(step(mean), share()));
  }

  private Expr mean(int mean) {
    return plus(before(parts + mean), change(mean));
  }

  /**
   * What the mean loses. Where the change is more than the mean, it is little beside the change.
   */
  private Expr rest(int mean) {
    return minus(change(mean), minus(mean(mean), before(parts + mean)));
  }

  private static Expr times(Expr a, Expr b) {
    return arithmetic(Op.TIMES, a, b);
  }
}
