package io.aragonite.adapter;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** An HTTP server on loopback with files that misbehave as tests have it. */
final class FileServer implements AutoCloseable {
  private static final Pattern RANGE = Pattern.compile("bytes=(\\d+)-(\\d+)");

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Map<String, Served> files = new ConcurrentHashMap<>();
  private final List<SentAnswer> answers = new CopyOnWriteArrayList<>();

  /** What was answered: bytes of the body that were meant. */
  record SentAnswer(String path, @Nullable String query, int status, long bytes) {}

  /** What answers in place of the file; false: the file does. */
  @FunctionalInterface
  interface Mishap {
    /**
     * @param asked how often the file was asked for before
     */
    boolean answer(HttpExchange exchange, int asked) throws IOException;
  }

  private static final class Served {
    private final byte[] bytes;
    private final String tag;
    private final boolean ranges;
    private final Mishap mishap;
    private int asked;

    Served(byte[] bytes, String tag, boolean ranges, Mishap mishap) {
      this.bytes = bytes;
      this.tag = tag;
      this.ranges = ranges;
      this.mishap = mishap;
    }

    synchronized int next() {
      return asked++;
    }
  }

  FileServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  String url(String path) {
    return "http://127.0.0.1:" + server.getAddress().getPort() + path;
  }

  void put(String path, byte[] bytes) {
    put(path, bytes, (exchange, asked) -> false);
  }

  void put(String path, byte[] bytes, Mishap mishap) {
    files.put(path, new Served(bytes, "\"" + System.nanoTime() + "\"", true, mishap));
  }

  /** A file that is sent whole whatever is asked for. */
  void putWhole(String path, byte[] bytes) {
    files.put(path, new Served(bytes, "", false, (exchange, asked) -> false));
  }

  List<SentAnswer> answers() {
    return List.copyOf(answers);
  }

  void forget() {
    answers.clear();
  }

  static void status(HttpExchange exchange, int status) throws IOException {
    exchange.sendResponseHeaders(status, -1);
    exchange.close();
  }

  private void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    Served file = files.get(path);
    if (file == null) {
      note(exchange, 404, 0);
      status(exchange, 404);
      return;
    }
    if (!file.tag.isEmpty()) {
      exchange.getResponseHeaders().set("ETag", file.tag);
    }
    if (file.mishap.answer(exchange, file.next())) {
      return;
    }
    String wanted = exchange.getRequestHeaders().getFirst("If-Match");
    if (wanted != null && !wanted.equals(file.tag)) {
      note(exchange, 412, 0);
      status(exchange, 412);
      return;
    }
    send(exchange, file);
  }

  private void send(HttpExchange exchange, Served file) throws IOException {
    String range = file.ranges ? exchange.getRequestHeaders().getFirst("Range") : null;
    Matcher matcher = RANGE.matcher(range == null ? "" : range);
    int from = 0;
    int to = file.bytes.length;
    boolean part = matcher.matches();
    if (part) {
      from = Integer.parseInt(matcher.group(1));
      to = (int) Math.min(to, Long.parseLong(matcher.group(2)) + 1);
      if (from >= file.bytes.length) {
        exchange.getResponseHeaders().set("Content-Range", "bytes */" + file.bytes.length);
        status(exchange, 416);
        return;
      }
      exchange
          .getResponseHeaders()
          .set("Content-Range", "bytes %d-%d/%d".formatted(from, to - 1, file.bytes.length));
    }
    note(exchange, part ? 206 : 200, to - from);
    exchange.sendResponseHeaders(part ? 206 : 200, to == from ? -1 : to - from);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(file.bytes, from, to - from);
    }
  }

  private void note(HttpExchange exchange, int status, long bytes) {
    answers.add(
        new SentAnswer(
            exchange.getRequestURI().getPath(),
            exchange.getRequestURI().getQuery(),
            status,
            bytes));
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
