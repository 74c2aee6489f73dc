package io.aragonite.adapter.options;

import io.aragonite.adapter.remote.RemoteOptions;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.Locale;
import java.util.Properties;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What connection properties say of stores of remote files. */
final class RemoteProperties {
  private static final Pattern REGION = Pattern.compile("[A-Za-z0-9-]+");

  private RemoteProperties() {}

  static RemoteOptions of(Properties properties) {
    String accessKey = AragoniteProperty.S3_ACCESS_KEY.get(properties);
    String secretKey = AragoniteProperty.S3_SECRET_KEY.get(properties);
    if ((accessKey == null) != (secretKey == null)) {
      throw ConnectionOptions.invalid(
          accessKey == null ? AragoniteProperty.S3_ACCESS_KEY : AragoniteProperty.S3_SECRET_KEY,
          "",
          "s3AccessKey= and s3SecretKey= together");
    }
    String sessionToken = AragoniteProperty.S3_SESSION_TOKEN.get(properties);
    if (sessionToken != null && accessKey == null) {
      throw ConnectionOptions.invalid(
          AragoniteProperty.S3_SESSION_TOKEN, "***", "s3AccessKey= and s3SecretKey= with it");
    }
    return new RemoteOptions(
        endpoint(properties),
        region(properties),
        accessKey,
        secretKey,
        sessionToken,
        pathStyle(properties),
        timeout(properties));
  }

  private static @Nullable String endpoint(Properties properties) {
    String text = AragoniteProperty.S3_ENDPOINT.get(properties);
    if (text == null) {
      return null;
    }
    try {
      URI url = new URI(text);
      if (("http".equals(url.getScheme()) || "https".equals(url.getScheme()))
          && url.getHost() != null
          && url.getUserInfo() == null) {
        return text;
      }
    } catch (URISyntaxException e) {
      // told below
    }
    throw ConnectionOptions.invalid(
        AragoniteProperty.S3_ENDPOINT, text, "a URL such as http://localhost:9000");
  }

  private static @Nullable String region(Properties properties) {
    String text = AragoniteProperty.S3_REGION.get(properties);
    if (text != null && !REGION.matcher(text).matches()) {
      throw ConnectionOptions.invalid(
          AragoniteProperty.S3_REGION, text, "the name of a region, such as eu-central-1");
    }
    return text;
  }

  private static @Nullable Boolean pathStyle(Properties properties) {
    String text = AragoniteProperty.S3_PATH_STYLE.get(properties);
    if (text == null) {
      return null;
    }
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "true", "on" -> true;
      case "false", "off" -> false;
      default ->
          throw ConnectionOptions.invalid(AragoniteProperty.S3_PATH_STYLE, text, "true or false");
    };
  }

  private static Duration timeout(Properties properties) {
    String text = String.valueOf(AragoniteProperty.REMOTE_TIMEOUT.get(properties));
    try {
      Duration timeout = Units.duration(text);
      if (!timeout.isZero()) {
        return timeout;
      }
    } catch (NumberFormatException e) {
      // told below
    }
    throw ConnectionOptions.invalid(
        AragoniteProperty.REMOTE_TIMEOUT, text, "seconds, or with a unit (500ms, 30s)");
  }
}
