package io.aragonite.spark.jdbc;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Literal;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation;
import org.apache.spark.sql.connector.expressions.aggregate.Avg;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.join.JoinType;
import org.apache.spark.sql.connector.read.SupportsPushDownJoin;
import org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCScanBuilder;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StructField;
import org.jspecify.annotations.Nullable;

/** Pushes the aggregates that have Spark's values because of their columns' types. */
final class TypedScanBuilder extends JDBCScanBuilder {
  private static final long serialVersionUID = 1;

  /** Of columns by their names; behind a join by their names there. */
  private Map<String, DataType> types = new HashMap<>();

  TypedScanBuilder(JDBCScanBuilder untyped) {
    super(
        untyped.session(), untyped.schema(), untyped.jdbcOptions(), untyped.additionalMetrics());
    for (StructField field : untyped.schema().fields()) {
      types.put(field.name(), field.dataType());
    }
  }

  /** Spark makes SUM and COUNT of an AVG if the scan has not all that it asks for. */
  @Override
  public boolean supportCompletePushDown(Aggregation aggregation) {
    return Arrays.stream(aggregation.aggregateExpressions())
            .noneMatch(function -> function instanceof Avg average && hasExactSum(average.column()))
        && super.supportCompletePushDown(aggregation);
  }

  /** Long values have averages where their sum is an overflow. */
  private boolean hasExactSum(Expression values) {
    return values instanceof NamedReference column
        && switch (type(column)) {
          case ByteType t -> true;
          case ShortType t -> true;
          case IntegerType t -> true;
          case DecimalType t -> true;
          case null, default -> false;
        };
  }

  private @Nullable DataType type(NamedReference column) {
    return column.fieldNames().length == 1 ? types.get(column.fieldNames()[0]) : null;
  }

  @Override
  public boolean pushAggregation(Aggregation aggregation) {
    Expression[] keys =
        Arrays.stream(aggregation.groupByExpressions())
            .map(key -> isOneValue(key) ? new GroupKey(key) : key)
            .toArray(Expression[]::new);
    return super.pushAggregation(new Aggregation(aggregation.aggregateExpressions(), keys));
  }

  /** Whether equal values are the same: 0.0 and -0.0 are not, of which Spark shows the first. */
  private boolean isOneValue(Expression key) {
    return switch (key) {
      case Literal<?> literal -> !isFloating(literal.dataType());
      case NamedReference column -> {
        DataType type = type(column);
        yield type != null && !isFloating(type);
      }
      default -> Arrays.stream(key.children()).allMatch(this::isOneValue);
    };
  }

  private static boolean isFloating(DataType type) {
    return type instanceof FloatType || type instanceof DoubleType;
  }

  @Override
  public boolean pushDownJoin(
      SupportsPushDownJoin other,
      JoinType join,
      ColumnWithAlias[] left,
      ColumnWithAlias[] right,
      Predicate condition) {
    if (!super.pushDownJoin(other, join, left, right, condition)) {
      return false;
    }
    Map<String, DataType> joined = new HashMap<>();
    addNames(joined, left, types);
    if (other instanceof TypedScanBuilder typed) {
      addNames(joined, right, typed.types);
    }
    types = joined;
    return true;
  }

  private static void addNames(
      Map<String, DataType> joined, ColumnWithAlias[] columns, Map<String, DataType> types) {
    for (ColumnWithAlias column : columns) {
      String name = column.alias() == null ? column.colName() : column.alias();
      DataType type = types.get(column.colName());
      if (type != null) {
        joined.put(name, type);
      }
    }
  }

  /** A key of groups whose equal values are the same value. */
  record GroupKey(Expression key) implements Expression {
    @Override
    public Expression[] children() {
      return new Expression[] {key};
    }
  }
}
