package io.aragonite.adapter.statement;

import io.aragonite.adapter.sql.SqlTokens;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * {@code USE s}, {@code SET SCHEMA s} and {@code SET search_path = s}: where tables are whose
 * schema is not written, from the next statement on.
 *
 * @param schema as it is written; null for the one that the connection began with
 */
record SchemaSetting(@Nullable String schema) implements SessionSetting {
  private static final String NAME = "('(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`[^`]*`|[^'\"`\\s;]+)";

  private static final Pattern USE =
      Pattern.compile(
          "\\s*(?:USE(?:\\s+SCHEMA)?\\s+|SET\\s+(?:SESSION\\s+|LOCAL\\s+)?"
              + "(?:SCHEMA(?:\\s*=\\s*|\\s+TO\\s+|\\s+)|SEARCH_PATH(?:\\s*=\\s*|\\s+TO\\s+)))"
              + NAME
              + "(\\s*,.*)?\\s*",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  private static final Pattern RESET =
      Pattern.compile("\\s*RESET\\s+(?:SCHEMA|SEARCH_PATH)\\s*", Pattern.CASE_INSENSITIVE);

  /** Null if a statement is none of these. */
  static @Nullable SchemaSetting of(String sql) {
    if (RESET.matcher(sql).matches()) {
      return new SchemaSetting(null);
    }
    Matcher use = USE.matcher(sql);
    if (!use.matches()) {
      return null;
    }
    String name = use.group(1);
    if (use.group(2) != null || name.endsWith(",") || name.contains(",") && isBare(name)) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "One schema can be in use, not a path of several: write the others' names before those of"
              + " their tables.");
    }
    if (isBare(name)) {
      return new SchemaSetting(name.equalsIgnoreCase("DEFAULT") ? null : name);
    }
    return new SchemaSetting(
        name.startsWith("'")
            ? name.substring(1, name.length() - 1).replace("''", "'")
            : SqlTokens.unquoted(name));
  }

  private static boolean isBare(String name) {
    return "'\"`".indexOf(name.charAt(0)) < 0;
  }

  @Override
  public void apply(Session session) {
    session.useSchema(schema);
  }
}
