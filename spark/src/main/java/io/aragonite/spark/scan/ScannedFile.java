package io.aragonite.spark.scan;

import io.aragonite.adapter.format.PagedColumn;
import io.aragonite.adapter.format.TableFile.Decoded;
import io.aragonite.adapter.format.TableFile.FilePart;
import io.aragonite.adapter.format.parquet.ParquetFile;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.ExprColumns;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.table.Decodable;
import io.aragonite.exec.table.ZoneFilter;
import io.aragonite.exec.table.ZoneMap;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.spark.column.ConstantColumns;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
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
  /** Bytes of a batch at most, unless it has no more than {@link #FEW_ROWS}. */
  static final long MOST_BYTES = 1 << 26;

  /** Rows of a batch that need not be fewer. */
  private static final int FEW_ROWS = 64;

  private final ScanPlan plan;
  private final long mostBytes;
  private final ParquetFile file;
  private final List<Integer> places;
  private final List<ConstantColumnVector> folders = new ArrayList<>();
  private final ConstantColumnVector none = new ConstantColumnVector(1, DataTypes.NullType);
  private final Supplier<QueryMemory> accounts;
  private final InputMetrics input;
  private final Deque<GroupPart> parts = new ArrayDeque<>();

  /** The row groups that are read, by their numbers among those of the split. */
  private final BitSet chosen = new BitSet();

  private List<ColumnShape> shapes;

  /** By column: the codes of a row group's texts in its dictionary; null: the column has none. */
  private final List<@Nullable List<int[]>> codes;

  private @Nullable QueryMemory account;

  /**
   * Rows of a row group.
   *
   * @param group among those that are read
   */
  private record GroupPart(FilePart part, int group) {}

  /** Of the part that is read: the columns of files, null where the file has none. */
  private final List<@Nullable ColumnCopy> columns = new ArrayList<>();

  private int rows;
  private int done;

  /** Columns of the last batch that are the part's. */
  private final BitSet owned = new BitSet();

  /**
   * @param types the engine's types of all columns that come out
   * @param places of the wanted columns in the file
   * @param folder the values that names of folders give
   * @param accounts open accounts for what is decoded
   * @param mostBytes of a batch, unless it has few rows
   */
  ScannedFile(
      ScanPlan plan,
      List<DataType> types,
      ParquetFile file,
      List<Integer> places,
      InternalRow folder,
      Supplier<QueryMemory> accounts,
      InputMetrics input,
      long mostBytes) {
    this.plan = plan;
    this.mostBytes = mostBytes;
    this.shapes = types.stream().map(ColumnShape::of).toList();
    this.codes = new ArrayList<>(Collections.nCopies(places.size(), null));
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
    choose();
  }

  /** The row groups, and the parts of them, that may have wanted rows. */
  private void choose() {
    for (int i = 0; i < file.rowGroups().size(); i++) {
      List<FilePart> group = file.rowGroups().get(i);
      boolean wanted =
          plan.filters().stream()
              .allMatch(
                  filter -> ZoneFilter.mayMatch(filter, column -> zone(group.getFirst(), column)));
      (wanted ? plan.metrics().rowGroups() : plan.metrics().rowGroupsLeftOut()).add(1);
      if (wanted) {
        int number = chosen.cardinality();
        chosen.set(i);
        for (FilePart part : group) {
          if (mayMatch(part)) {
            parts.add(new GroupPart(part, number));
          }
        }
      }
    }
  }

  /** Rows that may be wanted. */
  long rows() {
    return parts.stream().mapToLong(part -> part.part().rows()).sum();
  }

  /** Row groups that are read. */
  int groups() {
    return chosen.cardinality();
  }

  /** Whether a column comes out of files, and not of the names of folders. */
  boolean isOfFile(int column) {
    return column < places.size();
  }

  /** A column of the row groups that are read, as the file has it. */
  Decodable<PagedColumn> encoded(int column) {
    int place = places.get(column);
    return place == FileMatch.MISSING
        ? Decodable.byHost("files that lack it")
        : file.encoded(place, chosen);
  }

  /**
   * Has a column come out as codes. Before any rows have.
   *
   * @param shape with a dictionary
   * @param ofGroups by row group that is read and number in its dictionary
   */
  void encode(int column, ColumnShape shape, List<int[]> ofGroups) {
    List<ColumnShape> with = new ArrayList<>(shapes);
    with.set(column, shape);
    shapes = List.copyOf(with);
    codes.set(column, ofGroups);
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
    // A device that wants more than the part has gets rows of several parts at once.
    boolean ofPart = wanted <= rows;
    List<@Nullable Column> lying = new ArrayList<>();
    int count = 0;
    boolean whole = false;
    try {
      count = ofPart ? ofPart(lying, made, memory, wanted) : assemble(made, memory, wanted);
      whole = true;
    } finally {
      if (!whole) {
        made.stream().filter(Objects::nonNull).forEach(ColumnAssembly::free);
      }
    }
    List<Column> batch = new ArrayList<>();
    owned.clear();
    for (int i = 0; i < shapes.size(); i++) {
      Column own = i < lying.size() ? lying.get(i) : null;
      ColumnAssembly column = i < made.size() ? made.get(i) : null;
      owned.set(i, own != null);
      batch.add(
          own != null
              ? own
              : column != null
                  ? column.finish()
                  : ConstantColumns.of(
                      i < places.size() ? none : folders.get(i - places.size()),
                      shapes.get(i).type(),
                      count,
                      memory));
    }
    input.incRecordsRead(count);
    return new ColumnBatch(batch, count);
  }

  /** Whether a column of the last batch is a part's, which goes when the next one is asked for. */
  boolean owns(int column) {
    return owned.get(column);
  }

  /**
   * Takes rows of the part, where they lie if they can be had so; how many.
   *
   * @param lying gets the columns that are so, and null for others
   * @param made gets these
   */
  private int ofPart(
      List<@Nullable Column> lying,
      List<@Nullable ColumnAssembly> made,
      QueryMemory memory,
      int wanted) {
    int capacity = Math.min(Math.max(FEW_ROWS, wanted / FEW_ROWS * FEW_ROWS), rows - done);
    for (int i = 0; i < columns.size(); i++) {
      ColumnCopy column = columns.get(i);
      made.add(
          column == null || column.lies()
              ? null
              : new ColumnAssembly(shapes.get(i), capacity, memory));
    }
    int count = Math.max(fitting(made, capacity), Math.min(FEW_ROWS, capacity));
    for (int i = 0; i < columns.size(); i++) {
      ColumnCopy column = columns.get(i);
      ColumnAssembly into = made.get(i);
      lying.add(column != null && into == null ? column.slice(done, count) : null);
      if (column != null && into != null) {
        into.add(column, done, count, left(made, count, i));
      }
    }
    done += count;
    return count;
  }

  /** Puts rows of the part, and those that follow it, into columns; how many. */
  private int assemble(List<@Nullable ColumnAssembly> made, QueryMemory memory, int wanted) {
    int capacity = capacity(wanted);
    for (int i = 0; i < columns.size(); i++) {
      made.add(
          columns.get(i) == null ? null : new ColumnAssembly(shapes.get(i), capacity, memory));
    }
    int count = 0;
    do {
      int more = fitting(made, Math.min(capacity - count, rows - done));
      if (count == 0) {
        more = Math.max(more, Math.min(FEW_ROWS, rows - done));
      } else if (more == 0) {
        break;
      }
      for (int i = 0; i < columns.size(); i++) {
        ColumnCopy column = columns.get(i);
        if (column != null) {
          Objects.requireNonNull(made.get(i)).add(column, done, more, left(made, more, i));
        }
      }
      done += more;
      count += more;
    } while (capacity - count >= FEW_ROWS && done == rows && decodeNext());
    return count;
  }

  /** Rows of a batch at most, of which there are as many in this part and those that follow. */
  private int capacity(int wanted) {
    int ofPart = rows - done;
    int first = Math.min(Math.max(wanted, FEW_ROWS), ofPart);
    long bytes = 1;
    for (ColumnCopy column : columns) {
      bytes += column == null ? 0 : column.bytes(done, first);
    }
    // Those to come are taken to have texts as long as these.
    long fitting = (long) ((double) mostBytes / bytes * first);
    long most = first < ofPart ? first : Math.max(first, Math.min(wanted, ofPart + rows()));
    return (int) Math.clamp(fitting, Math.min(FEW_ROWS, first), most);
  }

  /**
   * Bytes that are left of a batch's when it gets further rows.
   *
   * @param from the first column that does not have these rows yet
   */
  private long left(List<@Nullable ColumnAssembly> made, int more, int from) {
    long left = mostBytes;
    for (int i = 0; i < columns.size(); i++) {
      ColumnCopy column = columns.get(i);
      ColumnAssembly into = made.get(i);
      if (column != null && into != null) {
        left -= into.bytes() + (i < from ? 0 : into.missing(column, done, more));
      }
    }
    return left;
  }

  /** How many rows of the part a batch has room for: all that are asked for, or a multiple of 64. */
  private int fitting(List<@Nullable ColumnAssembly> made, int most) {
    int count = most == rows - done ? most : most / FEW_ROWS * FEW_ROWS;
    while (count > 0 && left(made, count, 0) < 0) {
      count = count / 2 / FEW_ROWS * FEW_ROWS;
    }
    return count;
  }

  /** Whether the part has rows left, or one with rows follows, which is decoded then. */
  private boolean decodeNext() {
    while (done == rows) {
      GroupPart part = parts.poll();
      if (part == null) {
        return false;
      }
      decode(part);
    }
    return true;
  }

  private void decode(GroupPart next) {
    FilePart part = next.part();
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
      List<int[]> ofGroups = codes.get(i);
      columns.add(
          new ColumnCopy(
              column, shapes.get(i), ofGroups == null ? null : ofGroups.get(next.group())));
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
