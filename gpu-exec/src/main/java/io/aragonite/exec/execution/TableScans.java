package io.aragonite.exec.execution;

import io.aragonite.exec.device.ColumnPrefetch;
import io.aragonite.exec.device.CompiledPredicate;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.ExprColumns;
import io.aragonite.exec.operator.ScanSource;
import io.aragonite.exec.operator.StreamedParts;
import io.aragonite.exec.operator.StreamedScan;
import io.aragonite.exec.operator.TablePartSource;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.table.RowBlocks;
import io.aragonite.exec.table.Table;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** How a query's device comes by the rows of tables. */
abstract class TableScans {
  final QueryExecution query;
  final ExecutionResources resources;

  private TableScans(QueryExecution query, ExecutionResources resources) {
    this.query = query;
    this.resources = resources;
  }

  /** Those of a query. */
  static TableScans of(QueryExecution query, ExecutionResources resources) {
    return query.device().traits().hostMemory()
        ? new InPlace(query, resources)
        : new Brought(query, resources);
  }

  /**
   * What of a scan's rows is wanted.
   *
   * @param filter that keeps some of them, over its columns; null: all are wanted
   * @param count of those how many are; Long.MAX_VALUE: all
   */
  record WantedRows(@Nullable Expr filter, long count) {}

  /** The rows of a scan; those that are not wanted may be among them. */
  abstract PipelineHead scan(PhysicalPlan.Scan scan, WantedRows wanted);

  /**
   * Tells of the scans that the query will ask for, in that order.
   *
   * @param scans with the filters that {@link #scan} will be called with
   */
  void expect(List<ColumnPrefetch.ScanColumns> scans) {}

  /** A scan's columns in the device's memory, until the query ends. */
  final Table.Pin pin(PhysicalPlan.Scan scan) {
    Table.Pin pin =
        resources.closeLater(query.device().pin(query.coordinator(), scan.table(), scan.columns()));
    if (pin.decodedPageBytes() > 0) {
      resources.metrics(scan).addFigure("page bytes decoded on the device", pin.decodedPageBytes());
    }
    if (!pin.decodedByHost().isEmpty()) {
      resources.metrics(scan).addNote("decoded by the host: " + byReason(pin.decodedByHost()));
    }
    return pin;
  }

  /** Columns with their reasons, those of one reason together. */
  private static String byReason(Map<String, String> reasons) {
    Map<String, String> columns = new LinkedHashMap<>();
    reasons.forEach((name, reason) -> columns.merge(reason, name, "%s, %s"::formatted));
    return columns.entrySet().stream()
        .map(of -> of.getValue() + " (" + of.getKey() + ")")
        .collect(Collectors.joining("; "));
  }

  final ScanSource source(PhysicalPlan.Scan scan, Table.Pin pin) {
    resources.metrics(scan).addFigure("column bytes", HostColumns.bytes(pin.chunks()));
    return resources
        .scan(pin.shapes(), pin.chunks(), false, null)
        .of(new ScanSource.TableColumns(scan.table(), scan.columns()));
  }

  /**
   * The parts of a table that may be wanted: the first ones, or those that a filter leaves by a
   * look at its columns, or by what is known of their values.
   *
   * @return null: the columns are to be pinned, or read in parts for other reasons
   */
  final Table.@Nullable TableParts some(PhysicalPlan.Scan scan, WantedRows wanted) {
    Table table = scan.table();
    Expr filter = wanted.filter();
    Table.TableParts parts =
        wanted.count() == Long.MAX_VALUE
            ? null
            : table.firstRows(scan.columns(), filter, wanted.count());
    if (parts != null || filter == null) {
      return parts;
    }
    parts = table.readsFilterFirst(scan.columns(), filter) ? filterFirst(scan, filter) : null;
    return parts == null ? table.matching(scan.columns(), filter) : parts;
  }

  private Table.@Nullable TableParts filterFirst(PhysicalPlan.Scan scan, Expr filter) {
    Table table = scan.table();
    List<Integer> own = ExprColumns.of(filter);
    List<Integer> columns = own.stream().map(scan.columns()::get).toList();
    if (!fits(scan, columns)) {
      return null;
    }
    int[] places = new int[scan.columns().size()];
    own.forEach(column -> places[column] = own.indexOf(column));
    RowBlocks blocks;
    try (Table.Pin pin = query.device().pin(query.coordinator(), table, columns)) {
      CompiledPredicate predicate =
          resources.expressions().predicate(ExprColumns.renumber(filter, places), pin.shapes());
      blocks = resources.work(scan, context -> FilterScan.run(context, predicate, pin.chunks()));
    } catch (AragoniteException e) {
      if (e.code() != ErrorCode.MEMORY_EXCEEDED) {
        throw e;
      }
      return null;
    }
    Table.TableParts parts = blocks == null ? null : table.rowsIn(scan.columns(), blocks);
    if (blocks != null && parts != null) {
      int kept = blocks.wanted().cardinality();
      resources.metrics(scan).addFigure("blocks found by the filter's columns", kept);
    }
    return parts;
  }

  /** Whether some of a scan's columns may be pinned. */
  boolean fits(PhysicalPlan.Scan scan, List<Integer> columns) {
    return true;
  }

  /** Counts the parts of a table that are read one after the other. */
  final Table.TableParts counted(PhysicalPlan.Scan scan, Table.TableParts parts) {
    QueryMetrics.NodeMetrics node = resources.metrics(scan);
    node.addFigure("parts read", parts.count());
    if (parts.skipped() > 0) {
      node.addFigure("parts skipped", parts.skipped());
    }
    if (parts.fileBytes() >= 0) {
      node.addFigure("file bytes", parts.fileBytes());
    }
    return parts;
  }

  /** Of a device that reads host memory: tables are read where they are. */
  private static final class InPlace extends TableScans {
    InPlace(QueryExecution query, ExecutionResources resources) {
      super(query, resources);
    }

    @Override
    PipelineHead scan(PhysicalPlan.Scan scan, WantedRows wanted) {
      Table.TableParts parts = some(scan, wanted);
      if (parts == null) {
        parts = scan.table().parts(scan.columns(), false);
      }
      if (parts != null) {
        return partByPart(scan, parts);
      }
      Table.Pin pin;
      try {
        pin = pin(scan);
      } catch (AragoniteException e) {
        parts =
            e.code() == ErrorCode.MEMORY_EXCEEDED ? scan.table().parts(scan.columns(), true) : null;
        if (parts == null) {
          throw e;
        }
        return partByPart(scan, parts);
      }
      return PipelineHead.of(
          source(scan, pin)
              .unpinning(pin)
              .knowing(column -> scan.table().blockRanges(scan.columns().get(column))));
    }

    private PipelineHead partByPart(PhysicalPlan.Scan scan, Table.TableParts parts) {
      return PipelineHead.of(new TablePartSource(counted(scan, parts)));
    }
  }

  /** Of a device with memory of its own: columns stay there, or stream through it. */
  private static final class Brought extends TableScans {
    /** Bytes of columns that scans of the query have pinned in the device's memory. */
    private long pinnedBytes;

    Brought(QueryExecution query, ExecutionResources resources) {
      super(query, resources);
    }

    /** Of one scan alone nothing could be brought beside other work. */
    @Override
    void expect(List<ColumnPrefetch.ScanColumns> scans) {
      List<ColumnPrefetch.ScanColumns> missing =
          scans.stream()
              .filter(scan -> query.device().missingBytes(scan.table(), scan.columns()) > 0)
              .toList();
      if (missing.size() > 1) {
        resources.closeLater(
            new ColumnPrefetch(query.device(), missing, resources.spill().scanRoom()));
      }
    }

    @Override
    PipelineHead scan(PhysicalPlan.Scan scan, WantedRows wanted) {
      Table.TableParts some = missingBytes(scan) == 0 ? null : some(scan, wanted);
      if (some != null) {
        return streamed(scan, some);
      }
      if (!fits(scan, scan.columns())) {
        return streamed(scan, scan.table().parts(scan.columns(), false));
      }
      Table.Pin pin;
      try {
        pin = pin(scan);
      } catch (AragoniteException e) {
        if (e.code() != ErrorCode.MEMORY_EXCEEDED) {
          throw e;
        }
        return streamed(scan, scan.table().parts(scan.columns(), true));
      }
      pinnedBytes += HostColumns.bytes(pin.chunks());
      // What the device has launched over the columns must have ended before they are unpinned,
      // which the query's end sees.
      return PipelineHead.of(source(scan, pin));
    }

    /**
     * Whether columns are in the device's memory, or may be brought there to stay: beside what
     * other scans of the query have there they must leave half of it to the query.
     */
    @Override
    boolean fits(PhysicalPlan.Scan scan, List<Integer> columns) {
      long missing = query.device().missingBytes(scan.table(), columns);
      return missing == 0 || missing <= resources.spill().scanRoom() - pinnedBytes;
    }

    /** Bytes of a scan's columns that the device does not have. */
    private long missingBytes(PhysicalPlan.Scan scan) {
      return query.device().missingBytes(scan.table(), scan.columns());
    }

    /**
     * @param parts how to read what host memory does not hold either; null: it does
     */
    private PipelineHead streamed(PhysicalPlan.Scan scan, Table.@Nullable TableParts parts) {
      Device device = query.device();
      if (parts != null) {
        return PipelineHead.of(
            resources.closeLater(
                new StreamedParts(
                    counted(scan, parts),
                    device,
                    resources.metrics(scan),
                    resources.spill()::optionally)));
      }
      Table.Pin pin = resources.closeLater(scan.table().pin(scan.columns()));
      long room = resources.spill().scanRoom() / 4;
      return PipelineHead.of(
          new StreamedScan(
              pin,
              device.properties(),
              room,
              resources.metrics(scan),
              resources.spill()::optionally));
    }
  }
}
