package io.aragonite.adapter.remote;

import io.aragonite.adapter.remote.RemoteException.Problem;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.ref.Cleaner;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
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

  private static final Cleaner CLEANER = Cleaner.create();

  /** Temporary keys that are over, or are none. */
  private static final Set<String> BAD_TOKENS =
      Set.of("ExpiredToken", "InvalidToken", "TokenRefreshRequired");

  private final RemoteOptions options;
  private final OpenClient open = new OpenClient();

  /** What is open; closed when nobody has the store any more. */
  private static final class OpenClient implements Runnable {
    private volatile @Nullable S3Client client;
    private volatile @Nullable FoundCredentials found;

    @Override
    public void run() {
      S3Client opened = client;
      if (opened != null) {
        opened.close();
      }
      FoundCredentials credentials = found;
      if (credentials != null) {
        credentials.close();
      }
    }
  }

  S3Store(RemoteOptions options) {
    this.options = options;
    var _ = CLEANER.register(this, open);
  }

  /** Opened by the first request, since that reads files; requests can be cancelled. */
  private S3Client client() {
    S3Client client = open.client;
    if (client == null) {
      synchronized (open) {
        client = open.client;
        if (client == null) {
          client = newClient();
          open.client = client;
        }
      }
    }
    return client;
  }

  private S3Client newClient() {
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
            .credentialsProvider(credentials())
            .region(region(options))
            .crossRegionAccessEnabled(!endpoint)
            .forcePathStyle(options.pathStyle() == null ? endpoint : options.pathStyle());
    if (options.endpoint() != null) {
      builder.endpointOverride(URI.create(options.endpoint()));
    }
    return builder.build();
  }

  private AwsCredentialsProvider credentials() {
    if (options.accessKey() != null && options.secretKey() != null) {
      return StaticCredentialsProvider.create(
          options.sessionToken() == null
              ? AwsBasicCredentials.create(options.accessKey(), options.secretKey())
              : AwsSessionCredentials.create(
                  options.accessKey(), options.secretKey(), options.sessionToken()));
    }
    FoundCredentials found = new FoundCredentials();
    open.found = found;
    return found;
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
          client().headObject(request -> request.bucket(file.host()).key(file.key()));
      if (head.contentLength() == null) {
        throw new RemoteException(Problem.REFUSED, "its store does not say how long it is", null);
      }
      return new RemoteAttributes(
          head.contentLength(), head.eTag(), head.lastModified(), false, true);
    } catch (SdkException e) {
      throw failure(e, file);
    }
  }

  @Override
  public void list(RemotePath folder, String prefix, boolean deep, Consumer<RemotePath> found)
      throws IOException {
    String root = folder.names().isEmpty() ? "" : folder.key() + "/";
    String token = null;
    do {
      ListObjectsV2Response page = page(folder, root + prefix, deep, token);
      for (CommonPrefix some : page.commonPrefixes()) {
        String key = some.prefix();
        found.accept(folder.ofKey(key.substring(0, key.length() - 1), RemoteAttributes.FOLDER));
      }
      for (S3Object object : page.contents()) {
        if (!object.key().endsWith("/")) {
          found.accept(folder.ofKey(object.key(), listed(object)));
        }
      }
      token = page.nextContinuationToken();
    } while (token != null && !token.isEmpty());
  }

  @Override
  public boolean isFolder(RemotePath path) throws IOException {
    String prefix = path.names().isEmpty() ? "" : path.key() + "/";
    // Some programs make an empty object for a folder, whose name is the first of all.
    ListObjectsV2Request request =
        ListObjectsV2Request.builder().bucket(path.host()).prefix(prefix).maxKeys(2).build();
    try {
      return client().listObjectsV2(request).contents().stream()
          .anyMatch(object -> !object.key().equals(prefix));
    } catch (SdkException e) {
      throw failure(e, path);
    }
  }

  /** Null: the store is asked when the object is read. */
  private static @Nullable RemoteAttributes listed(S3Object object) {
    return object.size() == null
        ? null
        : new RemoteAttributes(object.size(), object.eTag(), object.lastModified(), false, true);
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
        return client().listObjectsV2(request);
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
            .ifMatch(expected.strongTag())
            .build();
    try {
      ResponseInputStream<GetObjectResponse> in = client().getObject(request);
      GetObjectResponse response = in.response();
      RemoteAttributes found =
          new RemoteAttributes(
              length(response, range), response.eTag(), response.lastModified(), false, true);
      AnswerBytes bytes =
          new AnswerBytes(in, response.contentLength() == null ? -1 : response.contentLength());
      Body body = new Body(bytes, found, () -> end(bytes, in));
      if (range != null && !isOf(response, range)) {
        body.close();
        throw new RemoteException(
            Problem.TRANSIENT, "its store sent other bytes than those that were asked for", null);
      }
      if (!expected.isSame(found)) {
        body.close();
        throw new RemoteException(Problem.CHANGED, "it is another file now", null);
      }
      return body;
    } catch (SdkException e) {
      throw failure(e, file);
    }
  }

  /** The connection of an answer that was read to its end is used again. */
  private static void end(AnswerBytes bytes, ResponseInputStream<?> in) {
    try {
      if (bytes.complete()) {
        in.close();
        return;
      }
    } catch (IOException e) {
      // it is of no use then
    }
    in.abort();
  }

  private static boolean isOf(GetObjectResponse response, ByteRange range) {
    return String.valueOf(response.contentRange()).startsWith("bytes %d-".formatted(range.from()));
  }

  /** The whole object's; -1 if the answer does not say it. */
  private static long length(GetObjectResponse response, @Nullable ByteRange range) {
    if (range == null) {
      return response.contentLength() == null ? -1 : response.contentLength();
    }
    String part = String.valueOf(response.contentRange());
    try {
      return Long.parseLong(part.substring(part.indexOf('/') + 1));
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  @Override
  public void write(Path source, RemotePath target, boolean overwrite) throws IOException {
    try {
      put(source, target, overwrite ? null : "*");
    } catch (S3Exception e) {
      switch (overwrite ? 0 : e.statusCode()) {
        case 412 -> throw new FileAlreadyExistsException(target.toString());
        case 409 ->
            throw new RemoteException(
                Problem.TRANSIENT, "somebody else writes it at the same time", e);
        case 501 -> writeUnconditionally(source, target);
        default -> throw failure(e, target);
      }
    } catch (SdkException e) {
      throw failure(e, target);
    }
  }

  /** For stores that know no condition of a request: only a look guards what is there. */
  private void writeUnconditionally(Path source, RemotePath target) throws IOException {
    try {
      var _ = attributes(target);
      throw new FileAlreadyExistsException(target.toString());
    } catch (NoSuchFileException e) {
      write(source, target, true);
    }
  }

  private void put(Path source, RemotePath target, @Nullable String unless) {
    var _ =
        client()
            .putObject(
                request -> request.bucket(target.host()).key(target.key()).ifNoneMatch(unless),
                RequestBody.fromFile(source));
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
      case 301, 307, 400, 401, 403 ->
          new RemoteException(
              Problem.REFUSED,
              "its store answers %s%s".formatted(answer, meaning(status, code)),
              error);
      default ->
          new RemoteException(
              status >= 500 || status == 429 || status == 408 ? Problem.TRANSIENT : Problem.REFUSED,
              "its store answers %s".formatted(answer),
              error);
    };
  }

  /** What a refusal means; answers to HEAD have no code. */
  private String meaning(int status, String code) {
    if (BAD_TOKENS.contains(code)) {
      return ": the session token has expired, or is wrong";
    }
    if (code.equals("RequestTimeTooSkewed")) {
      return ": the clock of this machine is wrong";
    }
    if (code.equals("InvalidObjectState")) {
      return ": it is in an archive; restore it first";
    }
    boolean known = !code.isEmpty() && !code.equals("null");
    if (status < 400 || code.equals("AuthorizationHeaderMalformed")) {
      return "; the bucket may be of another region than s3Region=";
    }
    if (status == 400) {
      return known
          ? ""
          : "; the bucket may be of another region than s3Region=, or a session token has expired";
    }
    FoundCredentials found = open.found;
    String missing = found == null ? null : found.missing();
    return missing == null
        ? ": the credentials are wrong, or may not do this"
        : ": there are no credentials%s; give s3AccessKey= and s3SecretKey=, or what the AWS SDK reads (AWS_ACCESS_KEY_ID, ~/.aws, a role)"
            .formatted(missing.isEmpty() ? "" : " (" + missing + ")");
  }

  private static IOException noBucket(RemotePath file, SdkException error) {
    return new RemoteException(
        Problem.REFUSED, "there is no bucket %s".formatted(file.host()), error);
  }
}
