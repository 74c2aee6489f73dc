package io.aragonite.adapter.server;

import java.util.Set;

/**
 * Whom a good token names.
 *
 * @param roles of its claim; empty where none is read
 */
public record TokenUser(String name, Set<String> roles) {}
