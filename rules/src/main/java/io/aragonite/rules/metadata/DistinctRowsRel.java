package io.aragonite.rules.metadata;

import org.apache.calcite.rel.RelNode;

/** A relation of a known number of rows, no two of which are equal in any column. */
public interface DistinctRowsRel extends RelNode {
  /** How many there are. */
  int rows();
}
