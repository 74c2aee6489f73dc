package io.aragonite.exec.error;

/**
 * The one catalogue of errors. Every error that leaves the product carries one of these codes; its
 * message names the offending thing and the way out. SQLSTATEs follow ISO/IEC 9075-2, clause 24.1;
 * where it has none that fits, they are PostgreSQL's. None of a statement's errors is one at which
 * a connection pool throws the connection away: classes 08 and 57P, and, for HikariCP, 0A000. So
 * what is not supported has a subclass of our own in class 0A, which the standard leaves to
 * implementations.
 *
 * <p>A code is never renumbered; a new one takes the next free number of its range (1xx statement,
 * 2xx values at run time, 3xx tables and files, 4xx connection and options, 5xx unsupported, 6xx
 * resources, 9xx internal).
 */
public enum ErrorCode {
  SYNTAX(101, ErrorKind.USER, "42601"),
  UNKNOWN_TABLE(102, ErrorKind.USER, "42P01"),
  UNKNOWN_COLUMN(103, ErrorKind.USER, "42703"),
  INVALID_STATEMENT(104, ErrorKind.USER, "42000"),
  UNKNOWN_FUNCTION(105, ErrorKind.USER, "42883"),

  DIVISION_BY_ZERO(201, ErrorKind.USER, "22012"),
  NUMERIC_OVERFLOW(202, ErrorKind.USER, "22003"),
  INVALID_CAST(203, ErrorKind.USER, "22018"),
  SCALAR_SUBQUERY_ROWS(204, ErrorKind.USER, "21000"),
  INVALID_ARGUMENT(205, ErrorKind.USER, "22023"),
  INVALID_DATETIME(206, ErrorKind.USER, "22007"),
  MISSING_PARAMETER(207, ErrorKind.USER, "07002"),
  INVALID_ESCAPE(208, ErrorKind.USER, "22025"),
  INVALID_REGEX(209, ErrorKind.USER, "2201B"),
  NULL_NOT_ALLOWED(210, ErrorKind.USER, "23502"),
  TEXT_TOO_LONG(211, ErrorKind.USER, "22001"),
  DUPLICATE_KEY(212, ErrorKind.USER, "23505"),
  CHECK_VIOLATED(213, ErrorKind.USER, "23514"),

  DIRECTORY_NOT_FOUND(301, ErrorKind.USER, "58P01"),
  DIRECTORY_EMPTY(302, ErrorKind.USER, "58P01"),
  FILE_BROKEN(303, ErrorKind.USER, "58030"),
  CSV_FIELD_COUNT(304, ErrorKind.USER, "22P04"),
  CSV_VALUE(305, ErrorKind.USER, "22P02"),
  DUPLICATE_TABLE(306, ErrorKind.USER, "42P07"),
  FILE_OUTSIDE_DIRECTORY(307, ErrorKind.USER, "42501"),
  COLUMN_TYPE_UNSUPPORTED(308, ErrorKind.UNSUPPORTED, States.NOT_SUPPORTED),
  FILE_UNSUPPORTED(309, ErrorKind.UNSUPPORTED, States.NOT_SUPPORTED),
  /** A table of another adapter, which failed while it was read. */
  SOURCE_FAILED(310, ErrorKind.USER, "58030"),
  /** A file that a command was told to read or to write. */
  FILE_UNREADABLE(311, ErrorKind.USER, "58030"),
  /** The connection may not read or write files that a statement names. */
  FILE_NOT_ALLOWED(312, ErrorKind.USER, "42501"),
  JSON_VALUE(313, ErrorKind.USER, "22P02"),
  /** A store or server of remote files refuses, or does not answer. */
  REMOTE_FAILED(314, ErrorKind.USER, "58030"),

  UNKNOWN_PROPERTY(401, ErrorKind.USER, "HY024"),
  INVALID_PROPERTY(402, ErrorKind.USER, "HY024"),
  MODEL_INVALID(403, ErrorKind.USER, "HY024"),
  SERVER_REFUSED(404, ErrorKind.USER, "08004"),
  CLASS_NOT_ALLOWED(405, ErrorKind.USER, "42501"),
  /** A JDBC method was called out of order (on a closed statement) or with a wrong argument. */
  INVALID_CALL(406, ErrorKind.USER, "HY010"),
  /** A command line that the command does not understand. */
  WRONG_USAGE(407, ErrorKind.USER, "HY024"),
  /** No role of the user's grants what was asked for. */
  NOT_GRANTED(408, ErrorKind.USER, "42501"),

  NOT_ON_DEVICE(501, ErrorKind.UNSUPPORTED, States.NOT_SUPPORTED),
  EXPRESSION_UNSUPPORTED(502, ErrorKind.UNSUPPORTED, States.NOT_SUPPORTED),
  TYPE_UNSUPPORTED(503, ErrorKind.UNSUPPORTED, States.NOT_SUPPORTED),
  DEVICE_UNAVAILABLE(504, ErrorKind.UNSUPPORTED, States.NOT_SUPPORTED),
  /** A join algorithm was asked for that cannot do the join. */
  JOIN_UNSUPPORTED(505, ErrorKind.UNSUPPORTED, States.NOT_SUPPORTED),
  /** A statement would change a table, or what tables there are. */
  READ_ONLY(506, ErrorKind.UNSUPPORTED, "25006"),

  MEMORY_EXCEEDED(601, ErrorKind.RESOURCES, "53200"),
  CANCELLED(602, ErrorKind.RESOURCES, "57014"),
  TIMED_OUT(603, ErrorKind.RESOURCES, "57014"),
  DISK_FAILED(604, ErrorKind.RESOURCES, "53100"),
  RESULT_TOO_LARGE(605, ErrorKind.RESOURCES, "54000"),
  /** A device broke while it was used; another one, or the CPU, can go on. */
  DEVICE_FAILED(606, ErrorKind.RESOURCES, "58000"),
  /** Two statements have changed one table at once. */
  WRITE_CONFLICT(607, ErrorKind.RESOURCES, "40001"),
  /** As many statements run as a server, or one of its users, may have. */
  TOO_MANY_QUERIES(608, ErrorKind.RESOURCES, "53300"),
  /** Nobody has read on in a result for longer than a server keeps it. */
  RESULT_IDLE(609, ErrorKind.RESOURCES, "57014"),

  INTERNAL(901, ErrorKind.INTERNAL, "XX000");

  /** SQLSTATEs of several codes. */
  private static final class States {
    static final String NOT_SUPPORTED = "0AX01";
  }

  private final int number;
  private final ErrorKind kind;
  private final String sqlState;

  ErrorCode(int number, ErrorKind kind, String sqlState) {
    this.number = number;
    this.kind = kind;
    this.sqlState = sqlState;
  }

  /** The number, which is also JDBC's vendor code. */
  public int number() {
    return number;
  }

  /** The code as users see it, for instance {@code AR-601}. */
  public String code() {
    return "AR-" + number;
  }

  public ErrorKind kind() {
    return kind;
  }

  public String sqlState() {
    return sqlState;
  }
}
