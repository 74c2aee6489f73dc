package io.aragonite.adapter.format.iceberg;

import io.aragonite.adapter.format.ColumnWidening;
import io.aragonite.adapter.format.FileColumn;
import io.aragonite.adapter.format.TableFile.Decoded;
import io.aragonite.adapter.format.TableFile.FilePart;
import io.aragonite.adapter.format.UndeletedRows;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.table.ZoneMap;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A part of a data file in the table's columns. */
final class IcebergPart implements FilePart {
  private final IcebergColumns columns;
  private final IcebergDataFile.Opened file;
  private final FilePart part;

  /** Rows of the part that are left; null: all. */
  private final int @Nullable [] kept;

  private IcebergPart(
      IcebergColumns columns, IcebergDataFile.Opened file, FilePart part, int @Nullable [] kept) {
    this.columns = columns;
    this.file = file;
    this.part = part;
    this.kept = kept;
  }

  /**
   * @param start the part's first row in the file
   */
  static IcebergPart of(
      IcebergColumns columns, IcebergDataFile.Opened file, FilePart part, long start) {
    BitSet deleted = file.deleted();
    return new IcebergPart(
        columns, file, part, deleted == null ? null : kept(deleted, (int) start, part));
  }

  private static int @Nullable [] kept(BitSet deleted, int start, FilePart part) {
    int end = start + part.rows();
    int first = deleted.nextSetBit(start);
    int[] kept = null;
    if (first >= 0 && first < end) {
      kept = new int[part.rows() - deleted.get(start, end).cardinality()];
      int count = 0;
      for (int row = deleted.nextClearBit(start); row < end; row = deleted.nextClearBit(row + 1)) {
        kept[count++] = row - start;
      }
    }
    return kept;
  }

  @Override
  public int rows() {
    return kept == null ? part.rows() : kept.length;
  }

  private FileColumn column(int column) {
    return columns.columns().get(column);
  }

  private DataType type(int column) {
    return Objects.requireNonNull(column(column).type());
  }

  /** The type that the file has the column in. */
  private DataType own(int place) {
    return Objects.requireNonNull(file.parquet().columns().get(place).type());
  }

  @Override
  public Decoded read(int column, QueryMemory temporary) {
    return read(column, temporary, 0, Storage.of(type(column)));
  }

  @Override
  public Decoded read(int column, QueryMemory temporary, long target, Storage storage) {
    int place = file.places()[column];
    DataType type = type(column);
    if (place < 0) {
      return ColumnWidening.constant(type, file.constants()[column], rows(), temporary);
    }
    boolean same = own(place).sameAs(type);
    Decoded decoded =
        kept == null && same
            ? part.read(place, temporary, target, storage)
            : part.read(place, temporary);
    requireValues(column, type, decoded.column());
    if (kept != null) {
      decoded = UndeletedRows.of(decoded, kept, temporary);
    }
    if (same) {
      return own(place).nullable() == type.nullable()
          ? decoded
          : new Decoded(decoded.column().withType(type), decoded.dictionary(), decoded::close);
    }
    return ColumnWidening.widen(decoded, own(place), type, temporary);
  }

  /** Plans count on columns without nulls, and a file need not keep what its table promises. */
  private void requireValues(int column, DataType type, Column values) {
    if (type.nullable() || values.validity() == null) {
      return;
    }
    for (int i = 0; i < values.dataRows(); i++) {
      if (!Mem.getBit(values.validity().address(), i)) {
        throw IcebergColumns.broken(
            file.path(),
            "the column \"%s\", which the table requires, is null in it"
                .formatted(column(column).name()));
      }
    }
  }

  @Override
  public ZoneMap zone(int column) {
    int place = file.places()[column];
    if (place < 0) {
      Object value = file.constants()[column];
      Object bound =
          value == null ? null : IcebergTypes.bound(columns.fields().get(column).type(), value);
      return new ZoneMap(
          rows(), value == null ? rows() : 0, bound, bound, type(column).kind().isFloat());
    }
    return comparable(place, column) ? part.zone(place).part(rows()) : ZoneMap.unknown(rows());
  }

  /** Whether bounds of the file's type are bounds of the table's. */
  private boolean comparable(int place, int column) {
    DataType type = column(column).type();
    DataType own = file.parquet().columns().get(place).type();
    if (type == null || own == null) {
      return false;
    }
    return own.sameAs(type)
        || own.kind().isInteger() && type.kind().isInteger()
        || own.kind().isFloat() && type.kind().isFloat()
        || own.kind() == TypeKind.DECIMAL && type.kind() == TypeKind.DECIMAL;
  }

  @Override
  public List<ZoneMap> zones(int column) {
    int place = file.places()[column];
    return kept != null || place < 0 || !comparable(place, column)
        ? List.of(zone(column))
        : part.zones(place);
  }

  @Override
  public boolean mayHave(int column, Object value) {
    int place = file.places()[column];
    return place < 0 || !own(place).sameAs(type(column)) || part.mayHave(place, value);
  }

  @Override
  public @Nullable FilePart rows(int from, int to) {
    FilePart some = kept == null ? part.rows(from, to) : null;
    return some == null ? null : new IcebergPart(columns, file, some, null);
  }

  @Override
  public void prefetch(List<Integer> wanted) {
    part.prefetch(
        wanted.stream().map(column -> file.places()[column]).filter(place -> place >= 0).toList());
  }

  @Override
  public long textBytes(int column) {
    int place = file.places()[column];
    boolean asItIs = kept == null && place >= 0 && own(place).sameAs(type(column));
    return asItIs ? part.textBytes(place) : -1;
  }

  @Override
  public long fileBytes(int column) {
    int place = file.places()[column];
    return place < 0 ? 0 : part.fileBytes(place);
  }
}
