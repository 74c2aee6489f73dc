package io.aragonite.adapter.format.json;

import io.aragonite.adapter.format.FileColumn;
import io.aragonite.adapter.format.csv.CsvTypes;
import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.adapter.format.nested.NestedType.Scalar;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.util.Objects;

/**
 * A column of a JSON file.
 *
 * @param column the key and its type
 * @param form its type; UNKNOWN where a sample has nulls alone, in the whole or in a part
 * @param declared whether the type was declared, rather than found from a sample
 */
record JsonColumn(FileColumn column, NestedType form, boolean declared) {
  static JsonColumn of(String name, NestedType form, boolean declared) {
    NestedType known = JsonTypes.known(form);
    FileColumn column =
        known instanceof Scalar(DataType type)
            ? new FileColumn(name, type, CsvTypes.name(type))
            : new FileColumn(name, DataType.of(TypeKind.BINARY, true), known.sqlName(), known);
    return new JsonColumn(column, form, declared);
  }

  String name() {
    return column.name();
  }

  DataType type() {
    return Objects.requireNonNull(column.type());
  }

  /** Its type, texts where there are nulls alone. */
  NestedType known() {
    NestedType nested = column.nested();
    return nested == null ? new Scalar(type()) : nested;
  }

  /** Whether the sample has a value of it, or it is declared. */
  boolean seen() {
    return !form.equals(JsonTypes.UNKNOWN);
  }
}
