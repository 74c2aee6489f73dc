package io.aragonite.adapter.execution;

import org.jspecify.annotations.Nullable;

/**
 * Who has sent a request to a server.
 *
 * @param protocol its server's, for instance {@code flight}
 * @param user null on a server without users
 * @param address of the network, as far as the server knows it
 */
public record ClientIdentity(String protocol, @Nullable String user, String address) {}
