package io.aragonite.dataset;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.arrow.vector.types.pojo.Schema;

/** Arrow schemas of generated tables, with keys in their metadata. */
public final class DatasetSchema {
  /** Key of the schema metadata that names the primary key: columns separated by commas. */
  public static final String PRIMARY_KEY = "aragonite.primaryKey";

  /**
   * Key of the schema metadata that lists the foreign keys: {@code col,col->table(col,col)},
   * separated by semicolons.
   */
  public static final String FOREIGN_KEYS = "aragonite.foreignKeys";

  private DatasetSchema() {}

  /**
   * A table's schema.
   *
   * @param primaryKey its columns; empty for none
   */
  public static Schema of(
      List<DatasetColumn> columns, List<String> primaryKey, List<DatasetForeignKey> foreignKeys) {
    Map<String, String> metadata = new LinkedHashMap<>();
    if (!primaryKey.isEmpty()) {
      metadata.put(PRIMARY_KEY, String.join(",", primaryKey));
    }
    if (!foreignKeys.isEmpty()) {
      metadata.put(
          FOREIGN_KEYS,
          foreignKeys.stream().map(DatasetForeignKey::toString).collect(Collectors.joining(";")));
    }
    return new Schema(columns.stream().map(DatasetColumn::field).toList(), metadata);
  }
}
