package io.aragonite.adapter.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.aragonite.adapter.execution.ClientRequest;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

/** A logger of {@link ServiceLogging}. */
@SuppressWarnings("serial") // nobody writes one down
final class ServiceLogger extends LegacyAbstractLogger {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** The least that is told. */
  private final Level least;

  ServiceLogger(String name) {
    this.name = name;
    least = CommandLogging.level(name);
  }

  private boolean tells(Level level) {
    return level.toInt() >= least.toInt();
  }

  @Override
  public boolean isTraceEnabled() {
    return tells(Level.TRACE);
  }

  @Override
  public boolean isDebugEnabled() {
    return tells(Level.DEBUG);
  }

  @Override
  public boolean isInfoEnabled() {
    return tells(Level.INFO);
  }

  @Override
  public boolean isWarnEnabled() {
    return tells(Level.WARN);
  }

  @Override
  public boolean isErrorEnabled() {
    return tells(Level.ERROR);
  }

  @Override
  protected @Nullable String getFullyQualifiedCallerName() {
    return null;
  }

  @Override
  @SuppressWarnings("SystemOut") // that is where it goes
  protected void handleNormalizedLoggingCall(
      Level level,
      @Nullable Marker marker,
      String pattern,
      @Nullable Object @Nullable [] arguments,
      @Nullable Throwable error) {
    String message = MessageFormatter.basicArrayFormat(pattern, arguments);
    String line =
        ServiceLogging.format() == ServiceLogging.Format.JSON
            ? json(level, message, error)
            : text(level, message, error);
    PrintStream out = System.err;
    out.print(line + System.lineSeparator()); // one call, so that lines of threads do not mix
    out.flush();
  }

  private static String now() {
    return Instant.now().truncatedTo(ChronoUnit.MILLIS).toString();
  }

  private String text(Level level, String message, @Nullable Throwable error) {
    ClientRequest request = ClientRequest.current();
    String query = request == null || request.query() == null ? "" : " query " + request.query();
    String line =
        "%s %s %s [%s%s] - %s"
            .formatted(now(), level, name, Thread.currentThread().getName(), query, message);
    return error == null ? line : line + System.lineSeparator() + stack(error).stripTrailing();
  }

  private String json(Level level, String message, @Nullable Throwable error) {
    ObjectNode line = JSON.createObjectNode();
    line.put("time", now());
    line.put("level", level.toString().toLowerCase(Locale.ROOT));
    line.put("logger", name);
    line.put("thread", Thread.currentThread().getName());
    ClientRequest request = ClientRequest.current();
    if (request != null) {
      if (request.query() != null) {
        line.put("query", request.query());
      }
      if (request.client().user() != null) {
        line.put("user", request.client().user());
      }
      line.put("address", request.client().address());
    }
    line.put("message", message);
    if (error != null) {
      line.put("error", stack(error));
    }
    return line.toString();
  }

  private static String stack(Throwable error) {
    StringWriter stack = new StringWriter();
    error.printStackTrace(new PrintWriter(stack));
    return stack.toString();
  }
}
