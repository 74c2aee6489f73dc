package io.aragonite.rules.metadata;

import java.util.Set;
import org.apache.calcite.plan.volcano.RelSubset;
import org.apache.calcite.rel.metadata.BuiltInMetadata;
import org.apache.calcite.rel.metadata.MetadataDef;
import org.apache.calcite.rel.metadata.MetadataHandler;
import org.apache.calcite.rel.metadata.ReflectiveRelMetadataProvider;
import org.apache.calcite.rel.metadata.RelColumnOrigin;
import org.apache.calcite.rel.metadata.RelMetadataProvider;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.jspecify.annotations.Nullable;

/** Where columns come from, seen through the planner's sets of equivalent plans as well. */
public final class GpuRelMdColumnOrigins implements MetadataHandler<BuiltInMetadata.ColumnOrigin> {
  /** Where Calcite finds it. */
  public static final RelMetadataProvider SOURCE =
      ReflectiveRelMetadataProvider.reflectiveSource(
          new GpuRelMdColumnOrigins(), BuiltInMetadata.ColumnOrigin.Handler.class);

  private GpuRelMdColumnOrigins() {}

  @Override
  public MetadataDef<BuiltInMetadata.ColumnOrigin> getDef() {
    return BuiltInMetadata.ColumnOrigin.DEF;
  }

  /** The origins in the plan that stands for the relation. */
  public @Nullable Set<RelColumnOrigin> getColumnOrigins(
      EquivalentRel rel, RelMetadataQuery mq, int column) {
    return mq.getColumnOrigins(rel.equivalent(), rel.equivalentColumns().get(column));
  }

  /** Those of the input's columns; of others nothing is known. */
  public @Nullable Set<RelColumnOrigin> getColumnOrigins(
      RepeatedRowsRel rel, RelMetadataQuery mq, int column) {
    return column < rel.kept() ? mq.getColumnOrigins(rel.getInput(0), column) : null;
  }

  /** The origins in the plan that stands for the set. */
  public @Nullable Set<RelColumnOrigin> getColumnOrigins(
      RelSubset rel, RelMetadataQuery mq, int column) {
    return mq.getColumnOrigins(rel.getBestOrOriginal(), column);
  }
}
