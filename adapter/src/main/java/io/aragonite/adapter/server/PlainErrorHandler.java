package io.aragonite.adapter.server;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

/** Answers to what is no HTTP, or not allowed: the status and its name, no page of Jetty's. */
final class PlainErrorHandler extends ErrorHandler {
  private static final String TYPE = "text/plain;charset=us-ascii";

  private static ByteBuffer text(int status) {
    String text = status + " " + HttpStatus.getMessage(status) + "\n";
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
  }

  /** Sends a status alone. */
  static void send(Response response, int status, Callback callback) {
    response.setStatus(status);
    ByteBuffer body = text(status);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, TYPE);
    response.getHeaders().put(HttpHeader.CONTENT_LENGTH, body.remaining());
    response.write(true, body, callback);
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    if (!(request.getAttribute(ERROR_EXCEPTION)
        instanceof EofException)) { // which is a client that has gone
      RefusedRequests.note(
          "http",
          String.valueOf(response.getStatus()),
          request.getConnectionMetaData().getRemoteSocketAddress(),
          HttpStatus.getMessage(response.getStatus()));
    }
    send(response, response.getStatus(), callback);
    return true;
  }
}
