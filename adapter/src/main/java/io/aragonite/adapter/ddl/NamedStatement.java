package io.aragonite.adapter.ddl;

import io.aragonite.exec.error.AragoniteException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A statement about statements that a connection has given names: PREPARE, EXECUTE, DEALLOCATE. */
public sealed interface NamedStatement {
  /**
   * PREPARE.
   *
   * @param types of the parameters in SQL; fewer than there are: the others have those of values
   * @param text the statement, with its parameters
   */
  record Prepare(String name, List<String> types, String text) implements NamedStatement {}

  /**
   * EXECUTE.
   *
   * @param values expressions
   */
  record Execute(String name, List<String> values) implements NamedStatement {}

  /**
   * DEALLOCATE.
   *
   * @param name null: all of them
   */
  record Deallocate(@Nullable String name) implements NamedStatement {}

  /** What such statements begin with: a cheap look for all others. */
  Pattern BEGIN =
      Pattern.compile("(?is)(?:\\s++|--[^\\n]*\\n|/\\*.*?\\*/)*+(PREPARE|EXECUTE|DEALLOCATE)\\b.*");

  /**
   * The statement that a text is; null if it is none of these.
   *
   * @throws AragoniteException SYNTAX
   */
  static @Nullable NamedStatement parse(String sql) {
    Matcher begin = BEGIN.matcher(sql);
    if (!begin.matches()) {
      return null;
    }
    StatementReader in = new StatementReader(sql);
    String _ = in.next();
    return switch (begin.group(1).toUpperCase(Locale.ROOT)) {
      case "PREPARE" -> prepare(in);
      case "EXECUTE" -> {
        String name = in.name("the name of a prepared statement");
        List<String> values = in.atEnd() ? List.of() : in.expressions();
        in.end();
        yield new Execute(name, values);
      }
      default -> {
        boolean _ = in.take("PREPARE");
        String name = in.take("ALL") ? null : in.name("the name of a prepared statement");
        in.end();
        yield new Deallocate(name);
      }
    };
  }

  private static Prepare prepare(StatementReader in) {
    String name = in.name("the name of a prepared statement");
    List<String> types = new ArrayList<>();
    if (in.take("(")) {
      do {
        String type = in.columnType();
        if (type.isEmpty()) {
          throw in.unexpected("a type");
        }
        types.add(type);
      } while (in.take(","));
      in.expect(")");
    }
    in.expect("AS");
    String first = in.peek().toUpperCase(Locale.ROOT);
    if (!List.of("SELECT", "WITH", "VALUES", "FROM", "TABLE", "(", "INSERT", "UPDATE", "DELETE")
        .contains(first)) {
      throw in.unexpected("a query, INSERT, UPDATE or DELETE");
    }
    return new Prepare(name, types, in.rest().strip());
  }
}
