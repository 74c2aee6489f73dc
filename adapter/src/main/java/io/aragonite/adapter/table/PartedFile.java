package io.aragonite.adapter.table;

import io.aragonite.adapter.format.ColumnNames;
import io.aragonite.adapter.format.ColumnWidening;
import io.aragonite.adapter.format.CommonType;
import io.aragonite.adapter.format.CutTimes;
import io.aragonite.adapter.format.FileColumn;
import io.aragonite.adapter.format.JoinedPages;
import io.aragonite.adapter.format.PagedColumn;
import io.aragonite.adapter.format.TableFile;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.table.Decodable;
import io.aragonite.exec.table.ZoneMap;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Several files as one table, one behind the other. Columns are matched by their names, whatever
 * their case; one that a file lacks is null there, and one that files have in different types has
 * the type that holds all of them. Folders {@code key=value} are columns, and stand for what a file
 * has under the same name.
 */
final class PartedFile implements TableFile {
  private final List<TableFile> files;
  private final PartitionColumns partitions;
  private final List<FileColumn> columns;

  /** By file and column: its place in the file, or -1 if the file has none. */
  private final int[][] places;

  private final LoadWorkers workers;
  private final boolean owner;
  private final CutTimes cutTimes;
  private final @Nullable Function<Expr, @Nullable BitSet> selection;
  private @Nullable List<FilePart> parts;

  /**
   * @param paths where the files are, for messages
   * @param files closed with this one
   */
  static PartedFile of(
      List<Path> paths, List<TableFile> files, PartitionColumns partitions, LoadWorkers workers) {
    return new Union(paths, files, partitions).table(workers);
  }

  /**
   * Files that all have the columns of their table.
   *
   * @param files closed with this one
   * @param selection the files that may have rows for which a condition is true
   */
  static PartedFile ofTable(
      List<FileColumn> columns,
      List<? extends TableFile> files,
      Function<Expr, @Nullable BitSet> selection,
      LoadWorkers workers) {
    int[][] places = new int[files.size()][];
    Arrays.fill(places, IntStream.range(0, columns.size()).toArray());
    return new PartedFile(
        List.copyOf(files),
        PartitionColumns.none(files.size()),
        columns,
        places,
        workers,
        true,
        new CutTimes(),
        selection);
  }

  private PartedFile(
      List<TableFile> files,
      PartitionColumns partitions,
      List<FileColumn> columns,
      int[][] places,
      LoadWorkers workers,
      boolean owner,
      CutTimes cutTimes,
      @Nullable Function<Expr, @Nullable BitSet> selection) {
    this.files = files;
    this.partitions = partitions;
    this.columns = columns;
    this.places = places;
    this.workers = workers;
    this.owner = owner;
    this.cutTimes = cutTimes;
    this.selection = selection;
  }

  /**
   * Some of the files, in the same columns. It is to be closed before this one, which closes the
   * files.
   */
  PartedFile subset(BitSet chosen) {
    int[] which = chosen.stream().toArray();
    return new PartedFile(
        Arrays.stream(which).mapToObj(files::get).toList(),
        new PartitionColumns(
            partitions.columns(), Arrays.stream(which).mapToObj(partitions.values()::get).toList()),
        columns,
        Arrays.stream(which).mapToObj(i -> places[i]).toArray(int[][]::new),
        workers,
        false,
        cutTimes,
        null);
  }

  /**
   * The files that may have rows for which a condition over the columns is true, as far as that is
   * known without opening them; null if nothing is.
   */
  @Nullable BitSet matching(Expr condition) {
    return selection == null ? null : selection.apply(condition);
  }

  int fileCount() {
    return files.size();
  }

  /** What the folders of the files say; its columns are the last ones. */
  PartitionColumns partitions() {
    return partitions;
  }

  @Override
  public List<FileColumn> columns() {
    return columns;
  }

  @Override
  public long rows() {
    List<TableFile> unopened = files.stream().filter(TableFile::opensForRows).toList();
    workers.forEach(unopened.size(), i -> unopened.get(i).parts());
    return files.stream().mapToLong(TableFile::rows).sum();
  }

  @Override
  public synchronized List<FilePart> parts() {
    if (parts == null) {
      List<List<FilePart>> all = new ArrayList<>();
      files.forEach(file -> all.add(List.of()));
      workers.forEach(files.size(), i -> all.set(i, files.get(i).parts()));
      List<FilePart> joined = new ArrayList<>();
      for (int i = 0; i < all.size(); i++) {
        for (int p = 0; p < all.get(i).size(); p++) {
          joined.add(new Part(i, p, all.get(i).get(p)));
        }
      }
      parts = List.copyOf(joined);
    }
    return parts;
  }

  @Override
  public Decodable<PagedColumn> encoded(int column) {
    List<PagedColumn> all = new ArrayList<>();
    for (int i = 0; i < files.size(); i++) {
      int place = same(i, column);
      if (place < 0) {
        return Decodable.byHost(
            key(column) >= 0 ? "" : "files that lack it or have it as another type");
      }
      Decodable<PagedColumn> own = files.get(i).encoded(place);
      if (!own.present()) {
        return own;
      }
      all.add(own.get());
    }
    return all.isEmpty() ? Decodable.byHost("") : JoinedPages.of(all);
  }

  /** The place of a column in a file that has it in the table's type; -1 if it has not. */
  private int same(int file, int column) {
    DataType type = columns.get(column).type();
    int place = key(column) >= 0 ? -1 : places[file][column];
    DataType own = place < 0 ? null : files.get(file).columns().get(place).type();
    return type != null && own != null && own.sameAs(type) ? place : -1;
  }

  @Override
  public boolean copies() {
    return files.stream().allMatch(TableFile::copies);
  }

  @Override
  public boolean cutsTimes(int column) {
    return cutTimes.contains(column);
  }

  @Override
  public @Nullable String notice() {
    return files.stream().map(TableFile::notice).filter(Objects::nonNull).findFirst().orElse(null);
  }

  @Override
  public void forget(int part) {
    if (parts().get(part) instanceof Part mine) {
      files.get(mine.file).forget(mine.index);
    }
  }

  /** Files of a part are the whole's to give up. */
  @Override
  public long giveUpCopies() {
    return owner ? files.stream().mapToLong(TableFile::giveUpCopies).sum() : 0;
  }

  @Override
  public void close() {
    if (owner) {
      files.forEach(TableFile::close);
    }
  }

  /** The number of a column that folders say; negative for others. */
  private int key(int column) {
    return column - (columns.size() - partitions.columns().size());
  }

  /** A part of one of the files. */
  private final class Part implements FilePart {
    private final int file;
    private final int index;
    private final FilePart part;

    Part(int file, int index, FilePart part) {
      this.file = file;
      this.index = index;
      this.part = part;
    }

    @Override
    public int rows() {
      return part.rows();
    }

    @Override
    public Decoded read(int column, QueryMemory temporary) {
      DataType type = Objects.requireNonNull(columns.get(column).type());
      int key = key(column);
      if (key >= 0) {
        Object value = partitions.values().get(file).get(key);
        return ColumnWidening.constant(type, value, rows(), temporary);
      }
      int place = places[file][column];
      if (place < 0) {
        return ColumnWidening.constant(type, null, rows(), temporary);
      }
      DataType own = Objects.requireNonNull(files.get(file).columns().get(place).type());
      Decoded decoded = read(column, place, temporary, 0, Storage.of(own));
      return own.sameAs(type) ? decoded : ColumnWidening.widen(decoded, own, type, temporary);
    }

    @Override
    public Decoded read(int column, QueryMemory temporary, long target, Storage storage) {
      int place = same(column);
      return place < 0 ? read(column, temporary) : read(column, place, temporary, target, storage);
    }

    private Decoded read(
        int column, int place, QueryMemory temporary, long target, Storage storage) {
      Decoded decoded = part.read(place, temporary, target, storage);
      if (files.get(file).cutsTimes(place)) {
        cutTimes.add(column);
      }
      return decoded;
    }

    private int same(int column) {
      return PartedFile.this.same(file, column);
    }

    @Override
    public ZoneMap zone(int column) {
      int key = key(column);
      if (key >= 0) {
        return constant(partitions.values().get(file).get(key));
      }
      if (places[file][column] < 0) {
        return constant(null);
      }
      int place = same(column);
      return place < 0 ? ZoneMap.unknown(rows()) : part.zone(place);
    }

    private ZoneMap constant(@Nullable Object value) {
      Object bound = value instanceof LocalDate date ? (Object) date.toEpochDay() : value;
      return new ZoneMap(rows(), bound == null ? rows() : 0, bound, bound, false);
    }

    @Override
    public List<ZoneMap> zones(int column) {
      int place = same(column);
      return place < 0 ? List.of(zone(column)) : part.zones(place);
    }

    @Override
    public boolean mayHave(int column, Object value) {
      int place = same(column);
      return place < 0 || part.mayHave(place, value);
    }

    @Override
    public @Nullable FilePart rows(int from, int to) {
      FilePart some = part.rows(from, to);
      return some == null ? null : new Part(file, index, some);
    }

    @Override
    public void prefetch(List<Integer> wanted) {
      part.prefetch(
          wanted.stream()
              .filter(column -> key(column) < 0 && places[file][column] >= 0)
              .map(column -> places[file][column])
              .toList());
    }

    @Override
    public long textBytes(int column) {
      int place = same(column);
      return place < 0 ? -1 : part.textBytes(place);
    }

    @Override
    public long fileBytes(int column) {
      int place = key(column) >= 0 ? -1 : places[file][column];
      return place < 0 ? 0 : part.fileBytes(place);
    }
  }

  /** Finds the columns that files have together. */
  private static final class Union {
    private final List<Path> paths;
    private final List<TableFile> files;
    private final PartitionColumns partitions;
    private final Map<String, Integer> numbers = new HashMap<>();
    private final List<FileColumn> columns = new ArrayList<>();
    private final List<Path> seenIn = new ArrayList<>();

    Union(List<Path> paths, List<TableFile> files, PartitionColumns partitions) {
      this.paths = paths;
      this.files = files;
      this.partitions = partitions;
    }

    PartedFile table(LoadWorkers workers) {
      int[][] found = new int[files.size()][];
      for (int i = 0; i < found.length; i++) {
        found[i] = add(i);
      }
      int[][] places = new int[found.length][columns.size()];
      int[] holders = new int[columns.size()];
      for (int i = 0; i < found.length; i++) {
        Arrays.fill(places[i], -1);
        for (int place = 0; place < found[i].length; place++) {
          if (found[i][place] >= 0) {
            places[i][found[i][place]] = place;
            holders[found[i][place]]++;
          }
        }
      }
      List<FileColumn> all = new ArrayList<>();
      for (int c = 0; c < holders.length; c++) {
        FileColumn column = columns.get(c);
        boolean lacking = holders[c] < files.size();
        all.add(
            lacking && column.type() != null
                ? column.of(column.name(), column.type().withNullable(true))
                : column);
      }
      all.addAll(partitions.columns());
      return new PartedFile(
          List.copyOf(files),
          partitions,
          List.copyOf(all),
          places,
          workers,
          true,
          new CutTimes(),
          null);
    }

    /** Adds a file's columns; the numbers of those that it has, by their places in it. */
    private int[] add(int file) {
      List<FileColumn> own = files.get(file).columns();
      List<String> names = ColumnNames.distinct(own.stream().map(FileColumn::name).toList());
      int[] found = new int[own.size()];
      for (int place = 0; place < found.length; place++) {
        String name = names.get(place);
        if (partitions.columns().stream().anyMatch(key -> key.name().equalsIgnoreCase(name))) {
          found[place] = -1;
          continue;
        }
        FileColumn column = own.get(place).of(name, own.get(place).type());
        Integer known = numbers.putIfAbsent(name.toLowerCase(Locale.ROOT), columns.size());
        if (known == null) {
          found[place] = columns.size();
          columns.add(column);
          seenIn.add(paths.get(file));
        } else {
          found[place] = known;
          columns.set(known, common(known, column, paths.get(file)));
        }
      }
      return found;
    }

    private FileColumn common(int number, FileColumn column, Path path) {
      FileColumn known = columns.get(number);
      DataType a = known.type();
      DataType b = column.type();
      if (a == null || b == null) {
        return a == null ? known : new FileColumn(known.name(), null, column.fileType());
      }
      DataType common = CommonType.of(a, b);
      if (common == null || !Objects.equals(known.nested(), column.nested())) {
        throw new AragoniteException(
            ErrorCode.FILE_BROKEN,
            "Column \"%s\" is %s in %s and %s in %s, which no type holds together; read them apart, with a cast in one of the queries."
                .formatted(
                    known.name(), known.fileType(), seenIn.get(number), column.fileType(), path));
      }
      FileColumn made =
          a.kind() == TypeKind.NULL
              ? column.of(known.name(), common)
              : known.of(known.name(), common);
      boolean uuids =
          (known.uuid() || a.kind() == TypeKind.NULL)
              && (column.uuid() || b.kind() == TypeKind.NULL);
      return uuids ? made : made.ofTexts();
    }
  }
}
