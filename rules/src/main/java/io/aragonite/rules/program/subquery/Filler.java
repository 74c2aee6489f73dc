package io.aragonite.rules.program.subquery;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/**
 * Fills the rows that a left join finds no partner for with defaults.
 *
 * @param rel the right side of the join, with a column more that tells whether there is a row if
 *     one is needed
 * @param indicator that column, or -1
 */
record Filler(RelNode rel, int width, int indicator) {

  /**
   * @param width how many columns are to be filled
   */
  static Filler of(Unnested inner, int width) {
    List<RexNode> defaults = inner.defaults();
    boolean needed = false;
    for (int i = 0; defaults != null && i < width; i++) {
      needed |= !isNull(defaults.get(i)) && Rels.ref(inner.rel(), i).getType().isNullable();
    }
    if (!needed) {
      return new Filler(inner.rel(), width, -1);
    }
    int last = Rels.width(inner.rel());
    List<RexNode> columns = Rels.refs(inner.rel(), 0, last);
    columns.add(inner.rel().getCluster().getRexBuilder().makeLiteral(true));
    return new Filler(Rels.project(inner.rel(), columns), width, last);
  }

  static boolean isNull(RexNode value) {
    return value instanceof RexLiteral literal && literal.isNull();
  }

  /**
   * The columns of the right side, filled, over the join.
   *
   * @param start where the right side's columns begin
   */
  List<RexNode> columns(RelNode joined, int start, List<RexNode> defaults) {
    RexBuilder rexBuilder = rel.getCluster().getRexBuilder();
    List<RexNode> columns = new ArrayList<>();
    for (int i = 0; i < width; i++) {
      RexInputRef column = Rels.ref(joined, start + i);
      RexNode value = defaults.get(i);
      if (isNull(value)) {
        columns.add(column);
        continue;
      }
      boolean own = !Rels.ref(rel, i).getType().isNullable();
      RexNode missing =
          Decorrelation.isNull(
              rexBuilder, own || indicator < 0 ? column : Rels.ref(joined, start + indicator));
      RexNode filled = rexBuilder.makeCall(SqlStdOperatorTable.CASE, missing, value, column);
      boolean notNull = own && !value.getType().isNullable();
      columns.add(
          rexBuilder.makeCast(
              rexBuilder.getTypeFactory().createTypeWithNullability(column.getType(), !notNull),
              filled,
              true,
              false));
    }
    return columns;
  }
}
