package io.aragonite.adapter.format.iceberg;

import io.aragonite.adapter.format.FileColumn;
import io.aragonite.adapter.format.parquet.ParquetFile;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.type.DataType;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.mapping.MappedField;
import org.apache.iceberg.mapping.NameMapping;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a table, and where its files have them: by their numbers, whatever they are
 * called.
 */
final class IcebergColumns {
  private final List<Types.NestedField> fields;
  private final List<FileColumn> columns;
  private final List<List<Integer>> ids;
  private final Map<Integer, PartitionSpec> specs;
  private final @Nullable NameMapping mapping;

  /**
   * @param mapping numbers of columns of files that have none; null: there are no such files
   */
  IcebergColumns(Schema schema, Map<Integer, PartitionSpec> specs, @Nullable NameMapping mapping) {
    this.fields = schema.columns();
    this.columns = fields.stream().map(IcebergTypes::column).toList();
    this.ids = fields.stream().map(IcebergTypes::ids).toList();
    this.specs = specs;
    this.mapping = mapping;
  }

  List<FileColumn> columns() {
    return columns;
  }

  List<Types.NestedField> fields() {
    return fields;
  }

  /**
   * The values that columns have in all rows of a file which lacks them: those of its partition, or
   * the defaults from when the column was added.
   */
  @Nullable Object[] constants(ContentFile<?> file) {
    @Nullable Object[] values = new @Nullable Object[fields.size()];
    Map<Integer, @Nullable Object> partition = new HashMap<>();
    PartitionSpec spec = specs.get(file.specId());
    List<PartitionField> parts = spec == null ? List.of() : spec.fields();
    for (int i = 0; i < parts.size(); i++) {
      if (parts.get(i).transform().isIdentity()) {
        partition.put(parts.get(i).sourceId(), file.partition().get(i, Object.class));
      }
    }
    for (int i = 0; i < values.length; i++) {
      Types.NestedField field = fields.get(i);
      Object value =
          partition.containsKey(field.fieldId())
              ? partition.get(field.fieldId())
              : field.initialDefault();
      boolean known = columns.get(i).type() != null && !field.type().isNestedType();
      values[i] = known ? IcebergTypes.value(field.type(), value) : null;
    }
    return values;
  }

  /**
   * The place of each column in a file; -1 if the file has it not.
   *
   * @param constants what columns are that it lacks
   * @throws AragoniteException FILE_BROKEN, FILE_UNSUPPORTED
   */
  int[] places(Path path, ParquetFile file, @Nullable Object[] constants) {
    List<List<Integer>> own = file.fieldIds();
    if (own.stream().allMatch(column -> column.getFirst() == 0)) {
      own = mapped(path, file);
    }
    Map<Integer, Integer> found = new HashMap<>();
    for (int place = 0; place < own.size(); place++) {
      int id = own.get(place).getFirst();
      if (id != 0 && found.put(id, place) != null) {
        throw broken(path, "two of its columns are number %d of the table".formatted(id));
      }
    }
    int[] places = new int[fields.size()];
    Arrays.fill(places, -1);
    for (int i = 0; i < places.length; i++) {
      Integer place = found.get(fields.get(i).fieldId());
      if (place != null) {
        requireReadable(path, i, file.columns().get(place), own.get(place));
        places[i] = place;
      } else if (fields.get(i).isRequired() && constants[i] == null) {
        throw broken(
            path,
            "it lacks the column \"%s\", which the table requires".formatted(fields.get(i).name()));
      }
    }
    return places;
  }

  private void requireReadable(Path path, int index, FileColumn own, List<Integer> numbers) {
    FileColumn column = columns.get(index);
    DataType type = column.type();
    DataType stored = own.type();
    if (type == null || stored == null) {
      if (type != null) {
        throw broken(path, differs(column, own));
      }
      return;
    }
    if (column.nested() == null && own.nested() == null) {
      if (!IcebergTypes.isPromotion(stored, type)) {
        throw broken(path, differs(column, own));
      }
    } else if (!Objects.equals(column.nested(), own.nested()) || !ids.get(index).equals(numbers)) {
      throw new AragoniteException(
          ErrorCode.FILE_UNSUPPORTED,
          "%s was written before the fields within the column \"%s\" were changed, which is not read; write the table's files anew (rewrite_data_files)"
              .formatted(path, column.name()));
    }
  }

  private static String differs(FileColumn column, FileColumn own) {
    return "its column \"%s\" is %s, which cannot become the table's %s"
        .formatted(own.name(), own.fileType(), column.fileType());
  }

  /** Numbers by names, for files that were there before they became those of the table. */
  private List<List<Integer>> mapped(Path path, ParquetFile file) {
    NameMapping names = mapping;
    if (names == null) {
      throw new AragoniteException(
          ErrorCode.FILE_UNSUPPORTED,
          "%s has no field ids, and its Iceberg table no schema.name-mapping.default that says which columns are which"
              .formatted(path));
    }
    return file.columns().stream()
        .map(column -> {
          MappedField mapped = names.find(column.name());
          Integer id = mapped == null ? null : mapped.id();
          if (mapped == null || id == null) {
            return List.of(0);
          }
          return column.nested() == null ? List.of(id) : nested(names, id);
        })
        .toList();
  }

  /** Numbers of the fields in a column, if they are mapped under the names that they have now. */
  private List<Integer> nested(NameMapping names, int id) {
    for (int i = 0; i < fields.size(); i++) {
      if (fields.get(i).fieldId() == id) {
        List<String> path = List.of(fields.get(i).name());
        return isMapped(names, fields.get(i), path) ? ids.get(i) : List.of(id);
      }
    }
    return List.of(id);
  }

  private static boolean isMapped(NameMapping names, Types.NestedField field, List<String> path) {
    MappedField mapped = names.find(path);
    if (mapped == null || !Objects.equals(mapped.id(), field.fieldId())) {
      return false;
    }
    return !field.type().isNestedType()
        || field.type().asNestedType().fields().stream()
            .allMatch(inner ->
                isMapped(
                    names, inner, Stream.concat(path.stream(), Stream.of(inner.name())).toList()));
  }

  static AragoniteException broken(Path path, String what) {
    return new AragoniteException(
        ErrorCode.FILE_BROKEN,
        "%s is not as its Iceberg table says: %s; write it again or repair the table"
            .formatted(path, what));
  }
}
