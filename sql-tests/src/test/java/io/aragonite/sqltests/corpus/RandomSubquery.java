package io.aragonite.sqltests.corpus;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;

/**
 * A random statement with subqueries in any place where an expression may stand, correlated to any
 * query around them, over tables whose columns have names that rewritings like to use themselves.
 */
final class RandomSubquery {
  /** Names of columns. */
  private static final List<String> NAMES =
      List.of("c", "d", "dd", "ck", "i", "e", "v", "\"EXPR$0\"", "k", "cs");

  private static final List<String> COMPARISONS = List.of("=", "<>", "<", "<=", ">", ">=");
  private static final List<String> JOINS =
      List.of("join", "left join", "right join", "full join", "join", "left join");
  private static final List<String> SET_OPS = List.of("union all", "union", "intersect", "except");

  /** A table or subquery in FROM: its alias and columns. */
  private record Item(String alias, List<String> columns) {}

  /** What expressions of a query may refer to. */
  private record Scope(List<Item> items) {
    Scope copy() {
      return new Scope(List.copyOf(items));
    }
  }

  private final Random random;
  private final List<List<String>> tables;
  private int aliases;
  private int left;

  private RandomSubquery(Random random, List<List<String>> tables) {
    this.random = random;
    this.tables = tables;
    this.left = 3 + random.nextInt(7);
  }

  /** Columns of as many random tables. */
  static List<List<String>> columns(Random random, int tables) {
    List<List<String>> all = new ArrayList<>();
    for (int t = 0; t < tables; t++) {
      List<String> names = new ArrayList<>(NAMES);
      java.util.Collections.shuffle(names, random);
      all.add(List.copyOf(names.subList(0, 3)));
    }
    return all;
  }

  /**
   * The statement.
   *
   * @param tables the columns of the tables s0, s1, ...
   */
  static String of(Random random, List<List<String>> tables) {
    return new RandomSubquery(random, tables).statement();
  }

  private String statement() {
    int depth = 1 + random.nextInt(4);
    List<Scope> scopes = new ArrayList<>();
    if (random.nextInt(6) == 0) {
      return grouped(scopes, depth, 2 + random.nextInt(2));
    }
    return select(scopes, depth, 1 + random.nextInt(3), false);
  }

  private boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  @SafeVarargs
  private String one(Supplier<String>... choices) {
    return choices[random.nextInt(choices.length)].get();
  }

  private <T> T any(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  private static List<Scope> inside(List<Scope> scopes, Scope own) {
    List<Scope> all = new ArrayList<>(scopes);
    all.add(own);
    return all;
  }

  /** A query of so many columns. */
  private String query(List<Scope> scopes, int depth, int columns) {
    int kind = random.nextInt(20);
    if (kind == 0 && depth > 0) {
      return "%s %s %s"
          .formatted(
              select(scopes, depth - 1, columns, false),
              any(SET_OPS),
              select(scopes, depth - 1, columns, false));
    }
    if (kind <= 3) {
      return grouped(scopes, depth, columns);
    }
    if (kind == 4) {
      return windowed(scopes, depth, columns);
    }
    return select(scopes, depth, columns, chance(10));
  }

  private String select(List<Scope> scopes, int depth, int columns, boolean limited) {
    Scope own = new Scope(new ArrayList<>());
    String from = from(scopes, own, depth);
    List<Scope> all = inside(scopes, own);
    List<String> items = new ArrayList<>();
    List<String> order = new ArrayList<>();
    for (int i = 0; i < columns; i++) {
      items.add(output(all, depth) + " as " + NAMES.get((i * 3 + Math.abs(depth)) % NAMES.size()));
      order.add(String.valueOf(i + 1));
    }
    String text =
        "select %s%s from %s%s"
            .formatted(
                chance(8) ? "distinct " : "",
                String.join(", ", items),
                from,
                chance(80) ? " where " + condition(all, depth) : "");
    if (limited) {
      text =
          "select * from (%s order by %s limit %d%s) %s"
              .formatted(
                  text,
                  String.join(", ", order),
                  1 + random.nextInt(2),
                  chance(30) ? " offset 1" : "",
                  alias());
    }
    return text;
  }

  /** A column of a SELECT list: a number, or a condition as a number. */
  private String output(List<Scope> scopes, int depth) {
    return chance(40)
        ? "case (%s) when true then 1 when false then 0 end".formatted(condition(scopes, depth))
        : number(scopes, depth);
  }

  private String grouped(List<Scope> scopes, int depth, int columns) {
    Scope own = new Scope(new ArrayList<>());
    String from = from(scopes, own, depth);
    List<Scope> all = inside(scopes, own);
    String where = chance(60) ? " where " + condition(all, depth) : "";
    Item item = any(own.items());
    String key = item.alias() + "." + any(item.columns());
    Item second = any(own.items());
    String other = second.alias() + "." + any(second.columns());
    String group =
        one(
            () -> " group by " + key,
            () -> " group by " + key,
            () -> "",
            () -> "",
            () -> " group by grouping sets ((%s), ())".formatted(key),
            // Calcite forgets sets that are there twice, so the columns differ.
            () -> key.equals(other) ? "" : " group by rollup(%s, %s)".formatted(key, other),
            () -> " group by %s, %s".formatted(key, other),
            () ->
                visible(scopes).isEmpty() ? "" : " group by %s, %s".formatted(key, column(scopes)),
            () ->
                visible(scopes).isEmpty() ? "" : " group by %s, %s".formatted(column(scopes), key));
    List<Scope> groups = inside(scopes, keys(group, item.alias(), key, second.alias(), other));
    List<String> items = new ArrayList<>();
    for (int i = 0; i < columns; i++) {
      String value =
          i == 0 && !group.isEmpty() && chance(50)
              ? key
              : chance(25) ? perGroup(all, groups, depth) : aggregate(all, depth);
      items.add(value + " as " + NAMES.get((i * 3 + Math.abs(depth) + 1) % NAMES.size()));
    }
    String having = "";
    if (chance(25)) {
      String value = aggregate(all, 0);
      having =
          " having "
              + one(
                  () -> "%s %s %d".formatted(value, any(COMPARISONS), random.nextInt(3)),
                  () -> compared(value, groups, depth),
                  () ->
                      "%s %s %s".formatted(value, any(COMPARISONS), perGroup(all, groups, depth)));
    }
    return "select %s from %s%s%s%s"
        .formatted(String.join(", ", items), from, where, group, having);
  }

  /** The columns that are grouped by: what subqueries beside aggregates may refer to. */
  private static Scope keys(String group, String alias, String key, String second, String other) {
    Map<String, List<String>> columns = new LinkedHashMap<>();
    if (!group.isEmpty()) {
      columns
          .computeIfAbsent(alias, any -> new ArrayList<>())
          .add(key.substring(alias.length() + 1));
    }
    if (group.matches(".*, %s\\)?".formatted(other)) && !other.equals(key)) {
      columns
          .computeIfAbsent(second, any -> new ArrayList<>())
          .add(other.substring(second.length() + 1));
    }
    return new Scope(
        columns.entrySet().stream().map(e -> new Item(e.getKey(), e.getValue())).toList());
  }

  /** A number beside aggregates: of one, columns of queries around, and subqueries. */
  private String perGroup(List<Scope> all, List<Scope> groups, int depth) {
    List<Scope> visible = groups.stream().filter(scope -> !scope.items().isEmpty()).toList();
    if (visible.isEmpty()) {
      return aggregate(all, depth);
    }
    return one(
        () -> "%s + %s".formatted(aggregate(all, depth), column(visible)),
        () -> column(visible),
        () ->
            depth > 0 && left-- > 0
                ? "%s + (%s)".formatted(aggregate(all, depth), scalar(groups, depth - 1))
                : "%s - %s".formatted(column(visible), aggregate(all, 0)));
  }

  /** A value compared with a subquery that sees of the grouped rows what they are grouped by. */
  private String compared(String value, List<Scope> scopes, int depth) {
    if (depth <= 0 || left-- <= 0) {
      return value + " > 0";
    }
    return one(
        () -> "%s %s (%s)".formatted(value, any(COMPARISONS), scalar(scopes, depth - 1)),
        () ->
            "%s %s %s (%s)"
                .formatted(
                    value,
                    any(COMPARISONS),
                    chance(50) ? "any" : "all",
                    query(scopes, depth - 1, 1)),
        () -> "%s in (%s)".formatted(value, query(scopes, depth - 1, 1)));
  }

  /** An aggregate; without a column of the query's own it would be one of an outer query. */
  private String aggregate(List<Scope> scopes, int depth) {
    return one(
        () -> "count(*)",
        () -> "count(%s + %s)".formatted(own(scopes), number(scopes, depth - 1)),
        () -> "sum(%s + %s)".formatted(own(scopes), number(scopes, depth - 1)),
        () -> "max(%s)".formatted(own(scopes)),
        () -> "min(%s - %s)".formatted(own(scopes), number(scopes, depth - 1)),
        () -> "count(distinct %s)".formatted(own(scopes)));
  }

  private String own(List<Scope> scopes) {
    Item item = any(scopes.get(scopes.size() - 1).items());
    return item.alias() + "." + any(item.columns());
  }

  private String windowed(List<Scope> scopes, int depth, int columns) {
    Scope own = new Scope(new ArrayList<>());
    String from = from(scopes, own, depth);
    List<Scope> all = inside(scopes, own);
    List<String> items = new ArrayList<>();
    for (int i = 0; i < columns; i++) {
      String argument = number(all, depth - 1);
      String partition = chance(50) ? "partition by " + own(all) + " " : "";
      String order = chance(60) ? "order by " + own(all) : "";
      items.add(
          "%s(%s) over (%s%s) as %s"
              .formatted(
                  any(List.of("sum", "count", "max", "min")),
                  argument,
                  partition,
                  order,
                  NAMES.get((i * 3 + Math.abs(depth) + 2) % NAMES.size())));
    }
    return "select %s from %s%s"
        .formatted(
            String.join(", ", items), from, chance(60) ? " where " + condition(all, depth) : "");
  }

  private String alias() {
    return "q" + aliases++;
  }

  private String from(List<Scope> scopes, Scope own, int depth) {
    String first = item(scopes, own, depth, false);
    if (chance(70)) {
      return first;
    }
    if (chance(40)) {
      return first + ", " + item(scopes, own, depth, true);
    }
    if (chance(15)) {
      String side = item(scopes, own, depth, true);
      return "%s %s %s on %s"
          .formatted(
              first,
              chance(70) ? "left join" : "join",
              side,
              condition(inside(scopes, own), chance(30) ? depth : 0));
    }
    String second = item(scopes, own, Math.min(depth, 1), false);
    // Conditions of joins see the two sides and the queries around.
    return "%s %s %s on %s"
        .formatted(first, any(JOINS), second, condition(inside(scopes, own), depth));
  }

  private String item(List<Scope> scopes, Scope own, int depth, boolean second) {
    String alias = alias();
    if (depth <= 0 || chance(75)) {
      int table = random.nextInt(tables.size());
      own.items().add(new Item(alias, tables.get(table)));
      return "s%d %s".formatted(table, alias);
    }
    boolean lateral = second && chance(70);
    List<String> columns = new ArrayList<>();
    int count = 1 + random.nextInt(2);
    for (int i = 0; i < count; i++) {
      columns.add(NAMES.get((i * 7 + aliases) % NAMES.size()));
    }
    left--;
    String query = query(lateral ? inside(scopes, own.copy()) : scopes, depth - 1, count);
    own.items().add(new Item(alias, columns));
    return "%s(%s) as %s (%s)"
        .formatted(lateral ? "lateral " : "", query, alias, String.join(", ", columns));
  }

  private static List<Scope> visible(List<Scope> scopes) {
    return scopes.stream().filter(scope -> !scope.items().isEmpty()).toList();
  }

  private String column(List<Scope> scopes) {
    List<Scope> visible = visible(scopes);
    Scope scope = visible.get(visible.size() - 1);
    if (visible.size() > 1 && chance(40)) {
      scope = visible.get(random.nextInt(visible.size() - 1));
    }
    Item item = any(scope.items());
    return item.alias() + "." + any(item.columns());
  }

  private String number(List<Scope> scopes, int depth) {
    if (depth <= 0 || chance(60)) {
      return chance(85) ? column(scopes) : String.valueOf(random.nextInt(4));
    }
    return one(
        () -> "(%s + %s)".formatted(number(scopes, depth - 1), number(scopes, depth - 1)),
        () -> "coalesce(%s, %d)".formatted(number(scopes, depth - 1), random.nextInt(3)),
        () ->
            "case when %s then %s else %s end"
                .formatted(
                    condition(scopes, depth - 1),
                    number(scopes, depth - 1),
                    number(scopes, depth - 1)),
        () -> left-- > 0 ? "(%s)".formatted(scalar(scopes, depth - 1)) : column(scopes),
        () -> left-- > 0 ? "(%s)".formatted(scalar(scopes, depth - 1)) : column(scopes));
  }

  /** A query of one column and at most one row. */
  private String scalar(List<Scope> scopes, int depth) {
    if (chance(25)) {
      Scope own = new Scope(new ArrayList<>());
      String from = from(scopes, own, depth);
      List<Scope> all = inside(scopes, own);
      return "select %s as %s from %s where %s order by 1 limit 1"
          .formatted(number(all, depth), any(NAMES), from, condition(all, depth));
    }
    if (chance(25)) {
      String alias = alias();
      return "select %s(%s.x) from (%s) as %s (x)"
          .formatted(
              any(List.of("sum", "count", "max")), alias, query(scopes, depth - 1, 1), alias);
    }
    Scope own = new Scope(new ArrayList<>());
    String from = from(scopes, own, depth);
    List<Scope> all = inside(scopes, own);
    String value =
        chance(20)
            ? "%s + %s".formatted(aggregate(all, depth), aggregate(all, depth))
            : aggregate(all, depth);
    return "select %s from %s%s%s"
        .formatted(
            value,
            from,
            chance(85) ? " where " + condition(all, depth) : "",
            chance(10) ? " having count(*) %s 1".formatted(any(COMPARISONS)) : "");
  }

  private String condition(List<Scope> scopes, int depth) {
    if (depth <= 0 || left <= 0 || chance(35)) {
      return one(
          () ->
              "%s %s %s"
                  .formatted(column(scopes), chance(60) ? "=" : any(COMPARISONS), column(scopes)),
          () ->
              "%s %s %s"
                  .formatted(own(scopes), chance(70) ? "=" : any(COMPARISONS), column(scopes)),
          () -> "%s %s %d".formatted(column(scopes), any(COMPARISONS), random.nextInt(4)),
          () -> column(scopes) + (chance(50) ? " is null" : " is not null"));
    }
    return one(
        () -> "%s and %s".formatted(condition(scopes, depth - 1), predicate(scopes, depth)),
        () -> "(%s or %s)".formatted(condition(scopes, depth - 1), predicate(scopes, depth)),
        () -> "not (%s)".formatted(predicate(scopes, depth)),
        () ->
            "(%s) is %s"
                .formatted(
                    predicate(scopes, depth),
                    any(List.of("true", "not true", "false", "not false", "null", "not null"))),
        () -> predicate(scopes, depth),
        () -> predicate(scopes, depth),
        () -> predicate(scopes, depth));
  }

  private String predicate(List<Scope> scopes, int depth) {
    if (left-- <= 0) {
      return condition(scopes, 0);
    }
    int inner = depth - 1;
    String not = chance(45) ? "not " : "";
    return one(
        () -> not + "exists (%s)".formatted(query(scopes, inner, 1 + random.nextInt(2))),
        () -> "%s %sin (%s)".formatted(number(scopes, inner), not, query(scopes, inner, 1)),
        () -> "%s %sin (%s)".formatted(number(scopes, inner), not, query(scopes, inner, 1)),
        () ->
            "%s %s %s (%s)"
                .formatted(
                    number(scopes, inner),
                    any(COMPARISONS),
                    chance(50) ? "any" : "all",
                    query(scopes, inner, 1)),
        () ->
            "(%s, %s) %sin (%s)"
                .formatted(column(scopes), number(scopes, inner), not, query(scopes, inner, 2)),
        () ->
            "%s %s (%s)".formatted(number(scopes, inner), any(COMPARISONS), scalar(scopes, inner)));
  }
}
