package io.aragonite.adapter.server;

import io.aragonite.adapter.format.FileErrors;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.security.crypto.bcrypt.BCrypt;

/**
 * The file of a server's users, a line {@code name: password} each. The password is a bcrypt hash
 * (as {@code htpasswd -B} and {@code aragonite hash-password} make it) or plain text. Behind a
 * comma there may be roles, of which one must be {@code user}. A changed file is read again; one
 * that cannot be read leaves the users that there are.
 */
public final class UserFile {
  private static final Logger LOG = LoggerFactory.getLogger(UserFile.class);
  private static final String ROLE = "user";
  private static final Pattern BCRYPT = Pattern.compile("\\$2[aby]\\$(\\d\\d)\\$[./A-Za-z0-9]{53}");

  /** Other hashes, which would be taken for the passwords themselves. */
  private static final Pattern OTHER_HASH =
      Pattern.compile("(OBF|MD5|CRYPT):.*|\\$\\w+\\$.*|\\{\\w+}.*");

  /** Of a password that is hashed: bcrypt passes over what is behind them. */
  public static final int MAX_PASSWORD_BYTES = 72;

  private static final int MIN_COST = 4;

  /** 2 to this power of rounds take some seconds. */
  private static final int MAX_COST = 16;

  private static final int OUR_COST = 12;

  /** Checks of passwords at once: anybody can ask for one. */
  private static final Semaphore CHECKS =
      new Semaphore(Math.max(1, Runtime.getRuntime().availableProcessors() / 2));

  private static final long WAIT_MILLIS = 200;

  private static final Duration LOOK = Duration.ofSeconds(1);

  /** Hashes of what nobody knows, by their costs: each takes as long to make as to look at. */
  private static final Map<Integer, String> NOBODY = new ConcurrentHashMap<>();

  /**
   * The users of a file.
   *
   * @param passwords by names
   * @param nobody a hash of what nobody knows, as dear as the dearest of theirs: who asks for a
   *     user that is not there, or has a plain password, waits as long
   */
  private record Users(Map<String, String> passwords, String nobody) {}

  private final Path file;
  private final byte[] nonce = token().getBytes(StandardCharsets.US_ASCII);

  /**
   * Digests of passwords that were right, by their hashes: a request has not the time for bcrypt.
   */
  private final Map<String, byte[]> right = new ConcurrentHashMap<>();

  private final Duration look;
  private volatile Users users;
  private ChangeTime seen;
  private long looked = System.nanoTime();

  /**
   * Reads the file.
   *
   * @throws AragoniteException SERVER_REFUSED if it cannot be read, or has passwords in a form that
   *     is not known
   */
  public UserFile(Path file) {
    this(file, LOOK);
  }

  /**
   * @param look how often it is looked whether the file has changed, at most
   */
  UserFile(Path file, Duration look) {
    this.file = file;
    this.look = look;
    seen = ChangeTime.of(file);
    users = read(file);
  }

  private static String token() {
    byte[] bytes = new byte[32];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  private static Users read(Path file) {
    Properties lines = new Properties();
    try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      lines.load(reader);
    } catch (IOException | IllegalArgumentException e) {
      throw refused(
          "The file of users %s cannot be read: %s."
              .formatted(
                  file,
                  e instanceof IOException io
                      ? FileErrors.reason(io)
                      : AragoniteException.reason(e)),
          e);
    }
    Map<String, String> passwords =
        lines.stringPropertyNames().stream()
            .filter(name -> isUser(lines.getProperty(name)))
            .collect(
                Collectors.toUnmodifiableMap(
                    name -> name, name -> password(file, name, lines.getProperty(name))));
    if (passwords.isEmpty()) {
      throw refused("The file of users %s has none.".formatted(file), null);
    }
    int cost =
        Math.max(OUR_COST, passwords.values().stream().mapToInt(UserFile::cost).max().orElse(0));
    return new Users(
        passwords, NOBODY.computeIfAbsent(cost, of -> BCrypt.hashpw(token(), BCrypt.gensalt(of))));
  }

  /** The logarithm of a hash's rounds; 0 for a plain password. */
  private static int cost(String password) {
    Matcher bcrypt = BCRYPT.matcher(password);
    return bcrypt.matches() ? Integer.parseInt(bcrypt.group(1)) : 0;
  }

  private static boolean isUser(String value) {
    String[] parts = value.split(",", -1);
    return parts.length == 1
        || Arrays.stream(parts).skip(1).map(String::strip).anyMatch(ROLE::equals);
  }

  private static String password(Path file, String user, String value) {
    int comma = value.indexOf(',');
    String password = (comma < 0 ? value : value.substring(0, comma)).strip();
    boolean hashed = BCRYPT.matcher(password).matches();
    int cost = cost(password);
    if (hashed && (cost < MIN_COST || cost > MAX_COST)
        || !hashed && OTHER_HASH.matcher(password).matches()
        || password.isEmpty()) {
      throw refused(
          "The password of '%s' in %s is in a form that is not read; write a bcrypt hash (of cost %d to %d), as ./aragonite hash-password makes it."
              .formatted(user, file, MIN_COST, MAX_COST),
          null);
    }
    return password;
  }

  private static AragoniteException refused(String sentence, @Nullable Exception cause) {
    return new AragoniteException(ErrorCode.SERVER_REFUSED, sentence, cause);
  }

  /** The bcrypt hash of a password. */
  public static String hash(String password) {
    return BCrypt.hashpw(password, BCrypt.gensalt(OUR_COST));
  }

  /**
   * Whether a user is known by that password.
   *
   * @throws AragoniteException SERVER_REFUSED if many passwords are looked at already
   */
  public boolean knows(String user, String password) {
    readIfChanged();
    Users now = users;
    String stored = now.passwords.get(user);
    byte[] digest = digest(password);
    byte[] last = stored == null ? null : right.get(stored);
    if (last != null && MessageDigest.isEqual(last, digest)) {
      return true;
    }
    if (stored != null && cost(stored) == 0 && MessageDigest.isEqual(digest(stored), digest)) {
      return true;
    }
    String hash = stored == null || cost(stored) == 0 ? now.nobody : stored;
    boolean matches = matches(password, hash) && hash.equals(stored);
    if (matches) {
      right.put(hash, digest);
    }
    return matches;
  }

  /**
   * What the file has as a user's password now, for {@link #has}.
   *
   * @return null if there is no such user
   */
  public @Nullable String stored(String user) {
    readIfChanged();
    return users.passwords.get(user);
  }

  /** Whether a user is still there, with the password that was {@link #stored}. */
  public boolean has(String user, String stored) {
    return stored.equals(stored(user));
  }

  private static boolean matches(String password, String hash) {
    boolean permitted = false;
    try {
      permitted = CHECKS.tryAcquire(WAIT_MILLIS, TimeUnit.MILLISECONDS);
      if (!permitted) {
        throw refused("Many passwords are being looked at; try again later.", null);
      }
      return password.getBytes(StandardCharsets.UTF_8).length <= MAX_PASSWORD_BYTES
          && BCrypt.checkpw(password, hash);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw refused("The server is being shut down; connect to it again later.", e);
    } finally {
      if (permitted) {
        CHECKS.release();
      }
    }
  }

  private byte[] digest(String password) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      sha.update(nonce);
      return sha.digest(password.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JDK has it
    }
  }

  private synchronized void readIfChanged() {
    long now = System.nanoTime();
    if (now - looked < look.toNanos()) {
      return;
    }
    looked = now;
    ChangeTime time = ChangeTime.of(file);
    if (time.equals(seen)) {
      return;
    }
    seen = time;
    try {
      users = read(file);
      right.clear();
    } catch (AragoniteException e) {
      LOG.warn("the users that were known stay: {}", e.getMessage());
    }
  }
}
