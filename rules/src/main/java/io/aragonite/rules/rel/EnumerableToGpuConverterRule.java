package io.aragonite.rules.rel;

import io.aragonite.exec.type.TypeKind;
import io.aragonite.rules.translate.TypeMapping;
import org.apache.calcite.adapter.enumerable.EnumerableConvention;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.convert.ConverterRule;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactoryImpl;
import org.jspecify.annotations.Nullable;

/** Puts an {@link EnumerableToGpuConverter} over a node whose columns our convention can hold. */
public final class EnumerableToGpuConverterRule extends ConverterRule {
  /** For any node that needs no outer row: code of a subtree runs by itself. */
  public static final ConverterRule INSTANCE =
      config(RelNode.class, "EnumerableToGpuConverterRule");

  /** For table scans, which depend on nothing, in any query. */
  public static final ConverterRule SCAN =
      config(TableScan.class, "EnumerableToGpuConverterRule(TableScan)");

  private static ConverterRule config(Class<? extends RelNode> from, String name) {
    return Config.INSTANCE
        .withConversion(from, EnumerableConvention.INSTANCE, GpuRel.CONVENTION, name)
        .withRuleFactory(EnumerableToGpuConverterRule::new)
        .toRule(EnumerableToGpuConverterRule.class);
  }

  private EnumerableToGpuConverterRule(Config config) {
    super(config);
  }

  @Override
  public @Nullable RelNode convert(RelNode rel) {
    boolean held =
        rel.getRowType().getFieldList().stream().allMatch(field -> isHeld(field.getType()));
    if (!held
        || rel instanceof GpuToEnumerableConverter
        || !RelOptUtil.getVariablesUsed(rel).isEmpty()) {
      return null;
    }
    return new EnumerableToGpuConverter(
        rel.getCluster(), rel.getCluster().traitSetOf(GpuRel.CONVENTION), rel);
  }

  /**
   * Arrays of Java, and decimals of no declared precision (the reflective adapter's), stay with
   * Enumerable.
   */
  private static boolean isHeld(RelDataType type) {
    if (type instanceof RelDataTypeFactoryImpl.JavaType javaType
        && javaType.getJavaClass().isArray()) {
      return false;
    }
    return type.isStruct()
        || type.getComponentType() != null
        || type.getKeyType() != null
        || TypeMapping.of(type).kind() != TypeKind.OPAQUE;
  }
}
