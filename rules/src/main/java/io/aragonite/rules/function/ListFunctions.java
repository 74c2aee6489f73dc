package io.aragonite.rules.function;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.type.DataType;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.calcite.linq4j.function.Strict;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.sql.SqlBasicFunction;
import org.apache.calcite.sql.SqlCallBinding;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlOperandCountRange;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlOperatorBinding;
import org.apache.calcite.sql.fun.SqlLibraryOperators;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlOperandCountRanges;
import org.apache.calcite.sql.type.SqlOperandTypeChecker;
import org.apache.calcite.sql.type.SqlReturnTypeInference;
import org.apache.calcite.sql.type.SqlTypeFamily;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeTransforms;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.jspecify.annotations.Nullable;

/** Functions of lists that Calcite lacks; the methods are for its code. */
@Strict
public final class ListFunctions {
  /** {@code LIST_SUM(x)}: of the elements that are not null; null if there are none. */
  public static final SqlFunction LIST_SUM = ofNumbers("LIST_SUM", ListFunctions::sumType);

  /** {@code LIST_AVG(x)}, a DOUBLE. */
  public static final SqlFunction LIST_AVG = ofNumbers("LIST_AVG", ListFunctions::averageType);

  /**
   * {@code LIST_SLICE(x, first, last)}: the elements from one place to another, both included; the
   * first is 1, the last -1.
   */
  public static final SqlFunction LIST_SLICE =
      SqlBasicFunction.create(
          "LIST_SLICE",
          ReturnTypes.ARG0.andThen(SqlTypeTransforms.TO_NULLABLE),
          OperandTypes.family(SqlTypeFamily.ARRAY, SqlTypeFamily.INTEGER, SqlTypeFamily.INTEGER),
          SqlFunctionCategory.SYSTEM);

  /** {@code RANGE(first, end, step)}, the end left out. */
  public static final SqlFunction RANGE = ofIntegers("RANGE");

  /** {@code GENERATE_SERIES(first, last, step)}, the last one included. */
  public static final SqlFunction GENERATE_SERIES = ofIntegers("GENERATE_SERIES");

  /** {@code SERIES_STEP(n)}: the step of a series, which is not zero. */
  public static final SqlFunction SERIES_STEP =
      SqlBasicFunction.create(
          "SERIES_STEP",
          ReturnTypes.BIGINT_NULLABLE,
          OperandTypes.family(SqlTypeFamily.INTEGER),
          SqlFunctionCategory.SYSTEM);

  /** {@code REGEXP_EXTRACT_ALL(x, pattern, group)}, as DuckDB has it; Calcite's has no group. */
  public static final SqlFunction REGEXP_EXTRACT_ALL =
      SqlBasicFunction.create(
          "REGEXP_EXTRACT_ALL",
          ReturnTypes.VARCHAR
              .andThen(SqlTypeTransforms.FORCE_NULLABLE)
              .andThen(SqlTypeTransforms.TO_ARRAY)
              .andThen(SqlTypeTransforms.TO_NULLABLE),
          OperandTypes.family(
              SqlTypeFamily.CHARACTER, SqlTypeFamily.CHARACTER, SqlTypeFamily.INTEGER),
          SqlFunctionCategory.STRING);

  /** {@code REGEXP_SPLIT_TO_ARRAY(x, pattern)}: what is between the matches. */
  public static final SqlFunction REGEXP_SPLIT =
      SqlBasicFunction.create(
          "REGEXP_SPLIT_TO_ARRAY",
          ReturnTypes.VARCHAR
              .andThen(SqlTypeTransforms.TO_ARRAY)
              .andThen(SqlTypeTransforms.TO_NULLABLE),
          OperandTypes.family(SqlTypeFamily.CHARACTER, SqlTypeFamily.CHARACTER),
          SqlFunctionCategory.STRING);

  private static final int MOST_NUMBERS = 1 << 24;

  /** {@code LIST_SORT(x)}: as ORDER BY has them, nulls last; Spark's SORT_ARRAY has them first. */
  public static final SqlFunction LIST_SORT =
      SqlBasicFunction.create(
              "LIST_SORT",
              ReturnTypes.ARG0,
              OperandTypes.family(SqlTypeFamily.ARRAY),
              SqlFunctionCategory.SYSTEM)
          .withKind(SqlKind.SORT_ARRAY);

  /** {@code FLATTEN(x)}: the elements of the lists in a list. */
  public static final SqlFunction FLATTEN =
      SqlBasicFunction.create(
          "FLATTEN",
          ListFunctions::innerType,
          OperandTypes.family(SqlTypeFamily.ARRAY),
          SqlFunctionCategory.SYSTEM);

  /** {@code LIST_HAS_ALL(x, y)}: whether x has all elements of y that are not null. */
  public static final SqlFunction LIST_HAS_ALL = ofTwo("LIST_HAS_ALL");

  /** {@code LIST_HAS_ANY(x, y)}: whether the two have an element in common that is not null. */
  public static final SqlFunction LIST_HAS_ANY = ofTwo("LIST_HAS_ANY");

  /** {@code MAP_ENTRIES(m)}: Calcite's, whose structs have fields without names. */
  public static final SqlFunction MAP_ENTRIES =
      ((SqlBasicFunction) SqlLibraryOperators.MAP_ENTRIES)
          .withReturnTypeInference(binding -> {
            RelDataTypeFactory types = binding.getTypeFactory();
            RelDataType map = binding.getOperandType(0);
            RelDataType entry =
                types.createStructType(
                    List.of(
                        Objects.requireNonNull(map.getKeyType()),
                        Objects.requireNonNull(map.getValueType())),
                    List.of("key", "value"));
            return types.createTypeWithNullability(
                types.createArrayType(entry, -1), map.isNullable());
          });

  /** A list without elements, of nulls: beside another list it is of that one's type. */
  public static final SqlFunction EMPTY_LIST =
      ((SqlBasicFunction) SqlLibraryOperators.ARRAY)
          .withReturnTypeInference(binding -> {
            RelDataTypeFactory types = binding.getTypeFactory();
            RelDataType element =
                types.createTypeWithNullability(types.createSqlType(SqlTypeName.NULL), true);
            return types.createArrayType(element, -1);
          });

  private ListFunctions() {}

  private static SqlFunction ofIntegers(String name) {
    return SqlBasicFunction.create(
        name,
        ReturnTypes.BIGINT
            .andThen(SqlTypeTransforms.TO_ARRAY)
            .andThen(SqlTypeTransforms.TO_NULLABLE),
        OperandTypes.family(SqlTypeFamily.INTEGER, SqlTypeFamily.INTEGER, SqlTypeFamily.INTEGER),
        SqlFunctionCategory.SYSTEM);
  }

  /** Of lists whose elements can be equal: values of a number or text, or alike. */
  private static SqlFunction ofTwo(String name) {
    return SqlBasicFunction.create(
        name, ReturnTypes.BOOLEAN_NULLABLE, new AlikeLists(), SqlFunctionCategory.SYSTEM);
  }

  private static final class AlikeLists implements SqlOperandTypeChecker {
    @Override
    public boolean checkOperandTypes(SqlCallBinding call, boolean throwing) {
      boolean lists =
          OperandTypes.family(SqlTypeFamily.ARRAY, SqlTypeFamily.ARRAY)
              .checkOperandTypes(call, throwing);
      boolean alike =
          lists
              && alike(
                  element(call.getOperandType(0)),
                  element(call.getOperandType(1)),
                  call.getTypeFactory());
      if (!alike && throwing) {
        throw call.newValidationSignatureError();
      }
      return alike;
    }

    private static boolean alike(RelDataType one, RelDataType other, RelDataTypeFactory types) {
      RelDataType common = SortKeys.compared(types, one, other);
      return common != null && SortKeys.isReadAs(one, common) && SortKeys.isReadAs(other, common);
    }

    @Override
    public SqlOperandCountRange getOperandCountRange() {
      return SqlOperandCountRanges.of(2);
    }

    @Override
    public String getAllowedSignatures(SqlOperator function, String name) {
      return name + "(<ARRAY>, <ARRAY OF ALIKE ELEMENTS>)";
    }

    private static RelDataType element(RelDataType list) {
      return Objects.requireNonNull(list.getComponentType());
    }
  }

  private static SqlFunction ofNumbers(String name, SqlReturnTypeInference type) {
    return SqlBasicFunction.create(
        name,
        type.andThen(SqlTypeTransforms.FORCE_NULLABLE),
        OperandTypes.family(SqlTypeFamily.ARRAY),
        SqlFunctionCategory.SYSTEM);
  }

  private static RelDataType innerType(SqlOperatorBinding binding) {
    RelDataType inner = binding.getOperandType(0).getComponentType();
    if (inner == null || inner.getSqlTypeName() != SqlTypeName.ARRAY) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "FLATTEN is of a list of lists, not of %s.".formatted(binding.getOperandType(0)));
    }
    return binding
        .getTypeFactory()
        .createTypeWithNullability(inner, binding.getOperandType(0).isNullable());
  }

  private static RelDataType sumType(SqlOperatorBinding binding) {
    RelDataTypeFactory types = binding.getTypeFactory();
    RelDataType element = element(binding);
    if (SqlTypeUtil.isApproximateNumeric(element)) {
      return types.createSqlType(SqlTypeName.DOUBLE);
    }
    return types.getTypeSystem().deriveSumType(types, element);
  }

  private static RelDataType averageType(SqlOperatorBinding binding) {
    var _ = element(binding);
    return binding.getTypeFactory().createSqlType(SqlTypeName.DOUBLE);
  }

  private static RelDataType element(SqlOperatorBinding binding) {
    RelDataType element = binding.getOperandType(0).getComponentType();
    if (element != null && element.getSqlTypeName() == SqlTypeName.NULL) {
      return binding.getTypeFactory().createSqlType(SqlTypeName.BIGINT); // the empty list
    }
    if (element == null || !SqlTypeUtil.isNumeric(element)) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "%s is of a list of numbers, not of %s."
              .formatted(binding.getOperator().getName(), binding.getOperandType(0)));
    }
    return element;
  }

  /** The name of the method that computes a sum of a type. */
  static String sumOf(RelDataType type) {
    return switch (type.getSqlTypeName()) {
      case BIGINT -> "sumOfIntegers";
      case DECIMAL -> "sumOfDecimals";
      default -> "sumOfDoubles";
    };
  }

  /** Sums of the way may be beyond the range that the whole sum is in. */
  public static @Nullable Long sumOfIntegers(List<?> list) {
    BigDecimal sum = sum(list);
    if (sum == null) {
      return null;
    }
    try {
      return sum.longValueExact();
    } catch (ArithmeticException e) {
      throw new AragoniteException(
          ErrorCode.NUMERIC_OVERFLOW,
          "The sum of a list is beyond the range of BIGINT; cast its elements to DECIMAL.",
          e);
    }
  }

  public static @Nullable BigDecimal sumOfDecimals(List<?> list) {
    BigDecimal sum = sum(list);
    if (sum != null && sum.precision() > DataType.MAX_DECIMAL_PRECISION) {
      throw new AragoniteException(
          ErrorCode.NUMERIC_OVERFLOW,
          "The sum of a list has more than %d digits; cast its elements to DOUBLE."
              .formatted(DataType.MAX_DECIMAL_PRECISION));
    }
    return sum;
  }

  private static @Nullable BigDecimal sum(List<?> list) {
    BigDecimal sum = null;
    for (Object value : list) {
      if (value != null) {
        BigDecimal number =
            switch (value) {
              case BigDecimal decimal -> decimal;
              case Long integer -> BigDecimal.valueOf(integer);
              case Integer integer -> BigDecimal.valueOf(integer);
              default -> new BigDecimal(value.toString());
            };
        sum = sum == null ? number : sum.add(number);
      }
    }
    return sum;
  }

  public static @Nullable Double sumOfDoubles(List<?> list) {
    Double sum = null;
    for (Object value : list) {
      if (value instanceof Number number) {
        sum = (sum == null ? 0 : sum) + number.doubleValue();
      }
    }
    return sum;
  }

  public static @Nullable Double average(List<?> list) {
    double sum = 0;
    int count = 0;
    for (Object value : list) {
      if (value instanceof Number number) {
        sum += number.doubleValue();
        count++;
      }
    }
    return count == 0 ? null : sum / count;
  }

  public static List<?> flatten(List<?> lists) {
    List<@Nullable Object> elements = new ArrayList<>();
    for (Object list : lists) {
      if (list != null) {
        elements.addAll((List<?>) list);
      }
    }
    StopCheck.current().make(8L * elements.size());
    return elements;
  }

  public static long step(long step) {
    if (step == 0) {
      throw new AragoniteException(
          ErrorCode.INVALID_ARGUMENT,
          "A series in FROM has a step of zero; filter such rows before.");
    }
    return step;
  }

  public static List<?> range(long first, long end, long step) {
    return step == 0 ? List.of() : numbers(first, end, step, "RANGE", false);
  }

  public static List<?> series(long first, long last, long step) {
    return step == 0 ? List.of() : numbers(first, last, step, "GENERATE_SERIES", true);
  }

  private static List<Long> numbers(
      long first, long end, long step, String function, boolean included) {
    boolean up = step > 0;
    boolean none = up ? first > end : first < end;
    if (none || first == end && !included) {
      return List.of();
    }
    // distances beyond 63 bits are positive as unsigned numbers
    long distance = (up ? end - first : first - end) - (included ? 0 : 1);
    long steps = Long.divideUnsigned(distance, up ? step : -step);
    if (Long.compareUnsigned(steps, MOST_NUMBERS) >= 0) {
      throw new AragoniteException(
          ErrorCode.RESULT_TOO_LARGE,
          "%s makes a list of more than %,d numbers.".formatted(function, MOST_NUMBERS));
    }
    StopCheck.current().make(16 * (steps + 1));
    List<Long> numbers = new ArrayList<>((int) steps + 1);
    for (int i = 0; i <= steps; i++) {
      numbers.add(first + i * step);
    }
    return numbers;
  }

  public static List<?> slice(List<?> list, long first, long last) {
    int size = list.size();
    long from = Math.max(1, first < 0 ? size + first + 1 : first);
    long to = Math.min(size, last < 0 ? size + last + 1 : last);
    return from > to ? List.of() : list.subList((int) from - 1, (int) to);
  }
}
