package io.aragonite.adapter.execution;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who has sent a request to a server.
 *
 * @param protocol its server's, for instance {@code flight}
 * @param user null on a server without users
 * @param address of the network, as far as the server knows it
 * @param roles that the user's token names; none of a user with a password
 */
public record ClientIdentity(
    String protocol, @Nullable String user, String address, Set<String> roles) {
  /** Without a token. */
  public ClientIdentity(String protocol, @Nullable String user, String address) {
    this(protocol, user, address, Set.of());
  }
}
