package io.aragonite.adapter.format.json;

import io.aragonite.adapter.format.FileColumn;
import io.aragonite.adapter.format.csv.CsvTypes;
import io.aragonite.exec.type.DataType;

/**
 * A column of a JSON file.
 *
 * @param column the key and its type
 * @param type its type again, never null here
 * @param declared whether the type was declared, rather than found from a sample
 * @param seen whether the sample has a value of it, or it is declared
 */
record JsonColumn(FileColumn column, DataType type, boolean declared, boolean seen) {
  static JsonColumn of(String name, DataType type, boolean declared, boolean seen) {
    return new JsonColumn(new FileColumn(name, type, CsvTypes.name(type)), type, declared, seen);
  }

  String name() {
    return column.name();
  }
}
