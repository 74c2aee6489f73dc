package io.aragonite.adapter.sql.function;

import io.aragonite.adapter.sql.function.FunctionForms.Form;
import io.aragonite.rules.function.PowerSum;
import java.util.Map;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;

/**
 * Aggregates that sums of powers give: of what is not null, as DOUBLE. Skewness and kurtosis are of
 * distances, which {@link PowerSum} has.
 */
final class MomentForms {
  private final Trees trees;
  private final SqlCall call;

  private MomentForms(Trees trees, SqlCall call, int arguments) {
    FunctionForms.require(call, arguments, arguments);
    this.trees = trees;
    this.call = call;
  }

  static void add(Map<String, Form> forms) {
    forms.put("SKEWNESS", (trees, call) -> new MomentForms(trees, call, 1).skewness());
    forms.put("KURTOSIS", (trees, call) -> new MomentForms(trees, call, 1).kurtosis());
    forms.put("KURTOSIS_POP", (trees, call) -> new MomentForms(trees, call, 1).excess());
    forms.put("SEM", (trees, call) -> new MomentForms(trees, call, 1).standardError());
    forms.put("WEIGHTED_AVG", (trees, call) -> new MomentForms(trees, call, 2).weighted());
    for (String name : new String[] {"FSUM", "SUMKAHAN", "KAHAN_SUM"}) {
      forms.put(
          name,
          (trees, call) -> {
            MomentForms x = new MomentForms(trees, call, 1);
            return trees.call(SqlStdOperatorTable.SUM, x.operand(0));
          });
    }
    forms.put(
        "FAVG",
        (trees, call) -> {
          MomentForms x = new MomentForms(trees, call, 1);
          return trees.call(SqlStdOperatorTable.AVG, x.operand(0));
        });
  }

  private SqlNode operand(int i) {
    return trees.cast(Trees.copy(call.operand(i)), SqlTypeName.DOUBLE);
  }

  /** The sum of a power of the argument's distances from what is near its mean. */
  private SqlNode sum(int power) {
    return trees.call(PowerSum.of(power), operand(0));
  }

  private SqlNode count() {
    return trees.cast(trees.call(SqlStdOperatorTable.COUNT, operand(0)), SqlTypeName.DOUBLE);
  }

  private SqlNode countPlus(int number) {
    return trees.plus(count(), trees.number(number));
  }

  /** The mean of the distances, which rounding leaves. */
  private SqlNode mean() {
    return trees.over(sum(1), nonZero(count()));
  }

  private SqlNode nonZero(SqlNode value) {
    return trees.call(SqlStdOperatorTable.NULLIF, value, trees.number(0));
  }

  private SqlNode power(SqlNode value, int power) {
    SqlNode all = value;
    for (int i = 1; i < power; i++) {
      all = trees.times(all, Trees.copy(value));
    }
    return all;
  }

  /** The sum of the squares of the distances from the mean. */
  private SqlNode squares() {
    return trees.minus(sum(2), trees.times(sum(1), mean()));
  }

  private SqlNode cubes() {
    return trees.plus(
        trees.minus(sum(3), trees.times(trees.number(3), trees.times(sum(2), mean()))),
        trees.times(trees.number(2), trees.times(sum(1), power(mean(), 2))));
  }

  private SqlNode fourths() {
    SqlNode first = trees.minus(sum(4), trees.times(trees.number(4), trees.times(sum(3), mean())));
    SqlNode second = trees.times(trees.number(6), trees.times(sum(2), power(mean(), 2)));
    SqlNode third = trees.times(trees.number(3), trees.times(sum(1), power(mean(), 3)));
    return trees.minus(trees.plus(first, second), third);
  }

  /** A value where there are more rows than a number. */
  private SqlNode ofMore(int rows, SqlNode value) {
    return trees.ifElse(
        trees.call(SqlStdOperatorTable.GREATER_THAN, count(), trees.number(rows)),
        value,
        SqlLiteral.createNull(trees.at));
  }

  private SqlNode root(SqlNode value) {
    return trees.call(SqlStdOperatorTable.SQRT, value);
  }

  /** No sum of squares is below zero, but by rounding. */
  private SqlNode positive(SqlNode value) {
    return trees.ifElse(
        trees.call(SqlStdOperatorTable.GREATER_THAN, value, trees.number(0)),
        Trees.copy(value),
        SqlLiteral.createNull(trees.at));
  }

  private SqlNode skewness() {
    SqlNode variance = trees.over(positive(squares()), count());
    SqlNode deviation = trees.times(variance, root(Trees.copy(variance)));
    SqlNode factor = trees.over(root(trees.times(count(), countPlus(-1))), nonZero(countPlus(-2)));
    return ofMore(2, trees.over(trees.times(factor, trees.over(cubes(), count())), deviation));
  }

  /** The fourth moment over the square of the second. */
  private SqlNode ratio() {
    return trees.over(trees.times(fourths(), count()), power(positive(squares()), 2));
  }

  private SqlNode excess() {
    return ofMore(1, trees.minus(ratio(), trees.number(3)));
  }

  private SqlNode kurtosis() {
    SqlNode inner =
        trees.minus(
            trees.times(countPlus(1), ratio()), trees.times(trees.number(3), countPlus(-1)));
    SqlNode below = trees.times(nonZero(countPlus(-2)), nonZero(countPlus(-3)));
    return ofMore(3, trees.over(trees.times(countPlus(-1), inner), below));
  }

  private SqlNode standardError() {
    return trees.over(
        trees.call(SqlStdOperatorTable.STDDEV_POP, operand(0)), root(nonZero(count())));
  }

  private SqlNode weighted() {
    SqlOperator both = SqlStdOperatorTable.IS_NOT_NULL;
    SqlNode weight =
        trees.ifElse(trees.call(both, operand(0)), operand(1), SqlLiteral.createNull(trees.at));
    return trees.over(
        trees.call(SqlStdOperatorTable.SUM, trees.times(operand(0), operand(1))),
        nonZero(trees.call(SqlStdOperatorTable.SUM, weight)));
  }
}
