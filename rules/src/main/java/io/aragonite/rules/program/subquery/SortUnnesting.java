package io.aragonite.rules.program.subquery;

import com.google.common.collect.ImmutableList;
import io.aragonite.rules.translate.RowCountParam;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.logical.LogicalSort;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexDynamicParam;
import org.apache.calcite.rex.RexFieldCollation;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexWindowBounds;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/** Makes of OFFSET and FETCH conditions of row numbers. An order alone does not matter. */
final class SortUnnesting {
  private final OuterSide outer;

  SortUnnesting(OuterSide outer) {
    this.outer = outer;
  }

  UnnestedSide of(LogicalSort sort, UnnestedSide unnested) {
    if (sort.fetch == null && sort.offset == null) {
      return unnested;
    }
    if (unnested.keys().isEmpty()) {
      return unnested.with(sort.copy(sort.getTraitSet(), List.of(unnested.rel())));
    }
    if (keepsOneRow(sort) && Domain.isSingleRow(sort.getInput())) {
      return unnested;
    }
    UnnestedSide input = outer.complete(unnested);
    RelNode rel = input.rel();
    RexBuilder rexBuilder = rel.getCluster().getRexBuilder();
    int width = Rels.width(rel);
    List<RexNode> columns = Rels.refs(rel, 0, width);
    columns.add(rowNumber(sort, input, rexBuilder));
    RelNode numbered = Rels.project(rel, columns);
    RexNode number = Rels.ref(numbered, width);
    List<RexNode> conditions = new ArrayList<>();
    RexNode offset = checked(sort.offset, "OFFSET");
    if (offset != null) {
      conditions.add(rexBuilder.makeCall(SqlStdOperatorTable.GREATER_THAN, number, offset));
      number = rexBuilder.makeCall(SqlStdOperatorTable.MINUS, number, offset);
    }
    RexNode fetch = checked(sort.fetch, "FETCH or LIMIT");
    if (fetch != null) {
      conditions.add(rexBuilder.makeCall(SqlStdOperatorTable.LESS_THAN_OR_EQUAL, number, fetch));
    }
    RelNode filtered = Rels.filter(numbered, conditions);
    return input.with(Rels.project(filtered, Rels.refs(filtered, 0, width)));
  }

  private static @Nullable RexNode checked(@Nullable RexNode count, String clause) {
    return count instanceof RexDynamicParam parameter
        ? new RowCountParam(parameter, clause)
        : count;
  }

  private static RexNode rowNumber(LogicalSort sort, UnnestedSide input, RexBuilder rexBuilder) {
    List<RexNode> partition = new ArrayList<>();
    input.keys().keySet().forEach(key -> partition.add(input.column(key)));
    ImmutableList.Builder<RexFieldCollation> order = ImmutableList.builder();
    for (RelFieldCollation collation : sort.getCollation().getFieldCollations()) {
      Set<SqlKind> kinds = EnumSet.noneOf(SqlKind.class);
      if (collation.direction.isDescending()) {
        kinds.add(SqlKind.DESCENDING);
      }
      switch (collation.nullDirection) {
        case FIRST -> kinds.add(SqlKind.NULLS_FIRST);
        case LAST -> kinds.add(SqlKind.NULLS_LAST);
        case UNSPECIFIED -> {}
      }
      order.add(new RexFieldCollation(Rels.ref(input.rel(), collation.getFieldIndex()), kinds));
    }
    RelDataType type = rexBuilder.getTypeFactory().createSqlType(SqlTypeName.BIGINT);
    return rexBuilder.makeOver(
        type,
        SqlStdOperatorTable.ROW_NUMBER,
        List.of(),
        partition,
        order.build(),
        RexWindowBounds.UNBOUNDED_PRECEDING,
        RexWindowBounds.CURRENT_ROW,
        true,
        true,
        false,
        false);
  }

  /** Whether a fetch leaves a single row as it is. */
  private static boolean keepsOneRow(LogicalSort sort) {
    return sort.offset == null
        && sort.fetch instanceof RexLiteral literal
        && literal.getValueAs(BigDecimal.class) instanceof BigDecimal count
        && count.signum() > 0;
  }
}
