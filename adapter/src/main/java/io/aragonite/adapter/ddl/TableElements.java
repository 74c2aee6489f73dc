package io.aragonite.adapter.ddl;

import io.aragonite.adapter.ddl.TableStatement.ColumnDefinition;
import io.aragonite.adapter.ddl.TableStatement.ConstraintDefinition;
import io.aragonite.adapter.ddl.TableStatement.ConstraintKind;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What is in the parentheses of CREATE TABLE: columns and constraints. */
final class TableElements {
  private static final List<String> OF_TABLE =
      List.of("PRIMARY", "UNIQUE", "FOREIGN", "CONSTRAINT", "CHECK");

  private final StatementReader in;
  private final List<String> names = new ArrayList<>();
  private final List<ColumnDefinition> columns = new ArrayList<>();
  private final List<ConstraintDefinition> constraints = new ArrayList<>();

  TableElements(StatementReader in) {
    this.in = in;
  }

  /** Names of all columns. */
  List<String> names() {
    return names;
  }

  /** Columns with types. */
  List<ColumnDefinition> columns() {
    return columns;
  }

  List<ConstraintDefinition> constraints() {
    return constraints;
  }

  /** Whether there is nothing but names. */
  boolean areNames() {
    return columns.isEmpty() && constraints.isEmpty();
  }

  /** Reads what comes next, up to a comma or the end. */
  void read() {
    if (OF_TABLE.contains(in.peek().toUpperCase(Locale.ROOT))) {
      constraint(null);
      return;
    }
    String name = in.name("a column");
    names.add(name);
    String type = in.columnType();
    if (!type.isEmpty()) {
      columns.add(column(name, type));
    }
  }

  /** The one column that ALTER TABLE adds, which has no constraint but NOT NULL. */
  ColumnDefinition added() {
    read();
    if (columns.isEmpty() && constraints.isEmpty()) {
      throw in.unexpected("a type");
    }
    if (columns.isEmpty() || !constraints.isEmpty()) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "ALTER TABLE ADD is of a column with its type, NOT NULL and DEFAULT; make the table anew"
              + " for other constraints.");
    }
    return columns.getFirst();
  }

  private ColumnDefinition column(String name, String type) {
    boolean nullable = true;
    String value = "";
    while (!in.peek().equals(",") && !in.peek().equals(")") && !in.atEnd()) {
      if (in.take("NOT", "NULL")) {
        nullable = false;
      } else if (in.take("DEFAULT")) {
        if (!value.isEmpty()) {
          throw in.unexpected("one default");
        }
        value = in.defaultValue();
      } else if (!in.take("NULL")) {
        constraint(name);
      }
    }
    return new ColumnDefinition(name, type, nullable, value);
  }

  /**
   * @param column that it is of; null: of the table
   */
  private void constraint(@Nullable String column) {
    String name = in.take("CONSTRAINT") ? in.name("the name of a constraint") : null;
    if (in.take("PRIMARY", "KEY")) {
      key(ConstraintKind.PRIMARY_KEY, name, column);
    } else if (in.take("UNIQUE")) {
      key(ConstraintKind.UNIQUE, name, column);
    } else if (in.take("CHECK")) {
      String condition = in.inParentheses().strip();
      if (condition.isEmpty()) {
        throw in.unexpected("a condition");
      }
      constraints.add(new ConstraintDefinition(ConstraintKind.CHECK, name, List.of(), condition));
    } else if (in.take("FOREIGN") || in.take("REFERENCES")) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "Tables of a connection have no foreign keys: leave out FOREIGN KEY and REFERENCES.");
    } else if (in.take("GENERATED") || in.take("AS")) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "Columns of a connection's tables are not generated: leave out GENERATED and AS, and compute column \"%s\" in a view of the table, or where rows are inserted."
              .formatted(column));
    } else {
      throw in.unexpected(
          "NOT NULL, DEFAULT, CHECK, PRIMARY KEY, UNIQUE, a comma or a parenthesis");
    }
  }

  private void key(ConstraintKind kind, @Nullable String name, @Nullable String column) {
    List<String> of = column == null ? in.names("a column") : List.of(column);
    if (of.isEmpty()) {
      throw in.unexpected("'('");
    }
    constraints.add(new ConstraintDefinition(kind, name, of, ""));
  }
}
