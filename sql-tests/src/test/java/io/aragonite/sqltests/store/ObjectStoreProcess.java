package io.aragonite.sqltests.store;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** An S3 server on loopback, of a class path that module object-store has found. */
final class ObjectStoreProcess implements AutoCloseable {
  static final String KEY = "tester";
  static final String SECRET = "SECRETSECRET";

  /** Where the build has put it, seen from this module. */
  static final Path CLASS_PATH = Path.of("object-store", "target", "classpath.txt");

  private static final long START_SECONDS = 60;

  private final Process process;
  private final int port;

  /**
   * @param folder where its buckets are, which are folders
   */
  ObjectStoreProcess(Path folder, String... buckets) throws IOException, InterruptedException {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    Path data = Files.createDirectories(folder.resolve("data"));
    for (String bucket : buckets) {
      // What others may read on disk, the server lets everybody read.
      Files.createDirectory(
          data.resolve(bucket),
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }
    Path settings =
        Files.writeString(
            folder.resolve("s3proxy.conf"),
            """
            s3proxy.endpoint=%s
            s3proxy.authorization=aws-v2-or-v4
            s3proxy.identity=%s
            s3proxy.credential=%s
            jclouds.provider=filesystem-nio2
            jclouds.filesystem.basedir=%s
            """
                .formatted(endpoint(), KEY, SECRET, data));
    Path log = folder.resolve("s3proxy.log");
    process =
        new ProcessBuilder(
                List.of(
                    ProcessHandle.current().info().command().orElse("java"),
                    "-Xmx256m",
                    "-XX:TieredStopAtLevel=1",
                    "-DLOG_LEVEL=warn",
                    "-cp",
                    Files.readString(CLASS_PATH).strip(),
                    "org.gaul.s3proxy.Main",
                    "--properties",
                    settings.toString()))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    boolean started = false;
    try {
      await(log);
      started = true;
    } finally {
      if (!started) {
        close();
      }
    }
  }

  private void await(Path log) throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    while (true) {
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
        return;
      } catch (IOException e) {
        if (!process.isAlive() || System.nanoTime() > end) {
          throw new IOException("the store did not start: " + Files.readString(log), e);
        }
        Thread.sleep(50);
      }
    }
  }

  String endpoint() {
    return "http://127.0.0.1:" + port;
  }

  @Override
  public void close() {
    process.destroyForcibly();
    try {
      var _ = process.waitFor(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
