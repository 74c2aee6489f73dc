package io.aragonite.bench.fuzz;

import static io.aragonite.bench.fuzz.SqlTree.value;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Makes random calls of functions that need no more than their arguments, from templates: {@code {i}}, {@code {d}}, {@code {f}},
 * {@code {t}}, {@code {D}} and {@code {T}} are expressions of integers, decimals, floats, texts, dates and timestamps, {@code {l}} and
 * {@code {s}} lists of integers and texts, {@code {n}} is a digit.
 */
final class FuzzLibrary {
  private static final Pattern PLACE = Pattern.compile("\\{([idftDTlsn])}");

  private static final Map<FuzzType, List<String>> TEMPLATES =
      Map.of(
          FuzzType.BOOLEAN,
          List.of(
              "contains({t}, {t})", "ends_with({t}, {t})", "isnan({f})", "isinf({f})", "isfinite({f})", "regexp_full_match({t}, '[ab]*')", "list_contains({s}, {t})", "({l} = {l})", "({l} < {l})", "({s} >= {s})", "({l} is distinct from {l})",
              "({t} in ({t}, 'a', {t}))", "({i} not in ({i}, 3))", "({t}[1] = {t})", "(not {t} ilike '%B')"),
          FuzzType.INTEGER,
          List.of(
              "instr({t}, {t})", "unicode({t} || 'a')", "bit_length({t})", "strlen({t})", "mod({i}, {n} + 1)", "({i} // 3)", "gcd({i}, {i})",
              "lcm({i} % 20, {i} % 20)", "factorial({n})", "({i} & {i})", "({i} | 5)", "(abs({i} % 1000) << {n})", "({i} >> {n})", "(~ {i})", "week({D})",
              "isodow({D})", "isoyear({D})", "date_part('decade', {D})", "date_part('century', {T})", "dayofyear({D})", "epoch_ms({T})",
              "epoch_us({T})", "list_unique({l})", "list_sum({l})", "list_position({s}, {t})", "len({s})", "array_length(string_split({t}, 'a'))",
              "cast(round({f}) as bigint)", "cast(trunc({d}) as bigint)", "cast(floor({f}) as integer)", "cast({t} = 'a' as integer)", "length(cast({T} as varchar))",
              "list_max(list_transform({l}, lambda x: x * 2))", "list_min({l})", "{l}[{n}]", "{l}[-{n}]", "list_extract({l}, {n})", "array_length({l} || {l})",
              "hour({T})", "microsecond({T})", "millisecond({T})", "cardinality(map {'a': {i}, coalesce({t}, '') || 'x': 2})",
              "(map {'a': {i}, 'b': {i}})[{t}]", "coalesce(try_cast({t} as smallint), {i})", "length(concat_ws({t}, {t}, null, {t}))"),
          FuzzType.DECIMAL,
          List.of(
              "mod({d}, 7)", "round({d}, {n})", "round({d}, -1)", "trunc({d})", "list_max([{d}, {d}])", "cast(list_sum([cast({d} as decimal(10, 2)), 1.25]) as decimal(18, 2))", "(+ {d})",
              "sign({d})", "cast({d} as decimal(30, {n}))"),
          FuzzType.DOUBLE,
          List.of(
              "exp(least({f}, 20))", "ln(abs({f}) + 1)", "log10(abs({f}) + 1)", "log2(abs({f}) + 1)", "sin({f})", "cos({f})", "atan({f})", "atan2({f}, {f})",
              "degrees({f})", "radians({f})", "power(abs({f}), 0.5)", "power({f}, 2)", "sign({f})", "list_avg({l})", "jaro_winkler_similarity(hex({t}), hex({t}))",
              "jaro_similarity(hex({t}), hex({t}))", "epoch({D})", "epoch({T})", "log(2, abs({f}) + 1)", "list_max([{f}, {f}])", "(cast({i} as double) / {f})", "({i} / ({n} + 1e0))",
              "cast(cast({f} as real) as double)", "list_aggregate([{f}, {f}], 'sum')"),
          FuzzType.VARCHAR,
          List.of(
              "chr(cast(abs({i} % 26) + 97 as integer))", "md5({t})", "sha256({t})", "regexp_replace({t}, '[ab]', 'x')", "regexp_replace({t}, 'a|b', '<\\0>', 'g')",
              "regexp_extract({t}, '(a)(b)?', 1)", "string_split({t}, 'a')[{n}]", "left({t}, -{n})", "right({t}, -{n})", "strftime({T}, '%Y-%m-%d %H:%M:%S')",
              "strftime({D}, '%a %b %j')", "substr({t}, {n}, {n})", "list_aggregate({s}, 'string_agg', ',')", "coalesce(array_to_string(list_sort({s}), ','), '')",
              "trim({t}, 'ab')", "ltrim({t}, 'a')", "rtrim({t}, 'b')", "strip_accents({t} || 'é')", "cast({l} as varchar)",
              "{t}[{n}]", "{t}[-1]", "hex({t})", "concat({t}, null, {t})", "array_to_string(string_split({t}, ''), '-')",
              "({t} || {i})", "replace({t}, {t}, '-')", "cast({'a': {i}, 'b': {t}} as varchar)", "cast(map {'k': {i}} as varchar)",
              "upper(left({t}, 1)) || substr({t}, 2)", "coalesce({t}, {t}, 'none')", "reverse({t} || '日')", "{s}[{n}]"),
          FuzzType.DATE,
          List.of(
              "make_date(2020, cast(1 + abs({i} % 12) as integer), cast(1 + abs({i} % 28) as integer))", "({D} - {n})", "cast({T} + interval '{n} months' as date)",
              "cast(time_bucket(interval '7 days', {D}) as date)", "cast(strptime(strftime({D}, '%d/%m/%Y'), '%d/%m/%Y') as date)", "list_max([{D}, {D}])",
              "cast({D} + interval '1 year' - interval '{n} days' as date)", "last_day({T})"),
          FuzzType.TIMESTAMP,
          List.of(
              "time_bucket(interval '10 minutes', {T})", "strptime(strftime({T}, '%Y-%m-%d %H:%M:%S'), '%Y-%m-%d %H:%M:%S')", "make_timestamp(abs({i} % 1000) * 1000)",
              "make_timestamp(2020, 2, 28, cast(abs({i} % 24) as integer), 1, 2.5)", "date_add({D}, interval '{n} hours')",
              "({T} - interval '{n} weeks')", "cast(cast({T} as varchar) as timestamp)", "greatest({T}, {D})"));

  private final Random random;
  private final FuzzChoice choice;
  private final FuzzExpressions expressions;

  FuzzLibrary(Random random, FuzzExpressions expressions) {
    this.random = random;
    this.choice = new FuzzChoice(random);
    this.expressions = expressions;
  }

  /** A call; null for a kind that there is none for. */
  @Nullable SqlTree call(FuzzType type, FuzzScope scope, int depth) {
    List<String> templates = TEMPLATES.get(type);
    return templates == null ? null : value(type, filled(choice.any(templates), scope, depth).toArray());
  }

  private List<Object> filled(String template, FuzzScope scope, int depth) {
    List<Object> parts = new ArrayList<>();
    Matcher place = PLACE.matcher(template);
    int end = 0;
    while (place.find()) {
      parts.add(template.substring(end, place.start()));
      parts.add(part(place.group(1).charAt(0), scope, depth));
      end = place.end();
    }
    parts.add(template.substring(end));
    return parts;
  }

  private Object part(char kind, FuzzScope scope, int depth) {
    return switch (kind) {
      case 'i' -> expressions.of(FuzzType.INTEGER, scope, depth);
      case 'd' -> expressions.of(FuzzType.DECIMAL, scope, depth);
      case 'f' -> expressions.of(FuzzType.DOUBLE, scope, depth);
      case 't' -> expressions.of(FuzzType.VARCHAR, scope, depth);
      case 'D' -> expressions.of(FuzzType.DATE, scope, depth);
      case 'T' -> expressions.of(FuzzType.TIMESTAMP, scope, depth);
      case 'l' -> list(FuzzType.INTEGER, scope, depth);
      case 's' -> list(FuzzType.VARCHAR, scope, depth);
      default -> String.valueOf(random.nextInt(5));
    };
  }

  private SqlTree list(FuzzType type, FuzzScope scope, int depth) {
    return SqlTree.fixed("[", expressions.of(type, scope, depth), ", ", expressions.literal(type), ", ", expressions.of(type, scope, 0), "]");
  }
}
