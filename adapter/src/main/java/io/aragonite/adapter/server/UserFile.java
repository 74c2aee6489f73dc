package io.aragonite.adapter.server;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.nio.file.Path;
import org.eclipse.jetty.security.HashLoginService;
import org.eclipse.jetty.server.UserIdentity;

/** The file of a server's users, a line {@code name: password,user} each, read as Jetty does. */
public final class UserFile implements AutoCloseable {
  /** What a user has to be in the file to be let in. */
  static final String ROLE = "user";

  private final HashLoginService users;

  /** Reads the file. */
  public UserFile(Path file) {
    users = new HashLoginService("aragonite", file.toString());
    try {
      users.start();
    } catch (Exception e) { // what Jetty declares
      throw new AragoniteException(
          ErrorCode.SERVER_REFUSED,
          "The file of users %s cannot be read: %s.".formatted(file, AragoniteException.reason(e)),
          e);
    }
  }

  /** Whether a user is known by that password. */
  public boolean knows(String user, String password) {
    UserIdentity identity = users.login(user, password, null);
    return identity != null && identity.isUserInRole(ROLE, null);
  }

  @Override
  public void close() {
    try {
      users.stop();
    } catch (Exception e) { // what Jetty declares; it only forgets what it has read
      throw new IllegalStateException(e);
    }
  }
}
