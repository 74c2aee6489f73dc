package io.aragonite.adapter.table;

import io.aragonite.adapter.format.FileColumn;
import io.aragonite.adapter.format.TableFile;
import io.aragonite.adapter.format.json.JsonFile;
import io.aragonite.adapter.format.json.JsonTypes;
import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.adapter.format.nested.NestedType.Scalar;
import io.aragonite.exec.type.DataType;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Types that several JSON files of one table have together, where samples found others: of a text
 * in one and a number in another both are texts, and a column without values is of the type that it
 * has elsewhere.
 */
final class SampledTypes {
  private SampledTypes() {}

  /**
   * Opens those files anew whose types change.
   *
   * @param files some perhaps of other formats; replaced by those that are opened anew
   */
  static void agree(TableFile[] files) {
    Map<String, NestedType> common = files.length > 1 ? common(files) : Map.of();
    for (int i = 0; i < files.length; i++) {
      if (files[i] instanceof JsonFile file) {
        Map<String, NestedType> changes = changes(file, common);
        if (!changes.isEmpty()) {
          file.close();
          files[i] = file.withTypes(changes);
        }
      }
    }
  }

  private static String key(FileColumn column) {
    return column.name().toLowerCase(Locale.ROOT);
  }

  private static Map<String, NestedType> common(TableFile[] files) {
    Map<String, NestedType> common = new HashMap<>();
    for (TableFile any : files) {
      List<FileColumn> columns = any.columns();
      for (int c = 0; c < columns.size(); c++) {
        NestedType type = form(any, c);
        if (type != null) {
          common.merge(key(columns.get(c)), type, JsonTypes::common);
        }
      }
    }
    return common;
  }

  /** The type of a column; null if none of ours can hold it. */
  private static @Nullable NestedType form(TableFile any, int column) {
    if (any instanceof JsonFile file) {
      return file.form(column);
    }
    FileColumn known = any.columns().get(column);
    NestedType nested = known.nested();
    DataType type = known.type();
    return nested != null ? nested : type == null ? null : new Scalar(type);
  }

  private static Map<String, NestedType> changes(JsonFile file, Map<String, NestedType> common) {
    Map<String, NestedType> changes = new HashMap<>();
    List<FileColumn> columns = file.columns();
    for (int c = 0; c < columns.size(); c++) {
      NestedType wanted = common.get(key(columns.get(c)));
      if (wanted != null && !file.declared(c) && !JsonTypes.widens(file.form(c), wanted)) {
        changes.put(columns.get(c).name(), wanted);
      }
    }
    return changes;
  }
}
