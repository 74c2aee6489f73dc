package io.aragonite.rules.function;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Functions of lists that compare elements. */
class ListComparisonsTest {
  private static final int MANY = 30_000;
  private static final String ROW = "R2:4s";

  private static Object row(int number) {
    return new Object[] {number, "a"};
  }

  private static final List<Object> ROWS =
      IntStream.range(0, MANY).mapToObj(i -> row(i * 7919 % MANY)).toList();

  private static void assertStops(Executable function) {
    StopCheck ended =
        new StopCheck(() -> {
          throw new AragoniteException(ErrorCode.CANCELLED, "It is cancelled.");
        });
    try (StopCheck.Scope scope = ended.enter()) {
      assertEquals(ErrorCode.CANCELLED, assertThrows(AragoniteException.class, function).code());
    }
  }

  @Test
  void longListsEndWithTheirQuery() {
    assertStops(() -> ListComparisons.sort(ROWS, ROW));
    assertStops(() -> ListComparisons.sortArray(ROWS, false, ROW));
    assertStops(() -> ListComparisons.grade(ROWS, ROW));
    assertStops(() -> ListComparisons.least(ROWS, ROW));
    assertStops(() -> ListComparisons.greatest(ROWS, ROW));
    assertStops(() -> ListComparisons.contains(ROWS, row(-1), ROW));
    assertStops(() -> ListComparisons.without(ROWS, row(-1), ROW));
    assertStops(() -> ListComparisons.histogram(ROWS, ROW));
    assertStops(() -> ListSearch.some(row(-1), ROWS, "EQUALS", ROW));
    assertStops(() -> ListSearch.all(row(-1), ROWS, "NOT_EQUALS", ROW));
  }

  @Test
  void rowsInTheirOrder() {
    assertEquals(0, ((Object[]) ListComparisons.sort(ROWS, ROW).getFirst())[0]);
    assertEquals(MANY - 1, ((Object[]) ListComparisons.sort(ROWS, ROW).getLast())[0]);
    assertEquals(MANY - 1, ((Object[]) ListComparisons.greatest(ROWS, ROW))[0]);
    assertEquals(MANY - 1, ListComparisons.without(ROWS, row(17), ROW).size());
  }

  @Test
  void combinationsOfSpark() {
    List<?> some = Arrays.asList(0.0, null, 1.0, -0.0, Double.NaN);
    List<?> others = Arrays.asList(-0.0, 2.0, Double.NaN);
    assertEquals(
        Arrays.asList(0.0, null, 1.0, Double.NaN, 2.0), ListComparisons.union(some, others, "d"));
    assertEquals(Arrays.asList(null, 1.0), ListComparisons.except(some, others, "d"));
    assertEquals(List.of(0.0, Double.NaN), ListComparisons.both(some, others, "d"));
    assertEquals(List.of(), ListComparisons.except(List.of(), others, "d"));
  }
}
