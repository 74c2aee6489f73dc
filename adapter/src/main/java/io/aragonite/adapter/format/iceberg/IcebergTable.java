package io.aragonite.adapter.format.iceberg;

import io.aragonite.adapter.format.FileColumn;
import io.aragonite.adapter.format.TableFile;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.spill.file.SpillSpace;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.StaticTableOperations;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.TableScan;
import org.apache.iceberg.expressions.Evaluator;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.expressions.InclusiveMetricsEvaluator;
import org.apache.iceberg.expressions.Projections;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.mapping.NameMappingParser;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of an Iceberg table: its columns, and its data files with what its manifests say of
 * them. No data file is opened here.
 */
public final class IcebergTable {
  /** The library tells of each scan. Kept, since loggers that nobody holds are forgotten. */
  private static final Logger LIBRARY = Logger.getLogger(BaseTable.class.getPackageName());

  static {
    if (LIBRARY.getLevel() == null) {
      LIBRARY.setLevel(Level.WARNING);
    }
  }

  private final IcebergPaths paths;
  private final SpillSpace space;
  private final Schema schema;
  private final Map<Integer, PartitionSpec> specs;
  private final IcebergColumns columns;
  private final IcebergDeletes deletes;
  private final List<IcebergDataFile> files = new ArrayList<>();

  /**
   * @param metadata a metadata file
   * @param space where copies of remote files are
   * @param budget for what is read of delete files meanwhile
   * @throws AragoniteException FILE_BROKEN, FILE_UNSUPPORTED, FILE_OUTSIDE_DIRECTORY,
   *     INVALID_ARGUMENT if there is no such snapshot, RESULT_TOO_LARGE, and what reading files
   *     throws
   */
  public static IcebergTable open(
      Path metadata,
      IcebergOptions options,
      IcebergAccess access,
      SpillSpace space,
      MemoryBudget budget) {
    IcebergPaths paths =
        new IcebergPaths(IcebergFolder.folder(metadata), access, options.otherPaths());
    try {
      return new IcebergTable(metadata, options, paths, space, budget);
    } catch (RuntimeException | IOException | OutOfMemoryError e) {
      for (Throwable cause = e; cause != null; cause = cause.getCause()) {
        if (cause instanceof AragoniteException known) {
          throw known;
        }
        if (cause instanceof OutOfMemoryError) {
          throw IcebergMetadata.tooLarge(metadata, "too large for Java's heap", e);
        }
      }
      throw new AragoniteException(
          ErrorCode.FILE_BROKEN,
          "%s is not readable metadata of an Iceberg table: %s; write it again or take it away"
              .formatted(metadata, AragoniteException.reason(e)),
          e);
    }
  }

  private IcebergTable(
      Path path, IcebergOptions options, IcebergPaths paths, SpillSpace space, MemoryBudget budget)
      throws IOException {
    this.paths = paths;
    this.space = space;
    try (IcebergFiles io = new IcebergFiles(paths, space);
        ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor()) {
      TableMetadata metadata = IcebergMetadata.read(path, io.named(path));
      paths.setLocation(metadata.location());
      BaseTable table = atSchema(metadata, options, io);
      TableScan scan =
          state(table, options).includeColumnStats().ignoreResiduals().planWith(readers);
      this.schema = scan.schema();
      this.specs = table.specs();
      String mapping = metadata.property(TableProperties.DEFAULT_NAME_MAPPING, null);
      this.columns =
          new IcebergColumns(
              schema, specs, mapping == null ? null : NameMappingParser.fromJson(mapping));
      Map<String, Long> rows = new HashMap<>();
      this.deletes = new IcebergDeletes(paths, space, budget, rows);
      try (CloseableIterable<FileScanTask> tasks = scan.planFiles()) {
        for (FileScanTask task : tasks) {
          files.add(new IcebergDataFile(this, task.file(), task.deletes()));
          rows.put(task.file().location(), task.file().recordCount());
        }
      }
    }
    files.sort(Comparator.comparing(file -> file.metadata().location()));
  }

  /**
   * The table with the schema of the snapshot as its current one: the library binds partitions to
   * the current one, in which columns may have other names and types, or be gone.
   */
  private BaseTable atSchema(TableMetadata metadata, IcebergOptions options, IcebergFiles io) {
    BaseTable table = table(metadata, io);
    int id = state(table, options).schema().schemaId();
    return id == metadata.currentSchemaId()
        ? table
        : table(
            TableMetadata.buildFrom(metadata).setCurrentSchema(id).discardChanges().build(), io);
  }

  private BaseTable table(TableMetadata metadata, IcebergFiles io) {
    return new BaseTable(
        new StaticTableOperations(metadata, io), paths.folder().toString(), report -> {});
  }

  private TableScan state(BaseTable table, IcebergOptions options) {
    TableScan scan = table.newScan();
    Long number = options.snapshot();
    String ref = options.ref();
    Long time = options.asOf();
    if (number != null) {
      if (table.snapshot(number) == null) {
        throw none("snapshot " + number, table);
      }
      return scan.useSnapshot(number);
    }
    if (ref != null) {
      if (!table.refs().containsKey(ref)) {
        throw new AragoniteException(
            ErrorCode.INVALID_ARGUMENT,
            "The Iceberg table %s has no branch or tag '%s'; it has %s."
                .formatted(paths.folder(), ref, table.refs().keySet().stream().sorted().toList()));
      }
      return scan.useRef(ref);
    }
    if (time != null) {
      if (table.history().stream().noneMatch(entry -> entry.timestampMillis() <= time)) {
        throw none("snapshot as old as that", table);
      }
      return scan.asOfTime(time);
    }
    return scan;
  }

  private AragoniteException none(String what, BaseTable table) {
    List<String> known = new ArrayList<>();
    for (Snapshot snapshot : table.snapshots()) {
      known.add(snapshot.snapshotId() + " of " + Instant.ofEpochMilli(snapshot.timestampMillis()));
    }
    int count = known.size();
    List<String> last = known.subList(Math.max(0, count - 8), count);
    return new AragoniteException(
        ErrorCode.INVALID_ARGUMENT,
        "The Iceberg table %s has no %s; it has %s."
            .formatted(
                paths.folder(),
                what,
                count == 0 ? "none" : (last.size() < count ? "among others " : "") + last));
  }

  IcebergPaths paths() {
    return paths;
  }

  SpillSpace space() {
    return space;
  }

  IcebergColumns columns() {
    return columns;
  }

  IcebergDeletes deletes() {
    return deletes;
  }

  /** What all of {@link #files} have. */
  public List<FileColumn> fileColumns() {
    return columns.columns();
  }

  /** The data files, in the order of their paths. They are opened when they are read. */
  public List<? extends TableFile> files() {
    return files;
  }

  /**
   * The files that may have rows for which a condition is true, by partitions and bounds in the
   * manifests; null if these tell nothing.
   */
  public @Nullable BitSet matching(Expr condition) {
    Expression expression = new IcebergFilter(schema.asStruct()).of(condition);
    if (expression.op() == Expression.Operation.TRUE) {
      return null;
    }
    InclusiveMetricsEvaluator bounds = new InclusiveMetricsEvaluator(schema, expression, true);
    Map<Integer, Evaluator> partitions = new HashMap<>();
    BitSet kept = new BitSet();
    for (int i = 0; i < files.size(); i++) {
      DataFile file = files.get(i).metadata();
      Evaluator partition =
          partitions.computeIfAbsent(file.specId(), id -> partition(id, expression));
      kept.set(i, mayMatch(file, partition, bounds));
    }
    return kept;
  }

  private static boolean mayMatch(
      DataFile file, Evaluator partition, InclusiveMetricsEvaluator bounds) {
    try {
      return partition.eval(file.partition()) && bounds.eval(file);
    } catch (RuntimeException e) {
      // Bounds that cannot be read leave nothing out; the file itself says what is wrong with it.
      return true;
    }
  }

  private Evaluator partition(int id, Expression expression) {
    PartitionSpec spec = specs.get(id);
    try {
      if (spec != null) {
        Expression projected = Projections.inclusive(spec, true).project(expression);
        return new Evaluator(spec.partitionType(), projected, true);
      }
    } catch (RuntimeException e) {
      // as if there were no partitions
    }
    return new Evaluator(
        PartitionSpec.unpartitioned().partitionType(), Expressions.alwaysTrue(), true);
  }
}
