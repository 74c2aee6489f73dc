package io.aragonite.spark.jdbc;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;

/** What a driver needs beside itself. A class of its own: with the client alone there are no errors of the engine. */
final class DriverLibraries {
  private DriverLibraries() {}

  /**
   * The error of a driver whose class is on the class path, and what it is made of is not.
   *
   * @param catalog its name in Spark
   */
  static RuntimeException missing(String catalog, String driver, LinkageError cause) {
    return new AragoniteException(
        ErrorCode.INVALID_PROPERTY,
        ("The driver %s of the catalog %s cannot be loaded (%s). aragonite-spark has no libraries of a driver: put aragonite-jdbc of the same"
                + " version beside it, and no other jars of Aragonite's, or aragonite-client, with"
                + " spark.sql.catalog.%2$s.driver=io.aragonite.client.ClientDriver and .url=jdbc:aragonite:remote:url=http://HOST:PORT.")
            .formatted(driver, catalog, cause.getMessage()),
        cause);
  }
}
