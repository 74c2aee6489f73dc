package io.aragonite.rules.translate;

import org.apache.calcite.rex.RexDynamicParam;

/**
 * A parameter of LIMIT, FETCH or OFFSET that has become part of a condition. As in its clause, a
 * value that is null or negative is an error.
 */
public final class RowCountParam extends RexDynamicParam {
  private static final long serialVersionUID = 1;

  private final String clause;

  /**
   * @param clause what errors call it
   */
  public RowCountParam(RexDynamicParam parameter, String clause) {
    super(parameter.getType(), parameter.getIndex());
    this.clause = clause;
  }

  String clause() {
    return clause;
  }
}
