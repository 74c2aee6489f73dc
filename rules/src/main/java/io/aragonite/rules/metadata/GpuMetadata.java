package io.aragonite.rules.metadata;

import java.util.List;
import org.apache.calcite.rel.metadata.ChainedRelMetadataProvider;
import org.apache.calcite.rel.metadata.DefaultRelMetadataProvider;
import org.apache.calcite.rel.metadata.RelMetadataProvider;

/** The metadata that plans are made with. */
public final class GpuMetadata {
  /**
   * Our estimates before Calcite's. It must be given to the cluster and to every program, since
   * Calcite's programs put another provider in its place.
   */
  public static final RelMetadataProvider PROVIDER =
      ChainedRelMetadataProvider.of(
          List.of(
              GpuRelMdRowCount.SOURCE,
              GpuRelMdMaxRowCount.SOURCE,
              GpuRelMdSelectivity.SOURCE,
              GpuRelMdDistinctRowCount.SOURCE,
              GpuRelMdColumnOrigins.SOURCE,
              DefaultRelMetadataProvider.INSTANCE));

  private GpuMetadata() {}
}
