package io.aragonite.spark.flight;

import java.io.Serializable;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Map;
import java.util.Set;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.grpc.CredentialCallOption;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;

/**
 * Where Aragonite serves Flight SQL, and who asks.
 *
 * @param location such as {@code grpc://host:8766}, or {@code grpc+tls://host:8766}
 * @param user null if the server asks for none
 */
public record FlightServer(String location, @Nullable String user, @Nullable String password)
    implements Serializable {
  /** The option of a catalog that names it. */
  public static final String OPTION = "flight";

  private static final Set<String> SCHEMES = Set.of("grpc", "grpc+tcp", "grpc+tls");

  public FlightServer {
    URI uri = uri(location);
    if (uri.getScheme() == null
        || !SCHEMES.contains(uri.getScheme())
        || uri.getHost() == null
        || uri.getPort() < 0) {
      throw new IllegalArgumentException(
          "The option "
              + OPTION
              + " names no server: '"
              + location
              + "'. Write grpc://HOST:PORT, or grpc+tls://HOST:PORT for TLS.");
    }
  }

  private static URI uri(String location) {
    try {
      return new URI(location);
    } catch (URISyntaxException e) {
      return URI.create("");
    }
  }

  /** Of a catalog's options; null if rows come through JDBC. */
  public static @Nullable FlightServer of(Map<String, String> options) {
    String location = options.get(OPTION);
    return location == null
        ? null
        : new FlightServer(location, options.get("user"), options.get("password"));
  }

  /** A client, and what makes its calls those of the user. */
  record Login(FlightSqlClient client, CredentialCallOption[] calls) {}

  Login connect(BufferAllocator allocator) {
    // Arrow's name for grpc: is grpc+tcp:
    Location known = new Location(URI.create(location.replaceFirst("^grpc:", "grpc+tcp:")));
    FlightClient client = FlightClient.builder(allocator, known).build();
    boolean done = false;
    try {
      Login login = new Login(new FlightSqlClient(client), calls(client));
      done = true;
      return login;
    } finally {
      if (!done) {
        close(client);
      }
    }
  }

  private CredentialCallOption[] calls(FlightClient client) {
    return user == null
        ? new CredentialCallOption[0]
        : client
            .authenticateBasicToken(user, password == null ? "" : password)
            .stream()
            .toArray(CredentialCallOption[]::new);
  }

  private static void close(FlightClient client) {
    try {
      client.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Without the password. */
  @Override
  public String toString() {
    return location;
  }
}
