package io.aragonite.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Random expressions of Spark's SQL over the columns of {@link ExtremeTables}. */
final class SqlExpressions {
  /** Types of values, with the columns that have them. */
  enum SqlKind {
    TINY("tinyint", "y"),
    SMALL("smallint", "h"),
    INT("int", "i", "j"),
    LONG("bigint", "l", "k"),
    FLOAT("float", "f", "g"),
    DOUBLE("double", "d", "e"),
    DECIMAL("decimal(18,4)", "p", "m", "w"),
    TEXT("string", "t", "u"),
    DATE("date", "day", "dat"),
    MOMENT("timestamp", "ts", "tz"),
    LOCAL("timestamp_ntz", "tn"),
    TRUTH("boolean", "b", "c"),
    BYTES("binary", "bin");

    final String sql;
    final List<String> columns;

    SqlKind(String sql, String... columns) {
      this.sql = sql;
      this.columns = List.of(columns);
    }
  }

  private static final SqlKind[] KINDS = SqlKind.values();

  private static final List<SqlKind> INTEGERS = List.of(SqlKind.TINY, SqlKind.SMALL, SqlKind.INT, SqlKind.LONG);
  private static final List<SqlKind> NUMBERS =
      List.of(
          SqlKind.TINY, SqlKind.SMALL, SqlKind.INT, SqlKind.LONG, SqlKind.FLOAT, SqlKind.DOUBLE, SqlKind.DECIMAL);

  private static final List<String> TEXTS =
      List.of("''", "' '", "'a'", "'ab'", "'ü'", "'b'", "'A'", "'\uD83D\uDE00'", "'%'", "'_'", "'\\\\'", "'12'");

  private final Random random;

  /** What stands before a column's name: one of these. */
  private final List<String> prefixes;

  SqlExpressions(Random random, String... prefixes) {
    this.random = random;
    this.prefixes = prefixes.length == 0 ? List.of("") : List.of(prefixes);
  }

  SqlKind kind() {
    return KINDS[random.nextInt(KINDS.length)];
  }

  private <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  private String one(String... of) {
    return of[random.nextInt(of.length)];
  }

  String column(SqlKind kind) {
    return one(prefixes) + one(kind.columns);
  }

  /** An expression whose values have the kind's type, or for decimals another precision. */
  String of(SqlKind kind, int depth) {
    if (depth <= 0 || random.nextInt(6) == 0) {
      return random.nextInt(4) == 0 ? literal(kind) : column(kind);
    }
    int below = depth - 1;
    if (random.nextInt(4) == 0) {
      return choice(kind, below);
    }
    return switch (kind) {
      case TINY, SMALL, INT, LONG -> integer(kind, below);
      case FLOAT, DOUBLE -> floating(kind, below);
      case DECIMAL -> decimal(below);
      case TEXT -> text(below);
      case DATE -> date(below);
      case MOMENT, LOCAL -> moment(kind, below);
      case TRUTH -> truth(below);
      case BYTES -> "cast(%s as binary)".formatted(of(SqlKind.TEXT, below));
    };
  }

  private String literal(SqlKind kind) {
    return switch (kind) {
      case TINY -> one("1Y", "0Y", "127Y", "-5Y");
      case SMALL -> one("1S", "0S", "32767S", "-7S");
      case INT -> one("0", "1", "-1", "7", "100", "2147483647", "cast(null as int)");
      case LONG -> one("0L", "1L", "-3L", "9223372036854775807L", "1000000007L");
      case FLOAT -> one("0.0F", "1.5F", "-0.0F", "float('NaN')", "0.1F");
      case DOUBLE -> one("0.0D", "-0.0D", "1.5D", "1e308D", "double('NaN')", "double('-Infinity')", "3D");
      case DECIMAL -> one("0.00", "1.5", "-0.05", "99999.99", "12345678901234567890.123", "3BD");
      case TEXT -> one(TEXTS);
      case DATE -> one("date'1582-10-10'", "date'2000-02-29'", "date'0001-01-01'", "cast(null as date)");
      case MOMENT -> one("timestamp'2000-01-01 00:00:00'", "timestamp'1500-03-01 12:34:56.789'");
      case LOCAL -> "timestamp_ntz'2000-01-01 05:00:00'";
      case TRUTH -> one("true", "false", "cast(null as boolean)");
      case BYTES -> one("x'00FF'", "x''", "x'61'");
    };
  }

  private String choice(SqlKind kind, int depth) {
    return switch (random.nextInt(5)) {
      case 0 -> "case when %s then %s when %s then %s else %s end".formatted(
          of(SqlKind.TRUTH, depth), of(kind, depth), of(SqlKind.TRUTH, depth), of(kind, depth), of(kind, depth));
      case 1 -> "case when %s then %s end".formatted(of(SqlKind.TRUTH, depth), of(kind, depth));
      case 2 -> "if(%s, %s, %s)".formatted(of(SqlKind.TRUTH, depth), of(kind, depth), of(kind, depth));
      case 3 -> "coalesce(%s, %s)".formatted(of(kind, depth), of(kind, depth));
      default -> "nullif(%s, %s)".formatted(of(kind, depth), of(kind, depth));
    };
  }

  private String integer(SqlKind kind, int depth) {
    String a = of(kind, depth);
    String b = of(kind, depth);
    return switch (random.nextInt(kind == SqlKind.INT ? 18 : 11)) {
      case 0 -> "(%s + %s)".formatted(a, b);
      case 1 -> "(%s - %s)".formatted(a, b);
      case 2 -> "(%s * %s)".formatted(a, b);
      case 3 -> "(%s %% cast(%s as %s))".formatted(a, one("7", "-3", "1", "100"), kind.sql);
      case 4 -> "(- %s)".formatted(a);
      case 5 -> "abs(%s)".formatted(a);
      case 6 -> "(%s %s %s)".formatted(a, one("&", "|", "^"), b);
      case 7 -> "(~ %s)".formatted(a);
      case 8, 9 -> "cast(%s as %s)".formatted(of(one(NUMBERS), depth), kind.sql);
      case 10 -> rareInteger(kind, a, b);
      case 11, 12 -> "%s(%s)".formatted(
          one("year", "month", "day", "quarter", "dayofweek", "weekday", "dayofyear", "weekofyear"),
          of(SqlKind.DATE, depth));
      case 13 -> "length(%s)".formatted(of(SqlKind.TEXT, depth));
      case 14 -> "instr(%s, %s)".formatted(of(SqlKind.TEXT, depth), one(TEXTS));
      case 15 -> "datediff(%s, %s)".formatted(of(SqlKind.DATE, depth), of(SqlKind.DATE, depth));
      case 16 -> "round(%s, 2)".formatted(a);
      default -> "cast(%s as int)".formatted(of(SqlKind.TRUTH, depth));
    };
  }

  /** What a later version may translate. */
  private String rareInteger(SqlKind kind, String a, String b) {
    return "cast(%s as %s)".formatted(
        switch (random.nextInt(9)) {
          case 0 -> "shiftleft(%s, 3)".formatted(a);
          case 1 -> "shiftright(%s, 33)".formatted(a);
          case 2 -> "pmod(%s, %s)".formatted(a, b);
          case 3 -> "(%s div %s)".formatted(a, b);
          case 4 -> "greatest(%s, %s)".formatted(a, b);
          case 5 -> "least(%s, %s)".formatted(a, b);
          case 6 -> "(%s %% %s)".formatted(a, b);
          case 7 -> "round(%s, -1)".formatted(a);
          default -> "try_add(%s, %s)".formatted(a, b);
        },
        kind.sql);
  }

  private String floating(SqlKind kind, int depth) {
    String a = of(kind, depth);
    String b = of(kind, depth);
    return switch (random.nextInt(12)) {
      case 0 -> "(%s + %s)".formatted(a, b);
      case 1 -> "(%s - %s)".formatted(a, b);
      case 2 -> "(%s * %s)".formatted(a, b);
      case 3 -> "cast(%s / %s as %s)".formatted(a, b, kind.sql);
      case 4 -> "(- %s)".formatted(a);
      case 5 -> "abs(%s)".formatted(a);
      case 6, 7 -> "cast(%s as %s)".formatted(of(one(NUMBERS), depth), kind.sql);
      case 8 -> "round(%s, %d)".formatted(a, random.nextInt(5));
      case 9 -> "cast(sqrt(%s) as %s)".formatted(a, kind.sql);
      case 10 -> "cast(%s / %s as %s)".formatted(of(one(NUMBERS), depth), of(one(INTEGERS), depth), kind.sql);
      default -> "cast(%s as %s)".formatted(
          one("try_divide(%s, %s)", "(%s %% %s)", "greatest(%s, %s)", "least(%s, %s)", "nanvl(%s, %s)").formatted(a, b),
          kind.sql);
    };
  }

  private String decimal(int depth) {
    String a = of(SqlKind.DECIMAL, depth);
    String b = of(SqlKind.DECIMAL, depth);
    return switch (random.nextInt(12)) {
      case 0 -> "(%s + %s)".formatted(a, b);
      case 1 -> "(%s - %s)".formatted(a, b);
      case 2 -> "(%s * %s)".formatted(a, b);
      case 3 -> "(%s / %s)".formatted(a, b);
      case 4 -> "(%s %% %s)".formatted(a, one("7BD", "0.03", "-12.5"));
      case 5 -> "(- %s)".formatted(a);
      case 6 -> "abs(%s)".formatted(a);
      case 7, 8 -> "cast(%s as decimal(%s))".formatted(
          of(one(NUMBERS), depth), one("38,0", "38,18", "20,2", "10,0", "5,2", "18,6", "38,37"));
      case 9 -> "round(%s, %d)".formatted(a, random.nextInt(4));
      case 10 -> "(%s %s %s)".formatted(a, one("+", "-", "*", "/"), of(one(INTEGERS), depth));
      default -> one("ceil(%s)", "floor(%s)", "bround(%s, 1)", "round(%s, -2)").formatted(a);
    };
  }

  private String text(int depth) {
    String a = of(SqlKind.TEXT, depth);
    return switch (random.nextInt(14)) {
      case 0, 1 -> "concat(%s, %s)".formatted(a, of(SqlKind.TEXT, depth));
      case 2 -> "upper(%s)".formatted(a);
      case 3 -> "lower(%s)".formatted(a);
      case 4 -> "substring(%s, %d)".formatted(a, random.nextInt(7) - 2);
      case 5 -> "substring(%s, %d, %d)".formatted(a, random.nextInt(7) - 2, random.nextInt(5) - 1);
      case 6 -> "%s(%s)".formatted(one("trim", "ltrim", "rtrim"), a);
      case 7 -> "trim(%s %s from %s)".formatted(
          one("both", "leading", "trailing"), one("'a'", "'ab'", "' ü'", "'\uD83D\uDE00b'"), a);
      case 8 -> "replace(%s, %s, %s)".formatted(a, one(TEXTS), one(TEXTS));
      case 9 -> "left(%s, %d)".formatted(a, random.nextInt(4));
      case 10 -> "right(%s, %d)".formatted(a, random.nextInt(4));
      case 11 -> "cast(%s as string)".formatted(of(kind(), depth));
      default -> one("reverse(%s)", "lpad(%s, 5, 'xy')", "repeat(%s, 2)", "initcap(%s)", "translate(%s, 'ab', 'x')")
          .formatted(a);
    };
  }

  private String date(int depth) {
    String a = of(SqlKind.DATE, depth);
    return switch (random.nextInt(10)) {
      case 0 -> "date_add(%s, %s)".formatted(a, one("1", "-400", "100000", "i"));
      case 1 -> "date_sub(%s, 31)".formatted(a);
      case 2, 3 -> "add_months(%s, %s)".formatted(a, one("1", "-1", "13", "-25000"));
      case 4 -> "last_day(%s)".formatted(a);
      case 5, 6 -> "trunc(%s, '%s')".formatted(a, one("year", "quarter", "month", "week", "no unit"));
      case 7 -> "(%s + interval %d days)".formatted(a, random.nextInt(90));
      case 8 -> "(%s - interval '%d' month)".formatted(a, random.nextInt(90));
      default -> "cast(%s as date)".formatted(of(one(List.of(SqlKind.MOMENT, SqlKind.TEXT)), depth));
    };
  }

  private String moment(SqlKind kind, int depth) {
    String a = of(kind, depth);
    return switch (random.nextInt(4)) {
      case 0 -> "(%s + interval '1 2:3:4' day to second)".formatted(a);
      case 1 -> "cast(%s as %s)".formatted(of(SqlKind.DATE, depth), kind.sql);
      default -> choice(kind, depth);
    };
  }

  private String truth(int depth) {
    SqlKind kind = kind();
    String a = of(kind, depth);
    return switch (random.nextInt(13)) {
      case 0, 1, 2 -> "(%s %s %s)".formatted(a, one("=", "<", "<=", ">", ">=", "<>", "<=>"), of(kind, depth));
      case 3 -> "(%s %s %s)".formatted(of(SqlKind.TRUTH, depth), one("and", "or"), of(SqlKind.TRUTH, depth));
      case 4 -> "(not %s)".formatted(of(SqlKind.TRUTH, depth));
      case 5 -> "(%s is %snull)".formatted(a, one("", "not "));
      case 6 -> "(%s in (%s))".formatted(a, literals(kind, 1 + random.nextInt(3)));
      case 7 -> "(%s not in (%s))".formatted(a, literals(kind, 14));
      case 8 -> "(%s between %s and %s)".formatted(a, of(kind, depth), of(kind, depth));
      case 9, 10 -> like(of(SqlKind.TEXT, depth));
      case 11 -> "isnan(%s)".formatted(of(random.nextBoolean() ? SqlKind.FLOAT : SqlKind.DOUBLE, depth));
      default -> "(%s %s %s)".formatted(of(one(NUMBERS), depth), one("<", "=", ">="), of(one(NUMBERS), depth));
    };
  }

  private String like(String text) {
    String pattern =
        one("a%", "%b", "%ü%", "_", "__", "%", "", "a_b", "%a%b%", "a\\\\%b", "%\\\\_%", "\uD83D\uDE00%", "_\uD83D\uDE00_", "% ", "%\\n%");
    return switch (random.nextInt(7)) {
      case 0 -> "startswith(%s, %s)".formatted(text, one(TEXTS));
      case 1 -> "endswith(%s, %s)".formatted(text, one(TEXTS));
      case 2 -> "contains(%s, %s)".formatted(text, one(TEXTS));
      case 3 -> "(%s rlike '%s')".formatted(text, one("^a", "b$", "[0-9]+", "ü"));
      case 4 -> "(%s like '%s' escape '!')".formatted(text, one("a!%b", "%!_%", "_b"));
      default -> "(%s like '%s')".formatted(text, pattern);
    };
  }

  /** Constants of one type; some may be equal or null. */
  private String literals(SqlKind kind, int count) {
    List<String> items = new ArrayList<>(IntStream.range(0, count).mapToObj(n -> item(kind, n)).toList());
    if (random.nextInt(5) == 0) {
      items.add("null");
    }
    return items.stream().collect(Collectors.joining(", "));
  }

  private String item(SqlKind kind, int number) {
    return switch (kind) {
      case INT, LONG, SMALL, TINY -> String.valueOf(number - 3);
      case DOUBLE -> number == 0 ? literal(kind) : number / 2.0 + "D";
      case TEXT -> number < TEXTS.size() ? TEXTS.get(number) : "'x%d'".formatted(number);
      case DATE -> number == 0 ? literal(kind) : "date'2000-01-%02d'".formatted(number);
      default -> literal(kind);
    };
  }
}
