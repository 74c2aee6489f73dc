package io.aragonite.adapter.server;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the log and the metrics of requests that were refused: of many in a second the first. */
public final class RefusedRequests {
  private static final Logger LOG = LoggerFactory.getLogger(RefusedRequests.class);
  private static final LineAllowances LINES = new LineAllowances();

  private RefusedRequests() {}

  /**
   * Notes one.
   *
   * @param protocol what it came by
   * @param reason a status or a word, for the metrics
   * @param address of the client
   * @param why for the log; nothing of the client's
   */
  public static void note(String protocol, String reason, Object address, String why) {
    ServerMetrics.refused(protocol, reason);
    long before = LINES.take(protocol);
    if (before >= 0) {
      LOG.warn(
          "a request of {} by {} was refused ({}{}): {}",
          address,
          protocol,
          reason,
          before == 0 ? "" : ", as were " + before + " more before it",
          why);
    }
  }
}
