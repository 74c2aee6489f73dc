package io.aragonite.rules.function;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.calcite.linq4j.function.Strict;
import org.apache.calcite.sql.SqlBasicFunction;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlTypeFamily;
import org.apache.calcite.sql.type.SqlTypeTransforms;
import org.jspecify.annotations.Nullable;

/**
 * Lists of numbers as vectors, such as embeddings, and figures of the numbers in a list; all are
 * DOUBLEs. The methods are for Calcite's code.
 */
@Strict
public final class VectorFunctions {
  /** {@code LIST_DOT_PRODUCT(x, y)}. */
  public static final SqlFunction LIST_DOT_PRODUCT = ofTwo("LIST_DOT_PRODUCT");

  /** {@code LIST_COSINE_SIMILARITY(x, y)}: the cosine of the angle between them. */
  public static final SqlFunction LIST_COSINE_SIMILARITY = ofTwo("LIST_COSINE_SIMILARITY");

  /** {@code LIST_DISTANCE(x, y)}: Euclid's. */
  public static final SqlFunction LIST_DISTANCE = ofTwo("LIST_DISTANCE");

  /** {@code LIST_PRODUCT(x)}: of the elements that are not null, as of those below. */
  public static final SqlFunction LIST_PRODUCT = ofOne("LIST_PRODUCT");

  /** {@code LIST_MEDIAN(x)}. */
  public static final SqlFunction LIST_MEDIAN = ofOne("LIST_MEDIAN");

  /** {@code LIST_VAR_POP(x)}: the squares of the distances from the mean, over their number. */
  public static final SqlFunction LIST_VAR_POP = ofOne("LIST_VAR_POP");

  /** {@code LIST_VAR_SAMP(x)}: over one less; null of one element. */
  public static final SqlFunction LIST_VAR_SAMP = ofOne("LIST_VAR_SAMP");

  private VectorFunctions() {}

  private static SqlFunction ofTwo(String name) {
    return SqlBasicFunction.create(
        name,
        ReturnTypes.DOUBLE.andThen(SqlTypeTransforms.FORCE_NULLABLE),
        OperandTypes.family(SqlTypeFamily.ARRAY, SqlTypeFamily.ARRAY),
        SqlFunctionCategory.NUMERIC);
  }

  private static SqlFunction ofOne(String name) {
    return SqlBasicFunction.create(
        name,
        ReturnTypes.DOUBLE.andThen(SqlTypeTransforms.FORCE_NULLABLE),
        OperandTypes.family(SqlTypeFamily.ARRAY),
        SqlFunctionCategory.NUMERIC);
  }

  private static double[] vector(List<?> list, int length) {
    if (list.size() != length) {
      throw wrong("of one length, not of %d and %d numbers".formatted(length, list.size()));
    }
    double[] vector = new double[length];
    for (int i = 0; i < length; i++) {
      if (!(list.get(i) instanceof Number number)) {
        throw wrong("of numbers, none of them null");
      }
      vector[i] = number.doubleValue();
    }
    return vector;
  }

  private static AragoniteException wrong(String what) {
    return new AragoniteException(
        ErrorCode.INVALID_ARGUMENT,
        "The lists of LIST_DOT_PRODUCT, LIST_DISTANCE and LIST_COSINE_SIMILARITY are %s."
            .formatted(what));
  }

  public static double dotProduct(List<?> x, List<?> y) {
    double[] a = vector(x, x.size());
    return dot(a, vector(y, a.length));
  }

  private static double dot(double[] a, double[] b) {
    double sum = 0;
    for (int i = 0; i < a.length; i++) {
      sum += a[i] * b[i];
    }
    return sum;
  }

  /** Null if a vector has no direction. */
  public static @Nullable Double cosine(List<?> x, List<?> y) {
    double[] a = vector(x, x.size());
    double[] b = vector(y, a.length);
    double largestOfA = largest(a);
    double largestOfB = largest(b);
    if (largestOfA == 0 || largestOfB == 0) {
      return null;
    }
    scale(a, largestOfA);
    scale(b, largestOfB);
    return Math.clamp(dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b)), -1, 1);
  }

  private static double largest(double[] vector) {
    double largest = 0;
    for (double number : vector) {
      largest = Math.max(largest, Math.abs(number));
    }
    return largest;
  }

  /**
   * Divides by the power of two of a length, which is exact: squares of large numbers overflow, and
   * those of small ones vanish.
   */
  private static void scale(double[] vector, double length) {
    int exponent = Math.getExponent(length);
    for (int i = 0; i < vector.length; i++) {
      vector[i] = Math.scalb(vector[i], -exponent);
    }
  }

  public static double distance(List<?> x, List<?> y) {
    double[] a = vector(x, x.size());
    double[] b = vector(y, a.length);
    double sum = 0;
    for (int i = 0; i < a.length; i++) {
      sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return Math.sqrt(sum);
  }

  private static double[] numbers(List<?> list) {
    List<Double> numbers = new ArrayList<>();
    for (Object value : list) {
      if (value instanceof Number number) {
        numbers.add(number.doubleValue());
      } else if (value != null) {
        throw new AragoniteException(
            ErrorCode.INVALID_ARGUMENT, "Products, medians and variances are of lists of numbers.");
      }
    }
    return numbers.stream().mapToDouble(Double::doubleValue).toArray();
  }

  public static @Nullable Double product(List<?> list) {
    double[] numbers = numbers(list);
    double product = 1;
    for (double number : numbers) {
      product *= number;
    }
    return numbers.length == 0 ? null : product;
  }

  public static @Nullable Double median(List<?> list) {
    double[] numbers = numbers(list);
    Arrays.sort(numbers);
    int half = numbers.length / 2;
    return numbers.length == 0
        ? null
        : numbers.length % 2 == 1
            ? numbers[half]
            : (Double) (numbers[half - 1] + (numbers[half] - numbers[half - 1]) / 2);
  }

  public static @Nullable Double varPop(List<?> list) {
    double[] numbers = numbers(list);
    return numbers.length == 0 ? null : (Double) (squares(numbers) / numbers.length);
  }

  public static @Nullable Double varSamp(List<?> list) {
    double[] numbers = numbers(list);
    return numbers.length < 2 ? null : (Double) (squares(numbers) / (numbers.length - 1));
  }

  /** The squares of the distances from the mean. */
  private static double squares(double[] numbers) {
    double mean = Arrays.stream(numbers).average().orElse(0);
    double sum = 0;
    for (double number : numbers) {
      sum += (number - mean) * (number - mean);
    }
    return sum;
  }
}
