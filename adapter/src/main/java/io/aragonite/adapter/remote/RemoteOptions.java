package io.aragonite.adapter.remote;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How stores of remote files are reached.
 *
 * @param endpoint URL of the store; null: Amazon's
 * @param region null: as the environment or the profile says
 * @param accessKey with {@code secretKey}; null: the default chain of the AWS SDK
 * @param sessionToken of temporary keys
 * @param pathStyle whether buckets are in the path of URLs rather than in the host name; null:
 *     where there is an endpoint
 * @param timeout longest silence of a store or server
 */
public record RemoteOptions(
    @Nullable String endpoint,
    @Nullable String region,
    @Nullable String accessKey,
    @Nullable String secretKey,
    @Nullable String sessionToken,
    @Nullable Boolean pathStyle,
    Duration timeout) {
  public static final RemoteOptions DEFAULT =
      new RemoteOptions(null, null, null, null, null, null, Duration.ofSeconds(30));

  /** Without secrets: options get into messages. */
  @Override
  public String toString() {
    return "endpoint=%s, region=%s".formatted(endpoint, region);
  }
}
