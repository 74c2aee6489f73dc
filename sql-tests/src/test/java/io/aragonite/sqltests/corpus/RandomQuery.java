package io.aragonite.sqltests.corpus;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A random SELECT over {@link RandomTables}, in the SQL that Calcite and DuckDB share, and without
 * what they compute differently on purpose (division of integers, averages of decimals).
 */
final class RandomQuery {
  private static final List<String> NUMBERS = List.of("id", "i", "j", "d", "f");
  private static final List<String> KEYS = List.of("i", "j", "d", "s", "b", "dt");

  private final Random random;
  private final List<Integer> sizes;
  private final List<String> aliases = new ArrayList<>();
  private int nextAlias;

  private RandomQuery(Random random, List<Integer> sizes) {
    this.random = random;
    this.sizes = sizes;
  }

  /**
   * The text of a query.
   *
   * @param sizes rows of the tables
   */
  static String of(Random random, List<Integer> sizes) {
    return new RandomQuery(random, sizes).query();
  }

  private String query() {
    return switch (random.nextInt(8)) {
      case 0, 1 -> rows();
      case 2, 3, 4 -> groups();
      case 5 -> windows();
      case 6 -> set();
      default -> top();
    };
  }

  private boolean chance(double probability) {
    return random.nextDouble() < probability;
  }

  private <T> T pick(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  private String rows() {
    String from = from();
    List<String> items = new ArrayList<>();
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      items.add(chance(0.5) ? number(1) : column(pick(RandomTables.COLUMNS)));
    }
    if (chance(0.2)) {
      items.add(scalarSubquery());
    }
    if (chance(0.15)) {
      items.add(chance(0.5) ? subqueryPredicate() : label());
    }
    return "select " + (chance(0.3) ? "distinct " : "") + list(items) + from + where();
  }

  private String top() {
    int table = table();
    aliases.add("t" + nextAlias++);
    String from = " from r" + table + " " + aliases.get(0);
    String key = pick(KEYS);
    String order =
        column(key)
            + (chance(0.5) ? " desc" : "")
            + (chance(0.5) ? " nulls first" : " nulls last")
            + ", "
            + aliases.get(0)
            + ".id"
            + (chance(0.5) ? " desc" : "");
    return "select "
        + column("id")
        + ", "
        + number(1)
        + from
        + where()
        + " order by "
        + order
        + " limit "
        + random.nextInt(20)
        + (chance(0.5) ? " offset " + random.nextInt(10) : "");
  }

  private String groups() {
    String from = from();
    List<String> keys = new ArrayList<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      String key = chance(0.8) ? column(pick(KEYS)) : "extract(month from " + column("dt") + ")";
      if (!keys.contains(key)) {
        keys.add(key);
      }
    }
    List<String> items = new ArrayList<>(keys);
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      items.add(aggregate());
    }
    String group = "";
    if (!keys.isEmpty()) {
      group =
          " group by "
              + switch (random.nextInt(4)) {
                case 0 -> "rollup (" + list(keys) + ")";
                case 1 -> "grouping sets ((" + list(keys) + "), (), (" + keys.get(0) + "))";
                default -> list(keys);
              };
    }
    return "select "
        + list(items)
        + from
        + where()
        + group
        + (chance(0.3) ? " having count(*) > " + random.nextInt(3) : "");
  }

  /** Texts of several lengths. */
  private String label() {
    return "case when "
        + predicate(1)
        + " then 'yes' when "
        + predicate(0)
        + " then 'no' else s end".replace(" s ", " " + column("s") + " ");
  }

  private String aggregate() {
    String filter = chance(0.2) ? " filter (where " + predicate(1) + ")" : "";
    return switch (random.nextInt(7)) {
          case 6 -> "avg(" + column(pick(List.of("i", "j", "f"))) + ")";
          case 0 -> "count(*)";
          case 1 -> "count(" + column(pick(KEYS)) + ")";
          case 2 -> "count(distinct " + column(pick(KEYS)) + ")";
          case 3 -> "sum(" + column(pick(List.of("i", "j", "d", "f"))) + ")";
          case 4 -> "min(" + column(pick(List.of("i", "j", "d", "f", "s", "dt"))) + ")";
          default -> "max(" + column(pick(List.of("i", "j", "d", "f", "s", "dt"))) + ")";
        }
        + filter;
  }

  private String windows() {
    int table = table();
    aliases.add("t" + nextAlias++);
    List<String> items = new ArrayList<>(List.of(column("id")));
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      items.add(window());
    }
    return "select " + list(items) + " from r" + table + " " + aliases.get(0) + where();
  }

  private String window() {
    String partition = chance(0.6) ? "partition by " + column(pick(KEYS)) + " " : "";
    String unique =
        "order by "
            + (chance(0.5) ? column(pick(KEYS)) + " nulls first, " : "")
            + column("id")
            + (chance(0.3) ? " desc" : "");
    String frame =
        switch (random.nextInt(4)) {
          case 0 -> " rows between " + random.nextInt(4) + " preceding and current row";
          case 1 ->
              " rows between "
                  + random.nextInt(3)
                  + " preceding and "
                  + random.nextInt(3)
                  + " following";
          case 2 -> " rows between unbounded preceding and unbounded following";
          default -> "";
        };
    String value = column(pick(List.of("i", "j", "d", "s", "dt")));
    return switch (random.nextInt(7)) {
      case 0 -> "row_number() over (" + partition + unique + ")";
      case 1 -> "rank() over (" + partition + "order by " + column(pick(KEYS)) + " nulls last)";
      case 2 ->
          "dense_rank() over ("
              + partition
              + "order by "
              + column(pick(KEYS))
              + " desc nulls last)";
      case 3 ->
          "sum("
              + column(pick(List.of("i", "j", "d")))
              + ") over ("
              + partition
              + unique
              + frame
              + ")";
      case 4 ->
          (chance(0.5) ? "min(" : "max(") + value + ") over (" + partition + unique + frame + ")";
      case 5 ->
          (chance(0.5) ? "lag(" : "lead(")
              + value
              + ", "
              + random.nextInt(4)
              + ") over ("
              + partition
              + unique
              + ")";
      default -> "count(" + value + ") over (" + partition + unique + frame + ")";
    };
  }

  private String set() {
    List<String> types = new ArrayList<>();
    for (int i = 1 + random.nextInt(2); i > 0; i--) {
      types.add(pick(List.of("i", "s", "dt", "d", "j")));
    }
    String operation =
        pick(List.of("union", "union all", "intersect", "intersect all", "except", "except all"));
    return branch(types) + " " + operation + " " + branch(types);
  }

  private String branch(List<String> columns) {
    aliases.clear();
    int table = table();
    aliases.add("t" + nextAlias++);
    return "select "
        + list(columns.stream().map(this::column).toList())
        + " from r"
        + table
        + " "
        + aliases.get(0)
        + where();
  }

  private int table() {
    return random.nextInt(sizes.size());
  }

  private String from() {
    int first = table();
    aliases.add("t" + nextAlias++);
    StringBuilder from = new StringBuilder(" from r" + first + " " + aliases.get(0));
    long product = Math.max(1, sizes.get(first));
    for (int joins = random.nextInt(3); joins > 0; joins--) {
      int table = table();
      String left = pick(aliases);
      String right = "t" + nextAlias++;
      product *= Math.max(1, sizes.get(table));
      String type = pick(List.of("join", "left join", "right join", "full join"));
      // Without an equality only what is small: DuckDB and we compare every pair.
      boolean equality = product > 20_000 || chance(0.85);
      // On ids, or a join of joins would not end.
      String key = product > 1_000_000 ? "id" : pick(List.of("id", "i", "s", "dt", "j"));
      if (product > 1_000_000 && !key.equals("id")) {
        continue;
      }
      String condition =
          equality ? left + "." + key + " = " + right + "." + key : left + ".i < " + right + ".i";
      if (equality && key.equals("s") && product > 20_000) {
        condition += " and " + left + ".id = " + right + ".id";
      }
      if (chance(0.3)) {
        condition +=
            " and "
                + left
                + "."
                + pick(NUMBERS)
                + pick(List.of(" < ", " <> ", " >= "))
                + right
                + "."
                + pick(NUMBERS);
      }
      aliases.add(right);
      from.append(" ").append(type).append(" r").append(table).append(" ").append(right);
      from.append(" on ").append(condition);
    }
    return from.toString();
  }

  private String where() {
    return chance(0.7) ? " where " + predicate(2) : "";
  }

  private String column(String name) {
    return pick(aliases) + "." + name;
  }

  private String number(int depth) {
    if (depth == 0 || chance(0.3)) {
      return chance(0.7) ? column(pick(List.of("id", "i", "d"))) : literal();
    }
    return switch (random.nextInt(5)) {
      case 0 -> "(" + number(depth - 1) + " + " + number(depth - 1) + ")";
      case 1 -> "(" + number(depth - 1) + " - " + number(depth - 1) + ")";
      case 2 -> "(" + column("i") + " * " + number(depth - 1) + ")";
      case 3 -> "coalesce(" + column("i") + ", " + random.nextInt(9) + ")";
      default ->
          "case when "
              + predicate(depth - 1)
              + " then "
              + column("i")
              + " when "
              + predicate(depth - 1)
              + " then "
              + random.nextInt(9)
              + " else "
              + column("id")
              + " end";
    };
  }

  private String literal() {
    return chance(0.6) ? String.valueOf(random.nextInt(20)) : random.nextInt(20) + ".5";
  }

  private String predicate(int depth) {
    if (depth > 0 && chance(0.4)) {
      return switch (random.nextInt(3)) {
        case 0 -> "(" + predicate(depth - 1) + " and " + predicate(depth - 1) + ")";
        case 1 -> "(" + predicate(depth - 1) + " or " + predicate(depth - 1) + ")";
        default -> "not (" + predicate(depth - 1) + ")";
      };
    }
    return switch (random.nextInt(depth > 1 ? 11 : 9)) {
      case 0 -> column(pick(NUMBERS)) + comparison() + literal();
      case 1 -> column(pick(NUMBERS)) + comparison() + column(pick(NUMBERS));
      case 2 -> column(pick(KEYS)) + (chance(0.5) ? " is null" : " is not null");
      case 3 ->
          column("i") + (chance(0.3) ? " not" : "") + " in (1, 3, " + random.nextInt(30) + ", 8)";
      case 4 ->
          column("s")
              + (chance(0.3) ? " not" : "")
              + " like "
              + pick(List.of("'a%'", "'%b'", "'_'", "'%本'"));
      case 5 -> column("dt") + comparison() + "date '2020-01-" + (10 + random.nextInt(20)) + "'";
      case 6 -> column("b");
      case 7 -> column("d") + " between -3 and " + random.nextInt(50);
      case 8 -> column("s") + comparison() + pick(List.of("'ab'", "'日本'", "''"));
      case 9 -> subqueryPredicate();
      default -> column("i") + " is not distinct from " + column("i");
    };
  }

  private String comparison() {
    return pick(List.of(" = ", " <> ", " < ", " <= ", " > ", " >= "));
  }

  private String subqueryPredicate() {
    int table = random.nextInt(4);
    String inner = "u" + nextAlias++;
    String key = pick(List.of("i", "s", "dt"));
    String condition = chance(0.5) ? " where " + inner + ".i < " + random.nextInt(20) : "";
    String in = "(select " + inner + "." + key + " from r" + table + " " + inner + condition + ")";
    String correlated =
        "(select 1 from r"
            + table
            + " "
            + inner
            + " where "
            + inner
            + "."
            + key
            + " = "
            + column(key)
            + (chance(0.5) ? " and " + inner + ".id > " + random.nextInt(10) : "")
            + ")";
    return switch (random.nextInt(4)) {
      case 0 -> column(key) + " in " + in;
      case 1 -> column(key) + " not in " + in;
      case 2 -> "exists " + correlated;
      default -> "not exists " + correlated;
    };
  }

  private String scalarSubquery() {
    String inner = "u" + nextAlias++;
    String aggregate = pick(List.of("count(*)", "max(" + inner + ".j)", "sum(" + inner + ".i)"));
    return "(select "
        + aggregate
        + " from r"
        + random.nextInt(4)
        + " "
        + inner
        + (chance(0.6) ? " where " + inner + ".i = " + column("i") : "")
        + ")";
  }

  private static String list(List<String> items) {
    return String.join(", ", items);
  }
}
