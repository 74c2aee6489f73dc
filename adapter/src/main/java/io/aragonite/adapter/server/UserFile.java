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
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
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
public final class UserFile implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(UserFile.class);
  private static final String ROLE = "user";
  private static final Pattern BCRYPT = Pattern.compile("\\$2[aby]\\$(\\d\\d)\\$[./A-Za-z0-9]{53}");

  /** Other hashes, which would be taken for the passwords themselves. */
  private static final Pattern OTHER_HASH =
      Pattern.compile("(OBF|MD5|CRYPT):.*|\\$\\w+\\$.*|\\{SHA}.*");

  /** Of a password that is hashed: bcrypt passes over what is behind them. */
  public static final int MAX_PASSWORD_BYTES = 72;

  /** 2 to this power of rounds take some seconds. */
  private static final int MAX_COST = 16;

  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** A hash of nothing that anybody knows: who asks for a user that is not there waits as long. */
  private static final String NOBODY = BCrypt.hashpw(token(), BCrypt.gensalt(10));

  private final Path file;
  private final byte[] nonce = token().getBytes(StandardCharsets.US_ASCII);

  /**
   * Digests of passwords that were right, by their hashes: a request has not the time for bcrypt.
   */
  private final Map<String, byte[]> right = new ConcurrentHashMap<>();

  private volatile Map<String, String> users;
  private ChangeTime seen;
  private long looked = System.nanoTime();

  /**
   * Reads the file.
   *
   * @throws AragoniteException SERVER_REFUSED if it cannot be read, or has passwords in a form that
   *     is not known
   */
  public UserFile(Path file) {
    this.file = file;
    seen = ChangeTime.of(file);
    users = read(file);
  }

  private static String token() {
    byte[] bytes = new byte[32];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  private static Map<String, String> read(Path file) {
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
    return lines.stringPropertyNames().stream()
        .filter(name -> isUser(lines.getProperty(name)))
        .collect(
            Collectors.toUnmodifiableMap(
                name -> name, name -> password(file, name, lines.getProperty(name))));
  }

  private static boolean isUser(String value) {
    String[] parts = value.split(",", -1);
    return parts.length == 1
        || Arrays.stream(parts).skip(1).map(String::strip).anyMatch(ROLE::equals);
  }

  private static String password(Path file, String user, String value) {
    int comma = value.indexOf(',');
    String password = (comma < 0 ? value : value.substring(0, comma)).strip();
    Matcher bcrypt = BCRYPT.matcher(password);
    boolean hashed = bcrypt.matches();
    if (hashed && Integer.parseInt(bcrypt.group(1)) > MAX_COST
        || !hashed && OTHER_HASH.matcher(password).matches()
        || password.isEmpty()) {
      throw refused(
          "The password of '%s' in %s is in a form that is not read; write a bcrypt hash (of cost %d at most), as ./aragonite hash-password makes it."
              .formatted(user, file, MAX_COST),
          null);
    }
    return password;
  }

  private static AragoniteException refused(String sentence, @Nullable Exception cause) {
    return new AragoniteException(ErrorCode.SERVER_REFUSED, sentence, cause);
  }

  /** The bcrypt hash of a password. */
  public static String hash(String password) {
    return BCrypt.hashpw(password, BCrypt.gensalt(12));
  }

  /** Whether a user is known by that password. */
  public boolean knows(String user, String password) {
    readIfChanged();
    String known = users.get(user);
    String stored = known == null ? NOBODY : known;
    byte[] digest = digest(password);
    byte[] last = right.get(stored);
    if (last != null && MessageDigest.isEqual(last, digest)) {
      return true;
    }
    boolean matches =
        BCRYPT.matcher(stored).matches()
            ? password.getBytes(StandardCharsets.UTF_8).length <= MAX_PASSWORD_BYTES
                && BCrypt.checkpw(password, stored)
            : MessageDigest.isEqual(digest(stored), digest);
    if (matches && known != null) {
      right.put(stored, digest);
    }
    return matches && known != null;
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
    if (now - looked < LOOK_NANOS) {
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

  @Override
  public void close() {
    right.clear();
  }
}
