package io.aragonite.spark.plan;

import io.aragonite.spark.execution.SliceBroadcastMode;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.sql.catalyst.plans.physical.BroadcastMode;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.exchange.BroadcastExchangeExec;
import org.apache.spark.sql.execution.joins.HashedRelationBroadcastMode;
import org.jspecify.annotations.Nullable;

/**
 * Spark's broadcast of a hashed relation with slices of columns in place of rows: AragoniteBroadcast
 * in EXPLAIN. All but what is collected and what the relation is made of is Spark's.
 */
public final class ColumnarBroadcastExec extends BroadcastExchangeExec {
  private static final long serialVersionUID = 1L;

  /** As Spark's own. */
  private ColumnarBroadcastExec(BroadcastMode mode, SparkPlan child) {
    super(mode, child);
  }

  /**
   * The exchange over what hands over columns of ours; null if it stays one of rows.
   *
   * @param child what is below the exchange, rewritten
   */
  static @Nullable ColumnarBroadcastExec of(BroadcastExchangeExec exchange, SparkPlan child) {
    SparkPlan columns = CollectSlicesExec.columns(child);
    boolean java =
        exchange
            .session()
            .sparkContext()
            .conf()
            .get("spark.serializer", JavaSerializer.class.getName())
            .equals(JavaSerializer.class.getName());
    // NOT IN wants Spark's relation: its planning asks whether there is a null key.
    if (columns == null
        || !java
        || !(exchange.mode() instanceof HashedRelationBroadcastMode mode)
        || mode.isNullAware()) {
      return null;
    }
    CollectSlicesExec slices = new CollectSlicesExec(columns);
    OutputTypes types = OutputTypes.of(slices);
    ColumnarBroadcastExec columnar =
        new ColumnarBroadcastExec(
            new SliceBroadcastMode(mode.key(), types.sparkTypes(), types.types()), slices);
    columnar.copyTagsFrom(exchange);
    return columnar;
  }

  @Override
  public String nodeName() {
    return "AragoniteBroadcast";
  }

  @Override
  public BroadcastExchangeExec withNewChildInternal(SparkPlan child) {
    return new ColumnarBroadcastExec(mode(), child);
  }
}
