package io.aragonite.spark.plan;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.type.DataType;
import org.apache.spark.sql.catalyst.expressions.Expression;

/** Where the values of subqueries are: parameters, since Spark runs subqueries before the plan. */
interface SubqueryValues {
  /**
   * The parameter of a value.
   *
   * @param value a scalar subquery, or a field of one
   */
  Expr parameter(Expression value, DataType type);
}
