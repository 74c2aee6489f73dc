package io.aragonite.adapter.server;

import io.aragonite.adapter.access.AccessRules;
import io.aragonite.adapter.access.UserAccess;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The access file of a server, which is read again when it or the file of users changes. A version
 * that cannot be read leaves the one before in force.
 */
final class AccessControl implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AccessControl.class);
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Path file;
  private final @Nullable Path userPath;
  private final @Nullable UserFile users;
  private final boolean tokens;

  /** With all rights: names and conditions are looked up by it. */
  private final Connection connection;

  private final ReentrantLock reading = new ReentrantLock();
  private volatile AccessRules rules;
  private volatile ChangeTime seen;
  private volatile @Nullable ChangeTime seenUsers;

  /** Why the file was not taken, as the log has it; empty: it was. */
  private String told = "";

  private volatile long looked = System.nanoTime();

  /**
   * Reads the file.
   *
   * @param userPath the file of users, null for none
   * @param tokens whether users come by tokens too: then the access file may name any
   * @param connection with all rights, which this closes
   * @throws AragoniteException SERVER_REFUSED, with the line, if it names what there is not
   */
  AccessControl(Path file, @Nullable Path userPath, boolean tokens, Connection connection)
      throws SQLException {
    this.file = file;
    this.userPath = userPath;
    this.connection = connection;
    this.tokens = tokens;
    users = userPath == null ? null : new UserFile(userPath);
    seen = ChangeTime.of(file);
    seenUsers = userPath == null ? null : ChangeTime.of(userPath);
    rules = read();
  }

  private AccessRules read() throws SQLException {
    return AccessRules.read(
        file, user -> tokens || users != null && users.stored(user) != null, connection);
  }

  /**
   * What a user may do now.
   *
   * @param roles that the user's token names beside those of the file
   * @throws AragoniteException NOT_GRANTED if the file names neither the user nor one of the roles
   */
  UserAccess of(@Nullable String user, Set<String> roles) {
    readIfChanged();
    UserAccess access = user == null ? null : rules.of(user, roles);
    if (access == null) {
      throw new AragoniteException(
          ErrorCode.NOT_GRANTED,
          "User '%s' has no roles on this server; ask who runs it for one."
              .formatted(RefusedLogins.printable(String.valueOf(user))));
    }
    return access;
  }

  /**
   * Files that have changed are waited for, since a right may have been taken away; while they have
   * not, nobody waits.
   */
  private void readIfChanged() {
    long before = looked;
    if (System.nanoTime() - before < LOOK_NANOS) {
      return;
    }
    ChangeTime time = ChangeTime.of(file);
    ChangeTime usersTime = userPath == null ? null : ChangeTime.of(userPath);
    if (!time.equals(seen) || !Objects.equals(usersTime, seenUsers)) {
      reading.lock();
      try {
        if (looked == before) {
          readChanges(time, usersTime);
        }
      } finally {
        looked = System.nanoTime();
        reading.unlock();
      }
    } else {
      looked = System.nanoTime();
    }
  }

  private void readChanges(ChangeTime time, @Nullable ChangeTime usersTime) {
    try {
      rules = read();
      seen = time;
      seenUsers = usersTime;
      told = "";
      LOG.info("the access file {} was read again", file);
    } catch (SQLException | RuntimeException e) {
      // It is read again at the next look: what has failed may be the request, and not the file.
      String reason = String.valueOf(e.getMessage());
      if (!reason.equals(told)) {
        told = reason;
        LOG.warn("the rights that were known stay: {}", reason);
      }
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
