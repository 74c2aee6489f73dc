package io.aragonite.adapter.remote;

import java.util.regex.Pattern;

/** Takes secrets out of texts that people or logs get: signed URLs, and keys among properties. */
public final class UrlRedaction {
  /** What comes behind the path, and who is named in front of the host. */
  private static final Pattern QUERY =
      Pattern.compile("(?i)(\\b(?:https?|s3[an]?)://(?:[^\\s'\"?]|'')*+)\\?(?:[^\\s'\"]|'')+");

  private static final Pattern USER =
      Pattern.compile("(?i)(\\b(?:https?|s3[an]?)://)[^\\s'\"/@]+@");

  private static final String NAMES = "(?i)(\\b(?:s3SecretKey|s3SessionToken)";

  /** Quotes within quotes are doubled; what is not closed goes to the end. */
  private static final String QUOTED = "'(?:[^']|'')*+(?:'|$)|\"(?:[^\"\\\\]|\\\\.|\"\")*+(?:\"|$)";

  /** In texts, models of JSON among them. */
  private static final Pattern SECRET =
      Pattern.compile(NAMES + "[\"']?\\s*[=:]\\s*)(?:" + QUOTED + "|(?<=\\S)[^;\\s,][^;\\s]*)");

  /** In a connection's URL, where a value goes to the semicolon, and spaces may be in front. */
  private static final Pattern PROPERTY =
      Pattern.compile(NAMES + "\\s*=\\s*)(?:" + QUOTED + ")?[^;]*");

  private static final Pattern JDBC = Pattern.compile("(?i)\\bjdbc:");

  private UrlRedaction() {}

  /** The same text without what may be secret in it. */
  public static String redact(String text) {
    String result = text;
    if (result.contains("://")) {
      result = USER.matcher(result).replaceAll("$1***@");
      result = result.indexOf('?') < 0 ? result : QUERY.matcher(result).replaceAll("$1?***");
    }
    if (JDBC.matcher(result).find()) {
      result = PROPERTY.matcher(result).replaceAll("$1***");
    }
    return SECRET.matcher(result).replaceAll("$1***");
  }
}
