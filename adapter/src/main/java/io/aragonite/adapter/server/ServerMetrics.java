package io.aragonite.adapter.server;

import io.aragonite.adapter.engine.Engines;
import io.aragonite.adapter.statement.PlanSource;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.error.ErrorCode;
import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.core.datapoints.Timer;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What the servers of this process count, and what its engines use, in Prometheus' text format.
 * Labels take few values: none comes from a statement or a client.
 */
public final class ServerMetrics {
  static final String CONTENT_TYPE = PrometheusTextFormatWriter.CONTENT_TYPE;

  private static final PrometheusRegistry REGISTRY = new PrometheusRegistry();

  private static final Histogram SECONDS =
      Histogram.builder()
          .name("aragonite_request_seconds")
          .help("Time that requests of clients took, by kind.")
          .labelNames("protocol", "request")
          .classicOnly()
          .classicUpperBounds(0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60, 600)
          .register(REGISTRY);

  private static final Counter ERRORS =
      Counter.builder()
          .name("aragonite_errors_total")
          .help("Requests that ended with an error, by its code.")
          .labelNames("protocol", "code")
          .register(REGISTRY);

  private static final Counter REFUSED =
      Counter.builder()
          .name("aragonite_requests_refused_total")
          .help("Requests that no server has worked on, by the reason.")
          .labelNames("protocol", "reason")
          .register(REGISTRY);

  private static final Gauge RUNNING =
      Gauge.builder()
          .name("aragonite_queries_running")
          .help("Statements of clients that run now.")
          .register(REGISTRY);

  private static final Gauge SLOTS =
      Gauge.builder()
          .name("aragonite_query_slots")
          .help("Statements of clients that may run at once (+Inf: any number).")
          .register(REGISTRY);

  private static final Gauge OPEN_RESULTS =
      Gauge.builder()
          .name("aragonite_results_waiting")
          .help("Open results that wait for their clients, and hold no slot.")
          .register(REGISTRY);

  private static final Gauge WAITING =
      Gauge.builder()
          .name("aragonite_queries_waiting")
          .help("Statements of clients that wait for their turn.")
          .register(REGISTRY);

  private static final Histogram QUEUE_SECONDS =
      Histogram.builder()
          .name("aragonite_queue_seconds")
          .help("Time that statements waited for their turn.")
          .classicOnly()
          .classicUpperBounds(0.001, 0.01, 0.1, 1, 10, 60)
          .register(REGISTRY);

  private static final Set<Integer> CODES =
      Arrays.stream(ErrorCode.values())
          .map(ErrorCode::number)
          .collect(Collectors.toUnmodifiableSet());

  static {
    gauge("aragonite_connections", "Connections that share an engine.", Value.CONNECTIONS);
    gauge("aragonite_memory_used_bytes", "Host memory of tables and queries.", Value.USED);
    gauge("aragonite_memory_limit_bytes", "The limit memory= of it.", Value.LIMIT);
    gauge("aragonite_device_memory_used_bytes", "The device's memory.", Value.DEVICE_USED);
    gauge("aragonite_device_memory_limit_bytes", "The limit gpuMemory= of it.", Value.DEVICE_LIMIT);
    gauge("aragonite_spilled_bytes", "Bytes in spill files now.", Value.SPILLED);
    CounterWithCallback.builder()
        .name("aragonite_plans_total")
        .help("Statements by where their plans came from.")
        .labelNames("source")
        .callback(counter -> {
          for (PlanSource source : PlanSource.values()) {
            counter.call(source.statements(), source.name().toLowerCase(Locale.ROOT));
          }
        })
        .register(REGISTRY);
    JvmMetrics.builder().register(REGISTRY);
  }

  private ServerMetrics() {}

  /** What is told of an engine. */
  private enum Value {
    CONNECTIONS,
    USED,
    LIMIT,
    DEVICE_USED,
    DEVICE_LIMIT,
    SPILLED;

    double of(Engines.OpenEngine open) {
      Device device = open.engine().device();
      return switch (this) {
        case CONNECTIONS -> open.connections();
        case USED -> device.host().memory().used();
        case LIMIT -> device.host().memory().limit();
        case DEVICE_USED -> device.memory().used();
        case DEVICE_LIMIT -> device.memory().limit();
        case SPILLED -> device.spill().used();
      };
    }
  }

  private static void gauge(String name, String help, Value value) {
    GaugeWithCallback.builder()
        .name(name)
        .help(help)
        .labelNames("engine")
        .callback(gauge -> {
          int number = 0;
          for (Engines.OpenEngine open : Engines.open()) {
            gauge.call(value.of(open), String.valueOf(number++));
          }
        })
        .register(REGISTRY);
  }

  /**
   * A request that begins now.
   *
   * @param protocol its server's, for instance {@code flight}
   * @param name its kind, one of few
   */
  public static Timed request(String protocol, String name) {
    return new Timed(protocol, SECONDS.labelValues(protocol, kind(name)).startTimer());
  }

  /** More or fewer statements run. */
  static void running(int more) {
    RUNNING.inc(more);
  }

  /** How many statements may run at once. */
  static void slots(int most) {
    SLOTS.set(most == Integer.MAX_VALUE ? Double.POSITIVE_INFINITY : most);
  }

  /** More or fewer results wait for their clients. */
  static void resultsWaiting(int more) {
    OPEN_RESULTS.inc(more);
  }

  /** More or fewer statements wait. */
  static void waiting(int more) {
    WAITING.inc(more);
  }

  /** A statement has had its turn. */
  static void waited(long nanos) {
    QUEUE_SECONDS.observe(nanos / 1e9);
  }

  /** Of PrepareAndExecuteRequest prepare_and_execute. */
  private static String kind(String name) {
    return name.replaceFirst("Request$", "")
        .replaceAll("(?<=[a-z])(?=[A-Z])", "_")
        .toLowerCase(Locale.ROOT);
  }

  /**
   * A request was refused before anything was done for it.
   *
   * @param reason one of few
   */
  public static void refused(String protocol, String reason) {
    REFUSED.labelValues(protocol, reason).inc();
  }

  /** A request, from its begin until it is closed. */
  public static final class Timed implements AutoCloseable {
    private final String protocol;
    private final Timer timer;

    private Timed(String protocol, Timer timer) {
      this.protocol = protocol;
      this.timer = timer;
    }

    /** It ends with an error; codes that are none of the catalogue's are one. */
    public void failed(int code) {
      ERRORS.labelValues(protocol, CODES.contains(code) ? "AR-" + code : "other").inc();
    }

    @Override
    public void close() {
      timer.close();
    }
  }

  /** All of it as text. */
  static byte[] text() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrometheusTextFormatWriter.create()
        .write(out, REGISTRY.scrape(), EscapingScheme.UNDERSCORE_ESCAPING);
    return out.toByteArray();
  }
}
