package io.aragonite.adapter.format.parquet;

import static io.aragonite.exec.page.MalformedPageException.present;

import io.aragonite.adapter.format.CutTimes;
import io.aragonite.adapter.format.FileColumn;
import io.aragonite.adapter.format.FileErrors;
import io.aragonite.adapter.format.FileKinds;
import io.aragonite.adapter.format.FileScope;
import io.aragonite.adapter.format.PagedColumn;
import io.aragonite.adapter.format.TableFile;
import io.aragonite.adapter.format.parquet.NestedNode.LeafNode;
import io.aragonite.adapter.format.parquet.ParquetPagedColumn.GroupPlace;
import io.aragonite.adapter.remote.ByteRange;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.page.MalformedPageException;
import io.aragonite.exec.spill.file.SpillSpace;
import io.aragonite.exec.table.Decodable;
import io.aragonite.exec.table.ZoneMap;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.PageEncodingStats;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.RowGroup;
import org.jspecify.annotations.Nullable;

/**
 * A Parquet file, or a folder of them with the same columns, as a table. Files are mapped into
 * memory; a part is a row group, or some rows of a large one.
 */
public final class ParquetFile implements TableFile {
  private final CutTimes cutTimes = new CutTimes();
  private static final int PART_ROWS = 1 << 17;
  private static final int MOST_PARTS = 8;

  /** Bytes of a column in a part of a split, about: a task that reads it has little memory. */
  private static final long SPLIT_PART_BYTES = 8 << 20;

  private final List<Footer> files = new ArrayList<>();
  private final List<FileColumn> columns;
  private final List<FilePart> parts = new ArrayList<>();

  /** The same parts by row group. */
  private final List<List<FilePart>> groups = new ArrayList<>();

  /** Where the same row groups are. */
  private final List<GroupPlace> places = new ArrayList<>();

  /**
   * @param path a file, or a folder whose files that end in {@code .parquet} are the table's parts
   *     in the order of their names
   * @throws AragoniteException FILE_BROKEN, FILE_UNSUPPORTED
   */
  public static ParquetFile open(Path path) {
    return new ParquetFile(path, PART_ROWS, Long.MAX_VALUE, null, group -> true);
  }

  /**
   * The row groups of a local file whose middle lies in a range of its bytes: those of one split of
   * a file that others have planned. So each row group is one split's.
   *
   * @param from the first byte
   * @param to behind the last
   * @throws AragoniteException FILE_BROKEN, FILE_UNSUPPORTED
   */
  public static ParquetFile openSplit(Path path, long from, long to) {
    return new ParquetFile(
        path,
        PART_ROWS,
        SPLIT_PART_BYTES,
        null,
        group -> {
          long middle = Footer.middle(group);
          return middle >= from && middle < to;
        });
  }

  /**
   * The same for files that may be remote ones.
   *
   * @param space where copies of them are
   */
  public static ParquetFile open(Path path, SpillSpace space) {
    return new ParquetFile(path, PART_ROWS, Long.MAX_VALUE, space, group -> true);
  }

  /** Whether a file is a part of a folder's table by its name. */
  public static boolean isPart(Path path) {
    String name = String.valueOf(path.getFileName());
    return name.toLowerCase(Locale.ROOT).endsWith(".parquet")
        && !name.startsWith("_")
        && !name.startsWith(".");
  }

  /**
   * @param leastRows rows of a part that is not a whole row group
   */
  ParquetFile(Path path, int leastRows) {
    this(path, leastRows, Long.MAX_VALUE, null, group -> true);
  }

  /**
   * @param mostBytes bytes of a column in a part, about, as far as its pages let it be cut
   */
  private ParquetFile(
      Path path,
      int leastRows,
      long mostBytes,
      @Nullable SpillSpace space,
      Predicate<RowGroup> wanted) {
    boolean done = false;
    try {
      for (Path part : paths(path)) {
        files.add(new Footer(part, space));
      }
      columns = commonColumns();
      for (Footer file : files) {
        addParts(file, leastRows, mostBytes, wanted);
      }
      done = true;
    } finally {
      if (!done) {
        close();
      }
    }
  }

  private void addParts(Footer file, int leastRows, long mostBytes, Predicate<RowGroup> wanted) {
    try {
      for (int g = 0; g < file.rowGroups().size(); g++) {
        if (wanted.test(file.rowGroups().get(g))) {
          int known = parts.size();
          addParts(file, g, leastRows, mostBytes);
          groups.add(List.copyOf(parts.subList(known, parts.size())));
          places.add(new GroupPlace(file, g));
        }
      }
    } catch (MalformedPageException e) {
      throw file.broken(String.valueOf(e.getMessage()), e);
    }
  }

  /**
   * Cuts a row group into parts. Pages at a cut are decoded for both sides, and a column of few
   * pages more often than that, so that there are at most {@link #MOST_PARTS} unless bytes ask for
   * more.
   */
  private void addParts(Footer file, int index, int leastRows, long mostBytes) {
    RowGroup group = file.rowGroups().get(index);
    int rows = (int) group.getNum_rows();
    long bytes = Math.ceilDiv(widestBytes(file, group), mostBytes);
    long pieces =
        Math.min(
            Math.max(Math.min(rows / leastRows, MOST_PARTS), bytes), mostPages(file, group) / 2);
    int step = (int) Math.max(64, (rows / Math.max(1, pieces) + 63) & ~63L);
    int from = 0;
    do {
      int to = (int) Math.min(rows, (long) from + step);
      parts.add(new Rows(file, index, from, to));
      from = to;
    } while (from < rows);
  }

  /** The bytes of the column that has most, as far as the file tells. */
  private static long widestBytes(Footer file, RowGroup group) {
    long most = 0;
    for (ParquetColumn column : file.columns()) {
      ColumnMetaData data =
          present(group.getColumns(), "a row group's columns").get(column.leaf()).getMeta_data();
      if (column.physical() != null && data != null) {
        most = Math.max(most, data.getTotal_uncompressed_size());
      }
    }
    return most;
  }

  /** The data pages of the column that has most, as far as the file tells. */
  private static int mostPages(Footer file, RowGroup group) {
    int most = 0;
    for (ParquetColumn column : file.columns()) {
      ColumnMetaData data =
          present(group.getColumns(), "a row group's columns").get(column.leaf()).getMeta_data();
      List<PageEncodingStats> stats = data == null ? null : data.getEncoding_stats();
      if (column.physical() == null || stats == null) {
        continue;
      }
      int pages = 0;
      for (PageEncodingStats stat : stats) {
        boolean values =
            stat.getPage_type() == PageType.DATA_PAGE
                || stat.getPage_type() == PageType.DATA_PAGE_V2;
        pages += values ? Math.clamp(stat.getCount(), 0, 1 << 20) : 0;
      }
      most = Math.max(most, pages);
    }
    return most;
  }

  private static List<Path> paths(Path path) {
    List<Path> paths = new ArrayList<>();
    try {
      if (!FileKinds.isFolder(path)) {
        return List.of(path);
      }
      try (Stream<Path> entries = Files.list(path)) {
        for (Path entry : entries.filter(ParquetFile::isPart).sorted().toList()) {
          if (FileKinds.isFile(entry)) {
            paths.add(entry);
          }
        }
      } catch (UncheckedIOException e) {
        throw e.getCause();
      }
    } catch (IOException e) {
      throw new AragoniteException(
          ErrorCode.FILE_BROKEN,
          "%s cannot be read: %s; check its permissions".formatted(path, FileErrors.reason(e)),
          e);
    }
    paths.forEach(part -> FileScope.requireInside(path, part));
    if (paths.isEmpty()) {
      throw new AragoniteException(
          ErrorCode.FILE_BROKEN,
          "Folder %s has no file that ends in .parquet; put the table's parts there"
              .formatted(path));
    }
    return paths;
  }

  /** The columns that all files have; one that can be null in any of them is nullable. */
  private List<FileColumn> commonColumns() {
    List<FileColumn> common =
        new ArrayList<>(files.getFirst().columns().stream().map(ParquetColumn::column).toList());
    for (Footer file : files.subList(1, files.size())) {
      if (file.columns().size() != common.size()) {
        throw file.broken(
            "it has %,d columns, %s has %,d"
                .formatted(file.columns().size(), files.getFirst().path(), common.size()),
            null);
      }
      for (int i = 0; i < common.size(); i++) {
        FileColumn first = common.get(i);
        FileColumn other = file.columns().get(i).column();
        if (!first.name().equals(other.name()) || !sameType(first, other)) {
          throw file.broken(
              "its column %d is \"%s\" %s, in %s it is \"%s\" %s"
                  .formatted(
                      i + 1,
                      other.name(),
                      other.fileType(),
                      files.getFirst().path(),
                      first.name(),
                      first.fileType()),
              null);
        }
        if (other.type() != null && other.type().nullable()) {
          common.set(i, other);
        }
      }
    }
    return List.copyOf(common);
  }

  private static boolean sameType(FileColumn one, FileColumn other) {
    DataType a = one.type();
    DataType b = other.type();
    boolean same = a == null ? b == null : b != null && a.sameAs(b);
    return same && Objects.equals(one.nested(), other.nested());
  }

  @Override
  public List<FileColumn> columns() {
    return columns;
  }

  /**
   * The numbers that a file gives its columns, by place: of each its own, 0 if it has none, and
   * then those of the fields in it, depth first.
   */
  public List<List<Integer>> fieldIds() {
    return files.getFirst().columns().stream().map(ParquetColumn::ids).toList();
  }

  @Override
  public boolean cutsTimes(int column) {
    return cutTimes.contains(column);
  }

  @Override
  public List<FilePart> parts() {
    return parts;
  }

  /** The parts of each row group. */
  public List<List<FilePart>> rowGroups() {
    return groups;
  }

  /** What the writer has noted under a key, in the first file; null: nothing. */
  public @Nullable String note(String key) {
    return files.getFirst().note(key);
  }

  @Override
  public Decodable<PagedColumn> encoded(int column) {
    return encoded(column, places);
  }

  /**
   * The same of some row groups.
   *
   * @param chosen places among {@link #rowGroups}, ascending
   */
  public Decodable<PagedColumn> encoded(int column, BitSet chosen) {
    return encoded(column, chosen.stream().mapToObj(places::get).toList());
  }

  private Decodable<PagedColumn> encoded(int column, List<GroupPlace> chosen) {
    DataType type = columns.get(column).type();
    return type == null ? Decodable.byHost("") : ParquetPagedColumn.of(files, chosen, column, type);
  }

  @Override
  public boolean copies() {
    return true;
  }

  @Override
  public long giveUpCopies() {
    return files.stream().mapToLong(file -> file.mapping().giveUp()).sum();
  }

  @Override
  public void close() {
    files.forEach(Footer::close);
  }

  /** Rows of a row group, or all of them. */
  private final class Rows implements FilePart {
    private final Footer file;
    private final int index;
    private final RowGroup group;
    private final int from;
    private final int to;

    Rows(Footer file, int index, int from, int to) {
      this.file = file;
      this.index = index;
      this.group = file.rowGroups().get(index);
      this.from = from;
      this.to = to;
    }

    @Override
    public int rows() {
      return to - from;
    }

    @Override
    public Decoded read(int column, QueryMemory temporary) {
      return read(column, temporary, 0, Storage.of(type(column)));
    }

    private DataType type(int column) {
      FileColumn declared = columns.get(column);
      return Objects.requireNonNull(declared.type(), () -> declared.name() + " cannot be read");
    }

    @Override
    public Decoded read(int column, QueryMemory temporary, long target, Storage storage) {
      DataType type = type(column);
      if (type.kind() == TypeKind.NULL) {
        return new Decoded(
            new Column(ColumnShape.of(type), rows(), Buffer.EMPTY, Buffer.EMPTY, null, null),
            () -> {});
      }
      try {
        Decoded decoded = decode(column, type, temporary, target, storage);
        return decoded != null
            ? decoded
            : Objects.requireNonNull(decode(column, type, temporary, 0, Storage.of(type)));
      } catch (MalformedPageException e) {
        throw file.broken(columns.get(column).name(), index, e);
      }
    }

    @Override
    public ZoneMap zone(int column) {
      ParquetColumn declared = file.columns().get(column);
      DataType type = columns.get(column).type();
      ColumnMetaData data = data(declared);
      if (type == null || data == null || declared.nested() != null) {
        return ZoneMap.unknown(rows());
      }
      if (type.kind() == TypeKind.NULL) {
        return new ZoneMap(rows(), rows(), null, null, false);
      }
      return bounds(declared, type).of(data.getStatistics(), group.getNum_rows());
    }

    @Override
    public boolean mayHave(int column, Object value) {
      ParquetColumn declared = file.columns().get(column);
      ColumnMetaData data = data(declared);
      return data == null
          || declared.nested() != null
          || chunk(declared).isSetCrypto_metadata()
          || BloomFilter.mayHave(file, data, declared, value);
    }

    private ColumnBounds bounds(ParquetColumn column, DataType type) {
      return new ColumnBounds(column, type, file.ordered(column.leaf()));
    }

    @Override
    public List<ZoneMap> zones(int column) {
      ParquetColumn declared = file.columns().get(column);
      DataType type = columns.get(column).type();
      ColumnChunk chunk = chunk(declared);
      boolean indexed = chunk.isSetColumn_index_offset() && chunk.isSetOffset_index_offset();
      PageIndex index =
          type == null
                  || type.kind() == TypeKind.NULL
                  || declared.nested() != null
                  || !indexed
                  || chunk.isSetCrypto_metadata()
              ? null
              : PageIndex.of(file, chunk, bounds(declared, type), (int) group.getNum_rows());
      return index == null ? List.of(zone(column).part(rows())) : index.zones(from, to);
    }

    @Override
    public FilePart rows(int first, int end) {
      return new Rows(file, index, from + first, from + end);
    }

    private ColumnChunk chunk(ParquetColumn column) {
      return present(group.getColumns(), "a row group's columns").get(column.leaf());
    }

    @Override
    public long fileBytes(int column) {
      ParquetColumn declared = file.columns().get(column);
      long share = group.getNum_rows() == 0 ? 1 : group.getNum_rows();
      long bytes = 0;
      List<ColumnChunk> chunks = present(group.getColumns(), "a row group's columns");
      for (int i = 0; i < declared.leaves(); i++) {
        ColumnMetaData data = chunks.get(declared.leaf() + i).getMeta_data();
        bytes += data == null ? 0 : data.getTotal_compressed_size();
      }
      return (long) ((double) bytes * rows() / share);
    }

    @Override
    public long textBytes(int column) {
      ParquetColumn declared = file.columns().get(column);
      ColumnMetaData data = data(declared);
      boolean whole = from == 0 && to == group.getNum_rows();
      return !whole
              || data == null
              || declared.nested() != null
              || declared.conversion() == null
              || !declared.conversion().isVariable()
          ? -1
          : ChunkReader.textBytes(data);
    }

    @Override
    public void prefetch(List<Integer> wanted) {
      if (file.mapping().isRemote()) {
        try {
          file.mapping().prefetch(ranges(wanted));
        } catch (MalformedPageException e) {
          // Whoever reads the column says so, with its name.
        }
      }
    }

    private List<ByteRange> ranges(List<Integer> wanted) {
      List<ColumnChunk> chunks = present(group.getColumns(), "a row group's columns");
      List<ByteRange> ranges = new ArrayList<>();
      for (int number : wanted) {
        ParquetColumn declared = file.columns().get(number);
        for (int i = 0; i < declared.leaves(); i++) {
          ColumnMetaData data = chunks.get(declared.leaf() + i).getMeta_data();
          if (data != null) {
            ranges.add(Pages.of(data, file.address(), file.dataEnd()).range(file.address()));
          }
        }
      }
      return ranges;
    }

    private @Nullable ColumnMetaData data(ParquetColumn column) {
      return present(group.getColumns(), "a row group's columns").get(column.leaf()).getMeta_data();
    }

    /** Null if the storage does not hold all values. */
    private @Nullable Decoded decode(
        int number, DataType type, QueryMemory temporary, long target, Storage storage) {
      ParquetColumn column = file.columns().get(number);
      NestedNode nested = column.nested();
      if (nested != null) {
        return assemble(number, nested, type, temporary);
      }
      ColumnMetaData data = readable(column, chunk(column));
      try (ChunkReader reader =
          new ChunkReader(
              column,
              type,
              Objects.requireNonNull(column.physical()),
              Objects.requireNonNull(column.conversion()),
              data,
              file.pages(data),
              (int) group.getNum_rows(),
              from,
              to,
              temporary,
              target,
              storage)) {
        Decoded decoded = reader.read();
        if (reader.overflows()) {
          return null;
        }
        if (reader.cut()) {
          cutTimes.add(number);
        }
        return decoded;
      }
    }

    private Decoded assemble(int number, NestedNode nested, DataType type, QueryMemory temporary) {
      List<LeafReader> readers = new ArrayList<>();
      try {
        for (LeafNode leaf : nested.leaves()) {
          ColumnMetaData data = readable(file.columns().get(number), chunk(leaf.column()));
          Pages pages = file.pages(data);
          LeafReader reader = new LeafReader(leaf, data, pages, temporary);
          readers.add(reader);
          reader.read();
          if (reader.cut()) {
            cutTimes.add(number);
          }
        }
        NestedReader reader = new NestedReader(nested, readers);
        int groupRows = (int) group.getNum_rows();
        return new Decoded(reader.read(type, from, to, groupRows, temporary), () -> {});
      } finally {
        readers.forEach(LeafReader::close);
      }
    }

    private ColumnMetaData readable(ParquetColumn column, ColumnChunk chunk) {
      ColumnMetaData data = chunk.getMeta_data();
      String name = column.column().name();
      if (data == null || chunk.isSetCrypto_metadata()) {
        throw file.unsupported(
            "has the encrypted column \"%s\"; write it without encryption".formatted(name));
      }
      CompressionCodec codec = present(data.getCodec(), "its compression");
      if (!Codecs.isSupported(codec)) {
        throw file.unsupported(
            "has the column \"%s\" compressed with %s; write it with SNAPPY, ZSTD, GZIP or LZ4_RAW"
                .formatted(name, codec));
      }
      return data;
    }
  }
}
