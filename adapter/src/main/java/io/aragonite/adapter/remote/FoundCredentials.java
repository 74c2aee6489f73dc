package io.aragonite.adapter.remote;

import java.nio.file.Files;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.ProfileCredentialsProvider;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.profiles.ProfileFileLocation;

/**
 * What the AWS SDK finds, or nobody's credentials, since there are buckets for everybody. Where it
 * found none it looks again a while later.
 */
final class FoundCredentials implements AwsCredentialsProvider, AutoCloseable {
  /** A look may ask the network of a cloud for a role. */
  private static final long KEPT_NANOS = 60_000_000_000L;

  private final DefaultCredentialsProvider chain = DefaultCredentialsProvider.builder().build();
  private @Nullable String missing;
  private long looked;

  /** Why there are none, or an empty text; null if there are some. */
  synchronized @Nullable String missing() {
    return missing;
  }

  @Override
  public synchronized AwsCredentials resolveCredentials() {
    if (missing == null || System.nanoTime() - looked > KEPT_NANOS) {
      try {
        AwsCredentials found = chain.resolveCredentials();
        missing = null;
        return found;
      } catch (SdkClientException e) {
        missing = profileError();
        looked = System.nanoTime();
      }
    }
    return AnonymousCredentialsProvider.create().resolveCredentials();
  }

  /** The chain's own message is about each place, most of which nobody has. */
  private static String profileError() {
    if (ProfileFileLocation.credentialsFileLocation().filter(Files::exists).isEmpty()) {
      return "";
    }
    try (ProfileCredentialsProvider profile = ProfileCredentialsProvider.create()) {
      var _ = profile.resolveCredentials();
      return "";
    } catch (RuntimeException e) {
      // Behind that is what the file holds.
      return String.valueOf(e.getMessage()).replaceFirst("(?s):? *ProfileFile\\(.*", "");
    }
  }

  @Override
  public void close() {
    chain.close();
  }
}
