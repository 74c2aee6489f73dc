package io.aragonite.bench.fuzz;

import static io.aragonite.bench.fuzz.SqlTree.value;

import java.util.List;
import java.util.Random;

/** Makes random comparisons of structs, rows and lists, groups by them, and subqueries over elements. */
final class FuzzStructs {
  /** Kinds of fields. */
  private static final List<FuzzType> FIELDS = List.of(FuzzType.INTEGER, FuzzType.VARCHAR, FuzzType.DATE, FuzzType.BOOLEAN);

  private final FuzzChoice choice;
  private final FuzzExpressions expressions;
  private int unnested;

  FuzzStructs(Random random, FuzzExpressions expressions) {
    this.choice = new FuzzChoice(random);
    this.expressions = expressions;
  }

  /** A kind of field. */
  FuzzType field() {
    return choice.any(FIELDS);
  }

  /** A struct of two fields, or a row without names. Nulls in them are equal in DuckDB. */
  private SqlTree pair(boolean named, SqlTree first, SqlTree second) {
    return named ? SqlTree.fixed("{'a': ", first, ", 'b': ", second, "}") : SqlTree.fixed("(", first, ", ", second, ")");
  }

  private SqlTree pair(boolean named, FuzzType first, FuzzType second, FuzzScope scope, int depth) {
    return pair(named, present(first, scope, depth), present(second, scope, 0));
  }

  private SqlTree present(FuzzType type, FuzzScope scope, int depth) {
    return value(type, "coalesce(", expressions.of(type, scope, depth), ", ", type.simplest(), ")");
  }

  /** Two values of a kind as a list, nulls among them. */
  private SqlTree list(FuzzType type, FuzzScope scope, int depth) {
    return SqlTree.fixed("[", expressions.of(type, scope, depth), ", ", expressions.of(type, scope, 0), "]");
  }

  private SqlTree comparedLists(FuzzScope scope, int depth) {
    FuzzType type = field();
    List<String> operators = List.of(" = ", " <> ", " < ", " >= ", " is distinct from ", " is not distinct from ");
    return value(FuzzType.BOOLEAN, "(", list(type, scope, depth), choice.any(operators), list(type, scope, 0), ")");
  }

  /** A condition on elements that are made of columns of the query around. */
  SqlTree ofElements(FuzzScope scope, int depth) {
    FuzzType type = choice.any(FuzzNested.ELEMENTS);
    String elements = "un" + unnested++;
    SqlTree from = SqlTree.fixed(" from unnest(", list(type, scope, 0), ") as " + elements + "(u)");
    SqlTree value = expressions.of(type, scope, depth);
    return switch (choice.any(List.of(0, 1, 2))) {
      case 0 -> value(FuzzType.BOOLEAN, "(exists (select 1", from, " where " + elements + ".u" + choice.any(List.of(" = ", " < ")), value, "))");
      case 1 -> value(FuzzType.BOOLEAN, "(", value, choice.any(List.of(" in ", " not in ")) + "(select " + elements + ".u", from, "))");
      default -> value(FuzzType.BOOLEAN, "(", value, choice.any(List.of(" = ", " >= ")) + "(select max(" + elements + ".u)", from, "))");
    };
  }

  /** A condition. */
  SqlTree compared(FuzzScope scope, int depth) {
    if (choice.chance(30)) {
      return comparedLists(scope, depth);
    }
    boolean named = choice.chance(50);
    FuzzType first = field();
    FuzzType second = field();
    SqlTree left = pair(named, first, second, scope, depth);
    SqlTree right = pair(named, first, second, scope, 0);
    if (choice.chance(40)) {
      return value(
          FuzzType.BOOLEAN, "(", left, choice.chance(25) ? " not in (" : " in (", right, ", ", pair(named, first, second, scope, 0), "))");
    }
    List<String> operators = List.of(" = ", " <> ", " < ", " >= ", " is distinct from ");
    return value(FuzzType.BOOLEAN, "(", left, choice.any(operators), right, ")");
  }

  /**
   * A query whose rows are the fields of a struct that it groups by, or the elements of a list if they are of one kind, nulls among them,
   * and a number.
   *
   * @param alias of what is in it; others begin with it
   */
  SqlTree grouped(FuzzType first, FuzzType second, FuzzTable table, String alias) {
    FuzzScope scope = FuzzShapes.scope(table, alias);
    boolean listed = first == second && choice.chance(70);
    SqlTree key = listed ? list(first, scope, 1) : pair(true, expressions.of(first, scope, 1), expressions.of(second, scope, 0));
    SqlTree inner =
        SqlTree.fixed(
            "select ", key, " as s, ",
            expressions.of(FuzzType.INTEGER, scope, 1), " as x from " + table.name() + " " + alias);
    String outer =
        choice.chance(30)
            ? "select distinct s, 1 as n from ("
            : "select s, " + choice.any(List.of("count(*)", "count(x)", "min(x)", "max(x)")) + " as n from (";
    String end = outer.startsWith("select distinct") ? "" : " group by s";
    return SqlTree.query(
        3, "select " + alias + (listed ? "o.s[1]" : "o.s.a") + " as x0, " + alias + (listed ? "o.s[2]" : "o.s.b") + " as x1, "
            + alias + "o.n as x2 from (" + outer, inner,
        ") as " + alias + "i" + end + ") as " + alias + "o");
  }
}
