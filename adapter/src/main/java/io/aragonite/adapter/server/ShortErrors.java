package io.aragonite.adapter.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.handler.ErrorHandler;

/** Answers to what is no HTTP, or not allowed: the status and its name, no page of Jetty's. */
final class ShortErrors extends ErrorHandler {
  private static String text(int status) {
    return status + " " + HttpStatus.getMessage(status) + "\n";
  }

  @Override
  public void handle(
      String target, Request base, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    base.setHandled(true);
    byte[] body = text(response.getStatus()).getBytes(StandardCharsets.US_ASCII);
    response.setContentType("text/plain;charset=us-ascii");
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }

  @Override
  public ByteBuffer badMessageError(int status, String reason, HttpFields fields) {
    byte[] body = text(status).getBytes(StandardCharsets.US_ASCII);
    fields.put(HttpHeader.CONTENT_TYPE, "text/plain;charset=us-ascii");
    fields.putLongField(HttpHeader.CONTENT_LENGTH, body.length);
    return ByteBuffer.wrap(body);
  }
}
