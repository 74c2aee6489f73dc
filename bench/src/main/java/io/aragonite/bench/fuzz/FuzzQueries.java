package io.aragonite.bench.fuzz;

import static io.aragonite.bench.fuzz.SqlTree.fixed;
import static io.aragonite.bench.fuzz.SqlTree.list;
import static io.aragonite.bench.fuzz.SqlTree.optional;
import static io.aragonite.bench.fuzz.SqlTree.query;

import io.aragonite.bench.fuzz.FuzzScope.ScopeColumn;
import io.aragonite.bench.fuzz.FuzzStatement.FuzzCheck;
import io.aragonite.bench.fuzz.FuzzTable.FuzzColumn;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Makes random queries over random tables: joins, groups, windows, set operations, subqueries of every kind in any place. */
final class FuzzQueries {
  /** How many rows a query may look at, before its conditions. */
  private static final long MOST_PAIRS = 200_000;

  /** How many rows a table has that is multiplied with others, and each of whose rows is looked for. */
  private static final int MOST_PIVOTED = 30;

  private static final int MOST_TRIES = 30;

  private static final int MOST_NESTED = 4;

  private final Random random;
  private final FuzzChoice choice;
  private final List<FuzzTable> tables;
  private final FuzzExpressions expressions;
  private final FuzzWindows windows;
  private final FuzzGroups groups;
  private final FuzzShapes shapes;
  private final FuzzNames byName;
  private final FuzzChanges changes;
  private final FuzzStructs structs;

  /** Queries of WITH that may be named. */
  private final List<FuzzItem> named = new ArrayList<>();

  private final boolean equalJoins;
  private int aliases;
  private int nested;
  private int correlatedSets;

  /**
   * @param equalJoins whether every join has an equality, as algorithms that one asks for need it
   */
  FuzzQueries(Random random, List<FuzzTable> tables, boolean equalJoins) {
    this.random = random;
    this.choice = new FuzzChoice(random);
    this.equalJoins = equalJoins;
    this.tables = tables;
    this.expressions = new FuzzExpressions(random, this);
    this.windows = new FuzzWindows(random, expressions);
    this.groups = new FuzzGroups(random, expressions, this);
    this.shapes = new FuzzShapes(random, tables, expressions);
    this.byName = new FuzzNames(random, tables, expressions);
    this.changes = new FuzzChanges(random, tables, expressions);
    this.structs = new FuzzStructs(random, expressions);
  }

  /**
   * What can stand in FROM.
   *
   * @param sql without an alias
   * @param names of its columns
   * @param rows at most, about
   * @param nested columns that hold several values
   */
  private record FuzzItem(SqlTree sql, List<String> names, List<FuzzType> types, long rows, List<FuzzNested> nested) {
    FuzzItem(SqlTree sql, List<String> names, List<FuzzType> types, long rows) {
      this(sql, names, types, rows, List.of());
    }

    /** With the parts of columns that hold several values. */
    List<ScopeColumn> allColumns(String alias) {
      List<ScopeColumn> columns = columns(alias);
      nested.forEach(one -> columns.addAll(one.parts(alias)));
      return columns;
    }

    List<ScopeColumn> columns(String alias) {
      List<ScopeColumn> columns = new ArrayList<>();
      for (int i = 0; i < names.size(); i++) {
        String column = alias + "." + names.get(i);
        // Files have texts of them.
        columns.add(new ScopeColumn(types.get(i) == FuzzType.UUID ? "cast(" + column + " as uuid)" : column, types.get(i)));
      }
      return columns;
    }
  }

  /** What FROM has, as text and as columns. */
  private record FuzzFrom(SqlTree sql, FuzzScope scope) {}

  /** Whether a statement may have one more subquery. */
  boolean mayNest() {
    return nested < MOST_NESTED;
  }

  /** Whether every join has an equality: joins with subqueries of HAVING and ON have none. */
  boolean needsEqualities() {
    return equalJoins;
  }

  /** Whether a query may have the group of all rows, which DuckDB loses where a correlated set operation has none. */
  boolean mayGroupAll() {
    return correlatedSets == 0;
  }

  /** A whole statement. */
  SqlTree statement() {
    if (choice.chance(16)) {
      List<SqlTree> withs = new ArrayList<>();
      for (int i = 1 + random.nextInt(3); i > 0; i--) {
        withs.add(with());
      }
      List<FuzzType> types = types(1 + random.nextInt(3));
      SqlTree body = choice.chance(10) ? shapes.distinctOn(types, "t" + aliases++) : body(types, null, 2, true);
      return fixed("with ", separated(withs), " ", body);
    }
    return body(types(1 + random.nextInt(4)), null, 2, true);
  }

  /** A query of WITH, which those behind it and the statement may name, once or several times. */
  private SqlTree with() {
    List<FuzzType> types = types(1 + random.nextInt(3));
    SqlTree query = body(types, null, 1, false);
    String name = "w" + aliases++;
    List<String> names = names(types.size());
    named.add(new FuzzItem(fixed(name), names, types, 1_000));
    return fixed(name, " (", String.join(", ", names), ") as (", query, ")");
  }

  /** A query that names itself, and one over it. */
  SqlTree recursive() {
    String name = "w" + aliases++;
    FuzzType type = shapes.recursiveType();
    SqlTree with = shapes.recursive(name, "r" + name, type);
    List<String> names = names(2);
    named.add(new FuzzItem(fixed(name), names, List.of(FuzzType.INTEGER, type), 1_000));
    return fixed("with recursive ", name, " (", String.join(", ", names), ") as (", with, ") ", body(types(1 + random.nextInt(3)), null, 1, true));
  }

  /** Whether there is a table for {@link #changes}. */
  boolean hasChanges() {
    return tables.stream().anyMatch(one -> one.nested().isEmpty());
  }

  /** A table that is made, changed and asked. */
  SqlTree changes() {
    if (choice.chance(40)) {
      return changes.constrained("changed");
    }
    FuzzTable table = choice.any(tables.stream().filter(one -> one.nested().isEmpty()).toList());
    if (choice.chance(35)) {
      long rows = tables.stream().mapToLong(one -> one.rows().size()).max().orElse(0);
      named.add(new FuzzItem(fixed(FuzzStatement.FILE), item(table).names(), item(table).types(), rows));
      return changes.replaced(table, body(types(1 + random.nextInt(3)), null, 1, true));
    }
    String name = "changed";
    named.add(new FuzzItem(fixed(name), item(table).names(), item(table).types(), table.rows().size() * 4L));
    return changes.changes(table, name, body(types(1 + random.nextInt(3)), null, 1, true));
  }

  /** The parts of a statement whose condition can be taken apart: what is selected, FROM, the condition. */
  List<SqlTree> partitioned() {
    FuzzFrom from = from(null, 1);
    List<SqlTree> items = new ArrayList<>();
    for (FuzzType type : types(1 + random.nextInt(3))) {
      items.add(fixed(expressions.of(type, from.scope(), 2)));
    }
    return List.of(list(items), from.sql(), expressions.predicate(from.scope(), 3));
  }

  /** A query as programs write them: rows for which columns have certain values. */
  SqlTree lookup() {
    FuzzFrom from = from(null, 1);
    List<SqlTree> items = new ArrayList<>();
    for (FuzzType type : types(1 + random.nextInt(3))) {
      items.add(fixed(expressions.of(type, from.scope(), 1)));
    }
    SqlTree condition = expressions.besideColumn(from.scope());
    for (int more = random.nextInt(3); more > 0; more--) {
      condition = SqlTree.value(FuzzType.BOOLEAN, "(", condition, choice.chance(70) ? " and " : " or ", expressions.besideColumn(from.scope()), ")");
    }
    return FuzzStatement.conditional(List.of(list(items), from.sql(), condition));
  }

  /** Whether there is a row for {@link #pivoted}. */
  boolean hasRows() {
    return tables.stream().anyMatch(table -> !table.rows().isEmpty());
  }

  /** A condition over a product of tables, and a row of it. */
  FuzzStatement pivoted() {
    List<FuzzTable> chosen = new ArrayList<>(List.of(choice.any(tables.stream().filter(table -> !table.rows().isEmpty()).toList())));
    List<FuzzTable> small = tables.stream().filter(table -> !table.rows().isEmpty() && table.rows().size() <= MOST_PIVOTED).toList();
    for (int more = small.isEmpty() ? 0 : random.nextInt(3); more > 0; more--) {
      chosen.add(choice.any(small));
    }
    List<ScopeColumn> columns = new ArrayList<>();
    List<String> from = new ArrayList<>();
    List<SqlTree> selected = new ArrayList<>();
    List<String> ids = new ArrayList<>();
    Map<String, String> values = new HashMap<>();
    for (FuzzTable table : chosen) {
      String alias = "t" + aliases++;
      columns.addAll(item(table).columns(alias));
      from.add(table.name() + " " + alias);
      selected.add(fixed(alias + ".id"));
      List<String> row = choice.any(table.rows());
      ids.add(row.get(0));
      for (int i = 0; i < table.columns().size(); i++) {
        FuzzColumn column = table.columns().get(i);
        values.put(alias + "." + column.name(), "cast(%s as %s)".formatted(row.get(i), column.sqlType()));
      }
    }
    SqlTree condition = expressions.predicate(new FuzzScope(columns, null), 3);
    SqlTree tree = FuzzStatement.conditional(List.of(separated(selected), fixed(" from " + String.join(", ", from)), condition));
    return new FuzzStatement(FuzzCheck.PIVOT, tree, List.of(), new FuzzPivot(List.copyOf(ids), Map.copyOf(values)));
  }

  private SqlTree count(int most) {
    return SqlTree.count(String.valueOf(random.nextInt(most)));
  }

  /** Another literal of the same kind. */
  SqlTree another(SqlTree literal) {
    if (literal.role() == SqlTree.Role.COUNT) {
      return count(15);
    }
    if (literal.type() == null) {
      return literal;
    }
    boolean compared = literal.role() == SqlTree.Role.COMPARED;
    return compared ? expressions.compared(literal.type()) : expressions.literal(literal.type());
  }

  /** Another literal whose value is a parameter of the same type: of as many digits, about as long, and NULL where it is NULL. */
  SqlTree alike(SqlTree literal) {
    if (literal.type() == null || literal.text().startsWith("cast(null")) {
      return literal;
    }
    for (int i = 0; i < MOST_TRIES; i++) {
      SqlTree other = another(literal);
      if (literal.type().isAlike(literal.text(), other.text())) {
        return other;
      }
    }
    return literal;
  }

  private List<FuzzType> types(int count) {
    List<FuzzType> types = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      types.add(expressions.type());
    }
    return types;
  }

  private static List<String> names(int count) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      names.add("x" + i);
    }
    return names;
  }

  /** A query in an expression, which may name columns of the one around it. */
  SqlTree nested(List<FuzzType> types, @Nullable FuzzScope around) {
    nested++;
    return body(types, choice.chance(70) ? around : null, 1, false);
  }

  /** A query of one column and at most one row. */
  SqlTree scalar(FuzzType type, FuzzScope around) {
    nested++;
    FuzzFrom from = from(choice.chance(70) ? around : null, 0);
    SqlTree where = where(from.scope(), 1);
    if (choice.chance(75)) {
      return query(1, "select ", expressions.aggregate(type, from.scope(), 1), from.sql(), where);
    }
    return query(1, "select ", expressions.of(type, from.scope(), 1), from.sql(), where, " order by 1 limit 1");
  }

  private SqlTree body(List<FuzzType> types, @Nullable FuzzScope around, int depth, boolean outermost) {
    int kind = random.nextInt(20);
    if (kind <= 5) {
      return groups(types, around, depth, outermost);
    }
    if (kind <= 7) {
      return windowed(types, around, depth, outermost);
    }
    if (kind == 11 && choice.chance(25)) {
      return query(types.size(), "values ", valueRows(types, 1 + random.nextInt(5)));
    }
    if (kind == 12 && choice.chance(60)) {
      return query(types.size(), "select * from (", byName.query(types, "m" + aliases++), ") as q" + aliases++);
    }
    if (kind == 10 && choice.chance(40)) {
      return query(types.size(), "select * from (", shapes.distinctOn(types, "t" + aliases++), ") as q" + aliases++);
    }
    if (kind <= 9 && depth > 0) {
      String operation = choice.any(List.of(" union ", " union all ", " intersect ", " intersect all ", " except ", " except all "));
      // DuckDB's INTERSECT ALL and EXCEPT ALL of correlated queries lose rows with nulls.
      FuzzScope outer = operation.equals(" intersect all ") || operation.equals(" except all ") ? null : around;
      correlatedSets += outer == null ? 0 : 1;
      SqlTree both = query(types.size(), "(", body(types, outer, depth - 1, false), ")", operation, "(", body(types, outer, depth - 1, false), ")");
      correlatedSets -= outer == null ? 0 : 1;
      return both;
    }
    return rows(types, around, depth);
  }

  private SqlTree rows(List<FuzzType> types, @Nullable FuzzScope around, int depth) {
    FuzzFrom from = from(around, depth);
    List<SqlTree> items = new ArrayList<>();
    for (FuzzType type : types) {
      items.add(expressions.of(type, from.scope(), depth + 1));
    }
    SqlTree order = SqlTree.empty();
    boolean counted = false;
    if (choice.chance(20)) {
      SqlTree most = most();
      counted = most.role() != SqlTree.Role.COUNT;
      List<Object> parts = new ArrayList<>();
      List<Integer> places = new ArrayList<>();
      for (int i = 1; i <= types.size(); i++) {
        places.add(i);
      }
      Collections.shuffle(places, random);
      for (int place : places) {
        parts.add((parts.isEmpty() ? " order by " : ", ") + place + choice.any(List.of("", " desc", " asc nulls first", " desc nulls last")));
      }
      parts.add(" limit ");
      parts.add(most);
      parts.add(choice.chance(40) ? optional(" offset ", !counted ? count(10) : most.text().endsWith("%") ? String.valueOf(random.nextInt(10)) : first()) : "");
      order = optional(parts.toArray());
    }
    SqlTree qualify = !counted && choice.chance(6) ? optional(" qualify ", windows.peerCondition(from.scope())) : SqlTree.empty();
    return query(
        types.size(), "select ", !counted && choice.chance(20) ? optional("distinct ") : "", separated(items), from.sql(), where(from.scope(), depth + 1), qualify, order);
  }

  /** How many rows: a number, a part of all, or what a query finds. */
  private SqlTree most() {
    if (choice.chance(80)) {
      return count(30);
    }
    FuzzTable table = choice.any(tables);
    return switch (random.nextInt(3)) {
      // Eighths: DuckDB takes a share of the rows in DOUBLE, where 82 % of 150 are less than 123.
      case 0 -> fixed(String.valueOf(12.5 * random.nextInt(9)), " %");
      case 1 -> fixed("(select count(*) from ", table.name(), ")");
      default -> fixed("(select max(", table.name(), ".id) from ", table.name(), " where ", table.name(), ".id < ", String.valueOf(random.nextInt(20)), ")");
    };
  }

  /** How many rows are passed over: a number, or what a query finds. */
  private SqlTree first() {
    if (choice.chance(50)) {
      return fixed(String.valueOf(random.nextInt(10)));
    }
    String alias = "t" + aliases++;
    return fixed("(select " + choice.any(List.of("count(*)", "coalesce(max(" + alias + ".id), 0)")) + " from ", choice.any(tables).name(), " " + alias + " where " + alias + ".id < " + random.nextInt(12) + ")");
  }

  static SqlTree separated(List<SqlTree> items) {
    List<Object> parts = new ArrayList<>();
    for (SqlTree item : items) {
      parts.add(parts.isEmpty() ? "" : ", ");
      parts.add(item);
    }
    return fixed(parts.toArray());
  }

  private SqlTree where(FuzzScope scope, int depth) {
    return choice.chance(65) ? optional(" where ", expressions.condition(scope, depth)) : SqlTree.empty();
  }

  /** Keys and aggregates. */
  private SqlTree groups(List<FuzzType> types, @Nullable FuzzScope around, int depth, boolean outermost) {
    FuzzFrom from = from(around, depth);
    if (outermost && choice.chance(15)) {
      return groups.few(types, fixed(from.sql(), where(from.scope(), depth)), from.scope());
    }
    return groups.query(types, fixed(from.sql(), where(from.scope(), depth)), from.scope(), depth, outermost);
  }

  /** Windows over one table, whose rows have numbers, so that frames are certain. */
  private SqlTree windowed(List<FuzzType> types, @Nullable FuzzScope around, int depth, boolean inexact) {
    FuzzTable table = choice.any(tables);
    String alias = "t" + aliases++;
    FuzzScope scope = new FuzzScope(columns(table, alias), around);
    List<SqlTree> items = new ArrayList<>();
    for (FuzzType type : types) {
      boolean spread = inexact && type == FuzzType.DOUBLE && choice.chance(40);
      items.add(spread ? windows.spread(scope, alias + ".id") : choice.chance(25) ? expressions.of(type, scope, 1) : windows.call(type, scope, alias + ".id"));
    }
    SqlTree qualify =
        choice.chance(20) ? optional(" qualify ", windows.condition(scope, alias + ".id")) : SqlTree.empty();
    return query(types.size(), "select ", separated(items), " from " + table.name() + " " + alias, where(scope, depth), qualify);
  }

  /** The columns of a table, and what can be taken from those of its columns that hold several values. */
  static List<ScopeColumn> columns(FuzzTable table, String alias) {
    List<ScopeColumn> columns = new ArrayList<>(item(table).columns(alias));
    table.nested().forEach(nested -> columns.addAll(nested.parts(alias)));
    return columns;
  }

  private static FuzzItem item(FuzzTable table) {
    return new FuzzItem(
        fixed(table.name()),
        table.columns().stream().map(FuzzColumn::name).toList(),
        table.columns().stream().map(FuzzColumn::type).toList(),
        table.rows().size(),
        table.nested());
  }

  private FuzzFrom from(@Nullable FuzzScope around, int depth) {
    FuzzItem first = item(around, depth);
    String alias = "t" + aliases++;
    FuzzScope scope = new FuzzScope(first.allColumns(alias), around);
    SqlTree sql = fixed(" from ", first.sql(), " " + alias);
    for (FuzzNested nested : first.nested()) {
      if (nested.isList() && choice.chance(20)) {
        String elements = "u" + aliases++;
        sql = fixed(sql, " cross join unnest(" + alias + "." + nested.name() + ") as " + elements + " (x0)");
        scope = scope.and(List.of(new ScopeColumn(elements + ".x0", nested.element())));
      }
    }
    if (choice.chance(5)) {
      FuzzType type = choice.any(FuzzNested.ELEMENTS);
      String elements = "u" + aliases++;
      FuzzScope own = new FuzzScope(scope.columns(), null);
      sql =
          fixed(sql, " cross join unnest([", expressions.of(type, own, 1), ", ", expressions.literal(type), optional(", ", expressions.of(type, own, 0)),
              "]) as " + elements + " (x0)");
      scope = scope.and(List.of(new ScopeColumn(elements + ".x0", type)));
    }
    long rows = Math.max(1, first.rows());
    for (int joins = choice.any(List.of(0, 0, 0, 1, 1, 2, 2, 3)); joins > 0; joins--) {
      FuzzItem item = item(around, depth - 1);
      if (rows * Math.max(1, item.rows()) > MOST_PAIRS) {
        continue;
      }
      rows *= Math.max(1, item.rows());
      String right = "t" + aliases++;
      List<ScopeColumn> rightColumns = item.allColumns(right);
      FuzzScope both = scope.and(rightColumns);
      if (depth > 0 && mayNest() && choice.chance(8)) {
        sql = fixed(sql, lateral(scope, right), " ");
        scope = scope.and(List.of(new ScopeColumn(right + ".x0", FuzzType.INTEGER)));
        continue;
      }
      if (joins == 1 && !sql.text().contains(" join ") && choice.chance(12)) {
        sql = fixed(sql, choice.any(List.of(" semi join ", " anti join ")), item.sql(), " " + right + " on ", condition(scope, rightColumns, both, 0));
        continue;
      }
      if (!equalJoins && choice.chance(10)) {
        sql = fixed(sql, " cross join ", item.sql(), " " + right);
      } else if (item.names().get(0).equals("id") && first.names().get(0).equals("id") && choice.chance(10)) {
        sql =
            fixed(sql, choice.any(List.of(" asof join ", " asof left join ")), item.sql(), " " + right + " on ",
                equality(new FuzzScope(scope.columns(), null), rightColumns), " and " + alias + ".id >= " + right + ".id");
      } else {
        String join = choice.any(List.of(" join ", " join ", " left join ", " right join ", " full join "));
        sql = fixed(sql, join, item.sql(), " " + right + " on ", condition(scope, rightColumns, both, depth));
      }
      scope = both;
    }
    return new FuzzFrom(sql, scope);
  }

  private SqlTree lateral(FuzzScope scope, String alias) {
    nested++;
    SqlTree query = choice.chance(50) ? scalar(FuzzType.INTEGER, scope) : rows(List.of(FuzzType.INTEGER), scope, 0);
    return fixed(choice.chance(60) ? " join lateral (" : " left join lateral (", query, ") as " + alias + " (x0) on true");
  }

  /** Most often an equality of two sides, with more beside it. */
  private SqlTree condition(FuzzScope left, List<ScopeColumn> right, FuzzScope both, int depth) {
    List<SqlTree> parts = new ArrayList<>();
    FuzzScope rightScope = new FuzzScope(right, null);
    FuzzScope own = new FuzzScope(left.columns(), null);
    if (equalJoins) {
      parts.add(equality(own, right));
    }
    for (int i = choice.chance(80) ? 1 + random.nextInt(2) : 0; i > 0; i--) {
      FuzzType type = choice.any(right).type();
      if (!left.of(type).isEmpty()) {
        parts.add(
            SqlTree.value(
                FuzzType.BOOLEAN, "(", expressions.of(type, own, choice.chance(85) ? 0 : 1), choice.chance(92) ? " = " : " is not distinct from ",
                expressions.of(type, rightScope, choice.chance(85) ? 0 : 1), ")"));
      }
    }
    if (parts.isEmpty() || choice.chance(30)) {
      parts.add(expressions.predicate(new FuzzScope(both.columns(), null), Math.max(0, depth)));
    }
    if (!equalJoins && depth > 0 && mayNest() && choice.chance(6)) {
      parts.add(expressions.subquery(new FuzzScope(both.columns(), null), 1));
    }
    SqlTree condition = parts.get(0);
    for (SqlTree part : parts.subList(1, parts.size())) {
      condition = SqlTree.value(FuzzType.BOOLEAN, "(", condition, " and ", part, ")");
    }
    return condition;
  }

  /** An equality of a column of each side, by a kind that both have if there is one. */
  private SqlTree equality(FuzzScope left, List<ScopeColumn> right) {
    ScopeColumn second = choice.any(right);
    FuzzScope rightScope = new FuzzScope(right, null);
    SqlTree other = expressions.column(second.type(), left);
    return fixed("(", other, " = ", expressions.column(second.type(), rightScope), ")");
  }

  /** A few rows that the statement brings along. */
  private FuzzItem values() {
    List<FuzzType> types = types(1 + random.nextInt(3));
    int count = 1 + random.nextInt(5);
    List<String> names = names(types.size());
    String alias = "q" + aliases++;
    if (choice.chance(30)) {
      FuzzType type = choice.any(FuzzNested.ELEMENTS);
      SqlTree elements = list(literals(type, count));
      return new FuzzItem(fixed("(select " + alias + ".x0 from unnest([", elements, "]) as " + alias + " (x0))"), names(1), List.of(type), count);
    }
    return new FuzzItem(
        fixed("(select * from (values ", valueRows(types, count), ") as " + alias + " (" + String.join(", ", names) + "))"), names, types, count);
  }

  private List<SqlTree> literals(FuzzType type, int count) {
    List<SqlTree> literals = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      literals.add(expressions.literal(type));
    }
    return literals;
  }

  private SqlTree valueRows(List<FuzzType> types, int count) {
    List<SqlTree> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      rows.add(fixed("(", separated(types.stream().map(expressions::literal).toList()), ")"));
    }
    return list(rows);
  }

  private FuzzItem item(@Nullable FuzzScope around, int depth) {
    if (choice.chance(6)) {
      return values();
    }
    if (!named.isEmpty() && choice.chance(50)) {
      return choice.any(named);
    }
    if (depth > 0 && choice.chance(4)) {
      List<FuzzType> types = List.of(shapes.pivotKey(), FuzzType.INTEGER, FuzzType.INTEGER);
      SqlTree pivot = shapes.pivot(types.get(0), FuzzType.INTEGER, "t" + aliases++, "q" + aliases++);
      return new FuzzItem(fixed("(", pivot, ")"), names(3), types, 400);
    }
    if (depth > 0 && choice.chance(3)) {
      FuzzType type = expressions.type();
      List<FuzzType> types = List.of(shapes.pivotKey(), FuzzType.VARCHAR, type);
      SqlTree unpivot = shapes.unpivot(types.get(0), type, "t" + aliases++, "q" + aliases++);
      return new FuzzItem(fixed("(", unpivot, ")"), names(3), types, 2_400);
    }
    if (depth > 0 && choice.chance(4)) {
      FuzzType first = structs.field();
      List<FuzzType> types = List.of(first, choice.chance(40) ? first : structs.field(), FuzzType.INTEGER);
      SqlTree groups = structs.grouped(types.get(0), types.get(1), choice.any(tables), "t" + aliases++);
      return new FuzzItem(fixed("(", groups, ")"), names(3), types, 400);
    }
    if (depth > 0 && mayNest() && choice.chance(20)) {
      nested++;
      List<FuzzType> types = types(1 + random.nextInt(3));
      SqlTree query = body(types, null, depth - 1, false);
      List<String> names = names(types.size());
      return new FuzzItem(fixed("(select * from (", query, ") as q" + aliases++ + " (" + String.join(", ", names) + "))"), names, types, 400);
    }
    return item(choice.any(tables));
  }
}
