package io.aragonite.adapter.format.json;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How a JSON file is to be read.
 *
 * @param dataOffset bytes in front of the first object: a byte order mark, the array's bracket
 * @param complete whether keys that are no columns are left out without a word
 * @param lenient whether lines that are no objects, and values of other types, are null
 */
record JsonLayout(
    JsonForm form, long dataOffset, List<JsonColumn> columns, boolean complete, boolean lenient) {
  /** The columns' numbers by their names. */
  Map<String, Integer> numbers() {
    Map<String, Integer> numbers = new HashMap<>();
    for (int i = 0; i < columns.size(); i++) {
      numbers.put(columns.get(i).name(), i);
    }
    return numbers;
  }
}
