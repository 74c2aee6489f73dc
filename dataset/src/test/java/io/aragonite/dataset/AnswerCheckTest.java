package io.aragonite.dataset;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.dataset.Answer.AnswerColumn;
import io.aragonite.dataset.Answer.AnswerKind;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AnswerCheckTest {
  private static final List<AnswerColumn> COLUMNS =
      List.of(
          new AnswerColumn("name", AnswerKind.TEXT),
          new AnswerColumn("total", AnswerKind.DECIMAL),
          new AnswerColumn("share", AnswerKind.DOUBLE),
          new AnswerColumn("day", AnswerKind.DATE));
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
    return AnswerCheck.compare(ExpectedAnswer.of(EXPECTED, List.of(1)), new Answer(COLUMNS, rows));
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
  void scaleOfDecimalsAndSmallDifferencesOfFloatsAreNothing() {
    var rows = rows();
    rows.set(0, row("a", decimal("30"), 0.5000000001, DAY));
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
    assertEquals(Optional.of("row 1 is out of order: [d, 10.00, null, 1995-03-05]"), compare(rows));
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
    assertEquals(
        Optional.empty(), AnswerCheck.compare(ExpectedAnswer.of(expected, List.of()), near));
    assertTrue(AnswerCheck.compare(ExpectedAnswer.of(expected, List.of()), far).isPresent());
  }

  @Test
  void averagesMayBeDecimalsOfSixDigitsOrFloats() {
    Answer six = single(AnswerKind.DECIMAL, decimal("0.038820"));
    Answer same = single(AnswerKind.DOUBLE, 0.0388201425143322);
    Answer other = single(AnswerKind.DOUBLE, 0.0389);
    Answer twelve = single(AnswerKind.DECIMAL, decimal("0.038820142514"));
    for (Answer near : List.of(same, twelve)) {
      assertEquals(Optional.empty(), AnswerCheck.compare(ExpectedAnswer.of(six, List.of()), near));
      assertEquals(Optional.empty(), AnswerCheck.compare(ExpectedAnswer.of(near, List.of()), six));
      assertTrue(AnswerCheck.compare(ExpectedAnswer.of(near, List.of()), other).isPresent());
      assertTrue(AnswerCheck.compare(ExpectedAnswer.of(other, List.of()), near).isPresent());
    }
  }

  private static Answer single(AnswerKind kind, Object value) {
    return new Answer(List.of(new AnswerColumn("average", kind)), List.of(row(value)));
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

  @Test
  void rowsThatAreEqualAtALimitMayBeEither() {
    ExpectedAnswer two = new ExpectedAnswer(EXPECTED, List.of(1), 2);
    Answer other = new Answer(COLUMNS, List.of(rows().get(0), rows().get(2)));
    assertEquals(Optional.empty(), AnswerCheck.compare(two, other));
    Answer last = new Answer(COLUMNS, List.of(rows().get(0), rows().get(3)));
    assertEquals(
        Optional.of("row 2 is out of order: [d, 10.00, null, 1995-03-05]"),
        AnswerCheck.compare(two, last));
    assertEquals(Optional.of("expected 2 rows, found 4"), AnswerCheck.compare(two, EXPECTED));
  }

  @Test
  void theCacheFolderFollowsTheEnvironment() {
    assertEquals(
        Path.of("/a"),
        DatasetCache.root(Map.of("ARAGONITE_CACHE", "/a", "XDG_CACHE_HOME", "/x"), "/home/u"));
    assertEquals(
        Path.of("/x/aragonite"), DatasetCache.root(Map.of("XDG_CACHE_HOME", "/x"), "/home/u"));
    assertEquals(Path.of("/home/u/.cache/aragonite"), DatasetCache.root(Map.of(), "/home/u"));
  }
}
