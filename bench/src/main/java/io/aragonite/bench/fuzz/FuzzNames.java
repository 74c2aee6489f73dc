package io.aragonite.bench.fuzz;

import static io.aragonite.bench.fuzz.SqlTree.fixed;
import static io.aragonite.bench.fuzz.SqlTree.optional;
import static io.aragonite.bench.fuzz.SqlTree.value;

import io.aragonite.bench.fuzz.FuzzScope.ScopeColumn;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Makes random queries that find columns and windows by their names: BY NAME, NATURAL, USING, ALL, stars without columns, WINDOW. */
final class FuzzNames {
  /** Of so many keys rows of joins have a few partners each. */
  private static final int KEYS = 89;

  private final Random random;
  private final FuzzChoice choice;
  private final List<FuzzTable> tables;
  private final FuzzExpressions expressions;

  FuzzNames(Random random, List<FuzzTable> tables, FuzzExpressions expressions) {
    this.random = random;
    this.choice = new FuzzChoice(random);
    this.tables = tables;
    this.expressions = expressions;
  }

  /**
   * One of them.
   *
   * @param types of its columns
   * @param alias that nothing else has, nor names that begin with it
   */
  SqlTree query(List<FuzzType> types, String alias) {
    return switch (random.nextInt(5)) {
      case 0 -> united(types, alias);
      case 1 -> joined(types, alias);
      case 2 -> groupedByAll(types, alias);
      case 3 -> starred(types, alias);
      default -> windowed(types, alias);
    };
  }

  /** Two queries, of which one has all columns and the other some, each in its own order. */
  private SqlTree united(List<FuzzType> types, String alias) {
    List<Integer> all = shuffled(types.size());
    List<Integer> some = shuffled(types.size()).subList(0, 1 + random.nextInt(types.size()));
    boolean firstHasAll = choice.chance(50);
    return SqlTree.query(
        types.size(), "select ", names(types.size(), alias + "."), " from (", columns(types, firstHasAll ? all : some, alias + "a"),
        choice.any(List.of(" union all by name ", " union by name ")), columns(types, firstHasAll ? some : all, alias + "b"), ") as " + alias);
  }

  private List<Integer> shuffled(int count) {
    List<Integer> places = new ArrayList<>(IntStream.range(0, count).boxed().toList());
    Collections.shuffle(places, random);
    return places;
  }

  /** Some of the columns under their names. */
  private SqlTree columns(List<FuzzType> types, List<Integer> places, String alias) {
    FuzzTable table = choice.any(tables);
    FuzzScope scope = FuzzShapes.scope(table, alias);
    List<SqlTree> items = places.stream().map(place -> fixed(expressions.of(types.get(place), scope, 1), " as y" + place)).toList();
    return fixed("select ", FuzzQueries.separated(items), " from " + table.name() + " " + alias, where(scope));
  }

  private SqlTree where(FuzzScope scope) {
    return choice.chance(40) ? optional(" where ", expressions.predicate(scope, 1)) : SqlTree.empty();
  }

  private static String names(int count, String before) {
    return String.join(", ", IntStream.range(0, count).mapToObj(i -> before + "y" + i).toList());
  }

  /** Columns of either side, and the one that both have, which is that of the side that has a row. */
  private SqlTree joined(List<FuzzType> types, String alias) {
    String kind = choice.any(List.of("", "left ", "right ", "full "));
    boolean natural = choice.chance(50);
    int left = random.nextInt(types.size() + 1);
    boolean key = choice.chance(60) && types.contains(FuzzType.INTEGER);
    int keyed = types.indexOf(FuzzType.INTEGER);
    IntFunction<String> name = i -> key && i == keyed ? alias + "k" : "y" + i;
    return SqlTree.query(
        types.size(), "select " + String.join(", ", IntStream.range(0, types.size()).mapToObj(name).toList()) + " from (",
        side(types, IntStream.range(0, left).boxed().toList(), alias, "a"), ") as " + alias + "l " + (natural ? "natural " : "") + kind + "join (",
        side(types, IntStream.range(left, types.size()).boxed().toList(), alias, "b"), ") as " + alias + "r" + (natural ? "" : " using (" + alias + "k)"));
  }

  private SqlTree side(List<FuzzType> types, List<Integer> places, String alias, String which) {
    FuzzTable table = choice.any(tables);
    String own = alias + which;
    FuzzScope scope = FuzzShapes.scope(table, own);
    List<SqlTree> items = new ArrayList<>();
    items.add(fixed(choice.any(List.of(own + ".id", "nullif(" + own + ".id % " + KEYS + ", 3)")) + " as " + alias + "k"));
    places.forEach(place -> items.add(fixed(expressions.of(types.get(place), scope, 1), " as y" + place)));
    return fixed("select ", FuzzQueries.separated(items), " from " + table.name() + " " + own, where(scope));
  }

  /** Groups by each column that has no aggregate; where these are constants, DuckDB has a group of no rows. */
  private SqlTree groupedByAll(List<FuzzType> types, String alias) {
    FuzzTable table = choice.any(tables);
    FuzzScope scope = FuzzShapes.scope(table, alias);
    List<SqlTree> items = new ArrayList<>();
    for (FuzzType type : types) {
      items.add(choice.chance(40) ? expressions.column(type, scope) : expressions.aggregate(type, scope, 1));
    }
    return SqlTree.query(types.size(), "select ", FuzzQueries.separated(items), " from " + table.name() + " " + alias, where(scope), " group by all having count(*) > 0");
  }

  /** All columns but one, and one of them as something else. */
  private SqlTree starred(List<FuzzType> types, String alias) {
    List<ScopeColumn> columns = IntStream.range(0, types.size()).mapToObj(i -> new ScopeColumn(alias + ".y" + i, types.get(i))).toList();
    FuzzScope scope = new FuzzScope(columns, null);
    int replaced = random.nextInt(types.size());
    List<FuzzType> more = new ArrayList<>(types);
    more.add(expressions.type(scope));
    SqlTree replace =
        choice.chance(60) ? fixed(" replace (", expressions.of(types.get(replaced), scope, 1), " as y" + replaced + ")") : SqlTree.empty();
    return SqlTree.query(
        types.size(), "select * exclude (y" + types.size() + ")", replace, " from (",
        columns(more, IntStream.range(0, more.size()).boxed().toList(), alias + "a"), ") as " + alias, where(scope));
  }

  /** Windows that have a name, and frames of their own. */
  private SqlTree windowed(List<FuzzType> types, String alias) {
    FuzzTable table = choice.any(tables);
    FuzzScope scope = FuzzShapes.scope(table, alias);
    List<SqlTree> items = new ArrayList<>();
    for (FuzzType type : types) {
      items.add(overNamed(type, scope, alias + "w"));
    }
    String partition = choice.chance(60) ? "partition by " + choice.any(scope.columns()).sql() + " " : "";
    return SqlTree.query(
        types.size(), "select ", FuzzQueries.separated(items), " from " + table.name() + " " + alias, where(scope),
        " window " + alias + "w as (" + partition + "order by " + alias + ".id" + choice.any(List.of("", " desc")) + ")");
  }

  private SqlTree overNamed(FuzzType type, FuzzScope scope, String window) {
    String over = choice.chance(60) ? " over " + window : " over (" + window + " rows between " + random.nextInt(4) + " preceding and " + random.nextInt(3) + " following)";
    if (type == FuzzType.INTEGER && choice.chance(50)) {
      return choice.chance(50)
          ? value(type, "row_number() over " + window)
          : value(type, "count(", expressions.column(expressions.type(scope), scope), ")" + over);
    }
    return choice.chance(50)
        ? value(type, choice.any(List.of("lag(", "lead(")), expressions.column(type, scope), ", " + (1 + random.nextInt(3)) + ") over " + window)
        : value(type, choice.any(List.of("first_value(", "last_value(")), expressions.column(type, scope), ")" + over);
  }
}
