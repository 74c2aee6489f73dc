package io.aragonite.spark.flight;

import org.apache.spark.sql.connector.expressions.SortOrder;
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.join.JoinType;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.SupportsPushDownAggregates;
import org.apache.spark.sql.connector.read.SupportsPushDownJoin;
import org.apache.spark.sql.connector.read.SupportsPushDownLimit;
import org.apache.spark.sql.connector.read.SupportsPushDownOffset;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.connector.read.SupportsPushDownTopN;
import org.apache.spark.sql.connector.read.SupportsPushDownV2Filters;
import org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCScanBuilder;
import org.apache.spark.sql.types.StructType;

/** Pushes what the JDBC source pushes; its statement then goes to the Flight SQL server. */
final class FlightScanBuilder
    implements SupportsPushDownV2Filters,
        SupportsPushDownRequiredColumns,
        SupportsPushDownAggregates,
        SupportsPushDownLimit,
        SupportsPushDownOffset,
        SupportsPushDownTopN,
        SupportsPushDownJoin {
  private final JDBCScanBuilder pushed;
  private final FlightServer server;

  FlightScanBuilder(JDBCScanBuilder pushed, FlightServer server) {
    this.pushed = pushed;
    this.server = server;
  }

  @Override
  public Scan build() {
    return FlightScan.of(pushed.build(), pushed.session(), server);
  }

  @Override
  public Predicate[] pushPredicates(Predicate[] predicates) {
    return pushed.pushPredicates(predicates);
  }

  @Override
  public Predicate[] pushedPredicates() {
    return pushed.pushedPredicates();
  }

  @Override
  public void pruneColumns(StructType required) {
    pushed.pruneColumns(required);
  }

  @Override
  public boolean supportCompletePushDown(Aggregation aggregation) {
    return pushed.supportCompletePushDown(aggregation);
  }

  @Override
  public boolean pushAggregation(Aggregation aggregation) {
    return pushed.pushAggregation(aggregation);
  }

  @Override
  public boolean pushLimit(int limit) {
    return pushed.pushLimit(limit);
  }

  @Override
  public boolean pushOffset(int offset) {
    return pushed.pushOffset(offset);
  }

  @Override
  public boolean pushTopN(SortOrder[] orders, int limit) {
    return pushed.pushTopN(orders, limit);
  }

  @Override
  public boolean isPartiallyPushed() {
    return pushed.isPartiallyPushed();
  }

  @Override
  public boolean isOtherSideCompatibleForJoin(SupportsPushDownJoin other) {
    return other instanceof FlightScanBuilder side
        && side.server.equals(server)
        && pushed.isOtherSideCompatibleForJoin(side.pushed);
  }

  @Override
  public boolean pushDownJoin(
      SupportsPushDownJoin other,
      JoinType join,
      ColumnWithAlias[] left,
      ColumnWithAlias[] right,
      Predicate condition) {
    return other instanceof FlightScanBuilder side
        && pushed.pushDownJoin(side.pushed, join, left, right, condition);
  }
}
