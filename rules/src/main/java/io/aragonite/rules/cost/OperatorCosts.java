package io.aragonite.rules.cost;

import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.rules.metadata.ColumnWidths;
import io.aragonite.rules.translate.TypeMapping;
import java.util.List;
import org.apache.calcite.plan.Context;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;

/** What the cost formulas of several operators share. */
public final class OperatorCosts {
  private static final double TEXT_BYTES = 16;

  private OperatorCosts() {}

  /** The profile of the planner's device. */
  public static DeviceProfile profile(RelOptPlanner planner) {
    Context context = planner.getContext();
    DeviceProfile profile = context == null ? null : context.unwrap(DeviceProfile.class);
    return profile == null ? DeviceProfile.of(JoinPricing.profile(planner)) : profile;
  }

  /** Rows of a relational expression, at least one. */
  public static double rows(RelNode rel, RelMetadataQuery mq) {
    Double rows = mq.getRowCount(rel);
    return rows == null ? 1 : Math.max(1, rows);
  }

  /** Bytes of a row in columns. */
  public static double rowBytes(RelDataType rowType) {
    double bytes = 0;
    for (RelDataTypeField field : rowType.getFieldList()) {
      bytes += bytes(TypeMapping.of(field.getType()));
    }
    return Math.max(1, bytes);
  }

  /** Bytes of a row in columns, with the average bytes of texts where these are known. */
  public static double rowBytes(RelNode rel, RelMetadataQuery mq) {
    double bytes = 0;
    List<RelDataTypeField> fields = rel.getRowType().getFieldList();
    for (int column = 0; column < fields.size(); column++) {
      DataType type = TypeMapping.of(fields.get(column).getType());
      double average =
          Storage.of(type) == Storage.BYTES ? ColumnWidths.averageBytes(rel, mq, column) : -1;
      bytes += average >= 0 ? 4 + average : bytes(type);
    }
    return Math.max(1, bytes);
  }

  /** Bytes of a value in a column. */
  public static double bytes(DataType type) {
    Storage storage = Storage.of(type);
    if (storage == Storage.BYTES) {
      return 4 + (type.precision() > 0 ? Math.min(type.precision(), TEXT_BYTES) : TEXT_BYTES);
    }
    return storage.width();
  }
}
