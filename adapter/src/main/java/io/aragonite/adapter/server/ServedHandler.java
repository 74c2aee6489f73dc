package io.aragonite.adapter.server;

import io.aragonite.adapter.console.ConsoleHandler;
import io.aragonite.adapter.execution.ClientIdentity;
import io.aragonite.adapter.execution.ClientRequest;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.apache.calcite.avatica.metrics.noop.NoopMetricsSystem;
import org.apache.calcite.avatica.remote.AvaticaRuntimeException;
import org.apache.calcite.avatica.remote.Handler.HandlerResponse;
import org.apache.calcite.avatica.remote.JsonHandler;
import org.apache.calcite.avatica.remote.ProtobufHandler;
import org.apache.calcite.avatica.remote.ProtobufTranslation;
import org.apache.calcite.avatica.remote.Service;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Answers the requests of Avatica's clients, one a POST. In contrast to Avatica's own handlers it
 * bounds what it reads, tells clients nothing of the server's code, and cancels what a client has
 * asked for that does not wait for the answer.
 */
final class ServedHandler extends Handler.Abstract {
  static final String PROTOCOL = "avatica";

  /** Requests that are worked on at once: some of Jetty's 200 threads are left for all else. */
  private static final int MOST_WORKERS = 160;

  /** Header in which old clients send JSON in place of the body. */
  private static final String REQUEST_HEADER = "request";

  private static final long MOST_ANSWER_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final AtomicInteger answering = new AtomicInteger();
  private final Service service;
  private final boolean json;
  private final ClientWatch watch;
  private final HttpLogin login;
  private final HealthHandler health;
  private final ConsoleHandler console;
  private final Predicate<ClientIdentity> seesAll;
  private final Duration patience;
  private final HeaderWatch headers;
  private final RequestMemory memory;
  private final RequestWorkers workers = new RequestWorkers(MOST_WORKERS);
  private final Json jsonHandler;
  private final Protobuf protobufHandler;
  private volatile Service.@Nullable RpcMetadataResponse metadata;

  /**
   * @param login who is let in
   * @param seesAll whether a user may see what the whole server does
   * @param memory what requests hold
   * @param patience after which a header must have come, and a body at a certain speed
   */
  ServedHandler(
      Service service,
      boolean json,
      ClientWatch watch,
      HttpLogin login,
      HealthHandler health,
      ConsoleHandler console,
      Predicate<ClientIdentity> seesAll,
      RequestMemory memory,
      Duration patience) {
    this.service = service;
    this.json = json;
    this.watch = watch;
    this.login = login;
    this.health = health;
    this.console = console;
    this.seesAll = seesAll;
    this.memory = memory;
    this.patience = patience;
    this.headers = new HeaderWatch(patience);
    jsonHandler = new Json(service);
    protobufHandler = new Protobuf(service);
  }

  /** Who ends connections whose headers do not come; it is told of connections by the server. */
  HeaderWatch headers() {
    return headers;
  }

  /** Sets what clients are told of the server beside each answer. */
  void setServerAddress(String address) {
    metadata = new Service.RpcMetadataResponse(address);
    service.setRpcMetadata(metadata);
    jsonHandler.setRpcMetadata(metadata);
    protobufHandler.setRpcMetadata(metadata);
  }

  /** What goes back. */
  private record Answer(byte[] body, int status) {}

  /** Waits until the answers that are being made have been sent, for a moment at most. */
  void awaitAnswers() {
    long begin = System.nanoTime();
    while (answering.get() > 0 && System.nanoTime() - begin < MOST_ANSWER_NANOS) {
      try {
        Thread.sleep(1);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  @Override
  public boolean handle(Request request, Response response, Callback last) {
    answering.incrementAndGet();
    Connection connection = request.getConnectionMetaData().getConnection();
    headers.begin(connection);
    AtomicBoolean answered = new AtomicBoolean();
    Runnable done =
        () -> {
          if (answered.compareAndSet(false, true)) {
            answering.decrementAndGet();
          }
        };
    try {
      // the next request may begin as soon as the last of this one's answer is on its way
      Runnable ended = () -> headers.end(connection);
      return answer(request, response, Callback.from(ended, Callback.from(last, done)));
    } catch (Throwable e) {
      headers.end(connection);
      done.run();
      throw e;
    }
  }

  private boolean answer(Request request, Response response, Callback callback) {
    try {
      respond(request, response, callback);
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      fail(request, response, callback, e);
    }
    return true;
  }

  /** Tells a client what has become of its request. */
  private void fail(Request request, Response response, Callback callback, Throwable error) {
    if (response.isCommitted() || error instanceof EofException) { // nobody is there
      callback.failed(error);
    } else if (error instanceof HttpException.RuntimeException refused) {
      RefusedRequests.note(
          PROTOCOL, String.valueOf(refused.getCode()), address(request), refused.getReason());
      response.getHeaders().put(HttpHeader.CONNECTION, "close");
      send(response, refusal(refused.getReason(), refused.getCode()), callback);
    } else {
      send(
          response,
          failure(ServedErrors.of(error), HttpStatus.INTERNAL_SERVER_ERROR_500),
          callback);
    }
  }

  private void respond(Request request, Response response, Callback callback) throws IOException {
    boolean page = request.getMethod().equals("GET") || request.getMethod().equals("HEAD");
    if (page && health.handle(request, response, callback)) {
      return;
    }
    ClientIdentity client = login.client(request, response.getHeaders());
    if (client == null) {
      PlainErrorHandler.send(response, HttpStatus.UNAUTHORIZED_401, callback);
      return;
    }
    if (ConsoleHandler.isOf(request)) {
      console.handle(request, response, callback, client.user(), seesAll.test(client));
      return;
    }
    if (page && Request.getPathInContext(request).equals("/metrics")) {
      if (!seesAll.test(client)) {
        PlainErrorHandler.send(response, HttpStatus.FORBIDDEN_403, callback);
        return;
      }
      response.getHeaders().put(HttpHeader.CONTENT_TYPE, ServerMetrics.CONTENT_TYPE);
      response.write(true, ByteBuffer.wrap(ServerMetrics.text()), callback);
      return;
    }
    if (!request.getMethod().equals("POST")) {
      response.getHeaders().put(HttpHeader.ALLOW, "POST");
      throw new HttpException.RuntimeException(
          HttpStatus.METHOD_NOT_ALLOWED_405, "Requests are sent by POST.");
    }
    if (request.getHeaders().contains(HttpHeader.ORIGIN)) {
      // Any page that somebody here looks at could ask a server on loopback.
      throw new HttpException.RuntimeException(
          HttpStatus.FORBIDDEN_403, "Requests of web pages are refused.");
    }
    receive(request, client, response, callback);
  }

  private static Object address(Request request) {
    return request.getConnectionMetaData().getRemoteSocketAddress();
  }

  /** Reads a request, and then works on it. */
  private void receive(Request request, ClientIdentity from, Response response, Callback callback) {
    RequestMemory.Share held = memory.share(from.user());
    String header = json ? request.getHeaders().get(REQUEST_HEADER) : null;
    if (header != null) {
      // Headers are Latin-1, and these clients write UTF-8.
      byte[] body = header.getBytes(StandardCharsets.ISO_8859_1);
      work(request, from, body, held, response, callback);
      return;
    }
    BodyReader reader = new BodyReader(request, held, memory.mostOfUser(), patience);
    reader.requireLength(request.getLength());
    CompletableFuture<Void> _ =
        reader.handle((body, failure) -> {
          try {
            if (failure == null) {
              work(request, from, body, held, response, callback);
            } else {
              held.close();
              fail(request, response, callback, BodyReader.told(failure));
            }
          } catch (Throwable e) { // nobody looks at what this returns
            callback.failed(e);
          }
          return null;
        });
    reader.parse();
  }

  private void work(
      Request request,
      ClientIdentity from,
      byte[] body,
      RequestMemory.Share held,
      Response response,
      Callback callback) {
    request.addIdleTimeoutListener(timeout -> false); // a statement takes as long as it may
    workers.run(
        request.getComponents().getExecutor(),
        () -> {
          try {
            Answer answer;
            try (held) { // before the client can send more
              answer = answer(request, from, body, response);
            }
            send(response, answer, callback);
          } catch (Throwable e) {
            fail(request, response, callback, e);
          }
        });
  }

  private Answer answer(Request request, ClientIdentity from, byte[] body, Response response) {
    EndPoint client = request.getConnectionMetaData().getConnection().getEndPoint();
    boolean close;
    Answer answer;
    try (ClientRequest scope = ClientRequest.begin(true, from)) {
      scope.traceParent(request.getHeaders().get("traceparent"));
      try (ClientWatch.Watched watched = watch.watch(client, scope)) {
        answer = answer(body);
        close = watched.sentMore();
      }
    }
    if (close) {
      response.getHeaders().put(HttpHeader.CONNECTION, "close");
    }
    return answer;
  }

  private Answer answer(byte[] body) {
    try {
      if (json) {
        HandlerResponse<String> answer =
            jsonHandler.apply(new String(body, StandardCharsets.UTF_8));
        return new Answer(
            answer.getResponse().getBytes(StandardCharsets.UTF_8), answer.getStatusCode());
      }
      HandlerResponse<byte[]> answer = protobufHandler.apply(body);
      return new Answer(answer.getResponse(), answer.getStatusCode());
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
      // While it was read, or its answer written; deep nesting ends so, for one.
      AvaticaRuntimeException error =
          e instanceof StackOverflowError ? ServedErrors.malformed() : ServedErrors.of(e);
      return failure(error, HttpStatus.INTERNAL_SERVER_ERROR_500);
    }
  }

  private Answer refusal(String sentence, int status) {
    return failure(ServedErrors.of(ErrorCode.INVALID_CALL, sentence), status);
  }

  private Answer failure(AvaticaRuntimeException error, int status) {
    byte[] body =
        json
            ? Json.text(response(error)).getBytes(StandardCharsets.UTF_8)
            : Protobuf.bytes(response(error));
    return new Answer(body, status);
  }

  private Service.ErrorResponse response(AvaticaRuntimeException error) {
    return new Service.ErrorResponse(
        List.of(),
        error.getErrorMessage(),
        error.getErrorCode(),
        error.getSqlState(),
        error.getSeverity(),
        metadata);
  }

  private void send(Response response, Answer answer, Callback callback) {
    response.setStatus(answer.status());
    response
        .getHeaders()
        .put(
            HttpHeader.CONTENT_TYPE,
            json ? "application/json;charset=utf-8" : "application/octet-stream;charset=utf-8");
    response.getHeaders().put(HttpHeader.CONTENT_LENGTH, answer.body().length);
    response.write(true, ByteBuffer.wrap(answer.body()), callback);
  }

  /** What went wrong, and whether the service has seen the request at all. */
  private static int status(Exception error) {
    return error instanceof AvaticaRuntimeException
        ? HttpStatus.INTERNAL_SERVER_ERROR_500
        : HttpStatus.BAD_REQUEST_400;
  }

  private static AvaticaRuntimeException told(Exception error) {
    if (error instanceof AvaticaRuntimeException known) {
      return known;
    }
    RefusedRequests.note(
        PROTOCOL,
        String.valueOf(HttpStatus.BAD_REQUEST_400),
        ClientRequest.client(ClientRequest.current()).address(),
        "it is none of Avatica's");
    return ServedErrors.malformed();
  }

  private final class Json extends JsonHandler {
    Json(Service service) {
      super(service, NoopMetricsSystem.getInstance());
    }

    @Override
    public HandlerResponse<String> convertToErrorResponse(Exception error) {
      return new HandlerResponse<>(text(response(told(error))), status(error));
    }

    static String text(Service.ErrorResponse error) {
      try {
        return MAPPER.writeValueAsString(error);
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private final class Protobuf extends ProtobufHandler {
    private static final ProtobufTranslation TRANSLATION = new FrameTranslation();

    Protobuf(Service service) {
      super(service, TRANSLATION, NoopMetricsSystem.getInstance());
    }

    @Override
    public HandlerResponse<byte[]> convertToErrorResponse(Exception error) {
      return new HandlerResponse<>(bytes(response(told(error))), status(error));
    }

    static byte[] bytes(Service.ErrorResponse error) {
      try {
        return TRANSLATION.serializeResponse(error);
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
