package io.aragonite.rules.program;

import io.aragonite.exec.limit.StopCheck;
import io.aragonite.rules.rel.GpuRel;
import io.aragonite.rules.rel.GpuRules;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.adapter.enumerable.EnumerableConvention;
import org.apache.calcite.plan.Convention;
import org.apache.calcite.plan.RelOptRule;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.plan.volcano.RelSubset;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.convert.ConverterRule;
import org.jspecify.annotations.Nullable;

/**
 * Operators for a tree of which each node has one: from the leaves up, each node by the rule of its
 * class. What there is to choose (the side of a join that is built, its algorithm) the rules choose
 * themselves. Calcite's planner by cost makes the same plan, but keeps sets of what is equal,
 * prices each node whenever one below it changes, and forgets all estimates with each rule: most of
 * what the choice of operators took.
 */
final class DirectConversion {
  /** Rules by the class of the nodes that they convert: at most one of a class converts a node. */
  private static final Map<Class<?>, List<ConverterRule>> RULES = rules();

  private DirectConversion() {}

  private static Map<Class<?>, List<ConverterRule>> rules() {
    Map<Class<?>, List<ConverterRule>> rules = new HashMap<>();
    for (RelOptRule rule : GpuRules.rules()) {
      if (rule instanceof ConverterRule converter
          && Convention.NONE.equals(converter.getInTrait())
          && GpuRel.CONVENTION.equals(converter.getOutTrait())) {
        rules
            .computeIfAbsent(rule.getOperand().getMatchedClass(), _ -> new ArrayList<>())
            .add(converter);
      }
    }
    return Map.copyOf(rules);
  }

  /**
   * The plan of a tree.
   *
   * @param traits that the plan is to have
   * @return null if a node has no operator of ours, or the order of the rows is not that of the
   *     topmost one: then it takes a planner
   */
  static @Nullable RelNode plan(RelNode rel, RelTraitSet traits) {
    if (!EnumerableConvention.INSTANCE.equals(traits.getConvention())) {
      return null;
    }
    RelNode converted = converted(rel);
    RelNode plan = converted == null ? null : GpuRules.TO_ENUMERABLE.convert(converted);
    return plan != null && plan.getTraitSet().satisfies(traits) ? plan : null;
  }

  private static @Nullable RelNode converted(RelNode rel) {
    if (GpuRel.CONVENTION.equals(rel.getConvention()) && rel.getInputs().isEmpty()) {
      return rel;
    }
    List<ConverterRule> rules =
        Convention.NONE.equals(rel.getConvention()) ? RULES.get(rel.getClass()) : null;
    if (rules == null) {
      return null;
    }
    List<RelNode> inputs = new ArrayList<>(rel.getInputs().size());
    for (RelNode input : rel.getInputs()) {
      RelNode converted = converted(input);
      if (converted == null) {
        return null;
      }
      inputs.add(converted);
    }
    StopCheck.current().check();
    RelNode read = inputs.isEmpty() ? rel : rel.copy(rel.getTraitSet(), inputs);
    for (ConverterRule rule : rules) {
      RelNode made = rule.convert(read);
      if (made != null) {
        // an input that is not as the node asks for it is left to the planner to change
        return made.getInputs().stream().anyMatch(RelSubset.class::isInstance) ? null : made;
      }
    }
    return null;
  }
}
