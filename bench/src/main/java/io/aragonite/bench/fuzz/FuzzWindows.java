package io.aragonite.bench.fuzz;

import static io.aragonite.bench.fuzz.SqlTree.optional;
import static io.aragonite.bench.fuzz.SqlTree.value;

import io.aragonite.bench.fuzz.FuzzScope.ScopeColumn;
import java.util.List;
import java.util.Random;

/** Makes random calls over windows. */
final class FuzzWindows {
  private final Random random;
  private final FuzzChoice choice;
  private final FuzzExpressions expressions;

  FuzzWindows(Random random, FuzzExpressions expressions) {
    this.random = random;
    this.choice = new FuzzChoice(random);
    this.expressions = expressions;
  }

  /**
   * A call.
   *
   * @param id a column that no two rows have the same value of
   */
  SqlTree call(FuzzType type, FuzzScope scope, String id) {
    SqlTree call = plain(type, scope, id);
    return type == FuzzType.DECIMAL ? value(type, "cast(", call, " as decimal(30, 6))") : call;
  }

  private SqlTree plain(FuzzType type, FuzzScope scope, String id) {
    if (type == FuzzType.INTEGER && choice.chance(40)) {
      return ranking(scope, id);
    }
    SqlTree argument = expressions.of(type, scope, 1);
    return switch (random.nextInt(12)) {
      case 9, 10 -> ofPartition(type, scope, id);
      case 11 -> value(type, expressions.plainAggregate(type, scope, 1), " over (", partition(scope), peers(scope), groups(), ")");
      case 7 -> value(type, expressions.plainAggregate(type, scope, 1), " over (", partition(scope), "order by ", moments(scope), ")");
      case 8 -> value(type, choice.any(List.of("first_value(", "last_value(")), argument, " ignore nulls) over (", partition(scope), sorted(scope, id), frame(), ")");
      case 5 ->
          value(type, "nth_value(", argument, ", ", String.valueOf(1 + random.nextInt(3)), choice.chance(15) ? " ignore nulls" : "", ") over (", partition(scope), sorted(scope, id), frame(), ")");
      case 6 ->
          value(type, expressions.plainAggregate(type, scope, 1), " over (", partition(scope), "order by ", number(scope), " range between ",
              String.valueOf(random.nextInt(4)), " preceding and ", choice.any(List.of("current row", "2 following", "unbounded following")), ")");
      case 0, 1 -> value(type, expressions.plainAggregate(type, scope, 1), " over (", partition(scope), sorted(scope, id), frame(), ")");
      case 2 ->
          value(type, choice.any(List.of("lag(", "lead(")), argument, distance(type), choice.chance(15) ? " ignore nulls" : "", ") over (", partition(scope), sorted(scope, id), ")");
      case 3 ->
          value(type, choice.any(List.of("first_value(", "last_value(")), argument, ") over (", partition(scope), sorted(scope, id), frame(), ")");
      default -> value(type, expressions.plainAggregate(type, scope, 1), " over (", partition(scope), peers(scope), ")");
    };
  }

  /** An aggregate whose order is its own, over a whole partition. */
  private SqlTree ofPartition(FuzzType type, FuzzScope scope, String id) {
    SqlTree argument = expressions.sorted(type, scope, 1);
    SqlTree over = SqlTree.fixed(sorted(scope, id), ") over (", partition(scope), ")");
    return switch (random.nextInt(type == FuzzType.VARCHAR ? 3 : 2)) {
      case 0 -> value(type, choice.any(List.of("first(", "last(")), argument, " ", over);
      case 1 -> value(type, "(array_agg(", argument, " ", over, ")[" + (1 + random.nextInt(3)) + "]");
      default -> value(type, "string_agg(", argument, ", '-' ", over);
    };
  }

  /** A variance or an average, whose last digits engines may differ in. */
  SqlTree spread(FuzzScope scope, String id) {
    return value(
        FuzzType.DOUBLE, expressions.exactSpread(new FuzzScope(scope.columns(), null)), " over (", partition(scope),
        choice.chance(60) ? SqlTree.fixed(sorted(scope, id), frame()) : peers(scope), ")");
  }

  /** How far LAG and LEAD look, and what they give where there is no such row; of decimals DuckDB keeps the argument's digits alone. */
  private SqlTree distance(FuzzType type) {
    return choice.chance(50) || type == FuzzType.DECIMAL
        ? optional(", " + random.nextInt(4))
        : optional(", " + random.nextInt(4), optional(", ", expressions.literal(type)));
  }

  /** A condition of QUALIFY. */
  SqlTree condition(FuzzScope scope, String id) {
    return value(FuzzType.BOOLEAN, "(", ranking(scope, id), " <= ", String.valueOf(1 + random.nextInt(3)), ")");
  }

  /** The same over rows that have no numbers: equal ones are all there, or none. */
  SqlTree peerCondition(FuzzScope scope) {
    return value(
        FuzzType.BOOLEAN, "(", choice.any(List.of("rank() over (", "dense_rank() over (")), partition(scope), peers(scope), ") <= ",
        String.valueOf(1 + random.nextInt(3)), ")");
  }

  private SqlTree ranking(FuzzScope scope, String id) {
    return switch (random.nextInt(4)) {
      case 0 -> value(FuzzType.INTEGER, "row_number() over (", partition(scope), sorted(scope, id), ")");
      case 1 -> value(FuzzType.INTEGER, "ntile(" + (1 + random.nextInt(5)) + ") over (", partition(scope), sorted(scope, id), ")");
      default -> value(FuzzType.INTEGER, choice.any(List.of("rank() over (", "dense_rank() over (")), partition(scope), peers(scope), ")");
    };
  }

  private String number(FuzzScope scope) {
    return choice.any(scope.of(FuzzType.INTEGER)).sql() + (choice.chance(30) ? " desc" : "");
  }

  /** An order by dates or times, and a frame of months and days around a row; by a number where there are none. */
  private String moments(FuzzScope scope) {
    List<ScopeColumn> columns = scope.columns().stream().filter(one -> one.type() == FuzzType.DATE || one.type() == FuzzType.TIMESTAMP).toList();
    if (columns.isEmpty()) {
      return number(scope);
    }
    String span = "interval '" + random.nextInt(40) + choice.any(List.of(" days'", " months'", " hours'"));
    return choice.any(columns).sql()
        + choice.any(List.of("", " desc"))
        + " range between " + span + " preceding and " + choice.any(List.of("current row", "interval '3 days' following", "unbounded following"));
  }

  private String column(FuzzScope scope) {
    List<ScopeColumn> columns = scope.columns();
    return choice.any(columns).sql();
  }

  private SqlTree partition(FuzzScope scope) {
    return choice.chance(60) ? optional("partition by ", column(scope), " ") : SqlTree.empty();
  }

  private String direction() {
    return choice.any(List.of("", " desc", " nulls first", " desc nulls last"));
  }

  /** An order in which no two rows are equal. */
  private SqlTree sorted(FuzzScope scope, String id) {
    return SqlTree.fixed(
        "order by ", choice.chance(50) ? optional(column(scope), direction(), ", ") : SqlTree.empty(), id, choice.chance(30) ? " desc" : "");
  }

  /** An order in which rows may be equal. */
  private SqlTree peers(FuzzScope scope) {
    return SqlTree.fixed("order by ", column(scope), direction());
  }

  /** A frame of whole groups of equal rows. */
  private SqlTree groups() {
    String from = choice.any(List.of("unbounded preceding", random.nextInt(3) + " preceding", "current row", "1 following"));
    String to = from.endsWith("following") ? "3 following" : choice.any(List.of("current row", random.nextInt(3) + " following", "unbounded following"));
    return optional(" groups between " + from + " and " + to + choice.any(List.of("", "", " exclude current row", " exclude group", " exclude ties")));
  }

  private SqlTree frame() {
    String exclude = choice.chance(20) ? choice.any(List.of(" exclude current row", " exclude group", " exclude ties")) : "";
    return switch (random.nextInt(6)) {
      case 0 -> optional(" rows between " + random.nextInt(4) + " preceding and current row" + exclude);
      case 1 -> optional(" rows between " + random.nextInt(3) + " preceding and " + random.nextInt(3) + " following" + exclude);
      case 2 -> optional(" rows between unbounded preceding and unbounded following" + exclude);
      case 3 -> optional(" rows between current row and unbounded following");
      default -> SqlTree.empty();
    };
  }
}
