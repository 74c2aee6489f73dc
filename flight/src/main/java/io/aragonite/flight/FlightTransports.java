package io.aragonite.flight;

import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerTransportFilter;
import java.util.concurrent.atomic.AtomicLong;

/** Numbers the network connections of clients, tells calls which one they came by, and its end. */
final class FlightTransports extends ServerTransportFilter implements ServerInterceptor {
  private static final Attributes.Key<Long> ATTRIBUTE = Attributes.Key.create("aragonite-transport");
  private static final Context.Key<Long> CONTEXT = Context.key("aragonite-transport");

  private final AtomicLong last = new AtomicLong();
  private final FlightSessions sessions;

  FlightTransports(FlightSessions sessions) {
    this.sessions = sessions;
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
    }
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    Long number = call.getAttributes().get(ATTRIBUTE);    Context context = Context.current().withValue(CONTEXT, number == null ? 0 : number);
    return Contexts.interceptCall(context, call, headers, next);
  }
}
