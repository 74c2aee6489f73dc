package io.aragonite.rules.program;

import org.apache.calcite.plan.RelOptRule;
import org.apache.calcite.plan.RelOptRuleCall;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;

/**
 * A rule for operators whose expressions are deterministic. Calcite's own put a projection's {@code
 * random()} wherever its column is read, which makes it another value at each place, and move a
 * condition with it to where it sees other rows.
 */
final class DeterministicRule extends RelOptRule {
  private final RelOptRule rule;

  /**
   * Wraps a rule.
   *
   * @param rule which no planner knows otherwise: its operands become those of this rule
   */
  DeterministicRule(RelOptRule rule) {
    super(rule.getOperand(), rule.relBuilderFactory, rule.toString());
    this.rule = rule;
  }

  @Override
  public boolean matches(RelOptRuleCall call) {
    for (RelNode rel : call.rels) {
      if (!isDeterministic(rel)) {
        return false;
      }
    }
    return rule.matches(call);
  }

  @Override
  public void onMatch(RelOptRuleCall call) {
    rule.onMatch(call);
  }

  /** Whether a relation and all below have the same rows each time. */
  static boolean isRepeatable(RelNode rel) {
    return isDeterministic(rel)
        && rel.getInputs().stream().allMatch(DeterministicRule::isRepeatable);
  }

  private static boolean isDeterministic(RelNode rel) {
    NondeterministicCalls calls = new NondeterministicCalls();
    rel.accept(calls);
    return !calls.found;
  }

  private static final class NondeterministicCalls extends RexShuttle {
    private boolean found;

    @Override
    public RexNode visitCall(RexCall call) {
      if (!call.getOperator().isDeterministic()) {
        found = true;
      }
      return found ? call : super.visitCall(call);
    }
  }
}
