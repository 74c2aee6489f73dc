package io.aragonite.rules.function;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What UNNEST has of collections that are null, and of rows in them that are. */
public final class UnnestFunctions {
  private UnnestFunctions() {}

  /**
   * The elements of a list, rows among them as lists; none of a null.
   *
   * @param fields columns that an element becomes if it is a row, of nulls where it is null; 0: it
   *     is no row
   */
  public static List<@Nullable Object> elements(@Nullable List<@Nullable Object> list, int fields) {
    if (list == null) {
      return List.of();
    }
    if (fields == 0) {
      return list;
    }
    List<@Nullable Object> rows = new ArrayList<>(list);
    rows.replaceAll(row ->
        switch (row) {
          case null -> Arrays.asList(new @Nullable Object[fields]);
          case @Nullable Object[] values -> Arrays.asList(values);
          default -> row;
        });
    return rows;
  }

  /** The entries of a map; none of a null. */
  public static Map<@Nullable Object, @Nullable Object> entries(
      @Nullable Map<@Nullable Object, @Nullable Object> map) {
    return map == null ? Map.of() : map;
  }
}
