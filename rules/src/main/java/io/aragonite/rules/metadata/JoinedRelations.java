package io.aragonite.rules.metadata;

import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rex.RexNode;

/**
 * A join of some relations, in no order.
 *
 * @param all relations of the whole join, over whose columns, one after the other, conditions are
 * @param joined those that are joined here
 * @param conditions that their rows satisfy, besides equalities of columns
 */
public record JoinedRelations(
    List<RelNode> all, List<JoinedRelation> joined, List<RexNode> conditions) {
  /**
   * One of them.
   *
   * @param type inner, or how it filters the others' rows
   * @param conditions of a relation that filters, besides equalities of columns
   */
  public record JoinedRelation(RelNode relation, JoinRelType type, List<RexNode> conditions) {}
}
