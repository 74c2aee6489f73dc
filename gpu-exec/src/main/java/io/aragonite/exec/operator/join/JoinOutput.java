package io.aragonite.exec.operator.join;

import io.aragonite.exec.pipeline.PipelineHead;

/**
 * Rows that come out of a join.
 *
 * @param inOrder whether the way that the join took brings them in the order of its keys that is
 *     wanted of it. An order of the probe side's pipeline, as LIMIT has it, is another thing.
 */
record JoinOutput(PipelineHead head, boolean inOrder) {
  static JoinOutput unordered(PipelineHead head) {
    return new JoinOutput(head, false);
  }
}
