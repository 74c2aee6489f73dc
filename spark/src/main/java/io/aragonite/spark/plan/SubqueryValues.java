package io.aragonite.spark.plan;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.type.DataType;
import org.apache.spark.sql.execution.ScalarSubquery;

/** Where the values of subqueries are: parameters, since Spark runs subqueries before the plan. */
interface SubqueryValues {
  /** The parameter of a subquery. */
  Expr parameter(ScalarSubquery subquery, DataType type);
}
