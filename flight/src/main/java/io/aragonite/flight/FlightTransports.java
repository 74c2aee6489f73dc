package io.aragonite.flight;

import io.aragonite.adapter.server.RefusedRequests;
import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Grpc;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerTransportFilter;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Numbers the network connections of clients, tells calls which one they came by, and its end. Of
 * more calls than the server may work on at once, the last ones are refused.
 */
final class FlightTransports extends ServerTransportFilter implements ServerInterceptor {
  private static final Attributes.Key<Long> ATTRIBUTE = Attributes.Key.create("aragonite-transport");
  private static final Context.Key<Long> CONTEXT = Context.key("aragonite-transport");

  private static final Context.Key<String> ADDRESS = Context.key("aragonite-address");

  /** Calls at once: each has a thread, that of a result until it is read. */
  static final int MAX_CALLS = 256;

  private final AtomicInteger running = new AtomicInteger();
  private final AtomicLong last = new AtomicLong();
  private final FlightSessions sessions;

  FlightTransports(FlightSessions sessions) {
    this.sessions = sessions;
  }

  /** Where this thread's call came from. */
  static String address() {
    String address = ADDRESS.get();
    return address == null ? "unknown" : address;
  }

  private static String address(Attributes attributes) {
    return attributes.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR) instanceof InetSocketAddress remote
        ? remote.getAddress().getHostAddress()
        : "unknown";
  }

  /** The number of the network connection that this thread's call came by. */
  static long current() {
    Long number = CONTEXT.get();
    return number == null ? 0 : number;
  }

  @Override
  public Attributes transportReady(Attributes attributes) {
    long number = last.incrementAndGet();
    sessions.transportBegan(number);
    return attributes.toBuilder().set(ATTRIBUTE, number).build();
  }

  @Override
  public void transportTerminated(Attributes attributes) {
    Long number = attributes == null ? null : attributes.get(ATTRIBUTE);
    if (number != null) {
      sessions.transportEnded(number);
    } else { // it has never been ready
      RefusedRequests.note(
          FlightCall.PROTOCOL, "connection", "unknown", "its bytes are no HTTP/2, or none came");
    }
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    if (running.incrementAndGet() > MAX_CALLS) {
      running.decrementAndGet();
      return refuse(call);
    }
    boolean begun = false;
    try {
      Long number = call.getAttributes().get(ATTRIBUTE);
      Context context =
          Context.current()
              .withValues(
                  CONTEXT,
                  number == null ? 0 : number,
                  ADDRESS,
                  address(call.getAttributes()));
      var listener = counted(Contexts.interceptCall(context, call, headers, next));
      begun = true;
      return listener;
    } finally {
      if (!begun) {
        running.decrementAndGet();
      }
    }
  }

  private static <Q, A> ServerCall.Listener<Q> refuse(ServerCall<Q, A> call) {
    RefusedRequests.note(
        FlightCall.PROTOCOL,
        "calls",
        address(call.getAttributes()),
        "%d calls run already".formatted(MAX_CALLS));
    FlightErrors.refuse(
        call,
        "The server works on %d calls, which are as many as it may; try again later."
            .formatted(MAX_CALLS));
    return new ServerCall.Listener<>() {};
  }

  /** The call is one of those that run until it ends. */
  private <Q> ServerCall.Listener<Q> counted(ServerCall.Listener<Q> listener) {
    AtomicBoolean ended = new AtomicBoolean();
    return new SimpleForwardingServerCallListener<>(listener) {
      @Override
      public void onComplete() {
        end();
        super.onComplete();
      }

      @Override
      public void onCancel() {
        end();
        super.onCancel();
      }

      private void end() {
        if (ended.compareAndSet(false, true)) {
          running.decrementAndGet();
        }
      }
    };
  }
}
