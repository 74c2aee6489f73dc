package io.aragonite.rules.program;

import io.aragonite.rules.rel.LogicalMultiwayJoin;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.util.ImmutableBitSet;
import org.apache.calcite.util.mapping.Mappings;

/**
 * Drops columns where they are last used: Calcite's trimmer does so at scans and projections, this
 * one also above joins and filters, so that no table that is built for a later join carries the
 * keys and filter columns of earlier ones.
 */
public final class ColumnPruner extends FieldTrimmer {
  private ColumnPruner(RelNode root) {
    super(root);
  }

  static RelNode prune(RelNode root) {
    return new ColumnPruner(root).trim(root);
  }

  @Override
  public TrimResult trimFields(
      Join join, ImmutableBitSet fieldsUsed, Set<RelDataTypeField> extraFields) {
    return narrow(join, super.trimFields(join, fieldsUsed, extraFields), fieldsUsed, extraFields);
  }

  @Override
  public TrimResult trimFields(
      Filter filter, ImmutableBitSet fieldsUsed, Set<RelDataTypeField> extraFields) {
    return narrow(
        filter, super.trimFields(filter, fieldsUsed, extraFields), fieldsUsed, extraFields);
  }

  /** Leaves out columns that nobody wants; one stays, since rows have columns. */
  public TrimResult trimFields(
      LogicalMultiwayJoin join, ImmutableBitSet fieldsUsed, Set<RelDataTypeField> extraFields) {
    int width = join.getRowType().getFieldCount();
    if (!extraFields.isEmpty() || fieldsUsed.cardinality() == width) {
      return result(join, Mappings.createIdentity(width));
    }
    ImmutableBitSet kept = fieldsUsed.isEmpty() ? ImmutableBitSet.of(0) : fieldsUsed;
    return result(join.withColumns(kept.asList()), createMapping(kept, width));
  }

  /**
   * Leaves out columns that only its right side wants: lists among them, of which no operator of
   * ours takes the rows.
   */
  public TrimResult trimFields(
      CorrelateLeaf correlate, ImmutableBitSet fieldsUsed, Set<RelDataTypeField> extraFields) {
    int width = correlate.getRowType().getFieldCount();
    return fieldsUsed.isEmpty() && extraFields.isEmpty()
        ? dummyProject(width, correlate)
        : narrow(
            correlate, result(correlate, Mappings.createIdentity(width)), fieldsUsed, extraFields);
  }

  private TrimResult narrow(
      RelNode before,
      TrimResult result,
      ImmutableBitSet fieldsUsed,
      Set<RelDataTypeField> extraFields) {
    RelNode rel = result.left;
    if (fieldsUsed.isEmpty()
        || !extraFields.isEmpty()
        || rel.getRowType().getFieldCount() <= fieldsUsed.cardinality()) {
      return result;
    }
    List<RexInputRef> columns = new ArrayList<>();
    List<String> names = new ArrayList<>();
    for (int field : fieldsUsed) {
      RexInputRef ref = RexInputRef.of(result.right.getTarget(field), rel.getRowType());
      columns.add(ref);
      names.add(rel.getRowType().getFieldNames().get(ref.getIndex()));
    }
    return result(
        RelOptUtil.createProject(rel, columns, names),
        createMapping(fieldsUsed, before.getRowType().getFieldCount()));
  }
}
