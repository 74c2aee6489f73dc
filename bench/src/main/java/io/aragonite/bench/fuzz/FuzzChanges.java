package io.aragonite.bench.fuzz;

import static io.aragonite.bench.fuzz.SqlTree.fixed;
import static io.aragonite.bench.fuzz.SqlTree.optional;

import io.aragonite.bench.fuzz.FuzzScope.ScopeColumn;
import io.aragonite.bench.fuzz.FuzzTable.FuzzColumn;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Makes statements that make a table, change it and ask it. What they leave follows from the rows, whatever their order. */
final class FuzzChanges {
  private final Random random;
  private final FuzzChoice choice;
  private final List<FuzzTable> tables;
  private final FuzzExpressions expressions;

  /** Behind a change whose rows are asked for. */
  static final String RETURNING = " returning ";

  FuzzChanges(Random random, List<FuzzTable> tables, FuzzExpressions expressions) {
    this.random = random;
    this.choice = new FuzzChoice(random);
    this.tables = tables;
    this.expressions = expressions;
  }

  /** Statements that make a table and change it, with a line between two of them; {@code last} is asked behind them. */
  SqlTree changes(FuzzTable table, String name, SqlTree last) {
    FuzzScope own = FuzzShapes.scope(table, name);
    List<Object> parts = new ArrayList<>();
    parts.add("create table " + name + " as select * from " + table.name() + FuzzStatement.NEXT);
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      parts.add(optional(change(table, name, own, i), FuzzStatement.NEXT));
    }
    parts.add("select * from " + name + FuzzStatement.NEXT);
    parts.add(last);
    return fixed(parts.toArray());
  }

  /** Statements that write a file, and again over it, each time as other rows; {@code last} is asked behind each. */
  SqlTree replaced(FuzzTable table, SqlTree last) {
    List<Object> parts = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      FuzzTable from = i == 0 ? table : choice.any(tables);
      String alias = "i" + i;
      FuzzScope scope = FuzzShapes.scope(from, alias);
      List<SqlTree> values = table.columns().stream().map(column -> fixed(from.equals(table) ? alias + "." + column.name() : assigned(column, scope), " as " + column.name())).toList();
      parts.add(
          optional(
              "copy (select ", FuzzQueries.separated(values), " from " + from.name() + " " + alias, optional(" where ", expressions.predicate(scope, 2)),
              ") to " + FuzzStatement.FILE + " (format parquet, overwrite" + choice.any(List.of("", ", compression zstd", ", compression none")) + ")" + FuzzStatement.NEXT));
      parts.add(optional("select * from " + FuzzStatement.FILE + FuzzStatement.NEXT));
      parts.add(last);
      parts.add(i == 0 ? FuzzStatement.NEXT : "");
    }
    return fixed(parts.toArray());
  }

  private SqlTree change(FuzzTable table, String name, FuzzScope own, int number) {
    List<FuzzColumn> columns = table.columns();
    return switch (random.nextInt(11)) {
      case 0 -> fixed("delete from " + name, where(name, own, number), returning(own, name));
      case 1 -> fixed(inserted(columns, name, number), returning(own, name));
      case 2, 3, 4 -> beside(columns, name, own, number);
      case 5, 6, 7 -> merged(columns, name, own, number);
      case 8 -> altered(choice.any(columns), name);
      default -> fixed(updated(columns, name, own, number), returning(own, name));
    };
  }

  /** What a change answers with, now and then: the rows that it has changed. */
  private SqlTree returning(FuzzScope own, String name) {
    if (!choice.chance(25)) {
      return SqlTree.empty();
    }
    return choice.chance(30)
        ? optional(RETURNING + "*")
        : optional(RETURNING + name + ".id, ", expressions.of(expressions.type(own), own, 1), " as r");
  }

  /** Some rows: by a condition, one that asks other tables, or the first ones of the table itself. */
  private SqlTree where(String name, FuzzScope own, int number) {
    int way = random.nextInt(10);
    if (way == 0) {
      return SqlTree.empty();
    }
    if (way <= 3) {
      return optional(" where ", expressions.subquery(own, 1));
    }
    if (way <= 5) {
      String alias = "j" + number;
      FuzzScope again = new FuzzScope(own.columns().stream().map(column -> new ScopeColumn(column.sql().replace(name + ".", alias + "."), column.type())).toList(), null);
      return optional(
          " where id in (select " + alias + ".id from " + name + " " + alias, choice.chance(50) ? optional(" where ", expressions.predicate(again, 1)) : SqlTree.empty(),
          " order by " + alias + ".id" + choice.any(List.of("", " desc")) + " limit " + random.nextInt(12) + choice.any(List.of("", " offset 2")) + ")");
    }
    return optional(" where ", expressions.predicate(own, 2));
  }

  private SqlTree updated(List<FuzzColumn> columns, String name, FuzzScope own, int number) {
    FuzzColumn column = choice.any(columns);
    FuzzColumn other = choice.any(columns);
    SqlTree more = column.equals(other) ? SqlTree.empty() : optional(", " + other.name() + " = ", assigned(other, own));
    return fixed("update " + name + " set " + column.name() + " = ", assigned(column, own), more, where(name, own, number));
  }

  private SqlTree inserted(List<FuzzColumn> columns, String name, int number) {
    FuzzTable from = choice.any(tables);
    String alias = "i" + number;
    FuzzScope scope = FuzzShapes.scope(from, alias);
    return fixed(
        "insert into " + name + " select ", values(columns, scope), " from " + from.name() + " " + alias, optional(" where ", expressions.predicate(scope, 1)));
  }

  /** A value for each column. */
  private SqlTree values(List<FuzzColumn> columns, FuzzScope scope) {
    return FuzzQueries.separated(columns.stream().map(column -> assigned(column, scope)).toList());
  }

  /** A change by rows of another table, of which one at most goes with a row. */
  private SqlTree beside(List<FuzzColumn> columns, String name, FuzzScope own, int number) {
    FuzzTable other = choice.any(tables);
    String alias = "i" + number;
    FuzzScope both = own.and(FuzzShapes.scope(other, alias).columns());
    SqlTree where = fixed(" where " + name + ".id = " + alias + ".id", choice.chance(50) ? optional(" and ", expressions.predicate(both, 1)) : SqlTree.empty());
    if (choice.chance(30)) {
      return fixed("delete from " + name + " using " + other.name() + " " + alias, where);
    }
    FuzzColumn column = choice.any(columns);
    FuzzColumn second = choice.any(columns);
    SqlTree set =
        column.equals(second) || choice.chance(60)
            ? fixed(column.name() + " = ", assigned(column, both))
            : fixed("(" + column.name() + ", " + second.name() + ") = (", assigned(column, both), ", ", assigned(second, both), ")");
    return fixed("update " + name + " set ", set, " from " + other.name() + " " + alias, where);
  }

  /** A MERGE by rows of another table, of which one at most goes with a row. */
  private SqlTree merged(List<FuzzColumn> columns, String name, FuzzScope own, int number) {
    FuzzTable other = choice.any(tables);
    String alias = "i" + number;
    FuzzScope source = FuzzShapes.scope(other, alias);
    FuzzScope both = own.and(source.columns());
    List<Object> parts = new ArrayList<>();
    parts.add("merge into " + name + " using " + other.name() + " " + alias + " on " + name + ".id = " + alias + ".id");
    if (choice.chance(25)) {
      parts.add(optional(" and ", expressions.predicate(both, 1)));
    }
    int clauses = random.nextInt(3);
    for (int i = 1; i <= clauses; i++) {
      boolean always = i == clauses && choice.chance(40); // none may follow
      SqlTree when = fixed(" when matched", always ? SqlTree.empty() : fixed(" and ", plain(both)), " then ");
      FuzzColumn column = choice.any(columns.subList(1, columns.size()));
      SqlTree set = fixed("update set " + column.name() + " = ", assigned(column, both));
      parts.add(optional(when, choice.chance(25) ? "delete" : choice.chance(15) ? "do nothing" : set));
    }
    if (choice.chance(60) || clauses == 0) {
      SqlTree condition = choice.chance(40) ? optional(" and ", plain(source)) : SqlTree.empty();
      parts.add(optional(fixed(" when not matched", condition, " then insert values (", values(columns, source), ")")));
    }
    return fixed(parts.toArray());
  }

  /** A condition that asks no table, as clauses of MERGE need it. */
  private SqlTree plain(FuzzScope scope) {
    ScopeColumn column = choice.any(scope.columns());
    SqlTree value = expressions.column(column.type(), scope);
    return choice.chance(25)
        ? SqlTree.value(FuzzType.BOOLEAN, "(", value, choice.any(List.of(" is null", " is not null")), ")")
        : SqlTree.value(FuzzType.BOOLEAN, "(", value, choice.any(List.of(" = ", " < ", " >= ", " <> ")), expressions.literal(column.type()), ")");
  }

  /** Another declaration of a column, whose kind of values stays. */
  private SqlTree altered(FuzzColumn column, String name) {
    String alter = "alter table " + name + " alter column " + column.name();
    return switch (random.nextInt(4)) {
      case 0 -> fixed(alter + " set default ", expressions.stored(column.type()), FuzzStatement.NEXT + "insert into " + name + " (id) values (" + random.nextInt(2_000) + ")");
      case 1 -> fixed(alter + " set not null");
      case 2 -> fixed(alter + choice.any(List.of(" drop default", " drop not null")));
      default -> fixed(alter + " type " + (column.type() == FuzzType.INTEGER ? "bigint" : column.sqlType()));
    };
  }

  /** Statements that make a table with a key, a default and a check, and change it; the rows that stay follow from their keys. */
  SqlTree constrained(String name) {
    List<Object> parts = new ArrayList<>();
    parts.add("create table " + name + " (k integer primary key, v varchar default 'none', w integer check (w > -90 or w is null), b boolean default true not null)" + FuzzStatement.NEXT);
    int statements = 2 + random.nextInt(5);
    for (int i = 0; i < statements; i++) {
      parts.add(optional(constrainedChange(name, i), FuzzStatement.NEXT));
    }
    parts.add("select * from " + name);
    return fixed(parts.toArray());
  }

  private SqlTree constrainedChange(String name, int number) {
    FuzzTable from = choice.any(tables);
    String alias = "i" + number;
    FuzzScope scope = FuzzShapes.scope(from, alias);
    FuzzScope own = own(name);
    SqlTree key = expressions.of(FuzzType.INTEGER, scope, 1);
    String rows = " from " + from.name() + " " + alias + ") as q where q.x is not null";
    return switch (random.nextInt(12)) {
      case 0, 1 -> fixed("insert into " + name + " (k, w) select q.x, q.x * 2 - 9 from (select ", key, " % 50 as x", rows, " on conflict do nothing");
      case 2 -> fixed("insert or ignore into " + name + " (k, v, b) select q.x, cast(q.x as varchar), q.x > 3 from (select ", key, " % 80 as x", rows);
      case 3 -> fixed("insert into " + name + " (k) values (" + random.nextInt(60) + "), (" + (100 + number) + ")");
      case 4 -> fixed("update " + name + " set w = w - " + random.nextInt(30), where(own));
      case 5 -> fixed("delete from " + name, where(own));
      case 6 -> fixed("alter table " + name + " add column n" + number + " integer default " + number);
      case 7, 8 -> fixed(
          "insert into " + name + " (k, v, w) select distinct q.x, 'u' || cast(q.x as varchar), q.x * 3 - 20 from (select ", key, " % 60 as x", rows,
          " on conflict (k) do update set " + choice.any(List.of("w = excluded.w + 1", "w = " + name + ".w + excluded.k, v = excluded.v", "v = " + name + ".v || excluded.v, w = excluded.w", "b = excluded.w > " + name + ".w")),
          choice.chance(50) ? fixed(" where " + choice.any(List.of("excluded.w > " + name + ".w", name + ".w is null", name + ".b", "excluded.k % 2 = 0"))) : SqlTree.empty());
      case 9 -> fixed("insert or replace into " + name + " (k, v, w, b) select distinct q.x, 'r', q.x - 4, q.x > 5 from (select ", key, " % 40 as x", rows);
      default -> mergedByKey(name, key, rows);
    };
  }

  private static FuzzScope own(String name) {
    return new FuzzScope(
        List.of(new ScopeColumn(name + ".k", FuzzType.INTEGER), new ScopeColumn(name + ".v", FuzzType.VARCHAR), new ScopeColumn(name + ".w", FuzzType.INTEGER)), null);
  }

  private SqlTree where(FuzzScope own) {
    return fixed(" where ", choice.chance(40) ? expressions.subquery(own, 1) : expressions.predicate(own, 1));
  }

  private SqlTree mergedByKey(String name, SqlTree key, String rows) {
    String when = choice.any(List.of("", " and s.x % 2 = 0", " and " + name + ".w > s.x", " and " + name + ".b"));
    boolean more = !when.isEmpty() && choice.chance(50);
    String then = choice.any(List.of("update set w = s.x - 7, v = 'm'", "update set w = " + name + ".w - s.x", "delete", "update set b = false"));
    return fixed(
        "merge into " + name + " using (select distinct q.x from (select ", key, " % 70 as x", rows, ") as s on " + name + ".k = s.x",
        optional(" when matched" + when + " then " + then), more ? optional(" when matched then " + choice.any(List.of("do nothing", "update set v = 'other'"))) : SqlTree.empty(),
        " when not matched" + choice.any(List.of("", " and s.x > 10")) + " then insert (k, w) values (s.x, s.x - " + random.nextInt(100) + ")");
  }

  private SqlTree assigned(FuzzColumn column, FuzzScope scope) {
    FuzzType type = column.type();
    if (type == FuzzType.DECIMAL) {
      // Casts cut what DuckDB's round.
      int scale = Integer.parseInt(column.sqlType().replaceAll(".*, |\\)", ""));
      return fixed("cast(round(", expressions.of(type, scope, 1), ", " + scale + ") as " + column.sqlType() + ")");
    }
    return type == FuzzType.VARCHAR ? expressions.of(type, scope, 1) : fixed("cast(", expressions.of(type, scope, 1), " as " + column.sqlType() + ")");
  }
}
