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

  /**
   * What texts have that the patterns of properties may find: most have none of it, and may be
   * long.
   */
  private static final String JDBC = "jdbc:";

  private static final String SECRETS = "s3Se";

  private UrlRedaction() {}

  /** The same text without what may be secret in it. */
  public static String redact(String text) {
    String result = text;
    if (result.contains("://")) {
      result = USER.matcher(result).replaceAll("$1***@");
      result = result.indexOf('?') < 0 ? result : QUERY.matcher(result).replaceAll("$1?***");
    }
    if (!has(result, SECRETS, '3')) {
      return result;
    }
    if (has(result, JDBC, ':')) {
      result = PROPERTY.matcher(result).replaceAll("$1***");
    }
    return SECRET.matcher(result).replaceAll("$1***");
  }

  /** Whether a text has a word, in whatever case, in which a character is that has but one. */
  private static boolean has(String text, String word, char rare) {
    int place = word.indexOf(rare);
    for (int at = text.indexOf(rare); at >= 0; at = text.indexOf(rare, at + 1)) {
      if (text.regionMatches(true, at - place, word, 0, word.length())) {
        return true;
      }
    }
    return false;
  }
}
