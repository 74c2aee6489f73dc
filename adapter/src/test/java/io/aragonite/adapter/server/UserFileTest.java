package io.aragonite.adapter.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UserFileTest {
  /** A test vector of crypt_blowfish, which htpasswd uses: the password is U*U. */
  private static final String VECTOR =
      "$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";

  @TempDir Path folder;

  private Path file(String lines) throws IOException {
    return Files.writeString(folder.resolve("users"), lines);
  }

  @Test
  void hashesAndPlainPasswordsAreKnown() throws Exception {
    String hash = UserFile.hash("pa:ss,wörd");
    Path file =
        file(
            "# people\nann: %s\nbob: plain,user\ncyd: plain,other\néva:x,a,user\n".formatted(hash));
    UserFile users = new UserFile(file);
    for (int i = 0; i < 2; i++) { // the second time from what is kept
      assertTrue(users.knows("ann", "pa:ss,wörd"));
      assertFalse(users.knows("ann", "pa:ss,word"));
      assertFalse(users.knows("ann", hash));
      assertFalse(users.knows("ann", ""));
      assertTrue(users.knows("bob", "plain"));
      assertFalse(users.knows("bob", "plain,user"));
      assertFalse(users.knows("cyd", "plain"), "has no role that is let in");
      assertTrue(users.knows("éva", "x"));
      assertFalse(users.knows("nobody", "plain"));
      assertFalse(users.knows("", ""));
    }
  }

  @Test
  void htpasswdsHashesAreKnown() throws Exception {
    UserFile users = new UserFile(file("ann:" + VECTOR + "\n"));
    assertTrue(users.knows("ann", "U*U"));
    assertFalse(users.knows("ann", "U*U*"));
  }

  @Test
  void whatBcryptPassesOverIsNoPassword() throws Exception {
    String longest = "x".repeat(UserFile.MAX_PASSWORD_BYTES);
    UserFile users = new UserFile(file("ann: " + UserFile.hash(longest) + "\n"));
    assertTrue(users.knows("ann", longest));
    assertFalse(users.knows("ann", longest + "y"));
  }

  private static long shortest(UserFile users, String name) {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 2; i++) {
      long start = System.nanoTime();
      assertFalse(users.knows(name, "wrong"));
      least = Math.min(least, System.nanoTime() - start);
    }
    return least;
  }

  @Test
  void aWrongPasswordTakesAsLongForAnybody() throws Exception {
    UserFile users = new UserFile(file("ann: %s\nbob: plain\n".formatted(UserFile.hash("right"))));
    long known = shortest(users, "ann");
    assertTrue(shortest(users, "nobody") > known / 3, "a name that is not there");
    assertTrue(shortest(users, "bob") > known / 3, "a password that is written as it is");
  }

  @Test
  void fewPasswordsAreLookedAtAtOnce() throws Exception {
    UserFile users = new UserFile(file("ann: %s\n".formatted(UserFile.hash("right"))));
    int clients = 20 * Runtime.getRuntime().availableProcessors();
    AtomicInteger refused = new AtomicInteger();
    try (ExecutorService all = Executors.newFixedThreadPool(clients)) {
      for (int i = 0; i < clients; i++) {
        all.execute(() -> {
          try {
            users.knows("ann", "wrong");
          } catch (AragoniteException e) {
            refused.addAndGet(e.code() == ErrorCode.SERVER_REFUSED ? 1 : clients);
          }
        });
      }
    }
    assertTrue(refused.get() > 0 && refused.get() < clients, refused + " of " + clients);
    assertTrue(users.knows("ann", "right"));
  }

  @Test
  void aChangedFileIsReadAgain() throws Exception {
    Path file = file("ann: one\n");
    UserFile users = new UserFile(file, Duration.ofMillis(100));
    assertTrue(users.knows("ann", "one"));
    file("ann: three\nbob: x\n");
    Thread.sleep(200);
    assertTrue(users.knows("bob", "x"));
    assertFalse(users.knows("ann", "one"));
    file("ann: MD5:5ebe2294ecd0e0f08eab7690d2a6ee69\n");
    Thread.sleep(200);
    assertTrue(users.knows("ann", "three"), "a file that cannot be read changes nothing");
    file("# being written\n");
    Thread.sleep(200);
    assertTrue(users.knows("ann", "three"), "a file without users changes nothing");
    Files.delete(file);
    Thread.sleep(200);
    assertTrue(users.knows("ann", "three"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "MD5:5ebe2294ecd0e0f08eab7690d2a6ee69,user",
        "CRYPT:adcJAyjkHWpjs",
        "OBF:1v2j1uum1xtv1zej1zer1xtn1uvk1v1v",
        "$apr1$x9$abcdefghijklmnopqrstuv",
        "{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=",
        "{SSHA}5en6G6MezRroT3XKqkdPOmY/BfQ=",
        "$2a$03$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2y$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        ",user",
        ""
      })
  void otherFormsAreRefused(String password) throws Exception {
    Path file = file("ann: " + password + "\n");
    AragoniteException refused = assertThrows(AragoniteException.class, () -> new UserFile(file));
    assertEquals(ErrorCode.SERVER_REFUSED, refused.code());
    String message = String.valueOf(refused.getMessage());
    assertTrue(message.contains("'ann'") && message.contains(file.toString()), message);
    assertTrue(password.length() < 6 || !message.contains(password), "the password is told");
  }

  @Test
  void namesMakeNoLinesInALog() {
    assertEquals("a?b?[31m é", RefusedLogins.printable("a\nb\u001b[31m é"));
    assertEquals(65, RefusedLogins.printable("x".repeat(10_000)).length());
  }
}
