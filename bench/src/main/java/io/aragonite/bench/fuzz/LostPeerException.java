package io.aragonite.bench.fuzz;

import java.io.Serial;
import java.sql.SQLException;

/** A defect of DuckDB has ended its database: it answers nothing more, and another has to be opened. */
final class LostPeerException extends SQLException {
  @Serial private static final long serialVersionUID = 1L;

  LostPeerException(String message, Throwable cause) {
    super(message, cause);
  }
}
