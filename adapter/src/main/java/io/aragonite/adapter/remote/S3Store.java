package io.aragonite.adapter.remote;

import io.aragonite.adapter.remote.RemoteException.Problem;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.exception.SdkServiceException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.regions.providers.AwsProfileRegionProvider;
import software.amazon.awssdk.regions.providers.AwsRegionProviderChain;
import software.amazon.awssdk.regions.providers.SystemSettingsRegionProvider;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.model.CommonPrefix;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.NoSuchBucketException;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/** Stores of S3's protocol, through the AWS SDK. Whoever uses it tries again: the SDK does not. */
final class S3Store implements ObjectStore {
  private static final Duration CONNECT = Duration.ofSeconds(10);
  private static final Region DEFAULT_REGION = Region.US_EAST_1;

  private final S3Client client;
  private final boolean anonymous;

  S3Store(RemoteOptions options) {
    AwsCredentialsProvider credentials = credentials(options);
    this.anonymous = credentials instanceof AnonymousCredentialsProvider;
    boolean endpoint = options.endpoint() != null;
    S3ClientBuilder builder =
        S3Client.builder()
            .httpClientBuilder(
                UrlConnectionHttpClient.builder()
                    .connectionTimeout(CONNECT)
                    .socketTimeout(options.timeout()))
            .overrideConfiguration(
                configuration -> configuration.retryStrategy(AwsRetryStrategy.doNotRetry()))
            // Other stores than Amazon's do not know its newer checksums.
            .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
            .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
            .credentialsProvider(credentials)
            .region(region(options))
            .crossRegionAccessEnabled(!endpoint)
            .forcePathStyle(options.pathStyle() == null ? endpoint : options.pathStyle());
    if (options.endpoint() != null) {
      builder.endpointOverride(URI.create(options.endpoint()));
    }
    this.client = builder.build();
  }

  private static AwsCredentialsProvider credentials(RemoteOptions options) {
    if (options.accessKey() != null && options.secretKey() != null) {
      return StaticCredentialsProvider.create(
          options.sessionToken() == null
              ? AwsBasicCredentials.create(options.accessKey(), options.secretKey())
              : AwsSessionCredentials.create(
                  options.accessKey(), options.secretKey(), options.sessionToken()));
    }
    AwsCredentialsProvider chain = DefaultCredentialsProvider.builder().build();
    try {
      var _ = chain.resolveCredentials();
      return chain;
    } catch (SdkClientException e) {
      return AnonymousCredentialsProvider.create(); // there are buckets for everybody
    }
  }

  /** Unlike the SDK's own chain this one does not ask the network. */
  private static Region region(RemoteOptions options) {
    if (options.region() != null) {
      return Region.of(options.region());
    }
    try {
      return new AwsRegionProviderChain(
              new SystemSettingsRegionProvider(), new AwsProfileRegionProvider())
          .getRegion();
    } catch (SdkClientException e) {
      return DEFAULT_REGION;
    }
  }

  @Override
  public RemoteAttributes attributes(RemotePath file) throws IOException {
    try {
      HeadObjectResponse head =
          client.headObject(request -> request.bucket(file.host()).key(file.key()));
      return new RemoteAttributes(
          head.contentLength(), head.eTag(), head.lastModified(), false, true);
    } catch (SdkException e) {
      throw failure(e, file);
    }
  }

  @Override
  public void list(RemotePath folder, String prefix, boolean deep, Consumer<RemotePath> found)
      throws IOException {
    String root = folder.key().isEmpty() ? "" : folder.key() + "/";
    String token = null;
    do {
      ListObjectsV2Response page = page(folder, root + prefix, deep, token);
      for (CommonPrefix some : page.commonPrefixes()) {
        String key = some.prefix();
        found.accept(folder.ofKey(key.substring(0, key.length() - 1), RemoteAttributes.FOLDER));
      }
      for (S3Object object : page.contents()) {
        if (!object.key().endsWith("/")) {
          found.accept(
              folder.ofKey(
                  object.key(),
                  new RemoteAttributes(
                      object.size(), object.eTag(), object.lastModified(), false, true)));
        }
      }
      token = page.nextContinuationToken();
    } while (token != null && !token.isEmpty());
  }

  private ListObjectsV2Response page(
      RemotePath folder, String prefix, boolean deep, @Nullable String token) throws IOException {
    ListObjectsV2Request request =
        ListObjectsV2Request.builder()
            .bucket(folder.host())
            .prefix(prefix)
            .delimiter(deep ? null : "/")
            .continuationToken(token)
            .build();
    return Retries.call(() -> {
      try {
        return client.listObjectsV2(request);
      } catch (SdkException e) {
        throw failure(e, folder);
      }
    });
  }

  @Override
  public Body read(RemotePath file, @Nullable ByteRange range, RemoteAttributes expected)
      throws IOException {
    GetObjectRequest request =
        GetObjectRequest.builder()
            .bucket(file.host())
            .key(file.key())
            .range(range == null ? null : "bytes=%d-%d".formatted(range.from(), range.to() - 1))
            .ifMatch(expected.tag())
            .build();
    try {
      ResponseInputStream<GetObjectResponse> in = client.getObject(request);
      GetObjectResponse response = in.response();
      RemoteAttributes found =
          new RemoteAttributes(-1, response.eTag(), response.lastModified(), false, true);
      Body body = new Body(in, found, in::abort);
      if (!expected.isSame(found)) {
        body.close();
        throw new RemoteException(Problem.CHANGED, "it is another file now", null);
      }
      return body;
    } catch (SdkException e) {
      throw failure(e, file);
    }
  }

  @Override
  public void write(Path source, RemotePath target) throws IOException {
    try {
      var _ =
          client.putObject(
              request -> request.bucket(target.host()).key(target.key()),
              RequestBody.fromFile(source));
    } catch (SdkException e) {
      throw failure(e, target);
    }
  }

  private IOException failure(SdkException error, RemotePath file) {
    if (error instanceof NoSuchBucketException) {
      return noBucket(file, error);
    }
    if (error instanceof SdkServiceException answer) {
      return answered(answer, file);
    }
    if (error instanceof AbortedException || Thread.currentThread().isInterrupted()) {
      return new InterruptedIOException("it was interrupted");
    }
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof UnknownHostException) {
        return new RemoteException(
            Problem.REFUSED,
            "there is no host %s; look at s3Endpoint= and s3PathStyle="
                .formatted(cause.getMessage()),
            error);
      }
      if (cause instanceof javax.net.ssl.SSLHandshakeException) {
        return new RemoteException(
            Problem.REFUSED,
            "there is no safe connection to its store (%s); a certificate of your own has to be in Java's trust store (javax.net.ssl.trustStore)"
                .formatted(cause.getMessage()),
            error);
      }
    }
    Throwable last = error;
    while (last.getCause() != null) {
      last = last.getCause();
    }
    return new RemoteException(
        last instanceof IOException ? Problem.TRANSIENT : Problem.REFUSED,
        "its store cannot be asked (%s)".formatted(last.getMessage()),
        error);
  }

  private IOException answered(SdkServiceException error, RemotePath file) {
    String code =
        error instanceof S3Exception s3 && s3.awsErrorDetails() != null
            ? String.valueOf(s3.awsErrorDetails().errorCode())
            : "";
    int status = error.statusCode();
    String answer = (status + " " + (code.equals("null") ? "" : code)).strip();
    if (code.equals("NoSuchBucket")) {
      return noBucket(file, error);
    }
    return switch (status) {
      case 404 -> new NoSuchFileException(file.toString());
      case 412, 416 -> new RemoteException(Problem.CHANGED, "it is another file now", error);
      case 301, 307, 400 ->
          new RemoteException(
              Problem.REFUSED,
              "its store answers %s; the bucket may be of another region than s3Region="
                  .formatted(answer),
              error);
      case 401, 403 ->
          new RemoteException(
              Problem.REFUSED,
              "its store answers %s: %s"
                  .formatted(
                      answer,
                      anonymous
                          ? "there are no credentials; give s3AccessKey= and s3SecretKey=, or what"
                              + " the AWS SDK reads (AWS_ACCESS_KEY_ID, ~/.aws, a role)"
                          : "the credentials are wrong, or may not do this"),
              error);
      default ->
          new RemoteException(
              status >= 500 || status == 429 || status == 408 ? Problem.TRANSIENT : Problem.REFUSED,
              "its store answers %s".formatted(answer),
              error);
    };
  }

  private static IOException noBucket(RemotePath file, SdkException error) {
    return new RemoteException(
        Problem.REFUSED, "there is no bucket %s".formatted(file.host()), error);
  }
}
