package io.aragonite.exec.device;

import io.aragonite.exec.column.Column;
import io.aragonite.exec.column.ColumnBatch;
import io.aragonite.exec.column.RowIds;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Columns brought from a device's memory to the host's and back. Where the memory is shared columns
 * are passed through as they are. Indirections are kept, and columns that shared one still do; so
 * whoever wants few rows of large data materializes on the device first.
 */
public final class HostColumns {
  private HostColumns() {}

  /**
   * @param host where the copies live
   */
  public static Column toHost(ExecContext context, Column column, Allocator host) {
    return shared(context) ? column : copy(column, new ToHost(context, host));
  }

  public static ColumnBatch toHost(ExecContext context, ColumnBatch batch, Allocator host) {
    return shared(context) ? batch : copy(batch, new ToHost(context, host));
  }

  /**
   * @param device where the copies live
   */
  public static Column toDevice(ExecContext context, Column column, Allocator device) {
    return shared(context) ? column : copy(column, new ToDevice(context, device));
  }

  public static ColumnBatch toDevice(ExecContext context, ColumnBatch batch, Allocator device) {
    return shared(context) ? batch : copy(batch, new ToDevice(context, device));
  }

  private static boolean shared(ExecContext context) {
    return context.device().transfers().shared();
  }

  private static ColumnBatch copy(ColumnBatch batch, Copier copier) {
    List<Column> columns = new ArrayList<>();
    for (Column column : batch.columns()) {
      columns.add(copy(column, copier));
    }
    return new ColumnBatch(columns, batch.rows());
  }

  private static Column copy(Column column, Copier copier) {
    Buffer validity = column.validity();
    return new Column(
        column.shape(),
        column.dataRows(),
        copier.copy(column.values()),
        copier.copy(column.offsets()),
        validity == null ? null : copier.copy(validity),
        copier.copy(column.rowIds()));
  }

  /** Copies one way, an indirection once. */
  abstract static class Copier {
    private final Map<RowIds, RowIds> copies = new IdentityHashMap<>();

    abstract Buffer copy(Buffer buffer);

    @Nullable RowIds copy(@Nullable RowIds rowIds) {
      if (rowIds == null) {
        return null;
      }
      RowIds known = copies.get(rowIds);
      if (known == null) {
        Buffer ids = copy(rowIds.ids().slice(0, 4L * rowIds.count()));
        known = new RowIds(ids, rowIds.count(), rowIds.mayBeNull());
        copies.put(rowIds, known);
      }
      return known;
    }
  }

  private static final class ToHost extends Copier {
    private final ExecContext context;
    private final Allocator host;

    ToHost(ExecContext context, Allocator host) {
      this.context = context;
      this.host = host;
    }

    @Override
    Buffer copy(Buffer buffer) {
      if (buffer.address() == 0) {
        return buffer;
      }
      Buffer copy = host.allocate(buffer.size());
      if (buffer.size() > 0) {
        context.device().transfers().toHost(context, buffer, copy.address(), buffer.size());
      }
      return copy;
    }
  }

  private static final class ToDevice extends Copier {
    private final ExecContext context;
    private final Allocator device;

    ToDevice(ExecContext context, Allocator device) {
      this.context = context;
      this.device = device;
    }

    @Override
    Buffer copy(Buffer buffer) {
      if (buffer.address() == 0) {
        return buffer;
      }
      Buffer copy = device.allocate(buffer.size());
      if (buffer.size() > 0) {
        context.device().transfers().toDevice(context, buffer.address(), copy, buffer.size());
      }
      return copy;
    }
  }
}
