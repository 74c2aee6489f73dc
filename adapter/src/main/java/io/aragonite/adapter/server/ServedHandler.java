package io.aragonite.adapter.server;

import io.aragonite.adapter.execution.ClientRequest;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.apache.calcite.avatica.metrics.MetricsSystem;
import org.apache.calcite.avatica.metrics.noop.NoopMetricsSystem;
import org.apache.calcite.avatica.remote.AvaticaRuntimeException;
import org.apache.calcite.avatica.remote.Handler.HandlerResponse;
import org.apache.calcite.avatica.remote.JsonHandler;
import org.apache.calcite.avatica.remote.ProtobufHandler;
import org.apache.calcite.avatica.remote.ProtobufTranslation;
import org.apache.calcite.avatica.remote.ProtobufTranslationImpl;
import org.apache.calcite.avatica.remote.Service;
import org.apache.calcite.avatica.server.AbstractAvaticaHandler;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * Answers the requests of Avatica's clients, one a POST. In contrast to Avatica's own handlers it
 * bounds what it reads, tells clients nothing of the server's code, and cancels what a client has
 * asked for that does not wait for the answer.
 */
final class ServedHandler extends AbstractAvaticaHandler {
  /** Bytes of a request; a statement with many parameters has some kilobytes. */
  private static final int MAX_REQUEST = 64 << 20;

  /** Header in which old clients send JSON in place of the body. */
  private static final String REQUEST_HEADER = "request";

  private final Service service;
  private final boolean json;
  private final ClientWatch watch;
  private final Json jsonHandler;
  private final Protobuf protobufHandler;
  private Service.@Nullable RpcMetadataResponse metadata;

  ServedHandler(Service service, boolean json, ClientWatch watch) {
    this.service = service;
    this.json = json;
    this.watch = watch;
    jsonHandler = new Json(service);
    protobufHandler = new Protobuf(service);
  }

  @Override
  public void setServerRpcMetadata(Service.RpcMetadataResponse known) {
    metadata = known;
    service.setRpcMetadata(known);
    jsonHandler.setRpcMetadata(known);
    protobufHandler.setRpcMetadata(known);
  }

  @Override
  public MetricsSystem getMetrics() {
    return NoopMetricsSystem.getInstance();
  }

  /** What goes back. */
  private record Answer(byte[] body, int status) {}

  @Override
  public void handle(
      String target, Request base, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    base.setHandled(true);
    if (!request.getMethod().equals("POST")) {
      response.setHeader("Allow", "POST");
      send(
          response,
          refusal("Requests are sent by POST.", HttpServletResponse.SC_METHOD_NOT_ALLOWED));
      return;
    }
    byte @Nullable [] body = read(request);
    if (body == null) {
      response.setHeader("Connection", "close");
      send(
          response,
          refusal(
              "A request may have %,d bytes.".formatted(MAX_REQUEST),
              HttpServletResponse.SC_REQUEST_ENTITY_TOO_LARGE));
      return;
    }
    boolean close;
    Answer answer;
    try (ClientRequest scope = ClientRequest.begin(true)) {
      try (ClientWatch.Watched client = watch.watch(base.getHttpChannel().getEndPoint(), scope)) {
        answer = answer(body);
        close = client.sentMore();
      }
    }
    if (close) {
      response.setHeader("Connection", "close");
    }
    send(response, answer);
  }

  /** The body; null if it is too long. */
  private byte @Nullable [] read(HttpServletRequest request) throws IOException {
    String header = json ? request.getHeader(REQUEST_HEADER) : null;
    if (header != null) {
      // Headers are Latin-1, and these clients write UTF-8.
      return header.getBytes(StandardCharsets.ISO_8859_1);
    }
    if (request.getContentLengthLong() > MAX_REQUEST) {
      return null;
    }
    try (InputStream in = request.getInputStream()) {
      byte[] body = in.readNBytes(MAX_REQUEST + 1);
      return body.length > MAX_REQUEST ? null : body;
    }
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
      return failure(error, HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
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

  private void send(HttpServletResponse response, Answer answer) throws IOException {
    response.setStatus(answer.status());
    response.setContentType(
        json ? "application/json;charset=utf-8" : "application/octet-stream;charset=utf-8");
    response.setContentLength(answer.body().length);
    try (OutputStream out = response.getOutputStream()) {
      out.write(answer.body());
    }
  }

  /** What went wrong, and whether the service has seen the request at all. */
  private static int status(Exception error) {
    return error instanceof AvaticaRuntimeException
        ? HttpServletResponse.SC_INTERNAL_SERVER_ERROR
        : HttpServletResponse.SC_BAD_REQUEST;
  }

  private static AvaticaRuntimeException told(Exception error) {
    return error instanceof AvaticaRuntimeException known ? known : ServedErrors.malformed();
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
    private static final ProtobufTranslation TRANSLATION = new ProtobufTranslationImpl();

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
