package io.aragonite.adapter.format.csv;

import io.aragonite.adapter.format.FileColumn;
import io.aragonite.exec.type.DataType;

/**
 * A column of a delimited file.
 *
 * @param column its name and type
 * @param type its type again, never null here
 * @param declared whether the type was declared, rather than found from a sample
 * @param unseen whether the file has no value of it, so that its type may as well be another
 */
record CsvColumn(FileColumn column, DataType type, boolean declared, boolean unseen) {
  static CsvColumn declared(String name, DataType type) {
    return new CsvColumn(new FileColumn(name, type, CsvTypes.name(type)), type, true, false);
  }

  /**
   * A column as a sample has it.
   *
   * @param whole whether the sample is the whole file
   */
  static CsvColumn sampled(String name, TypeEvidence evidence, boolean whole) {
    DataType type = evidence.type();
    return new CsvColumn(
        new FileColumn(name, type, CsvTypes.name(type)), type, false, whole && evidence.isEmpty());
  }
}
