package io.aragonite.adapter.console;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the requests of the console: a page, its script and style, and what they show as JSON.
 * All of it is for those who have logged in, where there are users.
 */
public final class ConsoleHandler {
  private static final Logger LOG = LoggerFactory.getLogger(ConsoleHandler.class);
  private static final String PATH = "/console";
  private static final String QUERIES = PATH + "/queries";
  private static final String CANCEL = "/cancel";

  /** Of requests that change something: pages of other servers cannot send it. */
  private static final String OWN_HEADER = "X-Aragonite-Console";

  private static final String JSON = "application/json;charset=utf-8";

  /** Nothing but the console's own files; no script or style in the page itself. */
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
          + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  /** A number, in place of which no name can be put by who owns that. */
  private static final Pattern ADDRESS = Pattern.compile("[0-9]+(\\.[0-9]+){3}|\\[[0-9a-fA-F:.]+]");

  private record ConsoleFile(String type, byte[] bytes) {}

  private final Map<String, ConsoleFile> files =
      Map.of(
          PATH,
          file("console.html", "text/html;charset=utf-8"),
          PATH + "/",
          file("console.html", "text/html;charset=utf-8"),
          PATH + "/console.js",
          file("console.js", "text/javascript;charset=utf-8"),
          PATH + "/console.css",
          file("console.css", "text/css;charset=utf-8"));

  private final QueryLog log;
  private final ConsoleJson json;
  private final boolean users;
  private final String host;

  /**
   * @param users whether there is a login
   * @param host the server's own name or address
   * @param slots how many queries run at once
   */
  public ConsoleHandler(QueryLog log, boolean users, String host, int slots) {
    this.log = log;
    this.json = new ConsoleJson(log, slots);
    this.users = users;
    this.host = host;
  }

  private static ConsoleFile file(String name, String type) {
    try (InputStream in = ConsoleHandler.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("there is no " + name);
      }
      return new ConsoleFile(type, in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether a request is the console's. */
  public static boolean isOf(Request request) {
    String path = Request.getPathInContext(request);
    return path.equals(PATH) || path.startsWith(PATH + "/");
  }

  /**
   * Answers a request of somebody who has logged in.
   *
   * @param user null on a server without users
   * @param all whether the user sees what the whole server does
   */
  public void handle(
      Request request, Response response, Callback callback, @Nullable String user, boolean all) {
    protect(response.getHeaders());
    String path = Request.getPathInContext(request);
    String method = request.getMethod();
    ConsoleViewer viewer = new ConsoleViewer(user, all);
    if (!mayBeNamedSo(request)) {
      send(response, HttpStatus.MISDIRECTED_REQUEST_421, callback);
    } else if (method.equals("GET") || method.equals("HEAD")) {
      get(path, viewer, response, callback);
    } else if (method.equals("POST") && path.startsWith(QUERIES + "/") && path.endsWith(CANCEL)) {
      cancel(request, path, viewer, response, callback);
    } else {
      response.getHeaders().put(HttpHeader.ALLOW, "GET");
      send(response, HttpStatus.METHOD_NOT_ALLOWED_405, callback);
    }
  }

  private static void protect(HttpFields.Mutable headers) {
    headers.put("Content-Security-Policy", POLICY);
    headers.put("X-Content-Type-Options", "nosniff");
    headers.put("X-Frame-Options", "DENY");
    headers.put("Referrer-Policy", "no-referrer");
    headers.put("Cross-Origin-Resource-Policy", "same-origin");
    headers.put("Cross-Origin-Opener-Policy", "same-origin");
    headers.put(HttpHeader.CACHE_CONTROL, "no-store");
  }

  /**
   * Whether the server may be asked by this name. Without a login a page could have its own name
   * stand for this machine, and would then read answers as its own server's.
   */
  private boolean mayBeNamedSo(Request request) {
    String name = Request.getServerName(request);
    return users
        || name != null
            && (name.equalsIgnoreCase("localhost")
                || name.equalsIgnoreCase(host)
                || ADDRESS.matcher(name).matches()
                || name.contains(":")); // of IPv6, without its brackets
  }

  private void get(String path, ConsoleViewer viewer, Response response, Callback callback) {
    ConsoleFile file = files.get(path);
    if (file != null) {
      send(response, file.type, file.bytes, callback);
    } else if (path.equals(QUERIES)) {
      send(response, json.queries(viewer), callback);
    } else if (path.equals(PATH + "/devices")) {
      if (viewer.all()) {
        send(response, json.devices(viewer), callback);
      } else {
        send(response, HttpStatus.FORBIDDEN_403, callback);
      }
    } else {
      LoggedQuery query =
          path.startsWith(QUERIES + "/")
              ? log.find(path.substring(QUERIES.length() + 1), viewer)
              : null;
      if (query == null) {
        send(response, HttpStatus.NOT_FOUND_404, callback);
      } else {
        send(response, json.query(query, viewer), callback);
      }
    }
  }

  private void cancel(
      Request request, String path, ConsoleViewer viewer, Response response, Callback callback) {
    if (!isOwnPage(request)) {
      send(response, HttpStatus.FORBIDDEN_403, callback);
      return;
    }
    String id = path.substring(QUERIES.length() + 1, path.length() - CANCEL.length());
    LoggedQuery query = log.find(id, viewer);
    if (query == null) {
      send(response, HttpStatus.NOT_FOUND_404, callback);
    } else if (query.cancel()) {
      LOG.info("query {} was cancelled on the console by {}", query.id(), viewer.user());
      send(response, HttpStatus.OK_200, callback);
    } else {
      send(response, HttpStatus.CONFLICT_409, callback); // it has ended
    }
  }

  /** Whether a request comes from the console's page, or from no page. */
  private static boolean isOwnPage(Request request) {
    HttpFields headers = request.getHeaders();
    if (!headers.contains(OWN_HEADER)) {
      return false;
    }
    String site = headers.get("Sec-Fetch-Site");
    if (site != null && !site.equals("same-origin")) {
      return false;
    }
    String origin = headers.get(HttpHeader.ORIGIN);
    String own = (request.isSecure() ? "https://" : "http://") + headers.get(HttpHeader.HOST);
    return origin == null || origin.equalsIgnoreCase(own);
  }

  private static void send(Response response, String text, Callback callback) {
    send(response, JSON, text.getBytes(StandardCharsets.UTF_8), callback);
  }

  private static void send(Response response, int status, Callback callback) {
    response.setStatus(status);
    String text = status + " " + HttpStatus.getMessage(status) + "\n";
    send(
        response,
        "text/plain;charset=us-ascii",
        text.getBytes(StandardCharsets.US_ASCII),
        callback);
  }

  private static void send(Response response, String type, byte[] body, Callback callback) {
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, type);
    response.getHeaders().put(HttpHeader.CONTENT_LENGTH, body.length);
    response.write(true, ByteBuffer.wrap(body), callback);
  }
}
