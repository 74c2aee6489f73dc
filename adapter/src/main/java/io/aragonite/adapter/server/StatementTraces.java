package io.aragonite.adapter.server;

import io.aragonite.adapter.error.SqlErrors;
import io.aragonite.adapter.execution.ClientIdentity;
import io.aragonite.adapter.execution.ClientRequest;
import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.remote.UrlRedaction;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.common.export.MemoryMode;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Tells a collector of OpenTelemetry what statements of clients have done, by OTLP over HTTP: a
 * span each, with one for each part of its time. What a client is doing already is above it (W3C's
 * {@code traceparent}). Statements wait for nothing: spans that the collector does not take in time
 * are dropped. Safe for several threads.
 */
public final class StatementTraces implements AutoCloseable {
  private static final String PATH = "/v1/traces";
  private static final Duration CONNECT = Duration.ofSeconds(2);
  private static final Duration SEND = Duration.ofSeconds(5);

  /** Spans that wait to be sent; of more the last ones are dropped. */
  private static final int MOST_WAITING = 4096;

  /** Of a statement. */
  private static final int MOST_CHARACTERS = 8192;

  private static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("db.system");
  private static final AttributeKey<String> STATEMENT = AttributeKey.stringKey("db.statement");
  private static final AttributeKey<String> USER = AttributeKey.stringKey("db.user");
  private static final AttributeKey<String> ADDRESS = AttributeKey.stringKey("client.address");
  private static final AttributeKey<String> PROTOCOL = AttributeKey.stringKey("aragonite.protocol");
  private static final AttributeKey<String> QUERY = AttributeKey.stringKey("aragonite.query");
  private static final AttributeKey<Long> ROWS = AttributeKey.longKey("aragonite.rows");
  private static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");

  /** The names that a client's headers have. */
  private static final TextMapGetter<TraceParent> HEADERS =
      new TextMapGetter<>() {
        @Override
        public Iterable<String> keys(TraceParent carrier) {
          return List.of("traceparent");
        }

        @Override
        public @Nullable String get(@Nullable TraceParent carrier, String key) {
          return carrier != null && key.equals("traceparent") ? carrier.text : null;
        }
      };

  private record TraceParent(@Nullable String text) {}

  private final SdkTracerProvider provider;
  private final Tracer tracer;
  private final boolean texts;

  private StatementTraces(SdkTracerProvider provider, boolean texts) {
    this.provider = provider;
    this.tracer = provider.get("io.aragonite");
    this.texts = texts;
  }

  /**
   * Tells a collector.
   *
   * @param url of the collector, for instance {@code http://localhost:4318}; without a path that of
   *     OTLP's traces
   * @param texts whether spans have the texts of statements
   * @throws AragoniteException SERVER_REFUSED if it is no URL of HTTP
   */
  public static StatementTraces to(String url, boolean texts) {
    OtlpHttpSpanExporter exporter =
        OtlpHttpSpanExporter.builder()
            .setEndpoint(endpoint(url))
            .setConnectTimeout(CONNECT)
            .setTimeout(SEND)
            .setMemoryMode(MemoryMode.IMMUTABLE_DATA)
            .build();
    BatchSpanProcessor queue =
        BatchSpanProcessor.builder(exporter)
            .setMaxQueueSize(MOST_WAITING)
            .setExporterTimeout(SEND)
            .setScheduleDelay(Duration.ofSeconds(1))
            .build();
    Resource resource =
        Resource.create(Attributes.of(AttributeKey.stringKey("service.name"), "aragonite"));
    return new StatementTraces(
        SdkTracerProvider.builder().setResource(resource).addSpanProcessor(queue).build(), texts);
  }

  private static String endpoint(String url) {
    try {
      URI uri = URI.create(url);
      String scheme = String.valueOf(uri.getScheme());
      if (uri.getHost() != null && (scheme.equals("http") || scheme.equals("https"))) {
        String path = uri.getRawPath();
        return path == null || path.isEmpty() || path.equals("/")
            ? url.replaceFirst("/$", "") + PATH
            : url;
      }
    } catch (IllegalArgumentException e) {
      // It is told below.
    }
    throw new AragoniteException(
        ErrorCode.SERVER_REFUSED,
        "--traces=%s is no URL of a collector; write http://localhost:4318, for instance."
            .formatted(UrlRedaction.redact(url)));
  }

  /** A run begins. */
  TracedRun begin(@Nullable ClientRequest request, Execution run, String sql) {
    return new TracedRun(request, run, sql);
  }

  /** A statement could not be prepared. */
  void notPrepared(@Nullable ClientRequest request, String sql, Throwable error) {
    Instant now = Instant.now();
    Span span = start(request, sql, now);
    fail(span, error);
    span.end(now);
  }

  private Span start(@Nullable ClientRequest request, String sql, Instant begin) {
    TraceParent parent = new TraceParent(request == null ? null : request.traceParent());
    ClientIdentity client = ClientRequest.client(request);
    Span span =
        tracer
            .spanBuilder("statement")
            .setSpanKind(SpanKind.SERVER)
            .setParent(
                W3CTraceContextPropagator.getInstance().extract(Context.root(), parent, HEADERS))
            .setStartTimestamp(begin)
            .startSpan();
    span.setAttribute(SYSTEM, "aragonite");
    span.setAttribute(PROTOCOL, client.protocol());
    span.setAttribute(ADDRESS, client.address());
    if (client.user() != null) {
      span.setAttribute(USER, client.user());
    }
    if (texts) {
      String text = UrlRedaction.redact(sql);
      span.setAttribute(
          STATEMENT,
          text.length() > MOST_CHARACTERS ? text.substring(0, MOST_CHARACTERS) + "…" : text);
    }
    return span;
  }

  private static void fail(Span span, Throwable error) {
    span.setAttribute(ERROR, "AR-" + SqlErrors.of(error).getErrorCode());
    span.setStatus(StatusCode.ERROR);
  }

  /** A run, whose times are noted as they come, and told at its end. */
  final class TracedRun {
    private final Execution run;
    private final Span span;
    private final Instant began = Instant.now();
    private final long begin = System.nanoTime();
    private volatile long admitted;

    private TracedRun(@Nullable ClientRequest request, Execution run, String sql) {
      this.run = run;
      span = start(request, sql, began);
      span.setAttribute(QUERY, run.id());
    }

    /** It has had its turn. */
    void admitted() {
      admitted = System.nanoTime();
    }

    /** It is over. */
    void ended() {
      long end = System.nanoTime();
      long turn = admitted == 0 ? end : admitted;
      part("queueing", begin, turn);
      if (admitted != 0) {
        long planned = run.planned() == 0 ? end : Math.max(run.planned(), turn);
        part("planning", turn, planned);
        if (run.planned() != 0) {
          long first =
              run.delivered().firstRow() == 0 ? end : Math.max(run.delivered().firstRow(), planned);
          part("execution", planned, first);
          if (run.delivered().firstRow() != 0) {
            part("result", first, end);
          }
        }
      }
      AragoniteException stopped = run.ended();
      Throwable failure = stopped != null ? stopped : run.failure();
      span.setAttribute(ROWS, run.delivered().rows());
      if (failure != null) {
        fail(span, failure);
      }
      span.end(at(end));
    }

    private Instant at(long nanos) {
      return began.plusNanos(nanos - begin);
    }

    private void part(String name, long from, long to) {
      tracer
          .spanBuilder(name)
          .setParent(Context.root().with(span))
          .setStartTimestamp(at(from))
          .startSpan()
          .end(at(to));
    }
  }

  /** Sends what waits, for some seconds at most. */
  @Override
  public void close() {
    var _ = provider.shutdown().join(SEND.toSeconds(), TimeUnit.SECONDS);
  }
}
