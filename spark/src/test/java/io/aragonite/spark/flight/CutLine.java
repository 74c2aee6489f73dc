package io.aragonite.spark.flight;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/** Leads one connection to a server until it is closed: then the server is gone for the client. */
final class CutLine implements AutoCloseable {
  private final ServerSocket listener = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"));
  private final List<Socket> ends = new ArrayList<>();

  CutLine(String location) throws IOException {
    int port = URI.create(location).getPort();
    Thread.ofVirtual().start(() -> accept(port));
  }

  private void accept(int port) {
    try {
      Socket client = listener.accept();
      Socket server = new Socket(listener.getInetAddress(), port);
      synchronized (ends) {
        ends.addAll(List.of(client, server));
      }
      Thread.ofVirtual().start(() -> pump(client, server));
      pump(server, client);
    } catch (IOException e) {
      // Closed before a client came.
    }
  }

  private static void pump(Socket from, Socket to) {
    try {
      from.getInputStream().transferTo(to.getOutputStream());
    } catch (IOException e) {
      // Cut.
    }
  }

  String location() {
    return "grpc://127.0.0.1:" + listener.getLocalPort();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    synchronized (ends) {
      for (Socket end : ends) {
        end.close();
      }
    }
  }
}
