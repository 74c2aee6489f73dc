package io.aragonite.adapter.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.AragoniteException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class RemotePathsTest {
  private static final RemoteFileSystem FILES = new RemoteFileSystem(RemoteOptions.DEFAULT);

  @Test
  void pathsAreThoseOfUrls() {
    RemotePath file = FILES.path("s3://bucket/a/year=2024/b c.parquet");
    assertEquals("bucket", file.host());
    assertEquals("a/year=2024/b c.parquet", file.key());
    assertEquals("b c.parquet", String.valueOf(file.getFileName()));
    assertEquals("s3://bucket/a/year=2024", String.valueOf(file.getParent()));
    assertTrue(file.startsWith(FILES.path("s3://bucket/a/")));
    assertFalse(file.startsWith(FILES.path("s3://bucket2/a")));
    assertFalse(file.startsWith(FILES.path("s3://bucket/a/year")));
    assertEquals("s3://bucket/x", String.valueOf(FILES.path("s3a://bucket/a/../x").normalize()));
    assertEquals("s3://bucket", String.valueOf(FILES.path("s3://bucket/../..").normalize()));
    RemotePath signed = FILES.path("https://host:81/a/b.csv?sig=x/y");
    assertEquals("https://host:81/a/b.csv?***", signed.toString());
    assertEquals(URI.create("https://host:81/a/b.csv?sig=x/y"), signed.url());
    assertEquals("b.csv", String.valueOf(signed.getFileName()));
    assertNotEquals(signed, FILES.path("https://host:81/a/b.csv?sig=z"));
    assertEquals("https://h/a/?sig=x", String.valueOf(FILES.path("https://h/a/?sig=x").url()));
    assertEquals("https://h/a/?***", FILES.path("https://h/a/?sig=x").toString());
    assertEquals("/a//b", file.ofKey("/a//b", null).key());
    assertEquals("s3://bucket//a//b", file.ofKey("/a//b", null).toString());
    assertThrows(AragoniteException.class, () -> FILES.path("http://127.0.0.1:99999/a.csv"));
    assertThrows(AragoniteException.class, () -> FILES.path("s3:///a"));
    assertThrows(AragoniteException.class, () -> FILES.path("https://host/a b"));
    assertThrows(AragoniteException.class, () -> FILES.path("https://host:99999/a"));
  }

  @Test
  void timesOfRequestsHaveTwoDigits() {
    assertEquals(
        "Thu, 05 Nov 2026 03:04:05 GMT",
        HttpStore.HTTP_DATE.format(Instant.parse("2026-11-05T03:04:05.6Z")));
  }

  @Test
  void bytesThatTouchAreOneRange() {
    FetchedBytes bytes = new FetchedBytes();
    bytes.add(10, 20);
    bytes.add(30, 40);
    bytes.add(50, 50);
    assertEquals(0, bytes.nextMissing(0));
    assertEquals(20, bytes.nextMissing(10));
    assertEquals(20, bytes.nextMissing(20));
    assertEquals(30, bytes.nextRange(20));
    assertEquals(Long.MAX_VALUE, bytes.nextRange(41));
    assertEquals(15, bytes.count(5, 35));
    bytes.add(20, 30);
    assertEquals(40, bytes.nextMissing(15));
    assertEquals(30, bytes.count(0, 100));
    bytes.add(0, 100);
    assertEquals(100, bytes.nextMissing(0));
    assertEquals(100, bytes.count(0, Long.MAX_VALUE));
  }

  /** What one connection may read another may not know of. */
  @Test
  void filesOfOtherKeysAreOthers() {
    RemoteOptions mine =
        new RemoteOptions(null, null, "me", "secret", null, null, Duration.ofSeconds(1));
    assertNotEquals(new RemoteFileSystem(mine).path("s3://b/k"), FILES.path("s3://b/k"));
    assertEquals(
        new RemoteFileSystem(RemoteOptions.DEFAULT).path("s3://b/k"), FILES.path("s3://b/k"));
    assertFalse(mine.toString().contains("secret"));
  }

  @Test
  void redirectsStayOutOfTheLocalNetwork() throws Exception {
    URI open = URI.create("http://8.8.8.8/a");
    assertEquals(URI.create("http://8.8.8.8/b"), HttpStore.redirected(open, "/b"));
    assertEquals(URI.create("https://1.1.1.1/b"), HttpStore.redirected(open, "https://1.1.1.1/b"));
    for (String to :
        new String[] {
          "http://127.0.0.1/b",
          "http://169.254.169.254/latest",
          "http://10.1.2.3/",
          "http://192.168.1.1/",
          "http://[::1]/",
          "http://[fd00::1]/",
          "http://0.0.0.0/",
          "http://[::ffff:127.0.0.1]/",
          "http://100.100.100.200/",
          "http://168.63.129.16/",
          "http://192.0.0.192/",
          "http://[64:ff9b::a9fe:a9fe]/",
          "http://[2002:7f00:1::]/",
          "http://[::127.0.0.1]/",
          "http://me:pw@1.1.1.1/",
          "http://1.1.1.1:99999/",
          "file:///etc/passwd",
          "ftp://1.1.1.1/"
        }) {
      assertThrows(RemoteException.class, () -> HttpStore.redirected(open, to), to);
    }
    assertThrows(
        RemoteException.class,
        () -> HttpStore.redirected(URI.create("https://8.8.8.8/a"), "http://8.8.8.8/a"));
    URI inside = URI.create("http://127.0.0.1:8080/a");
    assertEquals(
        URI.create("http://127.0.0.1:9090/b"),
        HttpStore.redirected(inside, "http://127.0.0.1:9090/b"));
  }

  @Test
  void secretsAreTakenOutOfTexts() {
    assertEquals(
        "a 'https://h/p.csv?***' and s3://b/k?*** b",
        UrlRedaction.redact("a 'https://h/p.csv?X-Amz=1&b=2' and s3://b/k?x b"));
    assertEquals("http://***@h/p", UrlRedaction.redact("http://me:pw@h/p"));
    assertEquals(
        "s3AccessKey=a;s3SecretKey=***;threads=2",
        UrlRedaction.redact("s3AccessKey=a;s3SecretKey=b;threads=2"));
    assertEquals("x > 3 ? 'a' : b", UrlRedaction.redact("x > 3 ? 'a' : b"));
    assertEquals(
        "jdbc:aragonite:s3SecretKey= ***;s3SessionToken=***;threads=2",
        UrlRedaction.redact(
            "jdbc:aragonite:s3SecretKey= SECRET KEY;s3SessionToken='a;b''SECRET';threads=2"));
    assertEquals(
        "{\"s3SecretKey\": ***, \"threads\": 2}",
        UrlRedaction.redact("{\"s3SecretKey\": \"SEC\\\"RET\", \"threads\": 2}"));
    assertEquals(
        "from 'https://h/it''s.csv?***' x",
        UrlRedaction.redact("from 'https://h/it''s.csv?sig=''SECRET' x"));
    String advice = "give s3AccessKey= and s3SecretKey= together, or s3SecretKey=, as well";
    assertEquals(advice, UrlRedaction.redact(advice));
  }
}
