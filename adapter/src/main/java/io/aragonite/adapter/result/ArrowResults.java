package io.aragonite.adapter.result;

import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.execution.TrackedResult;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.runtime.BatchResult;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.ipc.ArrowReader;

/** Makes Arrow results of runs. */
final class ArrowResults {
  private ArrowResults() {}

  /**
   * @param moved whether rows have been read already
   * @throws AragoniteException INVALID_CALL if so, NOT_ON_DEVICE if not all of the plan ran on the
   *     device
   */
  static ArrowResult of(Execution execution, ResultSet rows, boolean moved) {
    TrackedResult result = execution.deviceResult();
    if (execution.closed()) {
      throw TrackedResult.late();
    }
    if (result == null) {
      throw new AragoniteException(
          ErrorCode.NOT_ON_DEVICE,
          "Only statements whose whole plan runs on the device have Arrow results; EXPLAIN PLAN FOR"
              + " shows what stays in Calcite, and why.");
    }
    if (moved) {
      throw new AragoniteException(ErrorCode.INVALID_CALL, TrackedResult.ROWS_READ);
    }
    List<String> names = new ArrayList<>();
    try {
      ResultSetMetaData metaData = rows.getMetaData();
      for (int i = 1; i <= metaData.getColumnCount(); i++) {
        names.add(metaData.getColumnLabel(i));
      }
    } catch (SQLException e) {
      throw new AragoniteException(
          ErrorCode.INVALID_CALL, "The result's columns are not known: " + e.getMessage(), e);
    }
    return new Columns(result, names, execution);
  }

  private record Columns(TrackedResult result, List<String> names, Execution execution)
      implements ArrowResult {
    @Override
    public ArrowReader reader(BufferAllocator allocator) {
      return open(allocator, false);
    }

    @Override
    public ArrowReader encodedReader(BufferAllocator allocator) {
      return open(allocator, true);
    }

    private ArrowReader open(BufferAllocator allocator, boolean encoded) {
      BatchResult taken = result.take(true);
      StoredColumns columns = StoredColumns.asTexts(names);
      return new BatchArrowReader(
          allocator, taken, columns, encoded, execution, execution.delivered().most());
    }
  }
}
