package io.aragonite.rules.function;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.calcite.schema.impl.ScalarFunctionImpl;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.validate.SqlUserDefinedFunction;
import org.jspecify.annotations.Nullable;

/** What UNNEST asks of lists and maps, as Calcite's code has them. */
public final class UnnestFunctions {
  /** {@link #size(Object, long)}. */
  public static final SqlOperator SIZE = function("unnest_size", "size");

  /** {@link #element(List, int)}. */
  public static final SqlOperator ELEMENT = function("unnest", "element");

  /** {@link #list(Object)}. */
  public static final SqlOperator LIST = function("unnest_list", "list");

  private UnnestFunctions() {}

  /** Operators of one name would be equal. */
  private static SqlOperator function(String name, String method) {
    return new SqlUserDefinedFunction(
        new SqlIdentifier(name, SqlParserPos.ZERO),
        SqlKind.OTHER_FUNCTION,
        ReturnTypes.ARG0,
        null,
        null,
        ScalarFunctionImpl.create(UnnestFunctions.class, method));
  }

  /**
   * How many elements there are, of a null none.
   *
   * @param least what comes out if there are fewer
   */
  public static long size(@Nullable Object collection, long least) {
    int size =
        switch (collection) {
          case null -> 0;
          case Map<?, ?> map -> map.size();
          default -> ((Collection<?>) collection).size();
        };
    return Math.max(least, size);
  }

  /** An element of a list, from 1; null behind its end. */
  public static @Nullable Object element(@Nullable List<@Nullable Object> list, int place) {
    return list == null || place > list.size() ? null : list.get(place - 1);
  }

  /** The elements of a multiset, or the entries of a map as rows, as a list. */
  public static @Nullable List<@Nullable Object> list(@Nullable Object collection) {
    if (collection instanceof Map<?, ?> map) {
      List<@Nullable Object> entries = new ArrayList<>(map.size());
      map.forEach((key, value) -> entries.add(new @Nullable Object[] {key, value}));
      return entries;
    }
    return collection == null ? null : new ArrayList<>((Collection<?>) collection);
  }

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
