package io.aragonite.adapter.server;

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
   * @param protocol its server's
   * @param user as the client has written it
   * @param address the client's
   */
  public static void note(String protocol, String user, String address) {
    ServerMetrics.refused(protocol, "login");
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
    LOG.warn(
        "a login of '{}' from {} was refused{}",
        printable(user),
        address,
        before == 0 ? "" : ", as were " + before + " more before it");
  }

  /** A name that makes no lines of its own in a log. */
  static String printable(String user) {
    String text = user.replaceAll("[\\p{Cntrl}\\u0080-\\u009f\\u2028\\u2029]", "?");
    return text.length() > MOST_CHARACTERS ? text.substring(0, MOST_CHARACTERS) + "…" : text;
  }
}
