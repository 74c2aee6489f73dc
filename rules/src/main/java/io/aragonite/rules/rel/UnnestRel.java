package io.aragonite.rules.rel;

import io.aragonite.rules.metadata.RepeatedRowsRel;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.SingleRel;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.util.Util;

/**
 * Each row of the input once for each element of its last columns, which are lists or maps: those
 * of a row are read side by side, and where one has ended before the longest its elements are null.
 * The other columns of the input come out, then the elements (of a map keys and values, of a list
 * of rows their fields unless {@link UnnestForm#whole}), then the place of the element from 1 if it
 * is wanted.
 */
public abstract class UnnestRel extends SingleRel implements RepeatedRowsRel {
  /** Elements of a list, where nothing is known of it. */
  private static final double ELEMENTS = 4;

  /**
   * How it is unnested.
   *
   * @param collections how many of the input's columns, the last ones, are unnested
   * @param outer whether a row without elements comes out once, with nulls in their place
   * @param ordinality whether places come out, as the last column
   * @param whole whether an element that is a row is one column
   */
  public record UnnestForm(int collections, boolean outer, boolean ordinality, boolean whole) {}

  final UnnestForm form;
  private final List<RelDataTypeField> elements;

  /**
   * @param elements the columns behind those of the input that stay
   */
  UnnestRel(
      RelTraitSet traits,
      RelNode input,
      UnnestForm form,
      List<? extends RelDataTypeField> elements) {
    super(input.getCluster(), traits, input);
    this.form = form;
    this.elements = List.copyOf(elements);
  }

  /** How it is unnested. */
  public UnnestForm form() {
    return form;
  }

  /** The columns behind those of the input that stay. */
  public List<RelDataTypeField> elements() {
    return elements;
  }

  @Override
  public int kept() {
    return getInput().getRowType().getFieldCount() - form.collections;
  }

  @Override
  protected RelDataType deriveRowType() {
    List<RelDataTypeField> fields =
        new ArrayList<>(getInput().getRowType().getFieldList().subList(0, kept()));
    fields.addAll(elements);
    return getCluster()
        .getTypeFactory()
        .createStructType(
            Util.transform(fields, RelDataTypeField::getType),
            Util.transform(fields, RelDataTypeField::getName));
  }

  @Override
  public double estimateRowCount(RelMetadataQuery mq) {
    return ELEMENTS * mq.getRowCount(getInput());
  }

  @Override
  public RelWriter explainTerms(RelWriter writer) {
    List<String> names = getInput().getRowType().getFieldNames();
    return super.explainTerms(writer)
        .item("collections", names.subList(kept(), names.size()))
        .itemIf("outer", true, form.outer)
        .itemIf("ordinality", true, form.ordinality)
        .itemIf("elements", Util.transform(elements, RelDataTypeField::toString), false);
  }
}
