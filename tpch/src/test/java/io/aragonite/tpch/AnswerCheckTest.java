package io.aragonite.tpch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.tpch.Answer.AnswerColumn;
import io.aragonite.tpch.Answer.AnswerKind;
import io.aragonite.tpch.TpchQuery.ResultOrder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class AnswerCheckTest {
  private static final List<AnswerColumn> COLUMNS =
      List.of(
          new AnswerColumn("name", AnswerKind.TEXT),
          new AnswerColumn("total", AnswerKind.DECIMAL),
          new AnswerColumn("share", AnswerKind.DOUBLE),
          new AnswerColumn("day", AnswerKind.DATE));
  private static final List<ResultOrder> BY_TOTAL = List.of(new ResultOrder(1, true));
  private static final LocalDate DAY = LocalDate.of(1995, 3, 5);

  private static final Answer EXPECTED =
      new Answer(
          COLUMNS,
          List.of(
              row("a", decimal("30.00"), 0.5, DAY),
              row("b", decimal("20.00"), 0.25, null),
              row("c", decimal("20.00"), 0.125, DAY),
              row("d", decimal("10.00"), null, DAY)));

  private static List<@Nullable Object> row(@Nullable Object... values) {
    return Arrays.asList(values);
  }

  private static BigDecimal decimal(String text) {
    return new BigDecimal(text);
  }

  private static Optional<String> compare(List<List<@Nullable Object>> rows) {
    return AnswerCheck.compare(EXPECTED, new Answer(COLUMNS, rows), BY_TOTAL);
  }

  private static List<List<@Nullable Object>> rows() {
    return new ArrayList<>(EXPECTED.rows());
  }

  @Test
  void equalIsEqual() {
    assertEquals(Optional.empty(), compare(rows()));
  }

  @Test
  void tiesMayComeInAnyOrder() {
    var rows = rows();
    rows.add(1, rows.remove(2));
    assertEquals(Optional.empty(), compare(rows));
  }

  @Test
  void scaleOfDecimalsAndSmallDifferencesOfAveragesAreNothing() {
    var rows = rows();
    rows.set(0, row("a", decimal("30"), 0.500001, DAY));
    assertEquals(Optional.empty(), compare(rows));
  }

  @Test
  void aWrongValueIsNamed() {
    var rows = rows();
    rows.set(2, row("c", decimal("20.01"), 0.125, DAY));
    assertEquals(Optional.of("row 3, column total: expected 20.00, found 20.01"), compare(rows));
    rows.set(2, row("c", decimal("20.00"), 0.126, DAY));
    assertEquals(Optional.of("row 3, column share: expected 0.125, found 0.126"), compare(rows));
    rows.set(2, row("c", decimal("20.00"), 0.125, null));
    assertEquals(Optional.of("row 3, column day: expected 1995-03-05, found NULL"), compare(rows));
  }

  @Test
  void missingRowsAreNamed() {
    assertEquals(
        Optional.of("expected 4 rows, found 3"), compare(new ArrayList<>(rows().subList(0, 3))));
    var rows = rows();
    rows.set(1, rows.get(2)); // one twice, another not at all
    String message = compare(rows).orElseThrow();
    assertTrue(message.startsWith("row 2"), message);
  }

  @Test
  void wrongOrderIsNamed() {
    var rows = rows();
    rows.add(0, rows.remove(3));
    assertEquals(
        Optional.of("rows 1 and 2 are out of order in column total: 10.00 before greater 30.00"),
        compare(rows));
  }

  @Test
  void enginesThatSumInFloatingPointAreComparedClosely() {
    Answer expected =
        new Answer(
            List.of(new AnswerColumn("sum", AnswerKind.DECIMAL)),
            List.of(row(decimal("1000000.25"))));
    List<AnswerColumn> columns = List.of(new AnswerColumn("sum", AnswerKind.DOUBLE));
    Answer near = new Answer(columns, List.of(row(1000000.2500001)));
    Answer far = new Answer(columns, List.of(row(1000000.26)));
    assertEquals(Optional.empty(), AnswerCheck.compare(expected, near, List.of()));
    assertTrue(AnswerCheck.compare(expected, far, List.of()).isPresent());
  }

  @Test
  void textKeepsNullsBarsAndLineEnds() throws IOException {
    Answer answer =
        new Answer(
            COLUMNS,
            List.of(
                row("a|b\\N\n\r\\", decimal("-1.50"), 1e-7, DAY),
                row(null, null, null, null),
                row("", decimal("0.00"), 0.0, DAY)));
    byte[] text = answer.toText().getBytes(StandardCharsets.UTF_8);
    assertEquals(answer, AnswerText.read(new ByteArrayInputStream(text)));
  }

  static List<TpchQuery> queries() {
    return TpchQuery.all();
  }

  @ParameterizedTest
  @MethodSource("queries")
  void storedAnswersAreSortedAsTheirQueriesSay(TpchQuery query) {
    for (double scale : new double[] {0.01, 0.1, 1}) {
      Answer answer = Answer.stored(scale, query).orElseThrow();
      assertTrue(!answer.rows().isEmpty(), query + " has no rows at scale " + scale);
      assertEquals(Optional.empty(), AnswerCheck.compare(answer, answer, query.orderBy()));
    }
    assertEquals(Optional.empty(), Answer.stored(3, query));
  }

  @ParameterizedTest
  @MethodSource("queries")
  void queriesAreSingleStatements(TpchQuery query) {
    assertTrue(!query.sql().contains(";") && !query.sql().isBlank());
    assertEquals(query.sql(), query.sql(1));
    assertEquals(query.number() == 11, !query.sql(10).equals(query.sql()));
  }

  @Test
  void theFractionOfQuery11FollowsTheScale() {
    assertTrue(TpchQuery.of(11).sql(0.01).contains("* 0.01\n"));
    assertTrue(TpchQuery.of(11).sql(10).contains("* 0.00001\n"));
  }
}
