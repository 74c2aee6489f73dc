package io.aragonite.spark;

import io.aragonite.spark.plan.FragmentRule;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.execution.ColumnarRule;
import org.apache.spark.sql.execution.SparkPlan;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/** What the plugin adds to sessions; it names this class in spark.sql.extensions itself. */
public final class AragoniteExtensions
    extends AbstractFunction1<SparkSessionExtensions, BoxedUnit> {
  /** Where rules see a plan in which Spark has put its conversions of columns to rows. */
  private static final class FragmentColumnarRule extends ColumnarRule {
    @Override
    public Rule<SparkPlan> postColumnarTransitions() {
      return new FragmentRule();
    }
  }

  @Override
  public BoxedUnit apply(SparkSessionExtensions extensions) {
    extensions.injectColumnar(session -> new FragmentColumnarRule());
    return BoxedUnit.UNIT;
  }
}
