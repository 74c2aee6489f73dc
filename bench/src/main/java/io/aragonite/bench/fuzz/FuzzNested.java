package io.aragonite.bench.fuzz;

import io.aragonite.bench.fuzz.FuzzScope.ScopeColumn;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;

/**
 * A column of a table that holds several values. Expressions take single ones from it, so that they can stand wherever a column can.
 *
 * @param kind how it holds them
 * @param element what they are, in lists and maps; the second field of structs
 */
record FuzzNested(String name, FuzzNested.NestedKind kind, FuzzType element) {
  /** How values are held. */
  enum NestedKind {
    LIST,
    STRUCT,
    MAP
  }

  /** Kinds of elements. */
  static final List<FuzzType> ELEMENTS = List.of(FuzzType.INTEGER, FuzzType.VARCHAR, FuzzType.DATE, FuzzType.DOUBLE);
  private static final int DIFFERENT = 6;

  static FuzzNested make(Random random, String name) {
    FuzzChoice choice = new FuzzChoice(random);
    return new FuzzNested(name, choice.any(List.of(NestedKind.values())), choice.any(ELEMENTS));
  }

  boolean isList() {
    return kind == NestedKind.LIST;
  }

  private String elementType() {
    return element == FuzzType.INTEGER ? "integer" : element.columnTypes().get(0);
  }

  String sqlType() {
    return switch (kind) {
      case LIST -> elementType() + "[]";
      case STRUCT -> "struct(a integer, b " + elementType() + ")";
      case MAP -> "map(varchar, " + elementType() + ")";
    };
  }

  /** A random value. */
  String value(Random random, IntFunction<String> elements) {
    if (random.nextInt(8) == 0) {
      return "null";
    }
    return switch (kind) {
      case LIST -> {
        List<String> items = new ArrayList<>();
        for (int i = random.nextInt(5); i > 0; i--) {
          items.add(element(random, elements));
        }
        yield "[" + String.join(", ", items) + "]";
      }
      case STRUCT -> "{'a': %d, 'b': %s}".formatted(random.nextInt(DIFFERENT), element(random, elements));
      case MAP -> {
        List<String> items = new ArrayList<>();
        for (String key : List.of("a", "b", "c")) {
          if (random.nextInt(2) == 0) {
            items.add("'%s': %s".formatted(key, element(random, elements)));
          }
        }
        yield "map {" + String.join(", ", items) + "}";
      }
    };
  }

  private static String element(Random random, IntFunction<String> elements) {
    return random.nextInt(8) == 0 ? "null" : elements.apply(random.nextInt(DIFFERENT));
  }

  /** What can be taken from it, as columns of a table with an alias. */
  List<ScopeColumn> parts(String alias) {
    String whole = alias + "." + name;
    return switch (kind) {
      case LIST ->
          List.of(
              new ScopeColumn(whole + "[1]", element),
              new ScopeColumn(whole + "[3]", element),
              new ScopeColumn("array_length(" + whole + ")", FuzzType.INTEGER),
              new ScopeColumn("list_max(" + whole + ")", element),
              new ScopeColumn("list_min(" + whole + ")", element));
      case STRUCT -> List.of(new ScopeColumn(whole + ".a", FuzzType.INTEGER), new ScopeColumn(whole + ".b", element));
      case MAP -> List.of(new ScopeColumn(whole + "['a']", element), new ScopeColumn("cardinality(" + whole + ")", FuzzType.INTEGER));
    };
  }
}
