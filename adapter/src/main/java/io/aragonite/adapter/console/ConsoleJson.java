package io.aragonite.adapter.console;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import io.aragonite.adapter.engine.Engines;
import io.aragonite.adapter.execution.QueryProgress;
import io.aragonite.adapter.remote.UrlRedaction;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.memory.MemoryBudget;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What the console's addresses answer. */
final class ConsoleJson {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Of a statement in the list; its own page has all of it. */
  private static final int LISTED_CHARACTERS = 500;

  private final QueryLog log;
  private final int slots;

  /**
   * @param slots how many queries run at once
   */
  ConsoleJson(QueryLog log, int slots) {
    this.log = log;
    this.slots = slots;
  }

  /** The queries that somebody sees. */
  String queries(ConsoleViewer viewer) {
    ObjectNode json = head(viewer);
    ArrayNode queries = json.putArray("queries");
    for (LoggedQuery query : log.seenBy(viewer)) {
      ObjectNode entry = queries.addObject();
      LoggedQuery.Snapshot now = query.snapshot();
      put(entry, query, now, viewer);
      String sql = UrlRedaction.redact(query.sql());
      entry.put("sql", shortened(sql, LISTED_CHARACTERS));
    }
    return json.toString();
  }

  private static ObjectNode head(ConsoleViewer viewer) {
    ObjectNode json = JSON.createObjectNode();
    json.put("time", Instant.now().truncatedTo(ChronoUnit.MILLIS).toString());
    json.put("user", viewer.user());
    json.put("all", viewer.all());
    return json;
  }

  private static String shortened(String text, int most) {
    return text.length() <= most ? text : text.substring(0, most) + "\u2026";
  }

  /** One query, with its plan. */
  String query(LoggedQuery query, ConsoleViewer viewer) {
    ObjectNode json = head(viewer);
    LoggedQuery.Snapshot now = query.snapshot();
    put(json, query, now, viewer);
    json.put("sql", UrlRedaction.redact(query.sql()));
    boolean running = now.progress() != null;
    String plan = isHidden(now, viewer) ? null : now.json();
    if (plan != null) {
      json.putRawValue("plan", new RawValue(plan));
    } else {
      json.put("noPlan", reason(running, now, viewer));
    }
    return json.toString();
  }

  private static String reason(boolean running, LoggedQuery.Snapshot now, ConsoleViewer viewer) {
    if (running && now.ran() == null) {
      return "There is no plan yet.";
    }
    if (isHidden(now, viewer)) {
      return "The plan would tell of rows that you do not see.";
    }
    return running
        ? "The plan cannot be told now."
        : "No plan is kept: plans are kept of queries that took 100 ms or more, and of the last %d others while their connections are open."
            .formatted(QueryLog.PLANS);
  }

  /** Whether a plan and figures would tell the viewer of rows that he must not see. */
  private static boolean isHidden(LoggedQuery.Snapshot now, ConsoleViewer viewer) {
    return !viewer.all() && now.outcome().hidden();
  }

  private static void put(
      ObjectNode json, LoggedQuery query, LoggedQuery.Snapshot now, ConsoleViewer viewer) {
    LoggedQuery.Outcome outcome = now.outcome();
    json.put("id", query.id());
    json.put("user", query.client().user());
    json.put("protocol", query.client().protocol());
    json.put("address", query.client().address());
    json.put("state", outcome.state().name().toLowerCase(Locale.ROOT));
    json.put("began", query.began().truncatedTo(ChronoUnit.MILLIS).toString());
    json.put("elapsedMillis", outcome.nanos() / 1_000_000);
    json.put("rows", outcome.rows());
    if (!outcome.code().isEmpty()) {
      json.put("code", outcome.code()).put("error", outcome.error());
    }
    json.put("mayCancel", now.progress() != null);
    if (isHidden(now, viewer)) {
      return;
    }
    QueryFigures figures = outcome.figures();
    json.put("device", figures.device());
    json.put("memoryBytes", figures.memoryBytes());
    json.put("peakMemoryBytes", figures.peakMemoryBytes());
    json.put("spilledBytes", figures.spilledBytes());
    put(json, now.progress());
  }

  private static void put(ObjectNode json, @Nullable QueryProgress progress) {
    if (progress == null) {
      return;
    }
    ObjectNode entry = json.putObject("progress");
    if (progress.share() >= 0) {
      entry.put("share", progress.share());
    }
    entry.put("parts", progress.parts()).put("expectedParts", progress.expectedParts());
    entry.put("bytes", progress.bytes()).put("expectedBytes", progress.expectedBytes());
    entry.put("rows", progress.rows()).put("expectedRows", progress.expectedRows());
  }

  /** The engines and their devices, for those who see all. */
  String devices(ConsoleViewer viewer) {
    ObjectNode json = head(viewer);
    json.put("runningQueries", log.running()).put("waitingQueries", log.waiting());
    if (slots < Integer.MAX_VALUE) {
      json.put("slots", slots);
    }
    ArrayNode engines = json.putArray("engines");
    for (Engines.OpenEngine open : Engines.open()) {
      Device host = open.engine().device().host();
      ObjectNode engine = engines.addObject();
      engine.put("number", open.number()).put("connections", open.connections());
      engine.put("spilledBytes", host.spill().used());
      put(engine.putObject("hostMemory"), host.memory());
      ArrayNode devices = engine.putArray("devices");
      for (Device device : open.engine().devices()) {
        ObjectNode entry = devices.addObject();
        entry.put("name", device.name()).put("usable", device.usable());
        entry.put("ownMemory", !device.traits().hostMemory());
        put(entry.putObject("memory"), device.memory());
      }
    }
    return json.toString();
  }

  private static void put(ObjectNode json, MemoryBudget memory) {
    long used = memory.used();
    long limit = memory.limit();
    json.put("usedBytes", used);
    json.put("cachedBytes", Math.min(used, memory.cached()));
    json.put("freeBytes", Math.max(0, limit - used));
    json.put("limitBytes", limit);
  }
}
