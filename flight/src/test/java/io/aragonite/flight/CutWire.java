package io.aragonite.flight;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A wire to a server that can be cut, as if the client's process had died. */
final class CutWire implements AutoCloseable {
  private final int target;
  private final ServerSocket entry;
  private final List<Closeable> ends = new CopyOnWriteArrayList<>();

  CutWire(int target) throws IOException {
    this.target = target;
    entry = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    start(() -> {
      while (true) {
        Socket from = entry.accept();
        Socket to = new Socket(InetAddress.getLoopbackAddress(), this.target);
        ends.add(from);
        ends.add(to);
        start(() -> from.getInputStream().transferTo(to.getOutputStream()));
        start(() -> to.getInputStream().transferTo(from.getOutputStream()));
      }
    });
  }

  private interface Work {
    void run() throws IOException;
  }

  private static void start(Work work) {
    Thread thread =
        new Thread(() -> {
          try {
            work.run();
          } catch (IOException e) {
            // It was cut.
          }
        });
    thread.setDaemon(true);
    thread.start();
  }

  int port() {
    return entry.getLocalPort();
  }

  void cut() throws IOException {
    entry.close();
    for (Closeable end : ends) {
      end.close();
    }
  }

  @Override
  public void close() throws IOException {
    cut();
  }
}
