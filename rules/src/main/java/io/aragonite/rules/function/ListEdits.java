package io.aragonite.rules.function;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.calcite.linq4j.function.Strict;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.runtime.SqlFunctions;
import org.apache.calcite.sql.SqlBasicFunction;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlOperatorBinding;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlReturnTypeInference;
import org.apache.calcite.sql.type.SqlTypeFamily;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeTransforms;
import org.jspecify.annotations.Nullable;

/** Lists of the elements of other lists, as DuckDB has them; the methods are for Calcite's code. */
@Strict
public final class ListEdits {
  /** {@code LIST_ZIP(x, y)}: a row for each place, with nulls where the shorter list has ended. */
  public static final SqlFunction LIST_ZIP =
      create("LIST_ZIP", ListEdits::zipped, SqlTypeFamily.ARRAY, SqlTypeFamily.ARRAY);

  /** {@code LIST_HISTOGRAM(x)}: a map with how often each element is there, which is not null. */
  public static final SqlFunction LIST_HISTOGRAM =
      create("LIST_HISTOGRAM", ListEdits::counted, SqlTypeFamily.ARRAY);

  /** {@code LIST_RESIZE(x, n)}: the first n elements; nulls behind them where there are fewer. */
  public static final SqlFunction LIST_RESIZE =
      create("LIST_RESIZE", ListEdits::ofNullable, SqlTypeFamily.ARRAY, SqlTypeFamily.INTEGER);

  /** {@code LIST_GRADE_UP(x)}: the places of the elements in their order. */
  public static final SqlFunction LIST_GRADE_UP =
      create("LIST_GRADE_UP", ListEdits::places, SqlTypeFamily.ARRAY);

  /** {@code LIST_WHERE(x, conditions)}: the elements whose condition is true. */
  public static final SqlFunction LIST_WHERE =
      create("LIST_WHERE", ReturnTypes.ARG0, SqlTypeFamily.ARRAY, SqlTypeFamily.ARRAY);

  /** {@code LIST_SELECT(x, places)}: the elements at the places; null for one that is not there. */
  public static final SqlFunction LIST_SELECT =
      create("LIST_SELECT", ListEdits::ofNullable, SqlTypeFamily.ARRAY, SqlTypeFamily.ARRAY);

  /** {@code LIST_INTERSECT(x, y)}: the elements of x that y has too, each once. */
  public static final SqlFunction LIST_INTERSECT =
      create("LIST_INTERSECT", ReturnTypes.ARG0, SqlTypeFamily.ARRAY, SqlTypeFamily.ARRAY);

  /**
   * {@code $ELEMENTS(x)}: x, but a list of structs as one of rows whose only field is the struct,
   * so that UNNEST makes one column of it.
   */
  public static final SqlFunction ELEMENTS =
      SqlBasicFunction.create(
          "$ELEMENTS", ListEdits::wrapped, OperandTypes.ANY, SqlFunctionCategory.SYSTEM);

  private static final int MOST_ELEMENTS = 1 << 24;

  private ListEdits() {}

  private static SqlFunction create(
      String name, SqlReturnTypeInference type, SqlTypeFamily... operands) {
    return SqlBasicFunction.create(
        name,
        type.andThen(SqlTypeTransforms.TO_NULLABLE),
        OperandTypes.family(operands),
        SqlFunctionCategory.SYSTEM);
  }

  private static RelDataType zipped(SqlOperatorBinding binding) {
    RelDataTypeFactory types = binding.getTypeFactory();
    List<RelDataType> fields = new ArrayList<>();
    List<String> names = new ArrayList<>();
    for (int i = 0; i < binding.getOperandCount(); i++) {
      fields.add(types.createTypeWithNullability(element(binding, i), true));
      names.add("EXPR$" + i);
    }
    return types.createArrayType(types.createStructType(fields, names), -1);
  }

  private static RelDataType wrapped(SqlOperatorBinding binding) {
    RelDataTypeFactory types = binding.getTypeFactory();
    RelDataType list = binding.getOperandType(0);
    RelDataType element = list.getComponentType();
    if (element == null || !element.isStruct()) {
      return list;
    }
    RelDataType row = types.createStructType(List.of(element), List.of("unnest"));
    return types.createTypeWithNullability(types.createArrayType(row, -1), list.isNullable());
  }

  private static RelDataType counted(SqlOperatorBinding binding) {
    RelDataTypeFactory types = binding.getTypeFactory();
    return types.createMapType(
        types.createTypeWithNullability(element(binding, 0), false),
        types.createSqlType(SqlTypeName.BIGINT));
  }

  private static RelDataType ofNullable(SqlOperatorBinding binding) {
    RelDataTypeFactory types = binding.getTypeFactory();
    return types.createArrayType(types.createTypeWithNullability(element(binding, 0), true), -1);
  }

  private static RelDataType places(SqlOperatorBinding binding) {
    RelDataTypeFactory types = binding.getTypeFactory();
    return types.createArrayType(types.createSqlType(SqlTypeName.BIGINT), -1);
  }

  private static RelDataType element(SqlOperatorBinding binding, int operand) {
    RelDataType element = binding.getOperandType(operand).getComponentType();
    return element != null ? element : binding.getTypeFactory().createSqlType(SqlTypeName.NULL);
  }

  public static List<?> zip(List<?> x, List<?> y) {
    List<Object> rows = new ArrayList<>();
    for (int i = 0; i < Math.max(x.size(), y.size()); i++) {
      rows.add(
          new @Nullable Object[] {i < x.size() ? x.get(i) : null, i < y.size() ? y.get(i) : null});
    }
    StopCheck.current().make(16L * rows.size());
    return rows;
  }

  public static List<@Nullable Object[]> rows(List<?> structs) {
    List<@Nullable Object[]> rows = new ArrayList<>(structs.size());
    structs.forEach(struct -> rows.add(new @Nullable Object[] {struct}));
    return rows;
  }

  /** Calcite's, whose rows are lists, as arrays, which rows are elsewhere. */
  public static List<@Nullable Object[]> entries(Map<Object, Object> map) {
    List<@Nullable Object[]> rows = new ArrayList<>(map.size());
    for (Object entry : SqlFunctions.mapEntries(map)) {
      rows.add(((List<?>) entry).toArray());
    }
    return rows;
  }

  public static List<?> resize(List<?> list, long size) {
    if (size < 0 || size > MOST_ELEMENTS) {
      throw new AragoniteException(
          ErrorCode.INVALID_ARGUMENT,
          "LIST_RESIZE makes lists of 0 to %d elements, not of %d.".formatted(MOST_ELEMENTS, size));
    }
    StopCheck.current().make(8 * size);
    List<@Nullable Object> made =
        new ArrayList<>(list.subList(0, (int) Math.min(list.size(), size)));
    while (made.size() < size) {
      made.add(null);
    }
    return made;
  }

  /** A list of its own: Calcite's method turns the list that it is given, which others read too. */
  public static List<?> reverse(List<?> list) {
    return new ArrayList<>(list.reversed());
  }

  public static List<?> where(List<?> list, List<?> conditions) {
    List<@Nullable Object> made = new ArrayList<>();
    for (int i = 0; i < Math.min(list.size(), conditions.size()); i++) {
      if (Boolean.TRUE.equals(conditions.get(i))) {
        made.add(list.get(i));
      }
    }
    return made;
  }

  public static List<?> select(List<?> list, List<?> places) {
    StopCheck.current().make(8L * places.size());
    List<@Nullable Object> made = new ArrayList<>();
    for (Object place : places) {
      long at = place instanceof Number number ? number.longValue() : 0;
      made.add(at < 1 || at > list.size() ? null : list.get((int) at - 1));
    }
    return made;
  }
}
