package io.aragonite.adapter.result;

import io.aragonite.adapter.format.nested.NestedEncoder;
import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.adapter.format.nested.NestedValue;
import io.aragonite.rules.function.NestedDecoder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the columns of a query become: lists, structs and maps are bytes. */
final class StoredColumns {
  private final List<String> names;
  private final List<@Nullable NestedType> types = new ArrayList<>();
  private final List<@Nullable NestedEncoder> encoders = new ArrayList<>();

  /**
   * @param stored types of the columns
   */
  StoredColumns(List<String> names, List<NestedType> stored) {
    this.names = names;
    for (NestedType type : stored) {
      boolean flat = type instanceof NestedType.Scalar;
      encoders.add(flat ? null : new NestedEncoder(type, names.get(types.size())));
      types.add(flat ? null : type);
    }
  }

  private StoredColumns(List<String> names) {
    this.names = names;
    for (String _ : names) {
      types.add(null);
      encoders.add(null);
    }
  }

  /** Columns whose lists, structs and maps become texts. */
  static StoredColumns asTexts(List<String> names) {
    return new StoredColumns(names);
  }

  int size() {
    return names.size();
  }

  String name(int column) {
    return names.get(column);
  }

  boolean isNested(int column) {
    return types.get(column) != null;
  }

  boolean isStruct(int column) {
    return types.get(column) instanceof NestedType.Struct;
  }

  /** Of a column of lists, structs or maps; else null. */
  @Nullable NestedEncoder encoder(int column) {
    return encoders.get(column);
  }

  /** Whether the bytes that a decoder is given are those that a column is to become. */
  boolean takes(int column, NestedDecoder decoder) {
    NestedType type = types.get(column);
    return type != null && decoder instanceof NestedValue value && value.form().sameBytes(type);
  }
}
