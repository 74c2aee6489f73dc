package io.aragonite.spark.plan;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.type.DataType;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.execution.ExpandExec;
import scala.collection.immutable.Seq;

/**
 * Spark's Expand, which makes several rows of each, for grouping sets and several DISTINCT: a join
 * with numbers, and a choice by number in each column.
 */
final class ExpandTranslator {
  private ExpandTranslator() {}

  static PhysicalPlan translate(ExpandExec expand, PhysicalPlan rows, ExpressionTranslator input)
      throws UntranslatableException {
    List<List<Expr>> projections = new ArrayList<>();
    List<List<Expr>> numbers = new ArrayList<>();
    for (Seq<Expression> projection :
        ScalaValues.<Seq<Expression>>list(expand.projections())) {
      numbers.add(List.of(Expr.literal((long) projections.size(), DataType.INT64)));
      projections.add(input.translate(ScalaValues.<Expression>list(projection)));
    }
    PhysicalPlan values = new PhysicalPlan.Values(numbers, List.of(DataType.INT64));
    List<DataType> types = new ArrayList<>(rows.types());
    types.add(DataType.INT64);
    PhysicalPlan repeated =
        new PhysicalPlan.Join(
            rows,
            values,
            JoinType.INNER,
            List.of(),
            null,
            JoinAlgorithm.NESTED_LOOP,
            false,
            types);
    Expr number = repeated.references().getLast();
    List<Expr> columns = new ArrayList<>();
    List<Attribute> output = ScalaValues.list(expand.output());
    for (int column = 0; column < output.size(); column++) {
      columns.add(chosen(projections, column, number, ExpressionTranslator.type(output.get(column))));
    }
    return new PhysicalPlan.Project(repeated, columns);
  }

  private static Expr chosen(
      List<List<Expr>> projections, int column, Expr number, DataType type) {
    Expr first = projections.getFirst().get(column);
    if (projections.stream().allMatch(projection -> projection.get(column).equals(first))) {
      return first;
    }
    List<Expr> args = new ArrayList<>();
    boolean nullable = type.nullable();
    for (int i = 0; i < projections.size(); i++) {
      Expr value = projections.get(i).get(column);
      nullable |= value.type().nullable();
      if (i < projections.size() - 1) {
        Expr which = Expr.literal((long) i, DataType.INT64);
        args.add(Expr.call(Op.EQ, DataType.BOOLEAN, number, which));
      }
      args.add(value);
    }
    return new Expr.Call(Op.CASE, args, type.withNullable(nullable));
  }
}
