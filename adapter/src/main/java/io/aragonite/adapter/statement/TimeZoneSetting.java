package io.aragonite.adapter.statement;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.EvalException;
import io.aragonite.exec.expr.ZoneOffsets;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * {@code SET TimeZone}, {@code SET TIME ZONE} and {@code RESET TimeZone}: the zone of the
 * connection's instants from the next statement on.
 *
 * @param zone as java.util.TimeZone names it; null for the one that the connection began with
 */
record TimeZoneSetting(@Nullable String zone) implements SessionSetting {
  private static final Pattern BEGIN =
      Pattern.compile("\\s*(?:SET|RESET)\\b.*", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  private static final Pattern RESET =
      Pattern.compile("\\s*RESET\\s+TIME(?:\\s+)?ZONE\\s*", Pattern.CASE_INSENSITIVE);

  private static final Pattern SET =
      Pattern.compile(
          "\\s*SET\\s+(?:SESSION\\s+|GLOBAL\\s+)?"
              + "(?:TIMEZONE(?:\\s*=\\s*|\\s+TO\\s+)|TIME\\s+ZONE\\s+)"
              + "(?:'((?:[^']|'')*)'|([^'\\s]+))\\s*",
          Pattern.CASE_INSENSITIVE);

  /** Null if a statement is no SET and no RESET. */
  static @Nullable TimeZoneSetting of(String sql) {
    if (!BEGIN.matcher(sql).matches()) {
      return null;
    }
    if (RESET.matcher(sql).matches()) {
      return new TimeZoneSetting(null);
    }
    Matcher set = SET.matcher(sql);
    if (!set.matches()) {
      throw new AragoniteException(
          ErrorCode.SYNTAX,
          "SET and RESET are of the time zone and the schema alone: SET TimeZone = 'Europe/Berlin',"
              + " RESET TimeZone, SET search_path = s; other settings are properties of the"
              + " connection.");
    }
    String text = set.group(1);
    String word = set.group(2);
    if (word != null && List.of("DEFAULT", "LOCAL").contains(word.toUpperCase(Locale.ROOT))) {
      return new TimeZoneSetting(null);
    }
    return new TimeZoneSetting(known(text != null ? text : word));
  }

  /** An offset has a name of its own with java.util.TimeZone. */
  private static String known(String zone) {
    try {
      ZoneId id = ZoneOffsets.zoneId(zone);
      if (!(id instanceof ZoneOffset offset)) {
        return id.getId();
      }
      if (offset.getTotalSeconds() % 60 == 0) {
        return offset.equals(ZoneOffset.UTC) ? "UTC" : "GMT" + offset.getId();
      }
    } catch (EvalException e) {
      throw new AragoniteException(e.code(), e.getMessage() + ".", e);
    }
    throw new AragoniteException(
        ErrorCode.INVALID_ARGUMENT,
        "The zone of a connection has an offset of whole minutes, which '%s' has not."
            .formatted(zone));
  }

  @Override
  public void apply(Session session) {
    session.setTimeZone(zone);
  }
}
