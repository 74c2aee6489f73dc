package io.aragonite.rules.metadata;

import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.metadata.RelMetadataQuery;

/** How wide texts are on average. */
public final class ColumnWidths {
  private ColumnWidths() {}

  /** Bytes of a value of a column that comes from a table as it is; negative if unknown. */
  public static double averageBytes(RelNode rel, RelMetadataQuery mq, int column) {
    return ColumnStatisticsFinder.find(rel, mq, column).averageBytes();
  }
}
