package io.aragonite.adapter.server;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** What a client says of itself by HTTP BASIC (RFC 7617). */
public record BasicCredentials(String user, String password) {
  private static final String SCHEME = "Basic ";

  /**
   * @param header the value of Authorization
   * @return null if there is none, or of another kind
   */
  public static @Nullable BasicCredentials of(@Nullable String header) {
    if (header == null || !header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      return null;
    }
    try {
      byte[] bytes = Base64.getDecoder().decode(header.substring(SCHEME.length()).strip());
      String text = new String(bytes, StandardCharsets.UTF_8);
      int colon = text.indexOf(':');
      return colon < 0
          ? null
          : new BasicCredentials(text.substring(0, colon), text.substring(colon + 1));
    } catch (IllegalArgumentException e) {
      return null; // no Base64
    }
  }
}
