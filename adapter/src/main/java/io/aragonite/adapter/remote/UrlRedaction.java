package io.aragonite.adapter.remote;

import java.util.regex.Pattern;

/** Takes secrets out of texts that people or logs get: signed URLs, and keys among properties. */
public final class UrlRedaction {
  /** What comes behind the path, and who is named in front of the host. */
  private static final Pattern QUERY =
      Pattern.compile("(?i)(\\b(?:https?|s3[an]?)://[^\\s'\"?]*)\\?[^\\s'\"]+");

  private static final Pattern USER =
      Pattern.compile("(?i)(\\b(?:https?|s3[an]?)://)[^\\s'\"/@]+@");
  private static final Pattern SECRET =
      Pattern.compile("(?i)(\\b(?:s3SecretKey|s3SessionToken)\\s*=)('[^']*'|\"[^\"]*\"|[^;\\s]+)");

  private UrlRedaction() {}

  /** The same text without what may be secret in it. */
  public static String redact(String text) {
    String result = text;
    if (result.contains("://")) {
      result = USER.matcher(result).replaceAll("$1***@");
      result = result.indexOf('?') < 0 ? result : QUERY.matcher(result).replaceAll("$1?***");
    }
    return result.indexOf('=') < 0 ? result : SECRET.matcher(result).replaceAll("$1***");
  }
}
