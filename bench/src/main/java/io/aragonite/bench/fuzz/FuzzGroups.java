package io.aragonite.bench.fuzz;

import static io.aragonite.bench.fuzz.SqlTree.fixed;
import static io.aragonite.bench.fuzz.SqlTree.optional;
import static io.aragonite.bench.fuzz.SqlTree.value;

import io.aragonite.bench.fuzz.FuzzScope.ScopeColumn;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Makes random queries with GROUP BY: keys, sets of keys, aggregates, HAVING. */
final class FuzzGroups {
  private static final int MOST_KEYS = 3;

  /** The last kind of GROUP BY that has sets of keys. */
  private static final int MOST_SETS = 4;

  private final Random random;
  private final FuzzChoice choice;
  private final FuzzExpressions expressions;
  private final FuzzQueries queries;

  FuzzGroups(Random random, FuzzExpressions expressions, FuzzQueries queries) {
    this.random = random;
    this.choice = new FuzzChoice(random);
    this.expressions = expressions;
    this.queries = queries;
  }

  /**
   * A query.
   *
   * @param from FROM, and WHERE behind it
   * @param inexact whether last digits of its values do not count
   */
  SqlTree query(List<FuzzType> types, SqlTree from, FuzzScope scope, int depth, boolean inexact) {
    List<SqlTree> keys = new ArrayList<>();
    for (FuzzType type : types) {
      keys.add(key(type, scope, keys));
    }
    List<SqlTree> grouped = keys.stream().filter(key -> key.type() != null).toList();
    // Calcite forgets sets of keys that are there twice.
    List<SqlTree> different = new ArrayList<>();
    grouped.stream().filter(key -> different.stream().noneMatch(other -> other.text().equals(key.text()))).forEach(different::add);
    int drawn = different.isEmpty() ? 0 : random.nextInt(9);
    int kind = drawn < MOST_SETS && !queries.mayGroupAll() ? 0 : drawn;
    List<SqlTree> items = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      boolean isKey = keys.get(i).type() != null;
      items.add(isKey ? keys.get(i) : aggregate(types.get(i), scope, depth, inexact, kind > 0 && kind <= MOST_SETS ? different : List.of()));
    }
    return SqlTree.query(
        types.size(), "select ", FuzzQueries.separated(items), from, grouping(different, kind), choice.chance(25) ? having(scope) : SqlTree.empty());
  }

  /** Groups whose number is known beforehand, up to a few hundred, and sums of expressions, many of them now and then. */
  SqlTree few(List<FuzzType> types, SqlTree from, FuzzScope scope) {
    List<SqlTree> keys = new ArrayList<>();
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      keys.add(narrow(scope));
    }
    List<SqlTree> sums = new ArrayList<>();
    for (int i = choice.chance(15) ? 40 + random.nextInt(30) : 1 + random.nextInt(8); i > 0; i--) {
      sums.add(sum(scope));
    }
    SqlTree all = FuzzQueries.separated(keys);
    List<SqlTree> last = types.stream().map(type -> expressions.aggregate(type, scope, 1)).toList();
    return SqlTree.query(
        keys.size() + sums.size() + types.size(), "select ", all, ", ", FuzzQueries.separated(sums), ", ", FuzzQueries.separated(last), from, " group by ", all);
  }

  /** A key of few values. */
  private SqlTree narrow(FuzzScope scope) {
    String values = choice.any(List.of("2", "4", "63", "64", "65"));
    return switch (random.nextInt(4)) {
      case 0 -> value(FuzzType.BOOLEAN, expressions.column(FuzzType.BOOLEAN, scope));
      case 1 -> value(FuzzType.VARCHAR, expressions.column(FuzzType.VARCHAR, scope));
      case 2 -> value(FuzzType.INTEGER, "cast((", expressions.column(FuzzType.INTEGER, scope), " % " + values + ") as tinyint)");
      default -> value(
          FuzzType.VARCHAR, "case when ", expressions.predicate(scope, 1), " then 'x' when ", expressions.predicate(scope, 0), " then 'y' end");
    };
  }

  private SqlTree sum(FuzzScope scope) {
    FuzzType type = choice.chance(60) ? FuzzType.INTEGER : FuzzType.DECIMAL;
    SqlTree of = expressions.of(type, scope, choice.any(List.of(0, 1, 1, 2)));
    SqlTree filter = choice.chance(20) ? fixed(" filter (where ", expressions.predicate(scope, 0), ")") : SqlTree.empty();
    return type == FuzzType.INTEGER && choice.chance(25)
        ? fixed("count(", of, ")", filter)
        : fixed("cast(", choice.any(List.of("sum(", "sum(", "min(", "max(")), of, ")", filter, " as decimal(38, 6))");
  }

  /** A key of a kind; an empty text where an aggregate stands. */
  private SqlTree key(FuzzType type, FuzzScope scope, List<SqlTree> before) {
    List<ScopeColumn> columns = scope.of(type);
    long there = before.stream().filter(key -> key.type() != null).count();
    if (there == MOST_KEYS || columns.isEmpty() || !choice.chance(40)) {
      return SqlTree.empty();
    }
    // A key that another one determines is left out where groups are made.
    List<SqlTree> plain = before.stream().filter(key -> key.type() == type).toList();
    SqlTree column = !plain.isEmpty() && choice.chance(30) ? choice.any(plain) : value(type, choice.any(columns).sql());
    return choice.chance(75) ? column : derived(type, column);
  }

  private SqlTree aggregate(FuzzType type, FuzzScope scope, int depth, boolean inexact, List<SqlTree> sets) {
    if (!sets.isEmpty() && choice.chance(30)) {
      SqlTree grouping = fixed("grouping(", FuzzQueries.separated(choice.chance(40) ? sets : List.of(choice.any(sets))), ")");
      if (type == FuzzType.INTEGER) {
        return value(type, grouping);
      }
      return value(
          type, "case when ", grouping, choice.any(List.of(" = 0", " > 0", " <> 1")), " then ", expressions.aggregate(type, scope, depth), " else ",
          expressions.literal(type), " end");
    }
    return inexact && type == FuzzType.DOUBLE && choice.chance(50)
        ? expressions.inexactAggregate(scope)
        : expressions.aggregate(type, scope, depth);
  }

  private SqlTree having(FuzzScope scope) {
    FuzzType type = choice.chance(60) ? FuzzType.INTEGER : expressions.type(scope);
    SqlTree first = expressions.aggregate(type, scope, 1);
    FuzzScope none = new FuzzScope(List.of(), null);
    if (queries.mayNest() && !queries.needsEqualities() && choice.chance(25)) {
      return choice.chance(50)
          ? optional(" having ", first, choice.any(List.of(" >= ", " <> ", " < ")), "(", queries.scalar(type, none), ")")
          : optional(" having ", first, choice.any(List.of(" in (", " not in (", " > any (", " <= all (")), queries.nested(List.of(type), none), ")");
    }
    return type == FuzzType.INTEGER
        ? optional(" having ", first, choice.any(List.of(" > ", " <> ", " <= ")), String.valueOf(random.nextInt(3)))
        : optional(" having ", first, choice.any(List.of(" > ", " <> ", " is not distinct from ")), expressions.aggregate(type, scope, 1));
  }

  /** A key that is not a column as it stands. */
  private static SqlTree derived(FuzzType type, SqlTree column) {
    return switch (type) {
      case BOOLEAN -> value(type, "(not ", column, ")");
      case INTEGER -> value(type, "(", column, " % 3)");
      case DECIMAL, DOUBLE -> value(type, "abs(", column, ")");
      case VARCHAR -> value(type, "upper(", column, ")");
      case DATE -> value(type, "(", column, " + 1)");
      case TIMESTAMP, INSTANT -> value(type, "date_trunc('hour', ", column, ")");
      case TIME -> value(type, "(", column, " + interval '1' hour)");
      case UUID -> value(type, "greatest(", column, ", ", FuzzTables.uuid(1), ")");
    };
  }

  private static SqlTree grouping(List<SqlTree> keys, int kind) {
    if (keys.isEmpty()) {
      return SqlTree.empty();
    }
    SqlTree all = FuzzQueries.separated(keys);
    return switch (kind) {
      case 1 -> fixed(" group by rollup (", all, ")");
      case 2 -> fixed(" group by cube (", all, ")");
      case 3 -> fixed(" group by grouping sets ((", all, "), (), (", keys.get(0), "))");
      case MOST_SETS -> fixed(" group by ", keys.get(0), ", ", keys.size() == 1 ? "rollup (" : "cube (", FuzzQueries.separated(keys.size() == 1 ? keys : keys.subList(1, keys.size())), ")");
      default -> fixed(" group by ", all);
    };
  }
}
