package io.aragonite.tpch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.dataset.Answer;
import io.aragonite.dataset.Answer.AnswerKind;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Our stored answers at scale 1 against those that the TPC ships with dbgen. Their files are not
 * ours to distribute: {@code -Daragonite.tpch.official=<folder with q1.out to q22.out>} runs this.
 */
@EnabledIfSystemProperty(named = OfficialAnswersTest.FOLDER, matches = ".+")
class OfficialAnswersTest {
  static final String FOLDER = "aragonite.tpch.official";

  /** Official numbers are printed with two digits. */
  private static final BigDecimal HALF_CENT = new BigDecimal("0.005");

  /** Clause 2.1.3.5 allows 100 dollars for sums; a nickel is enough. */
  private static final BigDecimal SUM_TOLERANCE = new BigDecimal("0.05");

  static List<TpchQuery> queries() {
    return TpchQuery.all();
  }

  @ParameterizedTest
  @MethodSource("queries")
  void storedAnswerEqualsTheOfficialOne(TpchQuery query) throws IOException {
    Path file = Path.of(System.getProperty(FOLDER), "q" + query.number() + ".out");
    List<String> lines = Files.readAllLines(file);
    Answer answer = query.answer(1).orElseThrow();
    assertEquals(lines.size() - 1, answer.rows().size(), "rows");
    int inexact = 0;
    for (int row = 0; row < answer.rows().size(); row++) {
      String[] official = lines.get(row + 1).split("\\|", -1);
      assertEquals(answer.columns().size(), official.length, lines.get(row + 1));
      for (int column = 0; column < official.length; column++) {
        Object ours = answer.rows().get(row).get(column);
        AnswerKind kind = answer.columns().get(column).kind();
        String where =
            query
                + " row "
                + (row + 1)
                + " "
                + answer.columns().get(column).name()
                + ": official "
                + official[column].strip()
                + ", ours "
                + ours;
        if (kind == AnswerKind.DECIMAL || kind == AnswerKind.DOUBLE) {
          BigDecimal difference =
              new BigDecimal(official[column].strip()).subtract(number(ours)).abs();
          assertTrue(difference.compareTo(SUM_TOLERANCE) <= 0, where);
          if (difference.compareTo(HALF_CENT) > 0) {
            inexact++;
            System.out.println("within the tolerance only: " + where);
          }
        } else {
          assertEquals(official[column].strip(), text(ours), where);
        }
      }
    }
    assertTrue(query.number() == 17 || inexact == 0, query + " differs by more than rounding");
  }

  private static BigDecimal number(@Nullable Object value) {
    assertTrue(value instanceof Number, "not a number: " + value);
    return new BigDecimal(value.toString());
  }

  private static String text(@Nullable Object value) {
    return value == null ? "NULL" : Answer.format(value).strip();
  }
}
