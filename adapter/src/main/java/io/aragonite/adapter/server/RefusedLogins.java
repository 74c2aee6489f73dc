package io.aragonite.adapter.server;

import io.aragonite.adapter.execution.ClientIdentity;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the log and the metrics of logins that were refused: of many in a second one by name. */
public final class RefusedLogins {
  private static final Logger LOG = LoggerFactory.getLogger(RefusedLogins.class);
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int MOST_CHARACTERS = 64;

  private static long logged = System.nanoTime() - PAUSE_NANOS;
  private static long unlogged;

  private RefusedLogins() {}

  /**
   * Notes one.
   *
   * @param client who it was, by the name that the client has written
   * @param audit is told of it as the log is
   */
  public static void note(ClientIdentity client, AuditLog audit) {
    note(client, "login", "", audit);
  }

  /**
   * Notes one by a token.
   *
   * @param client who it was, if the token's issuer has signed the name
   * @param error why; neither the log nor the audit log has the token
   */
  public static void note(ClientIdentity client, RefusedTokenException error, AuditLog audit) {
    note(client, "token", error.reason(), audit);
  }

  private static void note(ClientIdentity client, String kind, String reason, AuditLog audit) {
    ServerMetrics.refused(client.protocol(), kind);
    long before;
    synchronized (RefusedLogins.class) {
      long now = System.nanoTime();
      if (now - logged < PAUSE_NANOS) {
        unlogged++;
        return;
      }
      logged = now;
      before = unlogged;
      unlogged = 0;
    }
    String user = client.user() == null ? null : printable(client.user());
    audit.refusedLogin(
        new ClientIdentity(client.protocol(), user, client.address()), reason, before);
    LOG.warn(
        "a login of {} from {} was refused{}{}",
        user == null ? "nobody known" : "'" + user + "'",
        client.address(),
        before == 0 ? "" : ", as were " + before + " more before it",
        reason.isEmpty() ? "" : ": " + reason);
  }

  /** A name that makes no lines of its own in a log. */
  static String printable(String user) {
    String text = user.replaceAll("[\\p{Cntrl}\\u0080-\\u009f\\u2028\\u2029]", "?");
    return text.length() > MOST_CHARACTERS ? text.substring(0, MOST_CHARACTERS) + "…" : text;
  }
}
