package io.aragonite.adapter;

import io.aragonite.rules.metadata.CardinalityProvider;
import io.aragonite.rules.metadata.JoinedRelations;
import org.apache.calcite.rel.RelNode;

/** Says the same number of all relations, for a test. */
record LyingCardinalities(double rows) implements CardinalityProvider {
  @Override
  public Double rows(RelNode relation) {
    return rows;
  }

  @Override
  public Double rows(JoinedRelations relations) {
    return rows;
  }

  @Override
  public String name(RelNode relation) {
    return "a lie about " + relation.getRelTypeName();
  }
}
