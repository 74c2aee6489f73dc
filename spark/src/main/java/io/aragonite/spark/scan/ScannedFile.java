package io.aragonite.spark.scan;

import io.aragonite.adapter.format.TableFile.Decoded;
import io.aragonite.adapter.format.TableFile.FilePart;
import io.aragonite.adapter.format.parquet.ParquetFile;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.ExprColumns;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.table.ZoneFilter;
import io.aragonite.exec.table.ZoneMap;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.spark.column.ConstantColumns;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.spark.executor.InputMetrics;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.vectorized.ColumnVectorUtils;
import org.apache.spark.sql.execution.vectorized.ConstantColumnVector;
import org.apache.spark.sql.types.DataTypes;
import org.jspecify.annotations.Nullable;

/**
 * The row groups of a split of a file, read part by part: columns of a part at once. A batch has rows
 * of several parts where so many are wanted: a GPU has less to start then.
 */
final class ScannedFile implements AutoCloseable {
  /** Bytes of text in a column of a batch, about, and rows of a batch that need not be fewer. */
  private static final int MOST_TEXT = 1 << 28;

  private static final int FEW_ROWS = 64;

  /** Bytes of a batch, about, to which parts are put together. */
  private static final long MOST_BYTES = 1 << 26;

  private final ScanPlan plan;
  private final List<DataType> types;
  private final ParquetFile file;
  private final List<Integer> places;
  private final List<ConstantColumnVector> folders = new ArrayList<>();
  private final ConstantColumnVector none = new ConstantColumnVector(1, DataTypes.NullType);
  private final Supplier<QueryMemory> accounts;
  private final InputMetrics input;
  private final Deque<FilePart> parts = new ArrayDeque<>();
  private @Nullable QueryMemory account;

  /** Of the part that is read: the columns of files, null where the file has none. */
  private final List<@Nullable ColumnCopy> columns = new ArrayList<>();

  private int rows;
  private int done;

  /**
   * @param places of the wanted columns in the file
   * @param folder the values that names of folders give
   * @param accounts open accounts for what is decoded
   */
  ScannedFile(
      ScanPlan plan,
      List<DataType> types,
      ParquetFile file,
      List<Integer> places,
      InternalRow folder,
      Supplier<QueryMemory> accounts,
      InputMetrics input) {
    this.plan = plan;
    this.types = types;
    this.file = file;
    this.places = places;
    this.accounts = accounts;
    this.input = input;
    none.setNull();
    for (int i = 0; i < plan.folderTypes().size(); i++) {
      ConstantColumnVector value = new ConstantColumnVector(1, plan.folderTypes().get(i));
      ColumnVectorUtils.populate(value, folder, i);
      folders.add(value);
    }
    for (List<FilePart> group : file.rowGroups()) {
      boolean wanted =
          plan.filters().stream()
              .allMatch(
                  filter -> ZoneFilter.mayMatch(filter, column -> zone(group.getFirst(), column)));
      (wanted ? plan.metrics().rowGroups() : plan.metrics().rowGroupsLeftOut()).add(1);
      if (wanted) {
        group.stream().filter(this::mayMatch).forEach(parts::add);
      }
    }
  }

  private ZoneMap zone(FilePart part, int column) {
    if (column >= places.size()) {
      return ZoneMap.unknown(part.rows());
    }
    int place = places.get(column);
    return place == FileMatch.MISSING
        ? new ZoneMap(part.rows(), part.rows(), null, null, false)
        : part.zone(place);
  }

  /** Whether no filter over one column is refuted by all of the column's pages. */
  private boolean mayMatch(FilePart part) {
    for (Expr filter : plan.filters()) {
      Set<Integer> named = new HashSet<>();
      ExprColumns.collect(filter, named);
      int column = named.size() == 1 ? named.iterator().next() : Integer.MAX_VALUE;
      boolean known = column < places.size() && places.get(column) != FileMatch.MISSING;
      if (known
          && part.zones(places.get(column)).stream()
              .noneMatch(zone -> ZoneFilter.mayMatch(filter, number -> zone))) {
        return false;
      }
    }
    return true;
  }

  /**
   * The next rows; null when there are no more.
   *
   * @throws io.aragonite.exec.error.AragoniteException FILE_BROKEN, FILE_UNSUPPORTED
   */
  @Nullable ColumnBatch next(QueryMemory memory, int wanted) {
    if (!decodeNext()) {
      return null;
    }
    List<@Nullable ColumnAssembly> made = new ArrayList<>();
    int count = 0;
    boolean whole = false;
    try {
      count = assemble(made, memory, wanted);
      whole = true;
    } finally {
      if (!whole) {
        made.stream().filter(Objects::nonNull).forEach(ColumnAssembly::free);
      }
    }
    List<Column> batch = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      ColumnAssembly column = i < made.size() ? made.get(i) : null;
      batch.add(
          column != null
              ? column.finish()
              : ConstantColumns.of(
                  i < places.size() ? none : folders.get(i - places.size()),
                  types.get(i),
                  count,
                  memory));
    }
    input.incRecordsRead(count);
    return new ColumnBatch(batch, count);
  }

  /** Puts rows of the part, and those that follow it, into columns; how many. */
  private int assemble(List<@Nullable ColumnAssembly> made, QueryMemory memory, int wanted) {
    int most = capacity(wanted);
    int count = 0;
    do {
      int more = count(Math.min(most - count, rows - done));
      if (count == 0) {
        for (int i = 0; i < columns.size(); i++) {
          ColumnCopy column = columns.get(i);
          made.add(
              column == null
                  ? null
                  : new ColumnAssembly(types.get(i), Math.max(most, more), memory));
        }
      } else if (!fits(made, more)) {
        break;
      }
      for (int i = 0; i < columns.size(); i++) {
        ColumnCopy column = columns.get(i);
        if (column != null) {
          Objects.requireNonNull(made.get(i)).add(column, done, more);
        }
      }
      done += more;
      count += more;
    } while (most - count >= FEW_ROWS && done == rows && decodeNext());
    return count;
  }

  /** Rows of a batch at most, of which there are as many in this part and those that follow. */
  private int capacity(int wanted) {
    int ofPart = rows - done;
    if (wanted <= ofPart) {
      return wanted;
    }
    long bytes = 1;
    for (ColumnCopy column : columns) {
      bytes += column == null ? 0 : column.bytes(done, ofPart);
    }
    long left = ofPart + parts.stream().mapToLong(FilePart::rows).sum();
    long fitting = Math.max(ofPart, (long) ((double) MOST_BYTES / bytes * ofPart));
    return (int) Math.min(Math.min(wanted, left), fitting);
  }

  /** Whether texts of more rows may follow those that there are. */
  private boolean fits(List<@Nullable ColumnAssembly> made, int more) {
    for (int i = 0; i < columns.size(); i++) {
      ColumnCopy column = columns.get(i);
      ColumnAssembly before = made.get(i);
      if (column != null
          && before != null
          && before.textBytes() + column.textBytes(done, more) > MOST_TEXT) {
        return false;
      }
    }
    return true;
  }

  /** Whether the part has rows left, or one with rows follows, which is decoded then. */
  private boolean decodeNext() {
    while (done == rows) {
      FilePart part = parts.poll();
      if (part == null) {
        return false;
      }
      decode(part);
    }
    return true;
  }

  /** How many rows a batch gets: fewer where texts are long, and all or a multiple of 64. */
  private int count(int most) {
    int count = most == rows - done ? most : Math.max(FEW_ROWS, most / FEW_ROWS * FEW_ROWS);
    for (ColumnCopy column : columns) {
      while (column != null && count > FEW_ROWS && column.textBytes(done, count) > MOST_TEXT) {
        count = Math.max(FEW_ROWS, count / 2 / FEW_ROWS * FEW_ROWS);
      }
    }
    return Math.min(count, rows - done);
  }

  private void decode(FilePart part) {
    forget();
    QueryMemory decoded = accounts.get();
    account = decoded;
    long bytes = 0;
    for (int i = 0; i < places.size(); i++) {
      int place = places.get(i);
      if (place == FileMatch.MISSING) {
        columns.add(null);
        continue;
      }
      Decoded column = part.read(place, decoded);
      columns.add(new ColumnCopy(column, types.get(i)));
      bytes += Math.max(0, part.fileBytes(place));
    }
    rows = part.rows();
    plan.metrics().bytes().add(bytes);
    input.incBytesRead(bytes);
  }

  /** Gives back what is decoded. */
  private void forget() {
    rows = 0;
    done = 0;
    columns.clear();
    QueryMemory open = account;
    account = null;
    if (open != null) {
      open.close();
    }
  }

  @Override
  public void close() {
    forget();
    file.close();
  }
}
