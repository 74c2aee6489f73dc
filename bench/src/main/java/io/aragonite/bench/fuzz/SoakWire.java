package io.aragonite.bench.fuzz;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A wire from a client to a server that can be cut, as if the client's process had died. */
final class SoakWire implements AutoCloseable {
  private final int target;
  private final ServerSocket entry;
  private final Set<Closeable> ends = ConcurrentHashMap.newKeySet();
  private volatile boolean cut;

  /**
   * @param target port of the server on this machine
   */
  SoakWire(int target) throws IOException {
    this.target = target;
    entry = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  private interface SoakWork {
    void run() throws IOException;
  }

  private static void start(SoakWork work) {
    Thread.ofVirtual()
        .start(() -> {
          try {
            work.run();
          } catch (IOException e) {
            // It was cut, or one end has closed it.
          }
        });
  }

  private void accept() throws IOException {
    while (true) {
      Socket from = entry.accept();
      Socket to = new Socket(InetAddress.getLoopbackAddress(), target);
      ends.add(from);
      ends.add(to);
      if (cut) {
        cut();
      }
      start(() -> carry(from, to));
      start(() -> carry(to, from));
    }
  }

  private void carry(Socket from, Socket to) throws IOException {
    try (from; to) {
      from.getInputStream().transferTo(to.getOutputStream());
    } finally {
      ends.remove(from);
      ends.remove(to);
    }
  }

  int port() {
    return entry.getLocalPort();
  }

  boolean isCut() {
    return cut;
  }

  void cut() {
    cut = true;
    try {
      entry.close();
      for (Closeable end : ends) {
        end.close();
      }
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    cut();
  }
}
