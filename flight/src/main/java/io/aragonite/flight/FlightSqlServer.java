package io.aragonite.flight;

import io.aragonite.adapter.server.ClientConnections;
import io.aragonite.adapter.server.RefusedRequests;
import io.aragonite.adapter.server.RunningServer;
import io.aragonite.adapter.server.ServerOptions;
import io.aragonite.adapter.server.UserFile;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyServerBuilder;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.arrow.flight.FlightServer;
import org.apache.arrow.flight.Location;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.jspecify.annotations.Nullable;

/**
 * Serves Aragonite to clients of Arrow Flight SQL: Apache's JDBC driver, ADBC, and Arrow's libraries.
 * It listens where {@link ServerOptions} allow, and knows the users that they name.
 */
public final class FlightSqlServer implements RunningServer {
  /** Bytes of a message from a client: a statement, or rows of parameters. */
  static final int MAX_REQUEST = 64 << 20;

  private static final int MAX_HEADERS = 64 << 10;

  private static final FlightLimits LIMITS =
      new FlightLimits(2L << 30, Duration.ofMinutes(1), Duration.ofSeconds(20));

  /**
   * What clients may take.
   *
   * @param vectorBytes bytes of vectors that are on their way to all of them
   * @param silence after which one is asked whether it is there: its machine may have lost power
   * @param answer how long it has to say so
   */
  record FlightLimits(long vectorBytes, Duration silence, Duration answer) {}

  /** It warns of each client that stops reading. Kept, since loggers are forgotten otherwise. */
  private static final Logger GRPC = Logger.getLogger("io.grpc.netty.NettyServerHandler");

  /** It has a stack trace for each connection whose bytes are no protocol. */
  private static final Logger TRANSPORTS = Logger.getLogger("io.grpc.netty.NettyServerTransport");

  /** It has a stack trace for each message that is too large. */
  private static final Logger MESSAGES = Logger.getLogger("io.grpc.netty.NettyServerStream");

  static {
    GRPC.setLevel(Level.SEVERE);
    TRANSPORTS.setLevel(Level.WARNING);
    MESSAGES.setFilter(line -> !isTooLarge(line.getThrown()));
  }

  private static boolean isTooLarge(@Nullable Throwable error) {
    if (!(error instanceof StatusRuntimeException told)
        || told.getStatus().getCode() != Status.Code.RESOURCE_EXHAUSTED) {
      return false;
    }
    RefusedRequests.note(
        FlightCall.PROTOCOL,
        "message",
        "unknown",
        "a message has more than %,d bytes".formatted(MAX_REQUEST));
    return true;
  }

  static final int MAX_CALLS_OF_CONNECTION = 64;
  private static final Duration HANDSHAKE = Duration.ofSeconds(10);
  private static final Duration CLEAN = Duration.ofSeconds(5);

  /** How long results that were cancelled have, when the server is closed, until their vectors count as lost. */
  private static final Duration GIVING_BACK = Duration.ofSeconds(10);

  private final ServerOptions options;
  private final FlightLimits limits;
  private final BufferAllocator allocator;
  private final FlightSessions sessions;
  private final ClientConnections connections;
  private final Connection own;

  /** Has a thread for each call that may run, so that none waits for another. */
  private final ExecutorService calls = pool("aragonite-flight");

  /** Reads what clients send beside their requests, which {@link #calls} hand over. */
  private final ExecutorService puts =
      Executors.newCachedThreadPool(daemons("aragonite-flight-put"));

  private final ExecutorService streams =
      Executors.newCachedThreadPool(daemons("aragonite-flight-stream"));
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(daemons("aragonite-flight-idle"));
  private final @Nullable UserFile users;
  private final AtomicBoolean closed = new AtomicBoolean();
  private @Nullable FlightServer server;

  private FlightSqlServer(ServerOptions options, FlightLimits limits) throws SQLException {
    this.options = options;
    this.limits = limits;
    users = options.users() == null ? null : new UserFile(options.users());
    connections = new ClientConnections(options);
    boolean done = false;
    try {
      own = connections.openOwn();
      done = true;
    } finally {
      if (!done) {
        connections.close();
      }
    }
    sessions = new FlightSessions(connections, options.maxQueryTime(), options.idleTime());
    allocator = new RootAllocator(limits.vectorBytes);
  }

  private static ExecutorService pool(String name) {
    int most = FlightTransports.MAX_CALLS;
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            most, most, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>(), daemons(name));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  private static ThreadFactory daemons(String name) {
    AtomicInteger number = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }

  /**
   * Begins to serve.
   *
   * @throws io.aragonite.exec.error.AragoniteException SERVER_REFUSED if the address needs
   *     protection that is not there, or cannot be listened on
   * @throws SQLException if the connection that clients would get cannot be opened
   */
  public static FlightSqlServer start(ServerOptions options) throws SQLException {
    return start(options, LIMITS);
  }

  static FlightSqlServer start(ServerOptions options, FlightLimits limits) throws SQLException {
    options.check();
    FlightSqlServer started = new FlightSqlServer(options, limits);
    boolean done = false;
    try {
      started.listen();
      done = true;
      return started;
    } catch (IOException | GeneralSecurityException e) {
      throw options.cannotListen(e);
    } finally {
      if (!done) {
        started.close();
      }
    }
  }

  private void listen() throws IOException, GeneralSecurityException {
    SslContext tls = options.keystore() == null ? null : tls(options.keystore());
    FlightTransports transports = new FlightTransports(sessions);
    Consumer<NettyServerBuilder> settings =
        builder -> {
          builder
              .executor(calls)
              .maxConcurrentCallsPerConnection(MAX_CALLS_OF_CONNECTION)
              .handshakeTimeout(HANDSHAKE.toSeconds(), TimeUnit.SECONDS)
              .intercept(transports)
              .addTransportFilter(transports)
              .permitKeepAliveTime(10, TimeUnit.SECONDS)
              .keepAliveTime(limits.silence.toMillis(), TimeUnit.MILLISECONDS)
              .keepAliveTimeout(limits.answer.toMillis(), TimeUnit.MILLISECONDS);
          if (tls != null) {
            builder.sslContext(tls);
          }
        };
    FlightSqlService service =
        new FlightSqlService(sessions, allocator, streams, options.maxQueryTime());
    server =
        FlightServer.builder(
                allocator, Location.forGrpcInsecure(options.host(), options.port()), service)
            .headerAuthenticator(
                new FlightLogin(
                    users, options.rules().tokens(), sessions, options.rules().audit()))
            .middleware(FlightCall.KEY, FlightCall::begin)
            .executor(puts)
            .maxInboundMessageSize(MAX_REQUEST)
            .setMaxHeaderListSize(MAX_HEADERS)
            .transportHint("grpc.builderConsumer", settings)
            .build()
            .start();
    timer.scheduleWithFixedDelay(
        sessions::closeIdle, CLEAN.toMillis(), CLEAN.toMillis(), TimeUnit.MILLISECONDS);
  }

  private SslContext tls(Path keystore) throws IOException, GeneralSecurityException {
    FlightCertificate certificate = new FlightCertificate(keystore, options.keystorePassword());
    timer.scheduleWithFixedDelay(certificate::reloadIfChanged, 1, 1, TimeUnit.SECONDS);
    return GrpcSslContexts.configure(SslContextBuilder.forServer(certificate), SslProvider.JDK)
        .build();
  }

  @Override
  public int port() {
    return java.util.Objects.requireNonNull(server).getPort();
  }

  @Override
  public String clientUrl() {
    return "jdbc:arrow-flight-sql://%s:%d/?useEncryption=%s"
        .formatted(options.urlHost(), port(), options.keystore() != null);
  }

  /** Bytes of vectors that are on their way to clients. */
  long vectorBytes() {
    return allocator.getAllocatedMemory();
  }

  /** Connections of clients that are open. */
  int sessionCount() {
    return sessions.count();
  }

  @Override
  public void close() throws SQLException {
    if (closed.getAndSet(true)) {
      return;
    }
    timer.shutdownNow();
    try {
      sessions.close();
      stopListening();
    } finally {
      calls.shutdownNow();
      puts.shutdownNow();
      streams.shutdown();
      awaitVectors();
      try {
        allocator.close();
      } finally {
        try {
          connections.close();
        } finally {
          own.close();
        }
      }
    }
  }

  /** What sends results has been cancelled; network connections that are closed give back what was on its way a moment later. */
  private void awaitVectors() {
    long end = System.nanoTime() + GIVING_BACK.toNanos();
    try {
      streams.awaitTermination(GIVING_BACK.toNanos(), TimeUnit.NANOSECONDS);
      while (vectorBytes() > 0 && System.nanoTime() < end) {
        Thread.sleep(1);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void stopListening() {
    FlightServer running = server;
    if (running == null) {
      return;
    }
    running.shutdown();
    try {
      if (!running.awaitTermination(1, TimeUnit.SECONDS)) {
        running.close();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
