package io.aragonite.adapter.sql.parse;

import static org.apache.calcite.sql.parser.babel.SqlBabelParserImplConstants.*;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.calcite.sql.parser.babel.Token;

/**
 * {@code TABLESAMPLE 10%}, {@code TABLESAMPLE RESERVOIR (10 ROWS)} and {@code USING SAMPLE}, as the
 * grammar has samples: of rows by chance, or under a name that {@link QueryForms} reads.
 */
final class SampleTokens extends TokenList {
  /** The name of a sample of so many rows. */
  static final String ROWS = "rows ";

  private static final Set<String> METHODS = Set.of("BERNOULLI", "SYSTEM", "RESERVOIR");

  SampleTokens(List<Token> tokens) {
    super(tokens);
  }

  /** What follows the word that begins a sample becomes a method and parentheses. */
  void at(int i) {
    String method = image(i + 1);
    boolean named = METHODS.contains(method);
    int from = named ? i + 2 : i + 1;
    boolean open = kind(from) == LPAREN;
    int number = open ? from + 1 : from;
    if (kind(number) != UNSIGNED_INTEGER_LITERAL && kind(number) != DECIMAL_NUMERIC_LITERAL) {
      return;
    }
    int unit = number + 1;
    boolean percent = kind(unit) == PERCENT_REMAINDER || image(unit).equals("PERCENT");
    boolean rows = image(unit).equals("ROWS") || image(unit).equals("ROW");
    int end = percent || rows ? unit + 1 : unit;
    if (open && kind(end) != RPAREN) {
      return;
    }
    end = open ? end + 1 : end;
    if (kind(end) == LPAREN && METHODS.contains(image(end + 1))) { // 10 % (BERNOULLI)
      requireNoSeed(kind(end + 2) == COMMA ? end + 2 : end);
      named = true;
      method = image(end + 1);
      end = closing(end) + 1;
    }
    requireNoSeed(end);
    // as in DuckDB and PostgreSQL: (10 ROWS) are rows, BERNOULLI (10) is of percents
    boolean counted = rows || !percent && (!named || method.equals("RESERVOIR"));
    Token at = tokens.get(number);
    if (percent && method.equals("RESERVOIR")) {
      throw invalid(at, "RESERVOIR is of a number of rows; write BERNOULLI before percents");
    }
    if (counted
        && (kind(number) != UNSIGNED_INTEGER_LITERAL || named && !method.equals("RESERVOIR"))) {
      throw invalid(at, "A sample has a whole number of rows, as RESERVOIR (10 ROWS), or percents");
    }
    tokens.subList(i + 1, end).clear();
    tokens.addAll(
        i + 1,
        List.of(
            counted ? like(at, SUBSTITUTE, "SUBSTITUTE") : like(at, BERNOULLI, "BERNOULLI"),
            like(at, LPAREN, "("),
            counted ? like(at, QUOTED_STRING, "'" + ROWS + at.image + "'") : at,
            like(at, RPAREN, ")")));
  }

  private void requireNoSeed(int i) {
    if (kind(i) == COMMA && kind(i + 1) == UNSIGNED_INTEGER_LITERAL || kind(i) == REPEATABLE) {
      throw invalid(
          tokens.get(i),
          "A sample has no seed; leave it out, or take the same rows each time by a key: WHERE"
              + " MOD(id, 10) = 0");
    }
  }

  /** {@code USING SAMPLE} at the end of a SELECT is a sample of the one table of its FROM. */
  void using(int i) {
    if (!image(i + 1).equals("SAMPLE")
        || kind(i + 2) == LPAREN
            && kind(i + 3) != UNSIGNED_INTEGER_LITERAL
            && kind(i + 3) != DECIMAL_NUMERIC_LITERAL) {
      return;
    }
    tokens.set(i, like(tokens.get(i), TABLESAMPLE, "TABLESAMPLE"));
    tokens.remove(i + 1);
    at(i);
    int sample = closing(i + 2) + 1;
    List<Token> spec = List.copyOf(tokens.subList(i, sample));
    int depth = 0;
    int end = i;
    for (int at = i - 1; at >= 0; at--) {
      int kind = kind(at);
      depth += kind == RPAREN ? 1 : kind == LPAREN ? -1 : 0;
      if (depth < 0) {
        break;
      }
      if (isOfDistinct(at)) {
        continue;
      }
      if (depth == 0 && CLAUSES.contains(kind) && kind != FROM) {
        end = at;
      }
      if (depth == 0 && (kind == COMMA || kind == JOIN) && isOfFrom(at)) {
        throw invalid(
            spec.getFirst(),
            "USING SAMPLE is of one table; write TABLESAMPLE behind the table that it is of, or put"
                + " the join into FROM in parentheses");
      }
      if (depth == 0 && kind == FROM) {
        tokens.subList(i, sample).clear();
        tokens.addAll(end, spec);
        return;
      }
    }
    throw invalid(spec.getFirst(), "USING SAMPLE needs a FROM with a table before it");
  }

  /** Whether FROM is nearer than any other clause before a token. */
  private boolean isOfFrom(int i) {
    int depth = 0;
    for (int at = i - 1; at >= 0; at--) {
      int kind = kind(at);
      depth += kind == RPAREN ? 1 : kind == LPAREN ? -1 : 0;
      if (isOfDistinct(at)) {
        continue;
      }
      if (depth < 0 || depth == 0 && (CLAUSES.contains(kind) || kind == SELECT || kind == FROM)) {
        return kind == FROM;
      }
    }
    return false;
  }

  /** Whether a token is the FROM of IS [NOT] DISTINCT FROM. */
  private boolean isOfDistinct(int i) {
    return kind(i) == FROM
        && i > 1
        && image(i - 1).equals("DISTINCT")
        && (image(i - 2).equals("IS") || image(i - 2).equals("NOT"));
  }

  private String image(int i) {
    return kind(i) == EOF ? "" : tokens.get(i).image.toUpperCase(Locale.ROOT);
  }
}
