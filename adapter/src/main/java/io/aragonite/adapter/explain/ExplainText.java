package io.aragonite.adapter.explain;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.aragonite.adapter.execution.PreparedPlan;
import io.aragonite.adapter.options.Units;
import io.aragonite.adapter.remote.UrlRedaction;
import io.aragonite.exec.device.DeviceUsage;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.rules.limit.StoppableMetadataQuery;
import io.aragonite.rules.rel.FallbackReasons;
import io.aragonite.rules.rel.JoinCandidate;
import io.aragonite.rules.runtime.GpuQuery;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The text of an EXPLAIN. */
public final class ExplainText {
  private static final ObjectMapper JSON = new ObjectMapper();

  private ExplainText() {}

  /**
   * A run of the query.
   *
   * @param nanos from the first call to the last row
   * @param rows rows of the result
   * @param metrics what the engine counted
   */
  record AnalyzedRun(long nanos, long rows, Map<GpuQuery, QueryMetrics> metrics) {}

  /**
   * The rows of the answer: a row a line, so that shells and tools show it well, or one row of
   * JSON.
   *
   * @param run null if the query was not run
   * @param verbose whether the text has what the prices of joins are made of, and all candidates;
   *     JSON always has
   */
  public static List<Object> rows(
      PreparedPlan plan, @Nullable AnalyzedRun run, boolean verbose, boolean json) {
    ExplainTree tree = new ExplainTree(plan, run == null ? Map.of() : run.metrics());
    return json
        ? List.of(UrlRedaction.redact(pretty(json(tree, plan, run))))
        : text(tree, plan, run, verbose).lines().<Object>map(UrlRedaction::redact).toList();
  }

  /**
   * A run as JSON, as {@code EXPLAIN ANALYZE AS JSON} has it, while it goes on or when it is over;
   * on any thread. The connection must be open.
   *
   * @param nanos that it has taken
   * @param rows that it has made
   */
  public static String ofRun(
      PreparedPlan plan, long nanos, long rows, Map<GpuQuery, QueryMetrics> metrics) {
    // Another thread may be asking the plan's own.
    ExplainTree tree = new ExplainTree(plan, metrics, new StoppableMetadataQuery());
    return UrlRedaction.redact(json(tree, plan, new AnalyzedRun(nanos, rows, metrics)).toString());
  }

  private static String text(
      ExplainTree tree, PreparedPlan plan, @Nullable AnalyzedRun run, boolean verbose) {
    StringBuilder text = new StringBuilder();
    append(tree.build(plan.root().rel), "", verbose, text);
    if (!tree.hostFunctions().isEmpty()) {
      text.append("Host functions, which the device has Calcite's code evaluate row by row: ")
          .append(String.join(", ", tree.hostFunctions()))
          .append('\n');
    }
    List<FallbackReasons.Fallback> fallbacks = plan.fallbacks();
    if (!fallbacks.isEmpty()) {
      text.append("Not on the device, left to Calcite:\n");
      for (FallbackReasons.Fallback fallback : fallbacks) {
        text.append("  %s: %s\n".formatted(fallback.node(), fallback.reason()));
      }
    }
    if (!plan.leftOut().isEmpty()) {
      text.append("Left out of planning, whose budget was spent: ")
          .append(String.join(", ", plan.leftOut()))
          .append('\n');
    }
    if (run != null) {
      run.metrics().values().forEach(metrics -> appendDevice(metrics, text));
      text.append(
          "Total: %s rows in %s\n"
              .formatted(Units.formatRows(run.rows()), Units.formatNanos(run.nanos())));
    }
    return text.toString();
  }

  /** What the device did, and why it was that one, if there is something to say. */
  private static void appendDevice(QueryMetrics metrics, StringBuilder text) {
    DeviceUsage usage = metrics.usage();
    if (usage.equals(DeviceUsage.NONE) && metrics.note().isEmpty()) {
      return;
    }
    text.append("Device: ").append(metrics.device());
    if (!usage.equals(DeviceUsage.NONE)) {
      text.append(
          ", %s kernels, %s to it, %s from it, %s of its time"
              .formatted(
                  Units.formatRows(usage.kernels()),
                  Units.formatBytes(usage.toDeviceBytes()),
                  Units.formatBytes(usage.toHostBytes()),
                  Units.formatNanos(usage.deviceNanos())));
    }
    if (!metrics.note().isEmpty()) {
      text.append("; ").append(metrics.note());
    }
    text.append('\n');
  }

  private static void append(ExplainNode node, String indent, boolean verbose, StringBuilder text) {
    text.append(indent).append(node.name()).append(" [").append(node.device()).append(']');
    if (!node.variant().isEmpty()) {
      text.append(", ").append(node.variant());
    }
    node.attributes()
        .forEach(
            (key, value) -> text.append(", ").append(key).append("=[").append(value).append(']'));
    text.append("\n").append(indent).append("    estimate: ");
    text.append(Units.formatRows(node.rows())).append(" rows, ").append(cost(node.costNanos()));
    ExplainNode.Actual actual = node.actual();
    if (actual != null) {
      text.append(
          "; actual: %s rows, %s%s"
              .formatted(
                  Units.formatRows(actual.rows()),
                  Units.formatNanos(actual.nanos()),
                  actual.stateBytes() == 0 ? "" : ", " + Units.formatBytes(actual.stateBytes())));
      new TreeMap<>(actual.figures())
          .forEach((name, value) ->
              text.append(", ").append(name).append(' ').append(Units.formatRows(value)));
    }
    text.append('\n');
    if (actual != null && !actual.note().isEmpty()) {
      text.append(indent).append("    ").append(actual.note()).append('\n');
    }
    if (verbose) {
      appendPrices(node, indent, text);
    }
    node.inputs().forEach(input -> append(input, indent + "  ", verbose, text));
  }

  /** What the prices of a join are made of, and all candidates. */
  private static void appendPrices(ExplainNode node, String indent, StringBuilder text) {
    ExplainNode.Expected expected = node.expected();
    if (expected != null) {
      text.append(indent).append("    ").append(expected(expected)).append('\n');
    }
    for (JoinCandidate candidate : node.candidates()) {
      text.append(indent).append("    candidate: ").append(candidate.name());
      if (candidate.refused() != null) {
        text.append(", refused: ").append(candidate.refused());
      } else {
        text.append(", ").append(cost(candidate.nanos()));
        if (candidate.chosen()) {
          text.append(", chosen");
        }
        if (!candidate.phases().isEmpty()) {
          text.append(": ").append(phases(candidate));
        }
      }
      text.append('\n');
    }
  }

  private static String expected(ExplainNode.Expected expected) {
    return String.format(
        Locale.ROOT,
        "expected: %.3g of the probe rows match, %s%.4g keys; guesses: %s; prices: %s",
        expected.matchRatio(),
        expected.topShare() == 0
            ? ""
            : String.format(Locale.ROOT, "%.3g have the most frequent key, ", expected.topShare()),
        expected.distinct(),
        expected.guessed().isEmpty() ? "none" : expected.guessed(),
        expected.profile());
  }

  private static String phases(JoinCandidate candidate) {
    String phases =
        candidate.phases().stream()
            .map(phase -> phase.name() + " " + cost(phase.nanos()))
            .collect(Collectors.joining(" + "));
    return phases + "; memory " + Units.formatBytes(candidate.bytes());
  }

  private static String cost(double nanos) {
    return nanos < 1e18 ? Units.formatNanos(nanos) : "no finite price";
  }

  private static ObjectNode json(ExplainTree tree, PreparedPlan plan, @Nullable AnalyzedRun run) {
    ObjectNode json = JSON.createObjectNode();
    json.set("plan", json(tree.build(plan.root().rel)));
    ArrayNode hostFunctions = json.putArray("hostFunctions");
    tree.hostFunctions().forEach(hostFunctions::add);
    ArrayNode fallbacks = json.putArray("fallbacks");
    for (FallbackReasons.Fallback fallback : plan.fallbacks()) {
      fallbacks.addObject().put("node", fallback.node()).put("reason", fallback.reason());
    }
    ArrayNode leftOut = json.putArray("leftOutOfPlanning");
    plan.leftOut().forEach(leftOut::add);
    if (run != null) {
      json.put("rows", run.rows()).put("nanos", run.nanos());
      ArrayNode devices = json.putArray("devices");
      for (QueryMetrics metrics : run.metrics().values()) {
        DeviceUsage usage = metrics.usage();
        devices
            .addObject()
            .put("device", metrics.device())
            .put("kernels", usage.kernels())
            .put("bytesToDevice", usage.toDeviceBytes())
            .put("bytesToHost", usage.toHostBytes())
            .put("deviceNanos", usage.deviceNanos())
            .put("note", metrics.note());
      }
    }
    return json;
  }

  private static String pretty(ObjectNode json) {
    try {
      return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(json);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  private static ObjectNode json(ExplainNode node) {
    ObjectNode json = JSON.createObjectNode();
    json.put("node", node.name()).put("device", node.device());
    if (!node.variant().isEmpty()) {
      json.put("variant", node.variant());
    }
    node.attributes().forEach(json::put);
    json.put("estimatedRows", node.rows()).put("estimatedNanos", node.costNanos());
    ExplainNode.Actual actual = node.actual();
    if (actual != null) {
      json.put("actualRows", actual.rows())
          .put("actualNanos", actual.nanos())
          .put("stateBytes", actual.stateBytes());
      if (!actual.note().isEmpty()) {
        json.put("decision", actual.note());
      }
      new TreeMap<>(actual.figures()).forEach(json::put);
    }
    ExplainNode.Expected expected = node.expected();
    if (expected != null) {
      json.putObject("expected")
          .put("matchRatio", expected.matchRatio())
          .put("topShare", expected.topShare())
          .put("distinct", expected.distinct())
          .put("guesses", expected.guessed())
          .put("profile", expected.profile());
    }
    if (!node.candidates().isEmpty()) {
      ArrayNode candidates = json.putArray("candidates");
      for (JoinCandidate candidate : node.candidates()) {
        ObjectNode entry = candidates.addObject().put("algorithm", candidate.name());
        if (candidate.refused() != null) {
          entry.put("refused", candidate.refused());
        } else {
          entry.put("estimatedNanos", candidate.nanos()).put("chosen", candidate.chosen());
          entry.put("bytes", candidate.bytes());
          ObjectNode phases = entry.putObject("phases");
          candidate.phases().forEach(phase -> phases.put(phase.name(), phase.nanos()));
        }
      }
    }
    ArrayNode inputs = json.putArray("inputs");
    node.inputs().forEach(input -> inputs.add(json(input)));
    return json;
  }
}
