package io.aragonite.exec.operator.aggregate;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.operator.aggregate.AggregateSpec.AccumulatorSlot;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;

/**
 * Slots that count rows or sum exact numbers.
 *
 * @param sums what is summed, each once
 * @param bySlot the number of its sum; -1: it counts rows
 */
record SlotSums(List<Expr> sums, List<Integer> bySlot) {
  /**
   * Those of an aggregation of which {@link #areSums}.
   *
   * @param input the rows
   */
  static SlotSums of(AggregateSpec spec, KernelInput input) {
    List<Expr> sums = new ArrayList<>();
    List<Integer> bySlot = new ArrayList<>();
    for (AccumulatorSlot slot : spec.slots) {
      if (slot.arg() < 0) {
        bySlot.add(-1);
        continue;
      }
      Expr value = input.value(spec, slot.arg());
      if (!sums.contains(value)) {
        sums.add(value);
      }
      bySlot.add(sums.indexOf(value));
    }
    return new SlotSums(sums, bySlot);
  }

  /** Whether an aggregation of one grouping set is nothing but counts and such sums. */
  static boolean areSums(AggregateSpec spec) {
    return spec.keys.size() == 1
        && spec.onlySlots()
        && spec.maskPredicates.isEmpty()
        && spec.slots.stream().allMatch(slot -> slot.arg() < 0 || isSum(spec, slot));
  }

  private static boolean isSum(AggregateSpec spec, AccumulatorSlot slot) {
    ColumnShape input = spec.inputs.get(slot.arg());
    boolean sum =
        slot.function() == AggregateFunction.SUM || slot.function() == AggregateFunction.SUM0;
    return sum
        && !slot.type().kind().isFloat()
        && input.storage().isInteger()
        && !input.mayBeNull();
  }
}
