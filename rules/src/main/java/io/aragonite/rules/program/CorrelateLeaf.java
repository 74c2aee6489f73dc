package io.aragonite.rules.program;

import java.util.function.UnaryOperator;
import org.apache.calcite.rel.AbstractRelNode;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.core.Correlate;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rel.type.RelDataType;

/**
 * A Correlate as a relation of which only the columns are known, so that the nodes around it can be
 * moved and trimmed: its right side refers to columns of its left one by their places, which rules
 * do not heed.
 */
final class CorrelateLeaf extends AbstractRelNode {
  private final Correlate correlate;

  private CorrelateLeaf(Correlate correlate) {
    super(correlate.getCluster(), correlate.getTraitSet());
    this.correlate = correlate;
  }

  /**
   * The tree with leaves in the place of its Correlates.
   *
   * @param side what becomes of each of their sides; it keeps the columns
   */
  static RelNode cut(RelNode rel, UnaryOperator<RelNode> side) {
    return rel.accept(
        new RelHomogeneousShuttle() {
          @Override
          public RelNode visit(RelNode other) {
            return other instanceof Correlate correlate
                ? new CorrelateLeaf(
                    correlate.copy(
                        correlate.getTraitSet(),
                        side.apply(correlate.getLeft()),
                        side.apply(correlate.getRight()),
                        correlate.getCorrelationId(),
                        correlate.getRequiredColumns(),
                        correlate.getJoinType()))
                : super.visit(other);
          }
        });
  }

  /** The tree with the Correlates again. */
  static RelNode restore(RelNode rel) {
    return rel.accept(
        new RelHomogeneousShuttle() {
          @Override
          public RelNode visit(RelNode other) {
            return other instanceof CorrelateLeaf leaf ? leaf.correlate : super.visit(other);
          }
        });
  }

  @Override
  protected RelDataType deriveRowType() {
    return correlate.getRowType();
  }

  @Override
  public RelWriter explainTerms(RelWriter writer) {
    return super.explainTerms(writer).item("correlate", correlate.getId());
  }

  @Override
  public double estimateRowCount(RelMetadataQuery mq) {
    return mq.getRowCount(correlate);
  }
}
