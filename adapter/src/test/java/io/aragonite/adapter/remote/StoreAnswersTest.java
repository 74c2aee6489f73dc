package io.aragonite.adapter.remote;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Answers that stores of S3's protocol give, and that differ from Amazon's. */
class StoreAnswersTest {
  private static final byte[] BYTES = "id\n1\n2\n".getBytes(UTF_8);
  private static final String DATE = "Thu, 05 Nov 2026 10:00:00 GMT";
  private static final String TAG = "\"abc\"";

  @TempDir private static Path folder;

  /** What answers a request. */
  @FunctionalInterface
  private interface Answer {
    void to(HttpExchange exchange) throws IOException;
  }

  private final AtomicReference<@Nullable Answer> answer = new AtomicReference<>();
  private HttpServer server;
  private RemotePath file;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          try (exchange) {
            Objects.requireNonNull(answer.get()).to(exchange);
          }
        });
    server.start();
    file =
        new RemoteFileSystem(
                new RemoteOptions(
                    "http://127.0.0.1:" + server.getAddress().getPort(),
                    null,
                    "me",
                    "secret",
                    null,
                    null,
                    Duration.ofSeconds(5)))
            .path("s3://b/a.csv");
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  /**
   * @param headers names and values in turn
   */
  private static void send(HttpExchange exchange, int status, byte[] body, String... headers)
      throws IOException {
    for (int i = 0; i < headers.length; i += 2) {
      exchange.getResponseHeaders().set(headers[i], headers[i + 1]);
    }
    boolean head = exchange.getRequestMethod().equals("HEAD");
    if (head && status < 300) {
      exchange.getResponseHeaders().set("Content-Length", String.valueOf(body.length));
    }
    exchange.sendResponseHeaders(status, head || body.length == 0 ? -1 : body.length);
    if (!head) {
      exchange.getResponseBody().write(body);
    }
  }

  private static void error(HttpExchange exchange, int status, String code) throws IOException {
    byte[] body =
        "<Error><Code>%s</Code><Message>m</Message></Error>".formatted(code).getBytes(UTF_8);
    send(exchange, status, body, "Content-Type", "application/xml");
  }

  private static byte[] page(String more, String... keys) {
    StringBuilder page = new StringBuilder("<ListBucketResult>" + more);
    for (String key : keys) {
      page.append(
          "<Contents><Key>%s</Key><Size>7</Size><ETag>abc</ETag><LastModified>2026-11-05T10:00:00.123Z</LastModified></Contents>"
              .formatted(key));
    }
    return page.append("</ListBucketResult>").toString().getBytes(UTF_8);
  }

  private List<RemotePath> listed() throws IOException {
    List<RemotePath> found = new ArrayList<>();
    RemoteFileSystemProvider.list(Objects.requireNonNull(file.getParent()), "", found::add);
    return found;
  }

  @Test
  void aConnectionIsUsedAgainOnceItsAnswerWasRead() throws Exception {
    Set<Integer> connections = new HashSet<>();
    answer.set(exchange -> {
      connections.add(exchange.getRemoteAddress().getPort());
      byte[] bytes = Arrays.copyOfRange(BYTES, 3, 5);
      send(exchange, 206, bytes, "ETag", TAG, "Content-Range", "bytes 3-4/7");
    });
    RemoteAttributes known = new RemoteAttributes(7, TAG, null, false, true);
    for (int i = 0; i < 3; i++) {
      try (ObjectStore.Body body = file.store().read(file, new ByteRange(3, 5), known)) {
        assertEquals(2, body.bytes().readNBytes(2).length);
      }
    }
    assertEquals(1, connections.size());
  }

  /** A folder may have an object of its own, which is not in it. */
  @Test
  void aFolderIsKnownByTwoNames() throws Exception {
    List<String> queries = new ArrayList<>();
    for (String in : List.of("", "a.csv/x")) {
      answer.set(exchange -> {
        if (exchange.getRequestMethod().equals("HEAD")) {
          error(exchange, 404, "NoSuchKey");
        } else {
          queries.add(exchange.getRequestURI().getQuery());
          byte[] page = in.isEmpty() ? page("", "a.csv/") : page("", "a.csv/", in);
          send(exchange, 200, page, "Content-Type", "application/xml");
        }
      });
      assertEquals(!in.isEmpty(), Files.isDirectory(file));
    }
    assertEquals(2, queries.size());
    assertTrue(queries.getFirst().contains("max-keys=2"), queries::toString);
  }

  /** Lists have parts of seconds, and of some stores tags without quotes. */
  @Test
  void whatAListSaysIsOfTheSameFile() throws Exception {
    answer.set(exchange -> {
      String query = String.valueOf(exchange.getRequestURI().getQuery());
      if (!query.contains("list-type")) {
        assertEquals(TAG, exchange.getRequestHeaders().getFirst("If-Match"));
        send(
            exchange,
            206,
            "1\n".getBytes(UTF_8),
            "ETag",
            TAG,
            "Last-Modified",
            DATE,
            "Content-Range",
            "bytes 3-4/7");
      } else if (query.contains("continuation-token")) {
        send(exchange, 200, page("", "/a.csv"));
      } else {
        String more =
            "<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>";
        send(exchange, 200, page(more, "a.csv"));
      }
    });
    List<RemotePath> found = listed();
    assertEquals(List.of("a.csv", "/a.csv"), found.stream().map(RemotePath::key).toList());
    RemoteAttributes known = Objects.requireNonNull(found.getFirst().known());
    try (ObjectStore.Body body = file.store().read(file, new ByteRange(3, 5), known)) {
      assertArrayEquals("1\n".getBytes(UTF_8), body.bytes().readAllBytes());
    }
  }

  @Test
  void answersOfOtherBytesAreErrors() throws Exception {
    RemoteAttributes known = new RemoteAttributes(7, TAG, null, false, true);
    ByteRange range = new ByteRange(3, 5);
    answer.set(exchange -> send(exchange, 200, BYTES, "ETag", TAG));
    assertThrows(RemoteException.class, () -> file.store().read(file, range, known));
    for (String wrong : List.of("bytes 0-1/7", "bytes 3-4/8")) {
      answer.set(exchange -> send(exchange, 206, new byte[2], "ETag", TAG, "Content-Range", wrong));
      assertThrows(RemoteException.class, () -> file.store().read(file, range, known), wrong);
    }
    answer.set(exchange -> send(exchange, 206, new byte[2], "Content-Range", "bytes 3-4/7"));
    assertThrows(RemoteException.class, () -> file.store().read(file, range, known));
  }

  @Test
  void onlyWhatSaysThatItIsAnotherFileIsOne() {
    Instant time = Instant.parse("2026-11-05T10:00:00.5Z");
    RemoteAttributes tagged = new RemoteAttributes(7, TAG, time, false, true);
    RemoteAttributes timed = new RemoteAttributes(7, null, time, false, true);
    assertTrue(
        tagged.isSame(new RemoteAttributes(-1, "W/\"abc\"", time.plusSeconds(9), false, true)));
    assertFalse(tagged.isSame(new RemoteAttributes(7, "\"abd\"", time, false, true)));
    assertFalse(tagged.isSame(timed), "the tag is gone");
    assertTrue(timed.isSame(new RemoteAttributes(7, null, time.minusMillis(300), false, true)));
    assertFalse(timed.isSame(new RemoteAttributes(7, null, time.plusSeconds(1), false, true)));
    assertFalse(timed.isSame(new RemoteAttributes(7, null, null, false, true)));
    assertFalse(timed.isSame(new RemoteAttributes(8, null, time, false, true)));
  }

  @Test
  void refusalsSayWhatTheyMean() throws Exception {
    String[][] answers = {
      {"400", "ExpiredToken", "session token has expired"},
      {"403", "InvalidObjectState", "archive"},
      {"403", "SignatureDoesNotMatch", "credentials are wrong"},
      {"400", "AuthorizationHeaderMalformed", "another region"}
    };
    RemoteAttributes known = new RemoteAttributes(7, TAG, null, false, true);
    for (String[] one : answers) {
      answer.set(exchange -> error(exchange, Integer.parseInt(one[0]), one[1]));
      IOException error =
          assertThrows(RemoteException.class, () -> file.store().read(file, null, known));
      assertTrue(String.valueOf(error.getMessage()).contains(one[2]), error.getMessage());
    }
    answer.set(exchange -> error(exchange, 403, ""));
    assertNull(RemoteFileSystemProvider.findNamed(file));
    // What may be there is not taken for absent.
    assertThrows(RemoteException.class, () -> RemoteFileSystemProvider.find(file));
  }

  @Test
  void whatIsThereStays() throws Exception {
    Path source = Files.write(folder.resolve("source"), BYTES);
    AtomicInteger puts = new AtomicInteger();
    AtomicReference<byte[]> there = new AtomicReference<>(BYTES);
    // The first PUT is done, and its answer lost.
    answer.set(exchange -> {
      var _ = exchange.getRequestBody().readAllBytes();
      if (exchange.getRequestMethod().equals("PUT")) {
        assertEquals("*", exchange.getRequestHeaders().getFirst("If-None-Match"));
        error(exchange, puts.getAndIncrement() == 0 ? 500 : 412, "PreconditionFailed");
      } else {
        send(exchange, 200, there.get(), "ETag", TAG, "Last-Modified", DATE);
      }
    });
    RemoteFileSystemProvider.write(source, file, false);
    assertEquals(2, puts.get());
    assertThrows(
        FileAlreadyExistsException.class,
        () -> RemoteFileSystemProvider.write(source, file, false));
    puts.set(0);
    there.set("id\n1\n3\n".getBytes(UTF_8));
    assertThrows(
        FileAlreadyExistsException.class,
        () -> RemoteFileSystemProvider.write(source, file, false));
    assertNotNull(RemoteFileSystemProvider.findNamed(file));
  }
}
