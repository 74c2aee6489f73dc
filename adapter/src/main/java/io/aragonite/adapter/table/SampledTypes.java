package io.aragonite.adapter.table;

import io.aragonite.adapter.format.CommonType;
import io.aragonite.adapter.format.FileColumn;
import io.aragonite.adapter.format.TableFile;
import io.aragonite.adapter.format.json.JsonFile;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Types that several JSON files of one table have together, where samples found others: of a text
 * in one and a number in another both are texts, and a column without values is of the type that it
 * has elsewhere.
 */
final class SampledTypes {
  private static final DataType TEXT = DataType.of(TypeKind.VARCHAR, true);

  private SampledTypes() {}

  /**
   * Opens those files anew whose types change.
   *
   * @param files some perhaps of other formats; replaced by those that are opened anew
   */
  static void agree(TableFile[] files) {
    Map<String, DataType> common = files.length > 1 ? common(files) : Map.of();
    for (int i = 0; i < files.length; i++) {
      if (files[i] instanceof JsonFile file) {
        Map<String, DataType> changes = changes(file, common);
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

  private static Map<String, DataType> common(TableFile[] files) {
    Map<String, DataType> common = new HashMap<>();
    for (TableFile any : files) {
      List<FileColumn> columns = any.columns();
      for (int c = 0; c < columns.size(); c++) {
        DataType type = columns.get(c).type();
        boolean unseen = any instanceof JsonFile file && file.unseen(c);
        if (type != null && !unseen) {
          common.merge(key(columns.get(c)), type, SampledTypes::both);
        }
      }
    }
    return common;
  }

  private static DataType both(DataType a, DataType b) {
    @Nullable DataType type = CommonType.of(a, b);
    return Objects.requireNonNullElse(type, TEXT);
  }

  private static Map<String, DataType> changes(JsonFile file, Map<String, DataType> common) {
    Map<String, DataType> changes = new HashMap<>();
    List<FileColumn> columns = file.columns();
    for (int c = 0; c < columns.size(); c++) {
      FileColumn column = columns.get(c);
      DataType wanted = common.get(key(column));
      DataType type = Objects.requireNonNull(column.type());
      boolean text = wanted != null && wanted.kind().isText() && !type.kind().isText();
      boolean unseen = wanted != null && file.unseen(c);
      if (text && file.found(c) || unseen) {
        changes.put(column.name(), wanted);
      }
    }
    return changes;
  }
}
