package io.aragonite.adapter.execution;

import org.jspecify.annotations.Nullable;

/**
 * Who has sent a request to a server.
 *
 * @param user null on a server without users
 * @param address of the network, as far as the server knows it
 */
public record ClientIdentity(@Nullable String user, String address) {}
