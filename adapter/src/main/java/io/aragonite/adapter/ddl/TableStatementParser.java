package io.aragonite.adapter.ddl;

import io.aragonite.adapter.ddl.TableStatement.Assignment;
import io.aragonite.adapter.ddl.TableStatement.IfExists;
import io.aragonite.adapter.ddl.TableStatement.MergeAction;
import io.aragonite.adapter.ddl.TableStatement.MergeClause;
import io.aragonite.adapter.ddl.TableStatement.OnConflict;
import io.aragonite.adapter.sql.Macros;
import io.aragonite.adapter.sql.Macros.Macro;
import io.aragonite.adapter.sql.SqlTokens;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the statements that change tables; queries in them stay texts, which the query's parser
 * reads.
 */
public final class TableStatementParser {
  /** What such statements begin with: a cheap look for all others. */
  private static final Pattern BEGIN =
      Pattern.compile(
          "(?is)(?:\\s++|--[^\\n]*\\n|/\\*.*?\\*/)*+(CREATE|DROP|INSERT|COPY|DELETE|UPDATE|TRUNCATE|ALTER|MERGE)\\b.*");

  /** What ends an expression of SET, and a condition: other SQL knows more than WHERE. */
  private static final String[] BEHIND_VALUES = {
    "WHERE", "FROM", "RETURNING", "ORDER", "LIMIT", "OFFSET", "FETCH"
  };

  private static final String[] BEHIND_TABLES = {
    "WHERE", "RETURNING", "ORDER", "LIMIT", "OFFSET", "FETCH"
  };

  private static final String[] BEHIND_CONDITIONS = {
    "RETURNING", "ORDER", "LIMIT", "OFFSET", "FETCH"
  };

  /** What no list of RETURNING has outside of parentheses: it is of the statement's rows. */
  private static final String[] BEHIND_RETURNING = {
    "FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "FETCH", "UNION", "INTERSECT"
  };

  /**
   * What may follow the query of an INSERT. A column may have the name of the second word: {@code
   * JOIN z ON conflict = 1}.
   */
  private static final List<List<String>> BEHIND_INSERTED =
      List.of(
          List.of("ON", "CONFLICT", "DO"),
          List.of("ON", "CONFLICT", "("),
          List.of("ON", "CONFLICT", "ON"),
          List.of("RETURNING"));

  private final StatementReader in;
  private @Nullable String schema;
  private @Nullable String returning;

  private TableStatementParser(String sql) {
    this.in = new StatementReader(sql);
  }

  /**
   * The statement that a text is; null if it is none of these.
   *
   * @throws AragoniteException SYNTAX
   */
  public static TableStatement.@Nullable InSchema parse(String sql) {
    Matcher begin = BEGIN.matcher(sql);
    if (!begin.matches()) {
      return null;
    }
    TableStatementParser parser = new TableStatementParser(sql);
    TableStatement statement =
        switch (begin.group(1).toUpperCase(Locale.ROOT)) {
          case "CREATE" -> parser.create();
          case "DROP" -> parser.drop();
          case "INSERT" -> parser.insert();
          case "DELETE" -> parser.delete();
          case "UPDATE" -> parser.update();
          case "TRUNCATE" -> parser.truncate();
          case "ALTER" -> parser.alter();
          case "MERGE" -> parser.merge();
          default -> parser.copy();
        };
    return statement == null
        ? null
        : new TableStatement.InSchema(statement, parser.schema, parser.returning);
  }

  private @Nullable TableStatement create() {
    in.expect("CREATE");
    if (in.take("SCHEMA")) {
      boolean keep = in.take("IF", "NOT", "EXISTS");
      String name = in.name("the name of a schema");
      in.end();
      return new TableStatement.CreateSchema(name, keep);
    }
    IfExists ifExists = in.take("OR", "REPLACE") ? IfExists.REPLACE : IfExists.FAIL;
    boolean _ = in.take("LOCAL");
    boolean _ = in.take("TEMP") || in.take("TEMPORARY");
    requireKnown();
    if (in.take("SEQUENCE")) {
      return SequenceParser.create(in, ifExists);
    }
    boolean macro = in.take("MACRO") || in.take("FUNCTION");
    boolean view = !macro && in.take("VIEW");
    if (!macro && !view && !in.take("TABLE")) {
      return null;
    }
    if (in.take("IF", "NOT", "EXISTS")) {
      if (ifExists == IfExists.REPLACE) {
        throw in.unexpected("either OR REPLACE or IF NOT EXISTS, and not both,");
      }
      ifExists = IfExists.KEEP;
    }
    if (macro) {
      return new TableStatement.CreateMacro(macro(), ifExists);
    }
    String name = table();
    if (view) {
      List<String> columns = in.names("a column");
      in.expect("AS");
      return new TableStatement.CreateView(name, columns, in.rest(), ifExists);
    }
    if (in.take("AS")) {
      return new TableStatement.CreateTableAs(name, List.of(), rows(), ifExists);
    }
    return definition(name, ifExists);
  }

  /** Refuses what other databases make and drop, and says what there is in its place. */
  private void requireKnown() {
    String kind = in.peek().toUpperCase(Locale.ROOT);
    String way =
        switch (kind) {
          case "INDEX", "UNIQUE" ->
              "There are no indexes: filters read columns, and joins make what they need while they"
                  + " run. Leave CREATE INDEX and DROP INDEX out; PRIMARY KEY and UNIQUE of CREATE"
                  + " TABLE keep keys apart.";
          case "TYPE" ->
              "There are no types of a connection's own; take VARCHAR, with CHECK (x IN ('a', 'b'))"
                  + " for an ENUM.";
          default -> "";
        };
    if (!way.isEmpty()) {
      throw new AragoniteException(ErrorCode.READ_ONLY, way);
    }
  }

  /** {@code name(a, b := 1) AS expression}, or {@code AS TABLE query}. */
  private Macro macro() {
    String name = in.name("the name of a macro");
    in.expect("(");
    List<Macros.MacroParameter> parameters = new ArrayList<>();
    while (!in.peek().equals(")")) {
      String parameter = in.name("a parameter");
      if (parameters.stream().anyMatch(known -> known.name().equalsIgnoreCase(parameter))) {
        throw in.unexpected("another name than \"" + parameter + "\" for the next parameter");
      }
      boolean given = in.take(":", "=");
      if (!given && !in.peek().equals(",") && !in.peek().equals(")")) {
        throw new AragoniteException(
            ErrorCode.INVALID_STATEMENT,
            "Parameter \"%s\" of macro \"%s\" is a name, or a name with := and a default, and has no type; cast it in the macro's text: CAST(%s AS ...)."
                .formatted(parameter, name, parameter));
      }
      parameters.add(new Macros.MacroParameter(parameter, given ? in.argument() : null));
      if (!in.take(",")) {
        break;
      }
    }
    in.expect(")");
    in.expect("AS");
    boolean table = in.take("TABLE");
    String body = table ? in.rest().strip() : in.expression();
    if (in.peek().equals(",")) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "Macro \"%s\" has one list of parameters and one text; make another macro of another name, or give a parameter a default: b := 1."
              .formatted(name));
    }
    in.end();
    if (SqlTokens.list(body).contains("?")) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "A macro has no parameter markers; give it a parameter of its own: %s.".formatted(body));
    }
    return new Macro(name, List.copyOf(parameters), table, body);
  }

  /** Columns with types, or names of a query's columns. */
  private TableStatement definition(String name, IfExists ifExists) {
    in.expect("(");
    TableElements elements = new TableElements(in);
    do {
      elements.read();
    } while (in.take(","));
    in.expect(")");
    if (elements.areNames() && in.take("AS")) {
      return new TableStatement.CreateTableAs(name, elements.names(), rows(), ifExists);
    }
    if (elements.columns().size() < elements.names().size()) {
      throw in.unexpected("a type for each column");
    }
    in.end();
    return new TableStatement.CreateTable(
        name, elements.columns(), elements.constraints(), ifExists);
  }

  /** A query, of which WITH NO DATA wants the columns alone. */
  private String rows() {
    String query = in.restBefore(List.of(List.of("WITH", "NO", "DATA"), List.of("WITH", "DATA")));
    if (in.atEnd()) {
      return query;
    }
    in.expect("WITH");
    boolean none = in.take("NO");
    in.expect("DATA");
    in.end();
    return none ? "SELECT * FROM (" + query + "\n) AS no_data WHERE FALSE" : query;
  }

  private @Nullable TableStatement drop() {
    in.expect("DROP");
    requireKnown();
    if (in.take("SCHEMA")) {
      boolean ifExists = in.take("IF", "EXISTS");
      String name = in.name("the name of a schema");
      boolean cascade = in.take("CASCADE");
      boolean _ = !cascade && in.take("RESTRICT");
      in.end();
      return new TableStatement.DropSchema(name, ifExists, cascade);
    }
    if (in.take("MACRO") || in.take("FUNCTION")) {
      boolean _ = in.take("TABLE");
      boolean ifExists = in.take("IF", "EXISTS");
      String name = in.name("the name of a macro");
      in.end();
      return new TableStatement.DropMacro(name, ifExists);
    }
    if (in.take("SEQUENCE")) {
      return SequenceParser.drop(in);
    }
    boolean view = in.take("VIEW");
    if (!view && !in.take("TABLE")) {
      return null;
    }
    boolean ifExists = in.take("IF", "EXISTS");
    List<TableStatement.DroppedName> names = new ArrayList<>();
    do {
      schema = null;
      String name = table();
      names.add(new TableStatement.DroppedName(schema, name));
    } while (in.take(","));
    in.end();
    schema = names.getFirst().schema();
    return new TableStatement.Drop(names, view, ifExists);
  }

  private TableStatement insert() {
    in.expect("INSERT");
    OnConflict onConflict = new OnConflict.RaiseError();
    if (in.take("OR", "IGNORE")) {
      onConflict = new OnConflict.DoNothing();
    } else if (in.take("OR", "REPLACE")) {
      onConflict = new OnConflict.DoUpdate(List.of(), null);
    }
    in.expect("INTO");
    String name = table();
    String alias = in.peek().equalsIgnoreCase("AS") ? alias() : null;
    boolean named = in.peek().equals("(") && !isQuery(2);
    List<String> columns = named ? in.names("a column") : List.of();
    boolean byName = !named && in.take("BY", "NAME");
    boolean _ = !byName && in.take("BY", "POSITION");
    String query = in.take("DEFAULT", "VALUES") ? null : in.restBefore(BEHIND_INSERTED);
    List<String> conflict = List.of();
    if (onConflict instanceof OnConflict.RaiseError && in.take("ON", "CONFLICT")) {
      conflict = in.names("a column");
      onConflict = onConflict();
    }
    endOrReturning();
    return new TableStatement.Insert(name, alias, columns, byName, query, onConflict, conflict);
  }

  private OnConflict onConflict() {
    if (in.take("DO", "NOTHING")) {
      return new OnConflict.DoNothing();
    }
    if (!in.take("DO", "UPDATE", "SET")) {
      throw in.unexpected("DO NOTHING or DO UPDATE SET");
    }
    List<Assignment> assignments = new ArrayList<>();
    do {
      assignments(assignments);
    } while (in.take(","));
    return new OnConflict.DoUpdate(
        assignments, in.take("WHERE") ? in.expression(BEHIND_CONDITIONS) : null);
  }

  /** The list of RETURNING, or nothing more. */
  private void endOrReturning() {
    if (in.take("RETURNING")) {
      List<String> expressions = new ArrayList<>();
      do {
        expressions.add(in.expression(BEHIND_RETURNING));
      } while (in.take(","));
      returning = String.join("\n, ", expressions);
    }
    in.end();
  }

  /** Whether a parenthesis that comes next begins a query. */
  private boolean isQuery(int ahead) {
    String word = in.peek(ahead - 1).toUpperCase(Locale.ROOT);
    return List.of("SELECT", "VALUES", "WITH", "(", "TABLE").contains(word);
  }

  private TableStatement truncate() {
    in.expect("TRUNCATE");
    boolean _ = in.take("TABLE");
    TableStatement.Delete delete = new TableStatement.Delete(table(), null, null, null);
    in.end();
    return delete;
  }

  private @Nullable TableStatement alter() {
    in.expect("ALTER");
    if (!in.take("TABLE")) {
      return null;
    }
    String name = table();
    TableStatement.Alteration change;
    if (in.take("RENAME", "TO")) {
      change = new TableStatement.RenameTable(in.name("the name of a table"));
    } else if (in.take("RENAME")) {
      boolean _ = in.take("COLUMN");
      String column = in.name("a column");
      in.expect("TO");
      change = new TableStatement.RenameColumn(column, in.name("a column"));
    } else if (in.take("ADD")) {
      boolean _ = in.take("COLUMN");
      boolean keep = in.take("IF", "NOT", "EXISTS");
      change = new TableStatement.AddColumn(new TableElements(in).added(), keep);
    } else if (in.take("DROP")) {
      boolean _ = in.take("COLUMN");
      boolean ifExists = in.take("IF", "EXISTS");
      change = new TableStatement.DropColumn(in.name("a column"), ifExists);
    } else if (in.take("ALTER")) {
      boolean _ = in.take("COLUMN");
      change = alteration(in.name("a column"));
    } else {
      throw in.unexpected("RENAME, ADD, DROP or ALTER COLUMN");
    }
    in.end();
    return new TableStatement.AlterTable(name, change);
  }

  /** What follows ALTER COLUMN. */
  private TableStatement.Alteration alteration(String column) {
    if (in.take("SET", "DEFAULT")) {
      return new TableStatement.SetDefault(column, in.defaultValue());
    }
    if (in.take("DROP", "DEFAULT")) {
      return new TableStatement.SetDefault(column, "");
    }
    if (in.take("SET", "NOT", "NULL")) {
      return new TableStatement.SetNullable(column, false);
    }
    if (in.take("DROP", "NOT", "NULL")) {
      return new TableStatement.SetNullable(column, true);
    }
    if (!in.take("SET", "DATA", "TYPE") && !in.take("TYPE")) {
      throw in.unexpected("TYPE, SET DATA TYPE, SET or DROP DEFAULT, SET or DROP NOT NULL");
    }
    String type = in.columnType();
    if (type.isEmpty()) {
      throw in.unexpected("a type");
    }
    return new TableStatement.SetType(
        column, type, in.take("USING") ? in.expression(BEHIND_CONDITIONS) : null);
  }

  private TableStatement merge() {
    in.expect("MERGE");
    in.expect("INTO");
    String name = table();
    String alias = alias("USING");
    in.expect("USING");
    String source = in.clause("ON");
    in.expect("ON");
    String condition = in.clause("WHEN");
    List<MergeClause> clauses = new ArrayList<>();
    do {
      clauses.add(mergeClause());
    } while (in.peek().equalsIgnoreCase("WHEN"));
    in.end();
    return new TableStatement.MergeInto(name, alias, source, condition, clauses);
  }

  private MergeClause mergeClause() {
    in.expect("WHEN");
    boolean matched = !in.take("NOT");
    in.expect("MATCHED");
    boolean _ = !matched && in.take("BY", "TARGET");
    String condition = in.take("AND") ? in.clause("THEN") : null;
    in.expect("THEN");
    MergeAction action;
    if (in.take("DO", "NOTHING")) {
      action = new MergeAction.MergeNothing();
    } else if (matched && in.take("DELETE")) {
      action = new MergeAction.MergeDelete();
    } else if (matched && in.take("UPDATE", "SET")) {
      List<Assignment> assignments = new ArrayList<>();
      do {
        String column = in.name("a column");
        in.expect("=");
        assignments.add(new Assignment(column, in.clause(",", "WHEN")));
      } while (in.take(","));
      action = new MergeAction.MergeUpdate(assignments);
    } else if (!matched && in.take("INSERT")) {
      List<String> columns = in.names("a column");
      in.expect("VALUES");
      action = new MergeAction.MergeInsert(columns, in.expressions());
    } else {
      throw in.unexpected(matched ? "UPDATE SET, DELETE or DO NOTHING" : "INSERT or DO NOTHING");
    }
    return new MergeClause(matched, condition, action);
  }

  private TableStatement delete() {
    in.expect("DELETE");
    in.expect("FROM");
    String name = table();
    String alias = alias("WHERE", "USING", "RETURNING");
    String using = in.take("USING") ? tables() : null;
    return new TableStatement.Delete(name, alias, using, condition(using));
  }

  private TableStatement update() {
    in.expect("UPDATE");
    String name = table();
    String alias = alias("SET");
    in.expect("SET");
    List<Assignment> assignments = new ArrayList<>();
    do {
      assignments(assignments);
    } while (in.take(","));
    String from = in.take("FROM") ? tables() : null;
    return new TableStatement.Update(name, alias, assignments, from, condition(from));
  }

  /** {@code a = x}, or {@code (a, b) = (x, y)}. */
  private void assignments(List<Assignment> assignments) {
    List<String> columns = in.names("a column");
    if (columns.isEmpty()) {
      String column = in.name("a column");
      in.expect("=");
      assignments.add(new Assignment(column, in.expression(BEHIND_VALUES)));
      return;
    }
    in.expect("=");
    boolean _ = in.take("ROW");
    if (isQuery(2)) {
      throw in.unexpected("a list of values (take them from UPDATE ... FROM (query) AS q)");
    }
    List<String> values = in.expressions();
    if (values.size() != columns.size()) {
      throw in.unexpected(
          "a list of %d values, not of %d,".formatted(columns.size(), values.size()));
    }
    for (int i = 0; i < values.size(); i++) {
      assignments.add(new Assignment(columns.get(i), values.get(i)));
    }
  }

  /** The tables behind FROM or USING, as a query has them. */
  private String tables() {
    List<String> tables = new ArrayList<>();
    do {
      tables.add(in.expression(BEHIND_TABLES));
    } while (in.take(","));
    return String.join(", ", tables);
  }

  /** A name for the table as it is written; null if one of some words comes next, or nothing. */
  private @Nullable String alias(String... next) {
    boolean as = in.take("AS");
    if (!as
        && (in.atEnd()
            || in.peek().equals(";")
            || Arrays.stream(next).anyMatch(in.peek()::equalsIgnoreCase))) {
      return null;
    }
    String written = in.peek();
    String _ = in.name("a name for the table");
    return written;
  }

  /**
   * What follows WHERE; null if there is none. The statement ends behind it.
   *
   * @param tables other tables that it is about: without it, it is of all their rows
   */
  private @Nullable String condition(@Nullable String tables) {
    String condition = tables == null ? null : "TRUE";
    if (in.take("WHERE")) {
      condition = in.expression(BEHIND_CONDITIONS);
    }
    endOrReturning();
    return condition;
  }

  private TableStatement copy() {
    in.expect("COPY");
    String query;
    String table = "";
    String columns = "*";
    if (in.peek().equals("(")) {
      query = in.inParentheses();
    } else {
      table = in.upTo("(", "TO", "FROM");
      columns = in.peek().equals("(") ? in.inParentheses() : columns;
      query = "SELECT %s FROM %s".formatted(columns, table);
    }
    if (!table.isEmpty() && in.take("FROM")) {
      return copyFrom(table, columns);
    }
    in.expect("TO");
    String target = in.text("the path of a file, in quotes,");
    Map<String, List<String>> options = copyOptions();
    return new TableStatement.CopyTo(target, query, options);
  }

  private TableStatement copyFrom(String table, String columns) {
    String named = columns.equals("*") ? table : "%s (%s)".formatted(table, columns);
    TableStatementParser target =
        new TableStatementParser("INSERT INTO %s VALUES".formatted(named));
    TableStatement.Insert insert = (TableStatement.Insert) target.insert();
    schema = target.schema;
    String file = in.text("the path of a file, in quotes,");
    return new TableStatement.CopyFrom(insert.target(), insert.columns(), file, copyOptions());
  }

  private Map<String, List<String>> copyOptions() {
    boolean _ = in.take("WITH");
    Map<String, List<String>> options = new LinkedHashMap<>();
    if (in.take("(")) {
      do {
        String name = in.name("an option").toLowerCase(Locale.ROOT);
        boolean _ = in.take("=") && in.take(">");
        if (options.put(name, values()) != null) {
          throw in.unexpected("an option but once: " + name);
        }
      } while (in.take(","));
      in.expect(")");
    }
    in.end();
    return options;
  }

  /** The value of an option, a list of them, or none. */
  private List<String> values() {
    if (in.peek().equals(",") || in.peek().equals(")")) {
      return List.of();
    }
    if (!in.take("(")) {
      return List.of(value());
    }
    List<String> values = new ArrayList<>();
    do {
      values.add(value());
    } while (in.take(","));
    in.expect(")");
    return values;
  }

  private String value() {
    String token = in.peek();
    if (token.startsWith("'")) {
      return in.text("a value");
    }
    return token.matches("\\d+") ? in.next() : in.name("a value");
  }

  /** The name of a table; that of its schema is kept, if it has one. */
  private String table() {
    String name = in.name("the name of a table");
    if (!in.take(".")) {
      return name;
    }
    schema = name;
    return in.name("the name of a table");
  }
}
