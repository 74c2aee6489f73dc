package io.aragonite.adapter.error;

import io.aragonite.adapter.deep.DeepCalls;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.MappedFiles;
import java.io.StringReader;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.runtime.CalciteContextException;
import org.apache.calcite.runtime.CalciteException;
import org.apache.calcite.sql.parser.SqlAbstractParserImpl;
import org.apache.calcite.sql.parser.SqlParseException;
import org.apache.calcite.sql.parser.babel.SqlBabelParserImpl;
import org.jspecify.annotations.Nullable;

/** What Calcite's and Avatica's errors are in our catalogue. */
public final class CalciteErrors {
  private static final Pattern OBJECT =
      Pattern.compile("(?:Object|Table) '(.*?)' not found(?: within '(.*?)')?.*", Pattern.DOTALL);
  private static final Pattern COLUMN =
      Pattern.compile("Column '(.*?)' not found in (any table|table '(.*?)').*", Pattern.DOTALL);
  private static final Pattern FUNCTION =
      Pattern.compile("No match found for function signature (.*)", Pattern.DOTALL);
  private static final Pattern TYPE = Pattern.compile("Unknown identifier '(.*?)'.*");
  private static final Pattern UNEXPECTED =
      Pattern.compile(
          "(?:Incorrect syntax near the keyword|Encountered:?) *\"?'?(.*?)\"?'? at line.*",
          Pattern.DOTALL);
  private static final Pattern LEXICAL =
      Pattern.compile("Lexical error at line \\d+, column \\d+\\.\\s*(.*)", Pattern.DOTALL);

  /** How Avatica's messages name an object of its own. */
  private static final Pattern OBJECT_NAME = Pattern.compile(" \\([\\w.$]+@[0-9a-f]+\\)");

  private static final Pattern RESULT_COLUMN = Pattern.compile("column '(.*)' not found");
  private static final Pattern UNPLANNED =
      Pattern.compile(
          "(?:Missing conversions? (?:is|are)|Unable to implement) (?:Logical|Enumerable)?(\\w+)");
  private static final int EXPECTED_TOKENS = 6;

  /** Statements that change something, of which the parser knows nothing. */
  private static final Pattern CHANGE =
      Pattern.compile(
          "(?:\\s++|--[^\\n]*\\n|/\\*(?s:.*?)\\*/)*+((?:create|drop)(?!\\s+(?:or\\s+replace\\s+)?(?:local\\s+)?(?:temp(?:orary)?\\s+)?(?:table|view)\\b)|alter|truncate|grant|revoke|replace|comment|refresh)\\b",
          Pattern.CASE_INSENSITIVE);

  private static final SqlAbstractParserImpl.Metadata PARSER =
      SqlBabelParserImpl.FACTORY.getParser(new StringReader("")).getMetadata();

  private CalciteErrors() {}

  public static AragoniteException of(Throwable error, KnownNames names) {
    List<Throwable> chain = new ArrayList<>();
    for (Throwable e = error;
        e != null && chain.size() < 20 && !chain.contains(e);
        e = e.getCause()) {
      chain.add(e);
    }
    // the parser wraps it in an error of its own, without a word
    for (Throwable e : chain) {
      if (e instanceof StackOverflowError) {
        return DeepCalls.tooDeep("more than the stack has room for", e);
      }
    }
    for (Throwable e : chain) {
      if (e.getMessage() != null && e.getMessage().endsWith("unbound parameter")) {
        return new AragoniteException(
            ErrorCode.MISSING_PARAMETER, "Not all parameters of the statement have been set.", e);
      }
      AragoniteException known = known(e, names);
      if (known != null) {
        return known;
      }
    }
    // The innermost cause knows most; wrappers repeat the statement.
    Throwable root = chain.get(chain.size() - 1);
    String message = root.getMessage();
    if (root instanceof SQLException sql) {
      return jdbc(sql);
    }
    return new AragoniteException(
        ErrorCode.INTERNAL,
        "The statement met a defect of the product (%s%s); please report it with the statement."
            .formatted(root.getClass().getSimpleName(), isEmpty(message) ? "" : ": " + message),
        error);
  }

  private static @Nullable AragoniteException known(Throwable e, KnownNames names) {
    return switch (e) {
      case AragoniteException ours -> ours;
      case SqlParseException parse -> syntax(parse, names.statement());
      case CalciteContextException context -> validator(context, names);
      case RelOptPlanner.CannotPlanException plan -> noPlan(message(plan), e);
      case CalciteException calcite -> runtime(message(calcite), e);
      case NoSuchElementException row when message(row).contains("cursor position") ->
          new AragoniteException(
              ErrorCode.INVALID_CALL,
              "The result is at no row: next() comes first, and must have returned true.",
              e);
      case ArithmeticException arithmetic ->
          runtime(message(arithmetic), e, ErrorCode.NUMERIC_OVERFLOW);
      case NumberFormatException number ->
          new AragoniteException(
              ErrorCode.INVALID_CAST,
              "A text is not a number (" + message(number) + "), so it cannot be cast to one.",
              e);
      case UnsupportedOperationException ddl when message(ddl).startsWith("DDL not supported") -> {
        AragoniteException change = change(names.statement(), e);
        yield change != null ? change : setting(e);
      }
      case UnsupportedOperationException unsupported ->
          new AragoniteException(
              ErrorCode.EXPRESSION_UNSUPPORTED,
              isEmpty(unsupported.getMessage())
                  ? "Calcite does not support a part of this statement (%s); write it without."
                      .formatted(where(unsupported))
                  : "This is not supported: " + unsupported.getMessage(),
              e);
      case SQLFeatureNotSupportedException unsupported ->
          new AragoniteException(
              ErrorCode.EXPRESSION_UNSUPPORTED, "The driver does not support this JDBC call.", e);
      case OutOfMemoryError memory ->
          new AragoniteException(
              ErrorCode.MEMORY_EXCEEDED,
              "The JVM's heap is full; give it more with -Xmx, or ask for less at a time.",
              e);
      case IllegalStateException state when message(state).startsWith("Unable to implement ") ->
          unimplemented(state);
      case IllegalStateException state when isSecondRow(state.getMessage()) -> secondRow(e);
      case RuntimeException unbound when message(unbound).contains("unbound parameter") ->
          new AragoniteException(
              ErrorCode.MISSING_PARAMETER, "Not all parameters of the statement have been set.", e);
      case InternalError fault -> MappedFiles.explain(fault);
      default -> null;
    };
  }

  private static AragoniteException setting(Throwable e) {
    return new AragoniteException(
        ErrorCode.EXPRESSION_UNSUPPORTED,
        "SET and ALTER are not supported; options are properties of the connection, such as"
            + " timeZone.",
        e);
  }

  /** What an error says; if it says nothing, where it comes from. */
  private static String message(Throwable e) {
    String text = e.getMessage();
    return text == null || isEmpty(text) ? "there was an error in " + where(e) : text;
  }

  private static boolean isEmpty(@Nullable String message) {
    return message == null || message.isBlank() || message.strip().equals("null");
  }

  /** The method that an error without a message comes from. */
  private static String where(Throwable e) {
    StackTraceElement[] trace = e.getStackTrace();
    if (trace.length == 0) {
      return e.getClass().getSimpleName();
    }
    String type = trace[0].getClassName();
    return type.substring(type.lastIndexOf('.') + 1) + "." + trace[0].getMethodName();
  }

  /** What one of our nodes has said, which Calcite hides; else which node it is. */
  private static AragoniteException unimplemented(IllegalStateException e) {
    AragoniteException said = said(e);
    return said != null ? said : noPlan(message(e), e);
  }

  /** A node whose inputs are generated in a program of their own suppresses that one's error. */
  private static @Nullable AragoniteException said(Throwable e) {
    return Arrays.stream(e.getSuppressed())
        .map(inner -> inner instanceof AragoniteException ours ? ours : said(inner))
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  private static AragoniteException noPlan(String message, Throwable e) {
    Matcher node = UNPLANNED.matcher(message);
    String name = node.find() ? node.group(1) : "a part of this statement";
    return name.equals("TableModify")
        ? new AragoniteException(
            ErrorCode.READ_ONLY,
            "Tables are read-only but for INSERT, UPDATE, DELETE and MERGE of the connection's own,"
                + " and EXPLAIN is for queries.",
            e)
        : new AragoniteException(
            ErrorCode.NOT_ON_DEVICE,
            "Neither the device nor Calcite can run %s; write the statement without it."
                .formatted(written(name)),
            e);
  }

  /** What a statement has that becomes a node of a plan. */
  private static String written(String node) {
    return switch (node) {
      case "ArrayRows" -> "a part of this statement";
      case "Calc", "Project" -> "an expression of this statement";
      case "Filter" -> "a condition of this statement";
      case "Values" -> "VALUES of this statement";
      case "Correlate" -> "a subquery of this statement";
      case "Join" -> "a join of this statement";
      case "Aggregate" -> "an aggregate of this statement";
      case "Window" -> "a window of this statement";
      case "Sort" -> "ORDER BY or LIMIT of this statement";
      case "Uncollect" -> "UNNEST of this statement";
      case "Match" -> "MATCH_RECOGNIZE";
      case "TableFunctionScan" -> "a function in FROM";
      default -> node;
    };
  }

  private static @Nullable AragoniteException change(String statement, Throwable e) {
    Matcher change = CHANGE.matcher(statement);
    return change.lookingAt()
        ? new AragoniteException(
            ErrorCode.READ_ONLY,
            change.group(1).equalsIgnoreCase("COMMENT")
                ? "Tables and columns have no comments; leave COMMENT ON out, or write what it says"
                    + " into the script behind --."
                : "%s is not possible; tables of a connection are made and filled with CREATE TABLE, CREATE VIEW, INSERT and DROP, files with COPY."
                    .formatted(change.group(1).toUpperCase(Locale.ROOT)),
            e)
        : null;
  }

  private static AragoniteException syntax(SqlParseException e, String statement) {
    AragoniteException change = change(statement, e);
    if (change != null) {
      return change;
    }
    String message = message(e);
    String where =
        e.getPos() == null
            ? ""
            : " at line %d, column %d"
                .formatted(e.getPos().getLineNum(), e.getPos().getColumnNum());
    Matcher unexpected = UNEXPECTED.matcher(message);
    Matcher lexical = LEXICAL.matcher(message);
    String what;
    if (unexpected.matches() && unexpected.group(1).replace("\"", "").strip().startsWith("!")) {
      what = "'!' is no operator here; write factorial(x) for x!, NOT for a condition";
    } else if (unexpected.matches()) {
      what =
          unexpected(unexpected.group(1))
              + expected(e.getExpectedTokenNames())
              + reserved(unexpected.group(1));
    } else if (lexical.matches()) {
      what =
          lexical.group(1).contains("<EOF>")
              ? "a quote or a comment is not closed"
              : lexical.group(1).contains("\"@\"")
                  ? "'@' is no operator here; write abs(x) for @ x"
                  : lexical.group(1);
    } else if (message.startsWith("Non-query expression")) {
      what = "a statement begins with SELECT, VALUES, WITH or EXPLAIN";
    } else {
      what = message.lines().findFirst().orElse(message);
    }
    return new AragoniteException(
        ErrorCode.SYNTAX, sentence("Syntax error%s: %s".formatted(where, what)), e);
  }

  private static String unexpected(String tokens) {
    String text = tokens.replace("\" \"", " ").replace("\\'", "'").strip();
    if (text.isEmpty() || text.endsWith("<EOF>")) {
      return "the statement ends too early";
    }
    boolean open = text.equals("\\\"") || text.chars().filter(c -> c == '\'').count() % 2 == 1;
    return open ? "a quote is not closed" : "'" + text.replace("'", "") + "' was not expected";
  }

  /** What to do about a word that cannot be a name without quotes. */
  private static String reserved(String tokens) {
    String text = tokens.replace("\" \"", " ").strip();
    String word = text.substring(text.lastIndexOf(' ') + 1);
    return PARSER.isReservedWord(word.toUpperCase(Locale.ROOT))
        ? "; %s is a reserved word, so as a name it needs quotes: \"%s\"".formatted(word, word)
        : "";
  }

  private static String expected(Collection<String> tokens) {
    List<String> readable =
        tokens.stream()
            .filter(token -> token.startsWith("\""))
            .map(t -> t.replace("\"", ""))
            .toList();
    if (tokens.isEmpty() || readable.isEmpty()) {
      return "";
    }
    if (tokens.size() > EXPECTED_TOKENS) {
      return "";
    }
    return "; expected " + String.join(" or ", readable);
  }

  private static AragoniteException validator(CalciteContextException e, KnownNames names) {
    Throwable cause = e.getCause();
    String message = message(cause == null ? e : cause);
    String where =
        e.getPosLine() > 0
            ? " (line %d, column %d)".formatted(e.getPosLine(), e.getPosColumn())
            : "";
    Matcher object = OBJECT.matcher(message);
    if (object.matches()) {
      String within = object.group(2);
      return new AragoniteException(
          ErrorCode.UNKNOWN_TABLE,
          sentence(
              "There is no table '%s'%s%s%s"
                  .formatted(
                      object.group(1),
                      within == null ? "" : " in '" + within + "'",
                      where,
                      noTable(object.group(1), names))),
          e);
    }
    Matcher column = COLUMN.matcher(message);
    if (column.matches()) {
      return new AragoniteException(
          ErrorCode.UNKNOWN_COLUMN,
          sentence(
              "There is no column '%s' in %s%s%s"
                  .formatted(
                      column.group(1), column.group(2), where, noColumn(column.group(1), names))),
          e);
    }
    Matcher function = FUNCTION.matcher(message);
    if (function.matches()) {
      return new AragoniteException(
          ErrorCode.UNKNOWN_FUNCTION,
          sentence(noFunction(strip(function.group(1)), where, names)),
          e);
    }
    Matcher type = TYPE.matcher(message);
    if (type.matches()) {
      return new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          sentence(
              "There is no type '%s'%s%s"
                  .formatted(type.group(1), where, suggestion(type.group(1), names.types()))),
          e);
    }
    AragoniteException atRunTime = runtimeOrNull(message, e);
    if (atRunTime != null) {
      return atRunTime;
    }
    return new AragoniteException(
        ErrorCode.INVALID_STATEMENT, "%s%s.".formatted(strip(message), where), e);
  }

  private static String noFunction(String signature, String where, KnownNames names) {
    int arguments = signature.indexOf('(');
    String name = arguments < 0 ? signature : signature.substring(0, arguments);
    List<String> written =
        names.functions().stream().filter(function -> !function.startsWith("$")).toList();
    String nearest = NearestName.of(name, written);
    String advice =
        nearest == null
            ? "; other libraries of functions can be added with fun="
            : nearest.equalsIgnoreCase(name)
                ? "; '%s' takes arguments of other types, or another number of them"
                    .formatted(nearest)
                : "; did you mean '" + nearest + "'?";
    return "There is no function %s%s%s".formatted(signature, where, advice);
  }

  private static String noTable(String name, KnownNames names) {
    if (names.columns().stream().anyMatch(name::equalsIgnoreCase)) {
      return "; to name a field of the column '%s', write its table's name or alias in front, as t.%s"
          .formatted(name, name);
    }
    List<String> places = names.tablesOf(name);
    return places.isEmpty()
        ? suggestion(name, names.tables())
        : "; there is " + String.join(" and ", places);
  }

  private static String noColumn(String name, KnownNames names) {
    List<String> places = names.tablesWith(name);
    return places.isEmpty()
        ? suggestion(name, names.columns())
        : "; there is one in %s, which FROM does not have here"
            .formatted(String.join(" and ", places));
  }

  private static String suggestion(String name, Collection<String> known) {
    String nearest = NearestName.of(name, known);
    return nearest == null || nearest.equals(name) ? "" : "; did you mean '" + nearest + "'?";
  }

  private static AragoniteException runtime(String message, Throwable e) {
    return runtime(message, e, ErrorCode.INVALID_ARGUMENT);
  }

  private static AragoniteException runtime(String message, Throwable e, ErrorCode otherwise) {
    AragoniteException known = runtimeOrNull(message, e);
    return known != null ? known : new AragoniteException(otherwise, strip(message) + ".", e);
  }

  private static @Nullable AragoniteException runtimeOrNull(String message, Throwable e) {
    String lower = message.toLowerCase(Locale.ROOT);
    if (lower.contains("division by zero") || lower.contains("/ by zero")) {
      return new AragoniteException(
          ErrorCode.DIVISION_BY_ZERO,
          "A value was divided by zero; NULLIF(divisor, 0) avoids it.",
          e);
    }
    if (lower.contains("overflow") || (lower.contains("out of range") && lower.contains("value"))) {
      return new AragoniteException(ErrorCode.NUMERIC_OVERFLOW, strip(message) + ".", e);
    }
    if (isSecondRow(message)) {
      return secondRow(e);
    }
    if (lower.contains("cast ")) {
      return new AragoniteException(ErrorCode.INVALID_CAST, strip(message) + ".", e);
    }
    return null;
  }

  private static boolean isSecondRow(@Nullable String message) {
    return message != null
        && message.toLowerCase(Locale.ROOT).contains("more than one value in agg");
  }

  private static AragoniteException secondRow(Throwable e) {
    return new AragoniteException(
        ErrorCode.SCALAR_SUBQUERY_ROWS,
        "A scalar subquery returned more than one row; restrict it, or aggregate it.",
        e);
  }

  /** A complaint of Avatica's about how JDBC was called. */
  private static AragoniteException jdbc(SQLException e) {
    String message = message(e);
    Matcher column = RESULT_COLUMN.matcher(message);
    if (column.matches()) {
      return new AragoniteException(
          ErrorCode.UNKNOWN_COLUMN, "The result has no column '" + column.group(1) + "'.", e);
    }
    return new AragoniteException(
        ErrorCode.INVALID_CALL, strip(OBJECT_NAME.matcher(message).replaceAll("")) + ".", e);
  }

  private static String sentence(String text) {
    String stripped = strip(text);
    return stripped.endsWith("?") ? stripped : stripped + ".";
  }

  private static String strip(String message) {
    String text = message.strip();
    while (text.endsWith(".")) {
      text = text.substring(0, text.length() - 1);
    }
    return text;
  }
}
