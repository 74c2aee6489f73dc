package io.aragonite.rules.program;

import io.aragonite.rules.rel.LogicalUnnest;
import io.aragonite.rules.translate.TypeMapping;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.SetOp;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.logical.LogicalSort;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql2rel.RelFieldTrimmer;
import org.apache.calcite.util.ImmutableBitSet;
import org.apache.calcite.util.mapping.Mapping;
import org.apache.calcite.util.mapping.MappingType;
import org.apache.calcite.util.mapping.Mappings;

/**
 * Calcite's trimmer of columns that nobody uses, for our own nodes too. It calls its methods by
 * reflection, which must be public.
 */
public class FieldTrimmer extends RelFieldTrimmer {
  FieldTrimmer(RelNode root) {
    super(null, Simplification.NONE.create(root.getCluster(), null));
  }

  /**
   * Calcite's own makes one limit of two, whose second one may begin behind the first one's end.
   */
  @Override
  public TrimResult trimFields(
      Sort sort, ImmutableBitSet fieldsUsed, Set<RelDataTypeField> extraFields) {
    ImmutableBitSet keys = ImmutableBitSet.of(sort.getCollation().getKeys());
    TrimResult input = trimChild(sort, sort.getInput(), fieldsUsed.union(keys), extraFields);
    RelCollation collation = RexUtil.apply(input.right, sort.getCollation());
    return result(LogicalSort.create(input.left, collation, sort.offset, sort.fetch), input.right);
  }

  /** Calcite's own keeps the last column where none is wanted, which may have to be decoded. */
  @Override
  public TrimResult trimFields(
      SetOp setOp, ImmutableBitSet fieldsUsed, Set<RelDataTypeField> extraFields) {
    return super.trimFields(
        setOp,
        fieldsUsed.isEmpty() && setOp.all ? ImmutableBitSet.of(cheapest(setOp)) : fieldsUsed,
        extraFields);
  }

  private static int cheapest(RelNode rel) {
    List<RelDataTypeField> fields = rel.getRowType().getFieldList();
    return fields.stream()
        .filter(field -> !TypeMapping.isNested(field.getType()))
        .map(RelDataTypeField::getIndex)
        .findFirst()
        .orElse(0);
  }

  /** Columns that are not wanted are not repeated; the elements all come out. */
  public TrimResult trimFields(
      LogicalUnnest unnest, ImmutableBitSet fieldsUsed, Set<RelDataTypeField> extraFields) {
    int kept = unnest.kept();
    ImmutableBitSet collections =
        ImmutableBitSet.range(kept, unnest.getInput().getRowType().getFieldCount());
    ImmutableBitSet repeated = fieldsUsed.intersect(ImmutableBitSet.range(kept));
    TrimResult input =
        trimChild(unnest, unnest.getInput(), repeated.union(collections), extraFields);
    LogicalUnnest trimmed = (LogicalUnnest) unnest.copy(unnest.getTraitSet(), List.of(input.left));
    int width = unnest.getRowType().getFieldCount();
    Mapping places =
        Mappings.create(
            MappingType.INVERSE_SURJECTION, width, trimmed.getRowType().getFieldCount());
    for (int column : repeated) {
      places.set(column, input.right.getTarget(column));
    }
    for (int i = kept; i < width; i++) {
      places.set(i, i - kept + trimmed.kept());
    }
    return result(trimmed, places);
  }
}
