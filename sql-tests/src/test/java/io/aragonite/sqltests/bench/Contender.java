package io.aragonite.sqltests.bench;

import java.sql.Connection;

/**
 * An engine to time.
 *
 * @param name as reports show it
 * @param connection to a database that has the eight tables; closed by whoever opened it
 */
public record Contender(String name, Connection connection) {}
