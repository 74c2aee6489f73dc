package io.aragonite.bench.fuzz;

import static io.aragonite.bench.fuzz.SqlTree.optional;
import static io.aragonite.bench.fuzz.SqlTree.value;

import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Makes random calls of functions over lists, JSON, instants and units of time. */
final class FuzzFunctions {
  private static final List<String> UNITS = List.of("year", "quarter", "month", "week", "day");

  private final Random random;
  private final FuzzChoice choice;
  private final FuzzExpressions expressions;

  FuzzFunctions(Random random, FuzzExpressions expressions) {
    this.random = random;
    this.choice = new FuzzChoice(random);
    this.expressions = expressions;
  }

  /** NULLIF of numbers of one type: engines choose another one of two. */
  SqlTree nullif(FuzzType type, FuzzScope scope, int depth) {
    String common =
        switch (type) {
          case INTEGER -> "bigint";
          case DECIMAL -> "decimal(30, 6)";
          case DOUBLE -> "double";
          default -> null;
        };
    SqlTree first = expressions.of(type, scope, depth);
    SqlTree second = expressions.of(type, scope, depth);
    return common == null
        ? value(type, "nullif(", first, ", ", second, ")")
        : value(type, "nullif(cast(", first, " as " + common + "), cast(", second, " as " + common + "))");
  }

  /** Values of several types, of which the result has the widest. */
  SqlTree mixed(FuzzType type, FuzzScope scope, int depth) {
    FuzzType other =
        switch (type) {
          case DECIMAL -> FuzzType.INTEGER;
          case DOUBLE -> choice.chance(50) ? FuzzType.INTEGER : FuzzType.DECIMAL;
          case TIMESTAMP -> FuzzType.DATE;
          default -> type;
        };
    // A decimal beside a REAL is a REAL in DuckDB, a DOUBLE here.
    SqlTree value = expressions.of(type, scope, depth);
    SqlTree own = other == FuzzType.DECIMAL ? value(type, "cast(", value, " as double)") : value;
    SqlTree narrow = expressions.of(other, scope, depth);
    return switch (random.nextInt(4)) {
      case 0 -> value(type, "coalesce(", narrow, ", ", own, ")");
      case 1 -> value(type, "coalesce(", own, ", ", narrow, ", ", expressions.literal(type), ")");
      case 2 -> value(type, "case when ", expressions.predicate(scope, depth), " then ", narrow, " else ", own, " end");
      default ->
          value(type, "case when ", expressions.predicate(scope, depth), " then ", own, " when ", expressions.predicate(scope, 0), " then ", narrow,
              optional(" else null"), " end");
    };
  }

  /** An interval: two times' distance, or one that is chosen. */
  private SqlTree interval(FuzzScope scope, int depth) {
    return switch (random.nextInt(6)) {
      case 4 -> SqlTree.fixed("(", expressions.of(FuzzType.TIME, scope, depth), " - ", expressions.of(FuzzType.TIME, scope, 0), ")");
      case 5 -> SqlTree.fixed("(", expressions.of(FuzzType.TIMESTAMP, scope, depth), " - cast(", expressions.of(FuzzType.DATE, scope, 0), " as timestamp))");
      case 0 -> SqlTree.fixed("(", expressions.of(FuzzType.TIMESTAMP, scope, depth), " - ", expressions.of(FuzzType.TIMESTAMP, scope, 0), ")");
      case 1 -> SqlTree.fixed("case when ", expressions.predicate(scope, depth), " then interval '1 day' else interval '36 hours' end");
      case 2 -> SqlTree.fixed("(interval '1 hour' * cast((", expressions.of(FuzzType.INTEGER, scope, depth), " % 100) as integer))");
      default -> SqlTree.fixed("to_days(cast((", expressions.of(FuzzType.INTEGER, scope, depth), " % 100) as integer))");
    };
  }

  /** A call; null for a kind that there is none for. */
  @Nullable SqlTree call(FuzzType type, FuzzScope scope, int depth) {
    return switch (type) {
      case BOOLEAN -> truth(scope, depth);
      case INTEGER -> integer(scope, depth);
      case VARCHAR -> text(scope, depth);
      case DOUBLE -> floating(scope, depth);
      case DATE ->
          choice.chance(30)
              ? element(type, scope, depth)
              : value(type, "cast(date_trunc(", unit(scope), ", ", expressions.of(type, scope, depth), ") as date)");
      case TIMESTAMP -> timestamp(scope, depth);
      case TIME, INSTANT, UUID -> null;
      case DECIMAL -> value(type, choice.any(List.of("trunc(", "round(")), expressions.of(type, scope, depth), ")");
    };
  }

  /** A unit of time, or another one in each row. */
  private SqlTree unit(FuzzScope scope) {
    String one = "'" + choice.any(UNITS) + "'";
    return choice.chance(50)
        ? SqlTree.fixed(one)
        : SqlTree.fixed("case when ", expressions.predicate(scope, 0), " then " + one + " else '" + choice.any(UNITS) + "' end");
  }

  private SqlTree list(FuzzType type, FuzzScope scope, int depth) {
    return SqlTree.fixed(
        "[", expressions.of(type, scope, depth), ", ", expressions.literal(type), optional(", ", expressions.of(type, scope, 0)), "]");
  }

  /** A map of two keys, which are different. */
  private SqlTree map(FuzzType type, FuzzScope scope) {
    return SqlTree.fixed("map {'a': ", expressions.of(type, scope, 0), ", 'B': ", expressions.literal(type), "}");
  }

  /** A value of a list; lists of lists, parts of lists and their orders among them. */
  private SqlTree element(FuzzType type, FuzzScope scope, int depth) {
    SqlTree list = list(type, scope, depth);
    String place = String.valueOf(random.nextInt(7) - 3);
    return switch (random.nextInt(9)) {
      case 0 -> value(type, "(flatten([", list, ", ", list(type, scope, 0), "]))[" + place + "]");
      case 1 -> value(type, "list_sort(", list, ", '" + choice.any(List.of("asc", "desc")) + "', '" + choice.any(List.of("nulls first", "nulls last")) + "')[" + place + "]");
      case 2 -> value(type, "list_reverse_sort(", list, ")[" + place + "]");
      case 3 -> value(type, "(", list, "[" + (random.nextInt(5) - 2) + ":" + (random.nextInt(5) - 2) + "])[1]");
      case 4 -> value(type, "list_concat(", list, ", ", list(type, scope, 0), ")[" + place + "]");
      case 5 -> value(type, "(", map(type, scope), ")[", expressions.literal(FuzzType.VARCHAR), "]");
      case 6 -> value(type, "list_aggregate(", list, ", '" + choice.any(List.of("min", "max")) + "')");
      case 7 -> value(type, "list_reduce(", list, ", lambda x, y: case when ", choice.any(List.of("x < y", "x is null", "y > x")), " then x else y end)");
      default -> value(type, list, "[" + place + "]");
    };
  }

  private SqlTree truth(FuzzScope scope, int depth) {
    FuzzType type = FuzzType.BOOLEAN;
    FuzzType element = choice.chance(50) ? FuzzType.INTEGER : FuzzType.VARCHAR;
    return switch (random.nextInt(10)) {
      case 6 -> value(type, choice.any(List.of("list_has_any(", "list_has_all(")), list(element, scope, depth), ", ", list(element, scope, 0), ")");
      case 7 -> value(type, "map_contains(", map(element, scope), ", ", expressions.literal(FuzzType.VARCHAR), ")");
      case 8 -> value(type, "(", expressions.of(FuzzType.TIME, scope, depth), choice.any(List.of(" < ", " >= ", " = ", " <> ")), expressions.of(FuzzType.TIME, scope, 0), ")");
      case 4 -> value(type, "(", interval(scope, depth), choice.any(List.of(" < ", " >= ", " = ", " is distinct from ")), interval(scope, depth), ")");
      case 5 -> value(type, "(", expressions.of(element, scope, depth), choice.any(List.of(" = any(", " <> all(", " < any(")), list(element, scope, 0), "))");
      case 0 -> value(type, "list_contains(", list(element, scope, depth), ", ", expressions.of(element, scope, 0), ")");
      case 1 -> value(type, "regexp_matches(", expressions.of(FuzzType.VARCHAR, scope, depth), ", ", choice.any(List.of("'a.'", "'^[ab]+$'", "'本|x'")), ")");
      case 2 ->
          value(type, "(", expressions.of(FuzzType.VARCHAR, scope, depth), choice.any(List.of(" ilike ", " not ilike ")), choice.any(List.of("'A%'", "'%b_'", "'Ä'")), ")");
      default ->
          value(type, "(", expressions.of(FuzzType.TIMESTAMP, scope, depth), " between ", expressions.of(FuzzType.DATE, scope, 0), " and ",
              expressions.of(FuzzType.TIMESTAMP, scope, 0), " + interval '1 month 2 days')");
    };
  }

  private SqlTree integer(FuzzScope scope, int depth) {
    FuzzType type = FuzzType.INTEGER;
    SqlTree list = list(type, scope, depth);
    return switch (random.nextInt(15)) {
      case 8 ->
          value(type, "date_sub('", choice.any(List.of("month", "year", "quarter", "week", "day", "hour", "second", "microsecond")), "', ",
              expressions.of(FuzzType.TIMESTAMP, scope, depth), ", ", expressions.of(FuzzType.TIMESTAMP, scope, 0), ")");
      case 9 -> element(type, scope, depth);
      case 10 -> value(type, "list_aggregate(", list, ", '" + choice.any(List.of("sum", "count")) + "')");
      case 11 -> value(type, "array_length(flatten([", list, ", ", list(type, scope, 0), "]))");
      case 12 -> value(type, "list_reduce(", list, ", lambda x, y: x", choice.any(List.of(" + ", " - ")), "y)");
      case 0 -> value(type, "cast(date_part(", unit(scope), ", ", expressions.of(FuzzType.DATE, scope, depth), ") as bigint)");
      case 1 -> value(type, "cast(date_part(", unit(scope), ", ", expressions.of(FuzzType.TIMESTAMP, scope, depth), ") as bigint)");
      case 2 -> value(type, "list_transform(", list, ", lambda x: x ", choice.any(List.of("+ 1", "* 2", "- 3")), ")[", String.valueOf(1 + random.nextInt(3)), "]");
      case 3 -> value(type, "array_length(list_filter(", list, ", lambda x: x ", choice.any(List.of("> 1", "<> 0", "is not null")), "))");
      case 4 -> value(type, "list_sort(", list, ")[", String.valueOf(1 + random.nextInt(3)), "]");
      case 5 -> value(type, "array_length(list_distinct(", list, "))");
      case 6 ->
          value(type, "date_diff('", choice.any(List.of("month", "year", "week", "hour", "minute")), "', ", expressions.of(FuzzType.TIMESTAMP, scope, depth), ", ",
              expressions.of(FuzzType.TIMESTAMP, scope, 0), ")");
      case 13 -> value(type, "bit_count(cast(", expressions.of(type, scope, depth), " as " + choice.any(List.of("bigint", "integer", "smallint")) + "))");
      case 7 -> value(type, "try_cast(", expressions.of(FuzzType.VARCHAR, scope, depth), " as integer)");
      default -> value(type, "xor((", expressions.of(type, scope, depth), " & 63), ", String.valueOf(random.nextInt(16)), ")");
    };
  }

  private SqlTree text(FuzzScope scope, int depth) {
    FuzzType type = FuzzType.VARCHAR;
    SqlTree number = expressions.of(FuzzType.INTEGER, scope, depth);
    SqlTree json =
        SqlTree.fixed(
            "('{\"a\": ' || cast(", number, " as varchar) || ', \"ä\": [\"' || ", expressions.of(type, scope, 0), " || '\", null, {\"b\": [true, 1.5]}]}')");
    return switch (random.nextInt(10)) {
      case 5 -> element(type, scope, depth);
      case 6 -> value(type, "(", expressions.of(type, scope, depth), ")[" + (random.nextInt(6) - 3) + ":" + (random.nextInt(6) - 3) + "]");
      case 7 -> value(type, "array_to_string(regexp_extract_all(", expressions.of(type, scope, depth), ", ", choice.any(List.of("'[ab]'", "'a.?'", "'\\d+'")), "), '+')");
      case 8 -> value(type, choice.any(List.of("printf('%5d|%-4s|', ", "format('{:>4}<{}>', ")), "cast(", number, " as bigint), ", expressions.of(type, scope, 0), ")");
      case 0, 1 -> value(type, "(", json, " ->> ", choice.any(List.of("'a'", "'$.ä[0]'", "'$.ä[1]'", "'$.ä[-1].b[0]'", "'/ä/2/b'", "'$.\"ä\"[9]'")), ")");
      case 2 -> value(type, "cast((", json, " -> ", choice.any(List.of("'a'", "'$.ä[2]'", "'$.ä[1]'", "'x'")), ") as varchar)");
      case 3 -> value(type, "concat_ws('-', ", expressions.of(type, scope, depth), ", ", expressions.of(type, scope, 0), ")");
      case 4 -> value(type, "list_transform(", list(type, scope, depth), ", lambda x: upper(x) || '.')[1]");
      default -> value(type, choice.any(List.of("dayname(", "monthname(")), expressions.of(FuzzType.DATE, scope, depth), ")");
    };
  }

  private SqlTree floating(FuzzScope scope, int depth) {
    FuzzType type = FuzzType.DOUBLE;
    SqlTree argument = expressions.of(type, scope, depth);
    return switch (random.nextInt(6)) {
      case 4 -> element(type, scope, depth);
      case 5 -> value(type, "epoch(", interval(scope, depth), ")");
      case 0 -> value(type, "sqrt(abs(", argument, "))");
      case 1 -> value(type, choice.any(List.of("cbrt(", "trunc(")), argument, ")");
      case 2 -> value(type, "try_cast(", expressions.of(FuzzType.VARCHAR, scope, depth), " as double)");
      default -> value(type, "cast(", expressions.of(FuzzType.DECIMAL, scope, depth), " as double)");
    };
  }

  private SqlTree timestamp(FuzzScope scope, int depth) {
    FuzzType type = FuzzType.TIMESTAMP;
    SqlTree argument = expressions.of(type, scope, depth);
    return switch (random.nextInt(3)) {
      case 1 -> value(type, "(", argument, choice.any(List.of(" + ", " - ")), interval(scope, depth), ")");
      case 0 -> value(type, "cast(date_trunc(", unit(scope), ", ", argument, ") as timestamp)");
      default -> value(type, "(", argument, " + to_hours(cast((", expressions.of(FuzzType.INTEGER, scope, 0), " % 100) as integer)))");
    };
  }
}
