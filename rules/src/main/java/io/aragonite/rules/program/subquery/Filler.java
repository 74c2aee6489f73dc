package io.aragonite.rules.program.subquery;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.type.RelDataType;
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
  static Filler of(UnnestedSide inner, int width) {
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
   * @param nullable whether the tree around expects columns that may be null
   */
  List<RexNode> columns(RelNode joined, int start, List<RexNode> defaults, boolean nullable) {
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
      RelDataType type =
          rexBuilder
              .getTypeFactory()
              .createTypeWithNullability(
                  column.getType(), nullable || !own || value.getType().isNullable());
      RexNode typed = rexBuilder.ensureType(type, value, true);
      columns.add(
          own || indicator < 0
              // No CASE: RexSimplify of Calcite 1.42 (no issue known) forgets it where it negates
              // what it has simplified as a condition, and then takes a null for a value.
              ? rexBuilder.makeCall(type, SqlStdOperatorTable.COALESCE, List.of(column, typed))
              : rexBuilder.makeCall(
                  type,
                  SqlStdOperatorTable.CASE,
                  List.of(
                      Decorrelation.isNull(rexBuilder, Rels.ref(joined, start + indicator)),
                      typed,
                      column)));
    }
    return columns;
  }
}
