package io.aragonite.bench.fuzz;

import static io.aragonite.bench.fuzz.SqlTree.fixed;
import static io.aragonite.bench.fuzz.SqlTree.value;

import io.aragonite.bench.fuzz.FuzzScope.ScopeColumn;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Makes random expressions, in the SQL that DuckDB and we share and without what both compute differently on purpose: quotients of
 * integers and decimals, averages of decimals where digits count.
 */
final class FuzzExpressions {
  private static final List<String> COMPARISONS = List.of(" = ", " <> ", " < ", " <= ", " > ", " >= ");
  private static final List<String> PATTERNS = List.of("'a%'", "'%b'", "'_'", "'%本'", "'%'", "''", "'a!%b' escape '!'", "'%a%'");

  /** Aggregates of one number whose last digits engines may differ in. */
  private static final List<String> SPREADS = List.of("avg(", "avg(", "median(", "stddev_samp(", "stddev_pop(", "var_pop(", "var_samp(");

  /** The same of two numbers. */
  private static final List<String> PAIRED =
      List.of("covar_pop(", "covar_samp(", "corr(", "regr_slope(", "regr_intercept(", "regr_r2(", "regr_sxx(", "regr_sxy(", "regr_avgx(", "regr_count(");

  /** Sums and products have as many digits as there are: beside others engines keep different ones. */
  private static final String WIDE = ") as decimal(30, 6))";

  private final Random random;
  private final FuzzChoice choice;
  private final FuzzQueries queries;
  private final FuzzFunctions functions;
  private final FuzzCasts casts;
  private final FuzzLibrary library;
  private final FuzzStructs structs;
  private final FuzzMoments moments;

  FuzzExpressions(Random random, FuzzQueries queries) {
    this.random = random;
    this.choice = new FuzzChoice(random);
    this.queries = queries;
    this.functions = new FuzzFunctions(random, this);
    this.casts = new FuzzCasts(random, this);
    this.library = new FuzzLibrary(random, this);
    this.structs = new FuzzStructs(random, this);
    this.moments = new FuzzMoments(random, this);
  }

  /** Kinds of columns that are compared with literals. */
  private static final List<FuzzType> BESIDE = List.of(FuzzType.INTEGER, FuzzType.VARCHAR, FuzzType.DATE, FuzzType.TIME, FuzzType.INSTANT);

  /** A random kind of value. */
  FuzzType type() {
    return choice.any(List.of(FuzzType.values()));
  }

  /** A kind that the scope has a column of, most often. */
  FuzzType type(FuzzScope scope) {
    return scope.columns().isEmpty() || choice.chance(15) ? type() : choice.any(scope.columns()).type();
  }

  /** A column, of this query or now and then of one around it; a literal where there is none. */
  SqlTree column(FuzzType type, FuzzScope scope) {
    FuzzScope outer = scope.outer();
    if (outer != null && choice.chance(25)) {
      return column(type, outer);
    }
    List<ScopeColumn> columns = scope.of(type);
    if (!columns.isEmpty()) {
      return value(type, choice.any(columns).sql());
    }
    List<ScopeColumn> numbers = scope.of(FuzzType.INTEGER);
    return numbers.isEmpty() || choice.chance(20) ? literal(type) : ofNumber(type, value(FuzzType.INTEGER, choice.any(numbers).sql()));
  }

  /** A value of any kind that follows from a number. */
  private SqlTree ofNumber(FuzzType type, SqlTree number) {
    return switch (type) {
      case BOOLEAN -> value(type, "(", number, " > ", literal(FuzzType.INTEGER), ")");
      case INTEGER -> number;
      case DECIMAL -> value(type, "cast(", number, " as decimal(20, 2))");
      case DOUBLE -> value(type, "cast(", number, " as double)");
      case VARCHAR -> value(type, "cast(", number, " as varchar)");
      case DATE -> value(type, "(date '2020-02-20' + cast((", number, " % 20) as integer))");
      case TIMESTAMP -> value(type, "cast((date '2020-02-20' + cast((", number, " % 20) as integer)) as timestamp)");
      case TIME -> value(type, "cast((timestamp '2020-02-20 12:00:00' + to_hours(cast((", number, " % 20) as integer))) as time)");
      case INSTANT -> value(type, "cast((date '2020-02-20' + cast((", number, " % 20) as integer)) as timestamptz)");
      case UUID -> value(type, "cast(", choice.any(List.of("'7", "'8")), "fffffff-0000-4000-8000-' || lpad(cast(abs(", number, " % 1000) as varchar), 12, '0') as uuid)");
    };
  }

  SqlTree literal(FuzzType type) {
    if (choice.chance(4)) {
      return SqlTree.literal(type, "cast(null as " + type.columnTypes().get(type.columnTypes().size() - 1) + ")");
    }
    return SqlTree.literal(
        type,
        switch (type) {
          case BOOLEAN -> choice.chance(50) ? "true" : "false";
          case INTEGER -> choice.chance(3) ? "2147483647" : String.valueOf(random.nextInt(12) - 3);
          case DECIMAL -> (random.nextInt(20) - 4) + "." + choice.any(List.of("5", "25", "0", "125"));
          case DOUBLE -> "cast(%s as double)".formatted((random.nextInt(40) - 8) / 4.0);
          case VARCHAR -> choice.any(List.of("''", "'a'", "'ab'", "'日本'", "'B'", "'text9'", "'it''s'"));
          case DATE -> "date '2020-0%d-%02d'".formatted(1 + random.nextInt(3), 1 + random.nextInt(29));
          case TIMESTAMP -> "timestamp '2020-02-%02d %02d:00:0%d'".formatted(28 + random.nextInt(2), random.nextInt(24), random.nextInt(9));
          case TIME -> "time '%02d:59:58.%06d'".formatted(random.nextInt(24), random.nextInt(2) * 700_123);
          case INSTANT -> "timestamptz '2020-02-%02d %02d:00:0%d+00:00'".formatted(28 + random.nextInt(2), random.nextInt(24), random.nextInt(9));
          case UUID -> FuzzTables.uuid(random.nextInt(8));
        });
  }

  /** A literal that a column is compared with, by itself. A sign would make another form of statement. */
  SqlTree compared(FuzzType type) {
    return switch (type) {
      case INTEGER -> SqlTree.compared(type, choice.chance(10) ? choice.any(List.of("127", "128", "32767", "70000", "2147483647")) : String.valueOf(random.nextInt(9)));
      case VARCHAR -> SqlTree.compared(type, choice.any(List.of("'a'", "'ab'", "'日本'", "'B'", "'text9'", "'it''s'")));
      default -> SqlTree.compared(type, literal(type).text());
    };
  }

  /** A literal that each column of the kind holds as it is: casts cut digits that DuckDB's round. */
  SqlTree stored(FuzzType type) {
    return type == FuzzType.DECIMAL ? SqlTree.literal(type, (random.nextInt(20) - 4) + choice.any(List.of(".5", ".0"))) : literal(type);
  }

  /** An expression. */
  SqlTree of(FuzzType type, FuzzScope scope, int depth) {
    if (depth <= 0 || choice.chance(30)) {
      return choice.chance(80) ? column(type, scope) : literal(type);
    }
    int common = random.nextInt(15);
    if (common == 14) {
      return functions.mixed(type, scope, depth - 1);
    }
    if (common == 0) {
      return value(type, "coalesce(", of(type, scope, depth - 1), ", ", of(type, scope, depth - 1), ")");
    }
    if (common <= 2) {
      return conditional(type, scope, depth);
    }
    if (common == 3 && type != FuzzType.BOOLEAN) {
      return functions.nullif(type, scope, depth - 1);
    }
    if (common == 4 && queries.mayNest()) {
      return value(type, "(", queries.scalar(type, scope), ")");
    }
    if (choice.chance(8)) {
      return casts.call(type, scope, depth - 1);
    }
    if (choice.chance(25)) {
      SqlTree call = choice.chance(60) ? functions.call(type, scope, depth - 1) : library.call(type, scope, depth - 1);
      if (call != null) {
        return call;
      }
    }
    return switch (type) {
      case BOOLEAN -> predicate(scope, depth);
      case INTEGER -> integer(scope, depth - 1);
      case DECIMAL -> decimal(scope, depth - 1);
      case DOUBLE -> floating(scope, depth - 1);
      case VARCHAR -> text(scope, depth - 1);
      case DATE -> moments.date(scope, depth - 1);
      case TIMESTAMP -> moments.timestamp(scope, depth - 1);
      case TIME -> moments.time(scope, depth - 1);
      case INSTANT -> moments.instant(scope, depth - 1);
      case UUID -> uuid(scope, depth - 1);
    };
  }

  private SqlTree conditional(FuzzType type, FuzzScope scope, int depth) {
    if (choice.chance(25)) {
      FuzzType tested = type(scope);
      return value(
          type, "case ", of(tested, scope, depth - 1), " when ", literal(tested), " then ", of(type, scope, depth - 1),
          SqlTree.optional(" when ", of(tested, scope, depth - 1), " then ", of(type, scope, depth - 1)),
          SqlTree.optional(" else ", of(type, scope, depth - 1)), " end");
    }
    return value(
        type, "case when ", predicate(scope, depth - 1), " then ", of(type, scope, depth - 1),
        SqlTree.optional(" when ", predicate(scope, depth - 1), " then ", of(type, scope, depth - 1)),
        SqlTree.optional(" else ", of(type, scope, depth - 1)), " end");
  }

  private SqlTree binary(FuzzType type, String operator, FuzzScope scope, int depth) {
    return value(type, "(", of(type, scope, depth), operator, of(type, scope, depth), ")");
  }

  private SqlTree integer(FuzzScope scope, int depth) {
    FuzzType type = FuzzType.INTEGER;
    return switch (random.nextInt(21)) {
      case 19 -> moments.integer(scope, depth);
      case 16 -> value(type, "extract(dow from ", of(FuzzType.DATE, scope, depth), ")");
      case 17 -> value(type, "date_diff('day', ", of(FuzzType.DATE, scope, depth), ", ", of(FuzzType.DATE, scope, depth), ")");
      case 18 -> value(type, "list_position([", of(type, scope, depth), ", ", literal(type), ", 2], ", literal(type), ")");
      case 0, 1 -> binary(type, " + ", scope, depth);
      case 2 -> binary(type, " - ", scope, depth);
      case 3 -> binary(type, " * ", scope, depth);
      case 4 -> value(type, "(", of(type, scope, depth), " % ", choice.any(List.of("2", "3", "7")), ")");
      case 5 -> value(type, "abs(", of(type, scope, depth), ")");
      case 6 -> value(type, "length(", of(FuzzType.VARCHAR, scope, depth), ")");
      case 7 ->
          value(type, "extract(", choice.any(List.of("year", "month", "day", "quarter", "doy")), " from ", of(FuzzType.DATE, scope, depth), ")");
      case 8 ->
          value(type, "extract(", choice.any(List.of("year", "hour", "minute", "day")), " from ", of(FuzzType.TIMESTAMP, scope, depth), ")");
      case 9 -> value(type, "position(", literal(FuzzType.VARCHAR), " in ", of(FuzzType.VARCHAR, scope, depth), ")");
      case 10 -> value(type, "(- ", of(type, scope, depth), ")");
      case 11 -> value(type, "cast(", of(type, scope, depth), " as bigint)");
      case 12 -> value(type, choice.any(List.of("greatest(", "least(")), of(type, scope, depth), ", ", of(type, scope, depth), ")");
      case 13 -> value(type, "sign(", of(type, scope, depth), ")");
      case 14 -> value(type, "(", of(FuzzType.DATE, scope, depth), " - ", of(FuzzType.DATE, scope, depth), ")");
      case 15 -> value(type, "ascii(", of(FuzzType.VARCHAR, scope, depth), ")");
      default -> value(type, "strpos(", of(FuzzType.VARCHAR, scope, depth), ", ", literal(FuzzType.VARCHAR), ")");
    };
  }

  private SqlTree decimal(FuzzScope scope, int depth) {
    FuzzType type = FuzzType.DECIMAL;
    return switch (random.nextInt(11)) {
      case 8 -> value(type, "round(", of(type, scope, depth), ", 1)");
      case 9 -> value(type, choice.any(List.of("floor(", "ceil(")), of(type, scope, depth), ")");
      case 10 -> value(type, choice.any(List.of("greatest(", "least(")), of(type, scope, depth), ", ", of(type, scope, depth), ")");
      case 0, 1 -> binary(type, " + ", scope, depth);
      case 2 -> binary(type, " - ", scope, depth);
      case 3 -> value(type, "cast((", column(type, scope), " * ", literal(FuzzType.INTEGER), WIDE);
      case 4 -> value(type, "cast((", of(FuzzType.INTEGER, scope, depth), " + ", of(type, scope, depth), WIDE);
      case 5 -> value(type, "abs(", of(type, scope, depth), ")");
      case 6 -> value(type, "(- ", of(type, scope, depth), ")");
      default -> value(type, "cast(", of(FuzzType.INTEGER, scope, depth), " as decimal(20, 2))");
    };
  }

  private SqlTree floating(FuzzScope scope, int depth) {
    FuzzType type = FuzzType.DOUBLE;
    return switch (random.nextInt(9)) {
      case 0, 1 -> binary(type, " + ", scope, depth);
      case 2 -> binary(type, " - ", scope, depth);
      case 3 -> value(type, "(", column(type, scope), " * ", literal(type), ")");
      case 4 -> value(type, "(", of(type, scope, depth), " / cast(", choice.any(List.of("2", "-4", "0.5")), " as double))");
      case 5 -> value(type, "abs(", of(type, scope, depth), ")");
      case 6 -> value(type, choice.any(List.of("floor(", "ceil(")), of(type, scope, depth), ")");
      case 7 -> value(type, "(", of(FuzzType.INTEGER, scope, depth), " + ", of(type, scope, depth), ")");
      default -> value(type, "cast(", of(FuzzType.INTEGER, scope, depth), " as double)");
    };
  }

  private SqlTree text(FuzzScope scope, int depth) {
    FuzzType type = FuzzType.VARCHAR;
    return switch (random.nextInt(16)) {
      case 15 -> value(type, "cast(", of(choice.any(List.of(FuzzType.TIME, FuzzType.INSTANT, FuzzType.UUID)), scope, depth), " as varchar)");
      case 13 -> value(type, "concat(", of(type, scope, depth), ", ", of(FuzzType.INTEGER, scope, depth), ", ", of(type, scope, depth), ")");
      case 14 -> value(type, "translate(", of(type, scope, depth), ", 'ab', 'x')");
      case 10 ->
          value(type, choice.any(List.of("lpad(", "rpad(")), of(type, scope, depth), ", ", String.valueOf(random.nextInt(6)), ", ", choice.any(List.of("'xy'", "' '", "'日'")), ")");
      case 11 -> value(type, "repeat(", of(type, scope, depth), ", ", String.valueOf(random.nextInt(3)), ")");
      case 12 -> value(type, "split_part(", of(type, scope, depth), ", ", choice.any(List.of("'a'", "' '", "'b'")), ", ", String.valueOf(1 + random.nextInt(2)), ")");
      case 0, 1 -> binary(type, " || ", scope, depth);
      case 2 -> value(type, choice.any(List.of("upper(", "lower(", "trim(", "reverse(")), of(type, scope, depth), ")");
      case 3, 4 ->
          value(type, "substring(", of(type, scope, depth), " from ", String.valueOf(1 + random.nextInt(3)), " for ",
              String.valueOf(random.nextInt(4)), ")");
      case 5 -> value(type, "replace(", of(type, scope, depth), ", 'a', ", literal(type), ")");
      case 6 -> value(type, choice.any(List.of("left(", "right(")), of(type, scope, depth), ", ", String.valueOf(random.nextInt(4)), ")");
      case 7 -> value(type, "cast(", of(FuzzType.INTEGER, scope, depth), " as varchar)");
      case 8 -> value(type, "cast(", of(FuzzType.DATE, scope, depth), " as varchar)");
      default -> value(type, choice.any(List.of("ltrim(", "rtrim(")), of(type, scope, depth), ")");
    };
  }

  private SqlTree uuid(FuzzScope scope, int depth) {
    FuzzType type = FuzzType.UUID;
    return choice.chance(50)
        ? value(type, "cast(", choice.any(List.of("upper(", "lower(")), "cast(", of(type, scope, depth), " as varchar)) as uuid)")
        : value(type, choice.any(List.of("greatest(", "least(")), of(type, scope, depth), ", ", of(type, scope, depth), ")");
  }

  /** A condition. */
  SqlTree predicate(FuzzScope scope, int depth) {
    if (depth > 0 && choice.chance(40)) {
      return switch (random.nextInt(4)) {
        case 0 -> binaryPredicate(" and ", scope, depth - 1);
        case 1 -> binaryPredicate(" or ", scope, depth - 1);
        case 2 -> value(FuzzType.BOOLEAN, "(not ", predicate(scope, depth - 1), ")");
        default ->
            value(FuzzType.BOOLEAN, "(", predicate(scope, depth - 1), choice.any(List.of(" is true", " is not true", " is false", " is not null")), ")");
      };
    }
    if (depth > 0 && queries.mayNest() && choice.chance(15)) {
      return subquery(scope, depth);
    }
    FuzzType type = type(scope);
    return switch (random.nextInt(12)) {
      case 11 -> structs.compared(scope, depth - 1);
      case 8 -> value(FuzzType.BOOLEAN, "starts_with(", of(FuzzType.VARCHAR, scope, depth - 1), ", ", literal(FuzzType.VARCHAR), ")");
      case 9 -> value(FuzzType.BOOLEAN, "(", of(FuzzType.VARCHAR, scope, depth - 1), " like ", column(FuzzType.VARCHAR, scope), " || '%')");
      case 0, 1 -> comparison(type, choice.any(COMPARISONS), scope, depth);
      case 2 -> value(FuzzType.BOOLEAN, "(", of(type, scope, depth - 1), choice.chance(50) ? " is null" : " is not null", ")");
      case 3 -> comparison(type, choice.chance(50) ? " is not distinct from " : " is distinct from ", scope, depth);
      case 4 -> among(type, scope, depth);
      case 5 ->
          value(FuzzType.BOOLEAN, "(", of(type, scope, depth - 1), choice.chance(25) ? " not" : "", " between ", of(type, scope, depth - 1), " and ",
              of(type, scope, depth - 1), ")");
      case 6 ->
          value(FuzzType.BOOLEAN, "(", of(FuzzType.VARCHAR, scope, depth - 1), choice.chance(30) ? " not" : "", " like ", choice.any(PATTERNS), ")");
      case 7 -> mixed(scope, depth);
      default -> column(FuzzType.BOOLEAN, scope);
    };
  }

  /** A condition of WHERE. */
  SqlTree condition(FuzzScope scope, int depth) {
    if (choice.chance(55)) {
      return predicate(scope, depth);
    }
    SqlTree one = besideColumn(scope);
    return choice.chance(40)
        ? one
        : value(FuzzType.BOOLEAN, "(", one, choice.chance(50) ? " and " : " or ", predicate(scope, depth - 1), ")");
  }

  /** A column compared with literals: what small queries of programs are made of. */
  SqlTree besideColumn(FuzzScope scope) {
    List<ScopeColumn> columns = new ArrayList<>(scope.columns());
    columns.removeIf(column -> !BESIDE.contains(column.type()));
    if (columns.isEmpty()) {
      return predicate(scope, 0);
    }
    ScopeColumn chosen = choice.any(columns);
    FuzzType type = chosen.type();
    SqlTree column = value(type, chosen.sql());
    return switch (random.nextInt(6)) {
      case 0 -> value(FuzzType.BOOLEAN, "(", column, choice.chance(30) ? " not" : "", " between ", compared(type), " and ", compared(type), ")");
      case 1 -> value(FuzzType.BOOLEAN, "(", column, choice.chance(30) ? " not in (" : " in (", SqlTree.list(List.of(compared(type), compared(type))), "))");
      case 2 -> value(FuzzType.BOOLEAN, "(", compared(type), choice.any(COMPARISONS), column, ")");
      default -> value(FuzzType.BOOLEAN, "(", column, choice.any(COMPARISONS), compared(type), ")");
    };
  }

  private SqlTree binaryPredicate(String operator, FuzzScope scope, int depth) {
    return value(FuzzType.BOOLEAN, "(", predicate(scope, depth), operator, predicate(scope, depth), ")");
  }

  private SqlTree comparison(FuzzType type, String operator, FuzzScope scope, int depth) {
    return value(FuzzType.BOOLEAN, "(", of(type, scope, depth - 1), operator, of(type, scope, depth - 1), ")");
  }

  /** A comparison of numbers of two kinds. */
  private SqlTree mixed(FuzzScope scope, int depth) {
    return value(
        FuzzType.BOOLEAN, "(", of(choice.any(FuzzType.NUMERIC), scope, depth - 1), choice.any(COMPARISONS), of(choice.any(FuzzType.NUMERIC), scope, depth - 1), ")");
  }

  private SqlTree among(FuzzType type, FuzzScope scope, int depth) {
    List<SqlTree> items = new ArrayList<>();
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      items.add(choice.chance(85) ? literal(type) : column(type, scope));
    }
    return value(
        FuzzType.BOOLEAN, "(", of(type, scope, depth - 1), choice.chance(30) ? " not in (" : " in (", SqlTree.list(items), "))");
  }

  SqlTree subquery(FuzzScope scope, int depth) {
    FuzzType type = type(scope);
    return switch (random.nextInt(9)) {
      case 8 -> structs.ofElements(scope, depth - 1);
      case 7 -> value(FuzzType.BOOLEAN, choice.chance(40) ? "(not exists (values " : "(exists (values ",
          SqlTree.list(List.of(fixed("(", choice.chance(50) ? literal(type) : column(type, scope), ")"), fixed("(", literal(type), ")"))), "))");
      case 6 -> value(FuzzType.BOOLEAN, "(", of(type, scope, depth - 1), choice.any(COMPARISONS), choice.chance(50) ? "any (values " : "all (values ",
          SqlTree.list(List.of(fixed("(", literal(type), ")"), fixed("(", literal(type), ")"))), "))");
      case 5 -> {
        FuzzType second = type(scope);
        yield value(FuzzType.BOOLEAN, "((", of(type, scope, depth - 1), ", ", of(second, scope, depth - 1), choice.chance(50) ? ") not in (" : ") in (",
            queries.nested(List.of(type, second), null), "))"); // DuckDB has no correlated ones of several columns
      }
      case 0, 1 -> value(FuzzType.BOOLEAN, choice.chance(40) ? "(not exists (" : "(exists (", queries.nested(List.of(type), scope), "))");
      case 2 ->
          value(FuzzType.BOOLEAN, "(", of(type, scope, depth - 1), choice.chance(40) ? " not in (" : " in (", queries.nested(List.of(type), scope), "))");
      case 3 ->
          value(FuzzType.BOOLEAN, "(", of(type, scope, depth - 1), choice.any(COMPARISONS), choice.chance(50) ? "any (" : "all (",
              queries.nested(List.of(type), scope), "))");
      default -> value(FuzzType.BOOLEAN, "(", of(type, scope, depth - 1), choice.any(COMPARISONS), "(", queries.scalar(type, scope), "))");
    };
  }

  /** An aggregate call of a kind, of the query's own columns: one of others alone would belong to the query around. */
  SqlTree aggregate(FuzzType type, FuzzScope around, int depth) {
    if (type == FuzzType.VARCHAR && choice.chance(15)) {
      SqlTree text = sorted(type, new FuzzScope(around.columns(), null), 0);
      // Of nulls alone DuckDB makes NULL and PostgreSQL an empty text.
      return value(type, "coalesce(nullif(array_to_string(array_agg(", text, " order by ", text, "), '-'), ''), '')");
    }
    if (FuzzNested.ELEMENTS.contains(type) && choice.chance(8)) {
      SqlTree element = sorted(type, new FuzzScope(around.columns(), null), depth);
      if (choice.chance(40)) {
        return ofSorted(type, element);
      }
      return choice.chance(50)
          ? value(type, "(array_agg(", element, " order by ", element, choice.any(List.of("", " desc", " nulls first", " desc nulls last")), "))[",
              String.valueOf(1 + random.nextInt(3)), "]")
          : value(type, "percentile_disc(", choice.any(List.of("0.5", "0.25", "1", "0")), ") within group (order by ", element, choice.any(List.of("", " desc")), ")");
    }
    SqlTree call = plainAggregate(type, around, depth);
    return type == FuzzType.DECIMAL ? value(type, "cast((", call, WIDE) : call;
  }

  /** An aggregate of values in their order. */
  private SqlTree ofSorted(FuzzType type, SqlTree element) {
    String place = String.valueOf(1 + random.nextInt(3));
    return switch (random.nextInt(4)) {
      case 0 -> value(type, choice.any(List.of("first(", "last(", "any_value(")), element, " order by ", element, choice.any(List.of("", " desc", " nulls first")), ")");
      case 1 -> value(type, choice.any(List.of("max(", "min(")), element, ", " + place + ")[" + place + "]");
      case 2 -> value(type, "list_aggregate(array_agg(", element, "), '" + choice.any(List.of("min", "max")) + "')");
      default -> value(type, "(array_agg(distinct ", element, " order by ", element, "))[" + place + "]");
    };
  }

  /** What an aggregate sorts by: DuckDB refuses literals. */
  SqlTree sorted(FuzzType type, FuzzScope scope, int depth) {
    SqlTree value = of(type, scope, depth);
    return value.role() == SqlTree.Role.LITERAL ? value(type, "case when true then ", value, " end") : value;
  }

  /** The same without a cast around it, as windows need it. */
  SqlTree plainAggregate(FuzzType type, FuzzScope around, int depth) {
    FuzzScope scope = new FuzzScope(around.columns(), null);
    SqlTree call =
        switch (type) {
          case INTEGER ->
              switch (random.nextInt(5)) {
                case 0 -> fixed("count(*)");
                case 1 -> fixed("count(", of(type(scope), scope, depth), ")");
                case 2 -> fixed("count(distinct ", of(type(scope), scope, depth), ")");
                case 3 -> fixed("sum(", choice.chance(15) ? "distinct " : "", of(type, scope, depth), ")");
                default -> fixed(choice.any(List.of("min(", "max(")), of(type, scope, depth), ")");
              };
          case DECIMAL, DOUBLE ->
              choice.chance(50)
                  ? fixed("sum(", of(type, scope, depth), ")")
                  : fixed(choice.any(List.of("min(", "max(")), of(type, scope, depth), ")");
          case BOOLEAN -> fixed(choice.any(List.of("bool_and(", "bool_or(")), predicate(scope, depth), ")");
          case VARCHAR -> {
            SqlTree text = sorted(type, scope, 0);
            yield choice.chance(25)
                ? fixed("string_agg(", choice.chance(30) ? "distinct " : "", text, ", '-' order by ", text, ")")
                : fixed(choice.any(List.of("min(", "max(")), text, ")");
          }
          case DATE, TIMESTAMP, TIME, INSTANT, UUID -> fixed(choice.any(List.of("min(", "max(")), of(type, scope, depth), ")");
        };
    return value(type, call, choice.chance(15) ? SqlTree.optional(" filter (where ", predicate(scope, depth), ")") : SqlTree.empty());
  }

  /** An aggregate whose last digits engines may differ in. */
  SqlTree inexactAggregate(FuzzScope scope) {
    FuzzType of = choice.chance(50) ? FuzzType.INTEGER : FuzzType.DOUBLE; // averages of decimals are decimals here
    SqlTree filter = choice.chance(15) ? SqlTree.optional(" filter (where ", predicate(scope, 1), ")") : SqlTree.empty();
    if (choice.chance(40)) {
      FuzzType second = choice.chance(50) ? FuzzType.INTEGER : FuzzType.DOUBLE;
      // Where nothing varies DuckDB has NaN.
      return value(FuzzType.DOUBLE, "nullif(", choice.any(PAIRED), far(of, scope), ", ", far(second, scope), ")", filter, ", cast('NaN' as double))");
    }
    return value(FuzzType.DOUBLE, choice.any(SPREADS), far(of, scope), ")", filter);
  }

  /** A number, far from zero now and then, where variances that are composed of sums lose their digits. */
  private SqlTree far(FuzzType type, FuzzScope scope) {
    SqlTree number = of(type, scope, 1);
    SqlTree plain = type == FuzzType.DECIMAL ? value(type, "cast((", number, WIDE) : number;
    return choice.chance(25) ? value(type, "(", plain, " + 100000)") : plain;
  }

  /** A variance of exact numbers, as a window function. */
  SqlTree exactSpread(FuzzScope scope) {
    return value(FuzzType.DOUBLE, choice.any(List.of("var_pop(", "var_samp(", "stddev_samp(", "avg(")), "(", of(FuzzType.INTEGER, scope, 1), " % 1000))");
  }
}
