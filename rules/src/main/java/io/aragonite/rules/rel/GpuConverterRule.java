package io.aragonite.rules.rel;

import io.aragonite.rules.translate.RexTranslator;
import io.aragonite.rules.translate.RuntimeValues;
import io.aragonite.rules.translate.TypeMapping;
import io.aragonite.rules.translate.Untranslatable;
import java.util.function.Function;
import org.apache.calcite.plan.Convention;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.convert.ConverterRule;
import org.apache.calcite.rex.RexNode;
import org.jspecify.annotations.Nullable;

/** A rule that turns a logical node into one of ours, or says why it does not. */
abstract class GpuConverterRule extends ConverterRule {
  GpuConverterRule(Config config) {
    super(config);
  }

  /** The usual configuration: from a logical node to our convention. */
  static Config config(
      Class<? extends RelNode> from,
      String name,
      Function<Config, ? extends ConverterRule> factory) {
    return Config.INSTANCE
        .withConversion(from, Convention.NONE, GpuRel.CONVENTION, name)
        .withRuleFactory(factory::apply);
  }

  @Override
  public final @Nullable RelNode convert(RelNode rel) {
    try {
      return make(rel);
    } catch (Untranslatable e) {
      FallbackReasons.report(rel, e.reason());
      return null;
    }
  }

  /**
   * The node in our convention.
   *
   * @throws Untranslatable if it cannot run there
   */
  abstract RelNode make(RelNode rel);

  /** The node's traits, in our convention and without an order. */
  static RelTraitSet traits(RelNode rel) {
    return rel.getCluster().traitSetOf(GpuRel.CONVENTION);
  }

  static RelNode input(RelNode input) {
    return convert(input, input.getCluster().traitSetOf(GpuRel.CONVENTION));
  }

  /** Sees whether expressions can be translated. */
  static void check(RelNode rel, Iterable<? extends RexNode> nodes) {
    RexTranslator translator =
        new RexTranslator(rel.getCluster().getRexBuilder(), new RuntimeValues());
    nodes.forEach(translator::translate);
  }

  /** For set operations that compare whole rows. */
  static void requireComparableRow(RelNode rel) {
    rel.getRowType()
        .getFieldList()
        .forEach(field -> TypeMapping.requireComparable(field.getType(), "a column"));
  }
}
