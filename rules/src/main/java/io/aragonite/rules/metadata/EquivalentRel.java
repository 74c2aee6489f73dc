package io.aragonite.rules.metadata;

import java.util.List;
import org.apache.calcite.rel.RelNode;

/** A relation that a plan of usual operators stands for, which says more of its columns. */
public interface EquivalentRel extends RelNode {
  /** The plan: the same rows, maybe with more columns. */
  RelNode equivalent();

  /** The plan's columns that the relation's columns are, in their order. */
  List<Integer> equivalentColumns();
}
