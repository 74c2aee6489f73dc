package io.aragonite.spark.plan;

import io.aragonite.exec.type.DataType;
import io.aragonite.spark.column.SparkTypes;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.execution.SparkPlan;

/**
 * Types of the columns that an operator hands over, all of which the engine has.
 *
 * @param sparkTypes Spark's
 * @param types the engine's
 */
record OutputTypes(List<org.apache.spark.sql.types.DataType> sparkTypes, List<DataType> types) {
  static OutputTypes of(SparkPlan plan) {
    List<org.apache.spark.sql.types.DataType> sparkTypes = new ArrayList<>();
    List<DataType> types = new ArrayList<>();
    for (Attribute column : ScalaValues.<Attribute>list(plan.output())) {
      sparkTypes.add(column.dataType());
      types.add(Objects.requireNonNull(SparkTypes.of(column.dataType(), column.nullable())));
    }
    return new OutputTypes(List.copyOf(sparkTypes), List.copyOf(types));
  }
}
