package io.aragonite.rules.program;

import io.aragonite.rules.program.subquery.OuterColumns;
import java.util.Set;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.logical.LogicalCorrelate;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.util.ImmutableBitSet;
import org.apache.calcite.util.mapping.Mapping;

/**
 * Drops columns that nobody uses. Calcite's trimmer takes the right side's columns for columns of
 * dependent semi-joins and anti-joins, too.
 */
public final class CorrelateTrimmer extends FieldTrimmer {
  private CorrelateTrimmer(RelNode root) {
    super(root);
  }

  static RelNode trimmed(RelNode root) {
    return new CorrelateTrimmer(root).trim(root);
  }

  @Override
  public TrimResult trimFields(
      LogicalCorrelate correlate, ImmutableBitSet fieldsUsed, Set<RelDataTypeField> extraFields) {
    if (correlate.getJoinType().projectsRight()) {
      return super.trimFields(correlate, fieldsUsed, extraFields);
    }
    CorrelationId variable = correlate.getCorrelationId();
    RelNode right = correlate.getRight();
    ImmutableBitSet needed = OuterColumns.fields(right, variable);
    TrimResult left =
        trimChild(correlate, correlate.getLeft(), fieldsUsed.union(needed), extraFields);
    Mapping places = left.right;
    RexBuilder rexBuilder = correlate.getCluster().getRexBuilder();
    RexNode row = rexBuilder.makeCorrel(left.left.getRowType(), variable);
    RelNode moved =
        OuterColumns.replace(
            right,
            (id, type, field) ->
                id.equals(variable)
                    ? rexBuilder.makeFieldAccess(row, places.getTarget(field))
                    : null);
    RelNode trimmed =
        LogicalCorrelate.create(
            left.left,
            moved,
            correlate.getHints(),
            variable,
            OuterColumns.fields(moved, variable),
            correlate.getJoinType());
    return result(trimmed, places);
  }
}
