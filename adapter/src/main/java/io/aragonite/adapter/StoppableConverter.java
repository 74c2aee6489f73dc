package io.aragonite.adapter;

import io.aragonite.rules.limit.StopSignal;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptTable;
import org.apache.calcite.prepare.Prepare;
import org.apache.calcite.rel.RelRoot;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.validate.SqlValidator;
import org.apache.calcite.sql2rel.SqlRexConvertletTable;
import org.apache.calcite.sql2rel.SqlToRelConverter;
import org.jspecify.annotations.Nullable;

/** Makes plans of syntax trees, and ends with the statement's error when its time is up. */
final class StoppableConverter extends SqlToRelConverter {
  StoppableConverter(
      RelOptTable.ViewExpander views,
      @Nullable SqlValidator validator,
      Prepare.CatalogReader catalogReader,
      RelOptCluster cluster,
      SqlRexConvertletTable convertlets,
      Config config) {
    super(views, validator, catalogReader, cluster, convertlets, config);
  }

  @Override
  protected RelRoot convertQueryRecursive(
      SqlNode query, boolean top, @Nullable RelDataType targetRowType) {
    StopSignal.check();
    return super.convertQueryRecursive(query, top, targetRowType);
  }

  @Override
  protected void convertFrom(@Nullable Blackboard blackboard, @Nullable SqlNode from) {
    StopSignal.check();
    super.convertFrom(blackboard, from);
  }
}
