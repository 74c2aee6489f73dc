package io.aragonite.flight;

import io.aragonite.adapter.execution.ClientRequest;
import io.aragonite.adapter.server.ClientConnections;
import io.grpc.Context;
import java.util.HashMap;
import java.util.Map;
import org.apache.arrow.flight.CallHeaders;
import org.apache.arrow.flight.CallInfo;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.FlightServerMiddleware;
import org.apache.arrow.flight.RequestContext;
import org.apache.arrow.flight.auth2.Auth2Constants;

/** A call of a client: what it says beside the message, and whether it still waits. */
final class FlightCall implements FlightServerMiddleware {
  static final Key<FlightCall> KEY = Key.of("aragonite-call");

  private final Context context;
  private final Map<String, String> properties = new HashMap<>();

  private final RequestContext request;

  private FlightCall(CallHeaders headers, RequestContext request) {
    this.request = request;
    context = Context.current();
    for (String name : ClientConnections.clientProperties()) {
      String value = headers.get(name);
      if (value != null) {
        properties.put(name, value);
      }
    }
  }

  @SuppressWarnings("unused") // the signature is Flight's
  static FlightCall begin(CallInfo info, CallHeaders headers, RequestContext request) {
    return new FlightCall(headers, request);
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
   */
  Work work() {
    ClientRequest request = ClientRequest.begin(false);
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
  public void onCallCompleted(CallStatus status) {}

  @Override
  public void onCallErrored(Throwable error) {}
}
