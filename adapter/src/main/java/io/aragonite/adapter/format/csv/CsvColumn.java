package io.aragonite.adapter.format.csv;

import io.aragonite.adapter.format.FileColumn;
import io.aragonite.exec.type.DataType;

/**
 * A column of a delimited file.
 *
 * @param column its name and type
 * @param type its type again, never null here
 * @param declared whether the type was declared, rather than found from a sample
 */
record CsvColumn(FileColumn column, DataType type, boolean declared) {
  static CsvColumn of(String name, DataType type, boolean declared) {
    return new CsvColumn(new FileColumn(name, type, CsvTypes.name(type)), type, declared);
  }
}
