package io.aragonite.adapter.explain;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Character sets in Calcite's descriptions of plans, which name that of every text that is not of
 * the process's default one. All of ours are UTF-8, so it tells nothing.
 */
public final class CharsetNames {
  private static final Pattern NAMED =
      Pattern.compile("(?:_UTF-8)?('(?:[^']|'')*+')| CHARACTER SET \"UTF-8\"");

  private CharsetNames() {}

  /** The same description without UTF-8. */
  public static String removed(String description) {
    return NAMED
        .matcher(description)
        .replaceAll(
            match -> match.group(1) == null ? "" : Matcher.quoteReplacement(match.group(1)));
  }
}
