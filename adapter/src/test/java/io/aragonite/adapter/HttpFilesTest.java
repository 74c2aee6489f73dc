package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.assertError;
import static io.aragonite.adapter.TestConnections.query;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpExchange;
import io.aragonite.adapter.remote.ByteRange;
import io.aragonite.exec.error.ErrorCode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.Util;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of HTTP servers, well-behaved and others, from JDBC. */
class HttpFilesTest {
  private static final int ROWS = 200_000;
  private static final byte[] CSV = "id,name\n1,Rex\n2,Tom\n".getBytes(UTF_8);

  @TempDir private static Path folder;
  private static byte[] parquet = {};

  private FileServer server;

  /**
   * Row groups of 10,000 rows, which is more than the requests at once; the noise is most of its
   * bytes.
   */
  @BeforeAll
  static void write() throws Exception {
    Path path = folder.resolve("numbers.parquet");
    try (Connection duckdb = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = duckdb.createStatement()) {
      statement.execute(
          "copy (select i as id, i %% 10 as kind, hash(i) as noise from range(%d) t(i)) to '%s' (format parquet, row_group_size 10000)"
              .formatted(ROWS, path));
    }
    parquet = Files.readAllBytes(path);
  }

  @BeforeEach
  void start() throws IOException {
    server = new FileServer();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static Connection open(String more) throws SQLException {
    return TestConnections.open("device=cpu;memory=256MB;threads=2;remoteTimeout=5s" + more);
  }

  private List<String> rows(String sql) throws SQLException {
    try (Connection connection = open("")) {
      return query(connection, sql.replace("$", server.url("")));
    }
  }

  private SQLException error(ErrorCode code, String sql, String... words) throws SQLException {
    try (Connection connection = open("")) {
      return assertError(code, () -> query(connection, sql.replace("$", server.url(""))), words);
    }
  }

  private long received() {
    return server.answers().stream().mapToLong(FileServer.SentAnswer::bytes).sum();
  }

  @Test
  void aUrlIsATable() throws Exception {
    server.put("/a/pets.csv", CSV);
    server.put("/pets.jsonl", "{\"id\": 1, \"age\": 7}\n{\"id\": 2, \"age\": 9}\n".getBytes(UTF_8));
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(packed)) {
      out.write("id;town\n2;Rome\n".getBytes(UTF_8));
    }
    server.put("/towns.csv.gz", packed.toByteArray());
    server.put("/empty.csv", new byte[0]);
    assertEquals(
        List.of("Tom|9|Rome"),
        rows(
            "select p.name, j.age, t.town from '$/a/pets.csv' p join '$/pets.jsonl' j on p.id ="
                + " j.id join read_csv('$/towns.csv.gz', delim => ';') t on t.id = p.id"));
    error(ErrorCode.FILE_BROKEN, "select * from '$/empty.csv'", server.url("/empty.csv"));
  }

  /** The footer and the chunks of the wanted column, of parts that the filter leaves. */
  @Test
  void parquetIsReadByRanges() throws Exception {
    server.put("/n.parquet", parquet);
    assertEquals(List.of("900000"), rows("select sum(kind) from '$/n.parquet'"));
    assertTrue(received() < parquet.length / 2, received() + " of " + parquet.length);
    server.forget();
    assertEquals(
        List.of("10"), rows("select count(distinct noise) from '$/n.parquet' where id < 10"));
    assertTrue(received() < parquet.length / 2, received() + " of " + parquet.length);
    server.forget();
    try (Connection connection = open("")) {
      String sql = "select count(noise), sum(id) from '$/n.parquet'".replace("$", server.url(""));
      assertEquals(List.of("200000|19999900000"), query(connection, sql));
      long first = received();
      assertTrue(first <= parquet.length + 2, first + " of " + parquet.length);
      assertEquals(List.of("200000|19999900000"), query(connection, sql));
      assertTrue(received() <= first + 2, "only a look whether it has changed");
    }
  }

  @Test
  void nobodyElseReadsTheCopies(@TempDir Path spill) throws Exception {
    assumeTrue(spill.getFileSystem().supportedFileAttributeViews().contains("posix"));
    server.put("/n.parquet", parquet);
    try (Connection connection = open(";memory=257MB;spill=" + spill)) {
      query(connection, "select sum(kind) from '$/n.parquet'".replace("$", server.url("")));
      try (Stream<Path> all = Files.walk(spill)) {
        List<Path> own = all.filter(path -> !path.equals(spill) && !path.endsWith("lock")).toList();
        assertTrue(own.stream().anyMatch(Files::isRegularFile), own.toString());
        for (Path path : own) {
          assertEquals(
              Files.isDirectory(path) ? "rwx------" : "rw-------",
              PosixFilePermissions.toString(Files.getPosixFilePermissions(path)),
              path.toString());
        }
      }
    }
    try (Stream<Path> left = Files.walk(spill)) {
      assertEquals(List.of(), left.filter(Files::isRegularFile).toList());
    }
  }

  /** What nobody reads makes room for what is wanted. */
  @Test
  void copiesAreGivenUpBeforeTheDiskIsFull() throws Exception {
    server.put("/n.parquet", parquet);
    server.put("/m.parquet", parquet);
    long limit = parquet.length * 3L / 2;
    try (Connection connection = open(";spillLimit=" + limit)) {
      for (int i = 0; i < 2; i++) {
        for (String name : List.of("n", "m")) {
          // Each run reads columns of which none is in memory yet.
          String sql =
              (i == 0
                      ? "select sum(noise %% 2) is null, count(noise)"
                      : "select sum(id) > 0, count(id)")
                  + " from '%s'".formatted(server.url("/" + name + ".parquet"));
          assertEquals(List.of((i == 1) + "|" + ROWS), query(connection, sql.replace("%%", "%")));
        }
      }
    }
  }

  @Test
  void anEmptyFileIsNoChangedOne() throws Exception {
    server.put(
        "/empty.csv",
        new byte[0],
        (exchange, asked) -> {
          boolean part = exchange.getRequestHeaders().containsKey("Range");
          FileServer.status(exchange, part ? 416 : 200);
          return true;
        });
    String message =
        String.valueOf(error(ErrorCode.FILE_BROKEN, "select * from '$/empty.csv'").getMessage());
    assertFalse(message.contains("changed") || message.contains("another file"), message);
  }

  @Test
  void signedUrlsWorkAndAreNotShown() throws Exception {
    server.put("/n.parquet", parquet);
    String sql = "select max(id) from '$/n.parquet?X-Signature=SECRET&b=1'";
    assertEquals(List.of("199999"), rows(sql));
    assertTrue(
        server.answers().stream().allMatch(one -> "X-Signature=SECRET&b=1".equals(one.query())));
    for (String shown :
        List.of(
            String.join("\n", rows("explain " + sql)),
            String.join("\n", rows("explain verbose " + sql)),
            String.join("\n", rows("explain analyze " + sql)),
            error(ErrorCode.FILE_UNREADABLE, sql.replace("/n.", "/none.")).getMessage(),
            error(ErrorCode.UNKNOWN_COLUMN, sql.replace("id", "idd")).getMessage(),
            error(
                    ErrorCode.INVALID_ARGUMENT,
                    "select * from read_csv('$/n.csv?X-Signature=SECRET', what => 1)")
                .getMessage())) {
      assertFalse(shown.contains("SECRET"), shown);
    }
    error(ErrorCode.FILE_UNREADABLE, "select * from 'http://me:SECRET@host/a.csv'", "password");
    StringWriter trace = new StringWriter();
    error(ErrorCode.UNKNOWN_COLUMN, sql.replace("id", "idd"))
        .printStackTrace(new PrintWriter(trace));
    error(ErrorCode.FILE_UNREADABLE, sql.replace("/n.", "/none."))
        .printStackTrace(new PrintWriter(trace));
    assertTrue(trace.toString().contains("Caused by"), trace.toString());
    assertFalse(trace.toString().contains("SECRET"), trace.toString());
    try (Connection connection = open("");
        Statement statement = connection.createStatement();
        ResultSet result =
            statement.executeQuery(sql.replace("max(id)", "id").replace("$", server.url("")))) {
      String table = result.getMetaData().getTableName(1);
      assertFalse(table.contains("SECRET"), table);
    }
  }

  @Test
  void aServerWithoutRangesSendsTheWholeFile() throws Exception {
    server.putWhole("/n.parquet", parquet);
    server.putWhole("/a.csv", CSV);
    assertEquals(List.of("200000"), rows("select count(id) from '$/n.parquet'"));
    assertEquals(List.of("2"), rows("select count(*) from '$/a.csv'"));
    try (Connection connection = open(";spillLimit=100KB")) {
      assertError(
          ErrorCode.DISK_FAILED,
          () -> query(connection, "select count(id) from '%s'".formatted(server.url("/n.parquet"))),
          "spillLimit");
    }
  }

  @Test
  void errorsSayWhatTheServerAnswers() throws Exception {
    server.put("/403.csv", CSV, (exchange, asked) -> answered(exchange, 403));
    server.put("/500.csv", CSV, (exchange, asked) -> answered(exchange, 503));
    server.put("/loop.csv", CSV, (exchange, asked) -> redirected(exchange, "/loop.csv"));
    error(ErrorCode.FILE_UNREADABLE, "select * from '$/404.csv'", server.url("/404.csv"));
    error(ErrorCode.REMOTE_FAILED, "select * from '$/403.csv'", server.url("/403.csv"), "403");
    error(ErrorCode.REMOTE_FAILED, "select * from '$/500.csv'", server.url("/500.csv"), "503");
    error(ErrorCode.REMOTE_FAILED, "select * from '$/loop.csv'", "redirects");
    error(ErrorCode.FILE_UNREADABLE, "select * from '$/*.csv'", "HTTP servers do not list");
    error(ErrorCode.FILE_UNREADABLE, "select * from 'http://127.0.0.1:99999/a.csv'", "port");
    error(ErrorCode.FILE_UNREADABLE, "select * from '/tmp/{a.csv'", "not a pattern");
    try (Connection connection = open("");
        Statement statement = connection.createStatement()) {
      assertError(
          ErrorCode.FILE_UNREADABLE,
          () -> statement.execute("copy (select 1 as a) to '%s'".formatted(server.url("/a.csv"))),
          "only read");
    }
    error(ErrorCode.REMOTE_FAILED, "select * from 'http://127.0.0.1:1/a.csv'", "no connection");
    server.put("/broken.parquet", "PAR1, so to speak, PAR1".getBytes(UTF_8));
    error(ErrorCode.FILE_BROKEN, "select * from '$/broken.parquet'", server.url(""), "footer");
  }

  private static boolean answered(HttpExchange exchange, int status) throws IOException {
    FileServer.status(exchange, status);
    return true;
  }

  private static boolean redirected(HttpExchange exchange, String to) throws IOException {
    exchange.getResponseHeaders().set("Location", to);
    return answered(exchange, 302);
  }

  /** Each second answer is an error, or breaks off. */
  @Test
  void whatPassesIsTriedAgain() throws Exception {
    server.put(
        "/n.parquet",
        parquet,
        (exchange, asked) -> {
          if (asked % 2 == 1) {
            return false;
          }
          return asked % 4 == 0 ? answered(exchange, 500) : brokenOff(exchange);
        });
    server.put("/a.csv", CSV, (exchange, asked) -> redirected(exchange, "/b.csv"));
    server.put("/b.csv", CSV);
    assertEquals(
        List.of("200000|900000"), rows("select count(noise), sum(kind) from '$/n.parquet'"));
    assertEquals(List.of("Rex", "Tom"), rows("select name from '$/a.csv'"));
  }

  /** Says that there is more than comes. */
  private static boolean brokenOff(HttpExchange exchange) throws IOException {
    sendPart(exchange, 2);
    exchange.close();
    return true;
  }

  /** Sends the beginning of a range, a share of it. */
  private static void sendPart(HttpExchange exchange, int share) throws IOException {
    String range = exchange.getRequestHeaders().getFirst("Range");
    String[] parts = range.substring("bytes=".length()).split("-", -1);
    int from = Integer.parseInt(parts[0]);
    int to = Math.min(parquet.length, Integer.parseInt(parts[1]) + 1);
    exchange
        .getResponseHeaders()
        .set("Content-Range", "bytes %d-%d/%d".formatted(from, to - 1, parquet.length));
    exchange.sendResponseHeaders(206, to - from);
    exchange.getResponseBody().write(parquet, from, (to - from) / share);
    exchange.getResponseBody().flush();
  }

  /** A server may send less than it was asked for. */
  @Test
  void shortAnswersGoOn() throws Exception {
    server.put(
        "/n.parquet",
        parquet,
        (exchange, asked) -> {
          ByteRange range = range(exchange);
          int from = (int) range.from();
          int to = (int) Math.min(Math.min(range.to(), from + 20_000), parquet.length);
          sendRange(exchange, from, Arrays.copyOfRange(parquet, from, to), parquet.length);
          return true;
        });
    assertEquals(
        List.of("200000|900000"), rows("select count(noise), sum(kind) from '$/n.parquet'"));
  }

  private static ByteRange range(HttpExchange exchange) {
    String[] parts =
        exchange.getRequestHeaders().getFirst("Range").substring("bytes=".length()).split("-", -1);
    return new ByteRange(Long.parseLong(parts[0]), Long.parseLong(parts[1]) + 1);
  }

  private static void sendRange(HttpExchange exchange, long from, byte[] bytes, Object length)
      throws IOException {
    exchange
        .getResponseHeaders()
        .set("Content-Range", "bytes %d-%d/%s".formatted(from, from + bytes.length - 1, length));
    exchange.sendResponseHeaders(206, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  /** Lengths that are not those of the file. */
  @Test
  void lengthsThatAreNotTrueAreErrors() throws Exception {
    server.put(
        "/endless.csv",
        CSV,
        (exchange, asked) -> {
          ByteRange range = range(exchange);
          byte[] rows = new byte[(int) range.length()];
          for (int i = 0; i < rows.length; i++) {
            rows[i] = (byte) ((range.from() + i) % 2 == 0 ? '1' : '\n');
          }
          sendRange(exchange, range.from(), rows, 1L << 40);
          return true;
        });
    try (Connection connection = open(";spillLimit=1GB")) {
      assertError(
          ErrorCode.DISK_FAILED,
          () ->
              query(connection, "select count(*) from '%s'".formatted(server.url("/endless.csv"))),
          "spillLimit");
    }
    server.put("/short.csv", CSV, (exchange, asked) -> oneByte(exchange, 1L << 40));
    error(ErrorCode.REMOTE_FAILED, "select * from '$/short.csv'", "another range");
    server.put("/huge.csv", CSV, (exchange, asked) -> oneByte(exchange, "99999999999999999999"));
    error(ErrorCode.REMOTE_FAILED, "select * from '$/huge.csv'", server.url("/huge.csv"));
    server.put(
        "/longer.csv",
        CSV,
        (exchange, asked) -> {
          exchange.sendResponseHeaders(200, asked == 0 ? CSV.length : 0);
          exchange.getResponseBody().write(CSV);
          if (asked > 0) {
            exchange.getResponseBody().write(CSV);
          }
          exchange.close();
          return true;
        });
    error(ErrorCode.FILE_BROKEN, "select * from '$/longer.csv'", "changed");
    server.put(
        "/packed.csv",
        CSV,
        (exchange, asked) -> {
          exchange.getResponseHeaders().set("Content-Encoding", "gzip");
          return false;
        });
    error(ErrorCode.REMOTE_FAILED, "select * from '$/packed.csv'", "Content-Encoding: gzip");
  }

  private static boolean oneByte(HttpExchange exchange, Object length) throws IOException {
    sendRange(exchange, 0, new byte[] {'1'}, length);
    return true;
  }

  /** Where the footer says that pages are where no bytes are. */
  @Test
  void aChunkOutsideTheFileIsAnError() throws Exception {
    byte[] broken = withChunksOutside();
    Path local = folder.resolve("outside.parquet");
    Files.write(local, broken);
    server.put("/outside.parquet", broken);
    for (String file : List.of(local.toString(), server.url("/outside.parquet"))) {
      for (String sql : List.of("select sum(kind) from '%s'", "select noise from '%s' limit 5")) {
        error(ErrorCode.FILE_BROKEN, sql.formatted(file), file, "outside the file");
      }
    }
  }

  private static byte[] withChunksOutside() throws IOException {
    int end = parquet.length - 8;
    int start = end - ByteBuffer.wrap(parquet).order(ByteOrder.LITTLE_ENDIAN).getInt(end);
    FileMetaData footer =
        Util.readFileMetaData(new ByteArrayInputStream(parquet, start, end - start));
    for (ColumnChunk chunk : footer.getRow_groups().getLast().getColumns()) {
      chunk.getMeta_data().setTotal_compressed_size(1L << 40);
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(parquet, 0, start);
    Util.writeFileMetaData(footer, out);
    int length = out.size() - start;
    out.write(
        ByteBuffer.allocate(8)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putInt(length)
            .put("PAR1".getBytes(UTF_8))
            .array());
    return out.toByteArray();
  }

  @Test
  void aFileThatChangesIsAnError() throws Exception {
    server.put("/n.parquet", parquet);
    String url = server.url("/n.parquet");
    try (Connection connection = open("")) {
      server.put(
          "/n.parquet",
          parquet,
          (exchange, asked) -> {
            if (asked == 3) {
              server.put("/n.parquet", parquet); // with another tag
            }
            return false;
          });
      String sql = "select count(noise), sum(kind) from '%s'".formatted(url);
      assertError(ErrorCode.FILE_BROKEN, () -> query(connection, sql), url, "changed");
      assertEquals(List.of("200000|900000"), query(connection, sql));
      server.put("/n.parquet", parquet);
      server.forget();
      assertEquals(List.of("200000|900000"), query(connection, sql));
      assertTrue(server.answers().size() > 2, "it is read anew");
    }
  }

  @Test
  void cancelEndsAWaitForBytes() throws Exception {
    CountDownLatch waiting = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    server.put(
        "/n.parquet",
        parquet,
        (exchange, asked) -> {
          if (asked == 0) {
            return false;
          }
          waiting.countDown();
          await(end);
          return false;
        });
    try (Connection connection = open("");
        Statement statement = connection.createStatement()) {
      CompletableFuture<Void> cancel =
          CompletableFuture.runAsync(() -> {
            try {
              assertTrue(waiting.await(20, TimeUnit.SECONDS));
              statement.cancel();
            } catch (InterruptedException | SQLException e) {
              throw new IllegalStateException(e);
            }
          });
      long start = System.nanoTime();
      String url = server.url("/n.parquet");
      assertError(
          ErrorCode.CANCELLED,
          () -> statement.executeQuery("select sum(kind) from '%s'".formatted(url)));
      assertTrue(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(4));
      cancel.join();
    } finally {
      end.countDown();
    }
  }

  /** What a cancelled query had fetched ahead holds up no other one. */
  @Test
  void cancelEndsWhatIsFetchedAhead() throws Exception {
    CountDownLatch waiting = new CountDownLatch(16);
    CountDownLatch end = new CountDownLatch(1);
    server.put("/a.csv", CSV);
    server.put(
        "/n.parquet",
        parquet,
        (exchange, asked) -> {
          if (asked < 2) {
            return false;
          }
          waiting.countDown();
          await(end);
          return false;
        });
    try (Connection connection = open(";remoteTimeout=60s");
        Statement statement = connection.createStatement()) {
      CompletableFuture<Void> cancel =
          CompletableFuture.runAsync(() -> {
            try {
              assertTrue(waiting.await(20, TimeUnit.SECONDS));
              statement.cancel();
            } catch (InterruptedException | SQLException e) {
              throw new IllegalStateException(e);
            }
          });
      String sql = "select count(distinct noise) from '%s'".formatted(server.url("/n.parquet"));
      assertError(ErrorCode.CANCELLED, () -> statement.executeQuery(sql));
      cancel.join();
      long start = System.nanoTime();
      assertEquals(
          List.of("2"),
          query(connection, "select count(*) from '%s'".formatted(server.url("/a.csv"))));
      assertTrue(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(10));
    } finally {
      end.countDown();
    }
  }

  private static void await(CountDownLatch end) {
    try {
      var _ = end.await(20, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** A body that stops coming is asked for again, be it the first. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void silenceHasALimit(int silent) throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    server.put(
        "/n.parquet",
        parquet,
        (exchange, asked) -> {
          if (asked != silent) {
            return false;
          }
          sendPart(exchange, 10);
          await(end);
          exchange.close();
          return true;
        });
    try (Connection connection = open(";remoteTimeout=300ms")) {
      assertEquals(
          List.of("900000"),
          query(connection, "select sum(kind) from '%s'".formatted(server.url("/n.parquet"))));
    } finally {
      end.countDown();
    }
  }

  @Test
  void whoReadsADirectoryReadsNoUrls() throws Exception {
    server.put("/a.csv", CSV);
    Files.write(folder.resolve("pets.csv"), CSV);
    String sql = "select * from '%s'".formatted(server.url("/a.csv"));
    try (Connection connection = open(";fileAccess=directory;directory=" + folder)) {
      assertError(ErrorCode.FILE_OUTSIDE_DIRECTORY, () -> query(connection, sql));
      assertError(
          ErrorCode.FILE_OUTSIDE_DIRECTORY,
          () -> query(connection, "select * from 's3://bucket/a.csv'"));
      assertEquals(List.of("2"), query(connection, "select count(*) from 'pets.csv'"));
    }
    try (Connection connection = open(";fileAccess=none")) {
      assertError(ErrorCode.FILE_NOT_ALLOWED, () -> query(connection, sql));
    }
    assertError(
        ErrorCode.INVALID_PROPERTY, () -> open(";directory=" + server.url("/")).close(), "s3://");
    assertEquals(List.of(), server.answers());
  }

  @Test
  void secretsOfPropertiesAreNotShown() throws Exception {
    try (Connection connection =
        open(";s3AccessKey=me;s3SecretKey=SECRET;s3SessionToken='SE;CRET'")) {
      String url = connection.getMetaData().getURL();
      assertFalse(url.contains("SECRET") || url.contains("CRET"), url);
      assertTrue(url.contains("s3AccessKey=me"), url);
    }
    assertError(ErrorCode.INVALID_PROPERTY, () -> open(";s3AccessKey=me").close(), "s3SecretKey");
    assertError(ErrorCode.INVALID_PROPERTY, () -> open(";s3SessionToken=t").close(), "s3AccessKey");
    assertError(ErrorCode.INVALID_PROPERTY, () -> open(";s3Region=").close(), "eu-central-1");
  }
}
