package io.aragonite.rules.metadata;

import org.apache.calcite.rel.RelNode;

/** A relation of its input's first columns, whose rows it repeats, and of others behind them. */
public interface RepeatedRowsRel extends RelNode {
  /** How many columns of the input come first. */
  int kept();
}
