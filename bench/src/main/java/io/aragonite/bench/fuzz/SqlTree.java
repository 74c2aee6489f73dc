package io.aragonite.bench.fuzz;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A text of SQL as a tree of parts that can be left out or replaced, which is how a statement that fails is made smaller.
 *
 * @param role what the part may be replaced by
 * @param type the kind of the value, of expressions alone
 * @param columns how many columns a query has, of queries alone
 * @param parts texts and trees, in their order; of a list its items
 */
record SqlTree(Role role, @Nullable FuzzType type, int columns, List<Object> parts) {
  /** What a part may be replaced by. */
  enum Role {
    /** Nothing: it is needed as it stands. */
    FIXED,
    /** An empty text. */
    OPTIONAL,
    /** The same list without one of its items, which are separated by commas. */
    LIST,
    /** An expression of the same kind in it, or a literal. */
    VALUE,
    /** A literal, which a parameter may stand for. */
    LITERAL,
    /** A literal that a column is compared with, which a parameter may stand for. */
    COMPARED,
    /** A number of rows in LIMIT or OFFSET, which a parameter may stand for; needed. */
    COUNT,
    /** A query of as many columns in it. */
    QUERY
  }

  private static final SqlTree EMPTY = new SqlTree(Role.FIXED, null, 0, List.of());

  static SqlTree fixed(Object... parts) {
    return new SqlTree(Role.FIXED, null, 0, List.of(parts));
  }

  static SqlTree optional(Object... parts) {
    return new SqlTree(Role.OPTIONAL, null, 0, List.of(parts));
  }

  static SqlTree empty() {
    return EMPTY;
  }

  static SqlTree list(List<SqlTree> items) {
    return new SqlTree(Role.LIST, null, 0, List.copyOf(items));
  }

  static SqlTree value(FuzzType type, Object... parts) {
    return new SqlTree(Role.VALUE, type, 0, List.of(parts));
  }

  static SqlTree literal(FuzzType type, String text) {
    return new SqlTree(Role.LITERAL, type, 0, List.of(text));
  }

  static SqlTree compared(FuzzType type, String text) {
    return new SqlTree(Role.COMPARED, type, 0, List.of(text));
  }

  static SqlTree count(String text) {
    return new SqlTree(Role.COUNT, FuzzType.INTEGER, 0, List.of(text));
  }

  static SqlTree query(int columns, Object... parts) {
    return new SqlTree(Role.QUERY, null, columns, List.of(parts));
  }

  /** The SQL. */
  String text() {
    StringBuilder text = new StringBuilder();
    append(text);
    return text.toString();
  }

  private void append(StringBuilder text) {
    for (int i = 0; i < parts.size(); i++) {
      text.append(role == Role.LIST && i > 0 ? ", " : "");
      if (parts.get(i) instanceof SqlTree tree) {
        tree.append(text);
      } else {
        text.append(parts.get(i));
      }
    }
  }

  private boolean isLiteral() {
    return role == Role.LITERAL || role == Role.COMPARED || role == Role.COUNT;
  }

  /** The literals, in their order. */
  List<SqlTree> literals() {
    if (isLiteral()) {
      return List.of(this);
    }
    List<SqlTree> found = new ArrayList<>();
    for (Object part : parts) {
      if (part instanceof SqlTree tree) {
        found.addAll(tree.literals());
      }
    }
    return found;
  }

  /** The same tree with other texts where literals are. */
  SqlTree withLiterals(UnaryOperator<SqlTree> change) {
    if (isLiteral()) {
      return change.apply(this);
    }
    List<Object> replaced = new ArrayList<>(parts);
    replaced.replaceAll(part -> part instanceof SqlTree tree ? tree.withLiterals(change) : part);
    return new SqlTree(role, type, columns, List.copyOf(replaced));
  }

  /** Trees like this one with one part left out or replaced by less, those that leave out most first. */
  List<SqlTree> smaller() {
    List<SqlTree> all = new ArrayList<>();
    collect(all::add);
    int length = text().length();
    all.removeIf(tree -> tree.text().length() >= length);
    all.sort((a, b) -> Integer.compare(a.text().length(), b.text().length()));
    return all;
  }

  private void collect(Consumer<SqlTree> found) {
    switch (role) {
      case FIXED, COUNT -> {}
      case OPTIONAL -> found.accept(EMPTY);
      case LIST -> {
        for (int i = 0; parts.size() > 1 && i < parts.size(); i++) {
          List<Object> rest = new ArrayList<>(parts);
          rest.remove(i);
          found.accept(new SqlTree(role, type, columns, List.copyOf(rest)));
        }
      }
      case VALUE, LITERAL, COMPARED -> {
        if (type != null && !text().equals(type.simplest())) {
          found.accept(literal(type, type.simplest()));
        }
        inner(found, this);
      }
      case QUERY -> inner(found, this);
    }
    for (int i = 0; i < parts.size(); i++) {
      if (parts.get(i) instanceof SqlTree tree) {
        int place = i;
        tree.collect(less -> found.accept(with(place, less)));
      }
    }
  }

  /** The outermost parts of a tree that can stand in for it. */
  private static void inner(Consumer<SqlTree> found, SqlTree whole) {
    List<SqlTree> level = List.of(whole);
    while (!level.isEmpty()) {
      List<SqlTree> next = new ArrayList<>();
      for (SqlTree tree : level) {
        for (Object part : tree.parts) {
          if (part instanceof SqlTree inner) {
            if (inner.standsFor(whole)) {
              found.accept(inner);
            } else {
              next.add(inner);
            }
          }
        }
      }
      level = next;
    }
  }

  private boolean standsFor(SqlTree whole) {
    boolean alike = role == whole.role || (role == Role.LITERAL || role == Role.COMPARED) && whole.role == Role.VALUE;
    return alike && type == whole.type && columns == whole.columns;
  }

  private SqlTree with(int place, SqlTree part) {
    List<Object> replaced = new ArrayList<>(parts);
    replaced.set(place, part);
    return new SqlTree(role, type, columns, Collections.unmodifiableList(replaced));
  }

  @Override
  public String toString() {
    return text();
  }
}
