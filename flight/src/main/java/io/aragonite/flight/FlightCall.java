package io.aragonite.flight;

import io.aragonite.adapter.execution.ClientIdentity;
import io.aragonite.adapter.execution.ClientRequest;
import io.aragonite.adapter.server.ClientConnections;
import io.aragonite.adapter.server.ServerMetrics;
import io.grpc.Context;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.arrow.flight.CallHeaders;
import org.apache.arrow.flight.CallInfo;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.FlightServerMiddleware;
import org.apache.arrow.flight.RequestContext;
import org.apache.arrow.flight.auth2.Auth2Constants;
import org.jspecify.annotations.Nullable;

/** A call of a client: what it says beside the message, and whether it still waits. */
final class FlightCall implements FlightServerMiddleware {
  static final Key<FlightCall> KEY = Key.of("aragonite-call");

  /** In metrics and the log. */
  static final String PROTOCOL = "flight";

  private final Context context;
  private final Map<String, String> properties = new HashMap<>();

  private final @Nullable String traceParent;
  private final RequestContext request;
  private final ServerMetrics.Timed timed;
  private final AtomicBoolean ended = new AtomicBoolean();

  private FlightCall(CallInfo info, CallHeaders headers, RequestContext request) {
    this.request = request;
    timed = ServerMetrics.request(PROTOCOL, info.method().name());
    context = Context.current();
    traceParent = headers.get("traceparent");
    for (String name : ClientConnections.clientProperties()) {
      String value = headers.get(name);
      if (value != null) {
        properties.put(name, value);
      }
    }
  }

  static FlightCall begin(CallInfo info, CallHeaders headers, RequestContext request) {
    return new FlightCall(info, headers, request);
  }

  /** Who the client is, as {@link FlightLogin} has found it. */
  String identity() {
    String identity = request.get(Auth2Constants.PEER_IDENTITY_KEY);
    if (identity == null) {
      throw new IllegalStateException("a call that nobody let in");
    }
    return identity;
  }

  /** Properties of the connection that the client sets: headers of their names. */
  Map<String, String> properties() {
    return properties;
  }

  /** What ends without an exception. */
  interface Work extends AutoCloseable {
    @Override
    void close();
  }

  /**
   * Begins work for the call on this thread: what runs is cancelled if the client goes away or
   * cancels.
   *
   * @param client who calls
   */
  Work work(ClientIdentity client) {
    ClientRequest request = ClientRequest.begin(false, client);
    request.traceParent(traceParent);
    Context.CancellationListener listener = _ -> request.clientGone();
    context.addListener(listener, Runnable::run);
    return () -> {
      context.removeListener(listener);
      request.close();
    };
  }

  @Override
  public void onBeforeSendingHeaders(CallHeaders outgoing) {}

  @Override
  public void onCallCompleted(CallStatus status) {
    if (ended.compareAndSet(false, true)) {
      try (timed) {
        FlightErrors.code(status).ifPresent(timed::failed);
      }
    }
  }

  @Override
  public void onCallErrored(Throwable error) {
    onCallCompleted(FlightErrors.of(error).status());
  }
}
