package io.aragonite.adapter.server;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.aragonite.adapter.error.SqlErrors;
import io.aragonite.adapter.execution.ClientIdentity;
import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.format.FileErrors;
import io.aragonite.adapter.remote.UrlRedaction;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.ErrorManager;
import java.util.logging.FileHandler;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who has logged in, or was refused, and what was asked: a line of JSON each. A full file is put
 * aside for the next, and the oldest is removed. Safe for several threads.
 */
public final class AuditLog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AuditLog.class);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long FILE_BYTES = 64L << 20;
  private static final int FILES = 10;

  /** Of a statement; more of it tells nobody more. */
  private static final int MOST_CHARACTERS = 1 << 16;

  /** Of one that was not prepared: it has used no table. */
  private static final int MOST_REFUSED_CHARACTERS = 1 << 12;

  private static final Set<PosixFilePermission> OWNERS =
      PosixFilePermissions.fromString("rw-------");

  private final @Nullable FileHandler file;
  private final LineAllowances refused = new LineAllowances();

  private AuditLog(@Nullable FileHandler file) {
    this.file = file;
  }

  /** One that keeps nothing. */
  public static AuditLog off() {
    return new AuditLog(null);
  }

  /**
   * Opens a log, which goes on behind what there is.
   *
   * @param path of its files; the newest has {@code .0} behind it
   * @throws AragoniteException SERVER_REFUSED if it cannot be written
   */
  public static AuditLog open(Path path) {
    return open(path, FILE_BYTES);
  }

  /**
   * Opens one.
   *
   * @param fileBytes after which the next file begins
   */
  static AuditLog open(Path path, long fileBytes) {
    try {
      Path newest = path.resolveSibling(path.getFileName() + ".0");
      if (!Files.exists(newest) && isPosix(newest)) {
        Files.createFile(newest, PosixFilePermissions.asFileAttribute(OWNERS));
      }
      String pattern = path.toString().replace("%", "%%") + ".%g";
      FileHandler handler = new OwnersFiles(pattern, newest, fileBytes);
      handler.setEncoding(StandardCharsets.UTF_8.name());
      handler.setLevel(Level.ALL);
      handler.setFormatter(
          new Formatter() {
            @Override
            public String format(LogRecord line) {
              return line.getMessage() + "\n";
            }
          });
      handler.setErrorManager(new Failures());
      return new AuditLog(handler);
    } catch (IOException e) {
      throw new AragoniteException(
          ErrorCode.SERVER_REFUSED,
          "The audit log %s cannot be written: %s.".formatted(path, FileErrors.reason(e)),
          e);
    }
  }

  private static boolean isPosix(Path path) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix");
  }

  /** Files that only the server's user reads: also those that become the newest one later. */
  private static final class OwnersFiles extends FileHandler {
    private final Path newest;

    OwnersFiles(String pattern, Path newest, long fileBytes) throws IOException {
      super(pattern, fileBytes, FILES, true);
      this.newest = newest;
      protect(newest.resolveSibling(newest.getFileName() + ".lck"));
    }

    @Override
    public synchronized void publish(LogRecord line) {
      super.publish(line);
      try {
        if (Files.size(newest) == 0) { // it has just been made
          protect(newest);
        }
      } catch (IOException e) {
        reportError(null, e, ErrorManager.GENERIC_FAILURE);
      }
    }

    private static void protect(Path file) throws IOException {
      if (isPosix(file)) {
        Files.setPosixFilePermissions(file, OWNERS);
      }
    }
  }

  /** Says once that lines are lost. */
  private static final class Failures extends ErrorManager {
    private final AtomicBoolean told = new AtomicBoolean();

    @Override
    public void error(String message, Exception error, int code) {
      if (told.compareAndSet(false, true)) {
        LOG.error("the audit log cannot be written; what happens from now on is not in it", error);
      }
    }
  }

  /** A client has got a connection, or none. */
  public void login(ClientIdentity client, @Nullable Throwable error) {
    if (file != null) {
      ObjectNode line = line("login", client);
      addError(line, error == null ? 0 : SqlErrors.of(error).getErrorCode());
      write(file, line);
    }
  }

  /**
   * A login was refused.
   *
   * @param reason a sentence; empty: the name or the password
   * @param unnamed how many were before it that have no line, since they came too fast
   */
  void refusedLogin(ClientIdentity client, String reason, long unnamed) {
    if (file != null) {
      ObjectNode line = line("login", client);
      addError(line, ErrorCode.SERVER_REFUSED.number());
      line.put("refusedBefore", unnamed);
      if (!reason.isEmpty()) {
        line.put("reason", reason);
      }
      write(file, line);
    }
  }

  /** A run has ended. */
  void statement(ClientIdentity client, Execution run, String sql, long nanos) {
    if (file != null) {
      ObjectNode line = line("statement", client);
      line.put("query", run.id());
      addText(line, sql, MOST_CHARACTERS);
      ArrayNode tables = line.putArray("tables");
      run.tables().stream().map(UrlRedaction::redact).forEach(tables::add);
      line.put("rows", run.delivered().rows());
      line.put("ms", nanos / 1_000_000);
      AragoniteException ended = run.ended();
      Throwable failure = ended != null ? ended : run.failure();
      addError(line, failure == null ? 0 : SqlErrors.of(failure).getErrorCode());
      write(file, line);
    }
  }

  /**
   * A statement was not even prepared. Such cost their user nothing: of many in a short time some
   * are counted only, so that they do not push other lines out of the files.
   */
  void notPrepared(ClientIdentity client, String sql, Throwable error) {
    if (file != null) {
      long before = refused.take(String.valueOf(client.user()));
      if (before >= 0) {
        ObjectNode line = line("statement", client);
        addText(line, sql, MOST_REFUSED_CHARACTERS);
        addError(line, SqlErrors.of(error).getErrorCode());
        if (before > 0) {
          line.put("notPreparedBefore", before);
        }
        write(file, line);
      }
    }
  }

  private static ObjectNode line(String event, ClientIdentity client) {
    ObjectNode line = JSON.createObjectNode();
    line.put("time", Instant.now().truncatedTo(ChronoUnit.MILLIS).toString());
    line.put("event", event);
    line.put("protocol", client.protocol());
    line.put("user", client.user());
    line.put("address", client.address());
    return line;
  }

  private static void addText(ObjectNode line, String sql, int most) {
    String text = UrlRedaction.redact(sql);
    line.put("sql", text.length() > most ? text.substring(0, most) + "…" : text);
  }

  private static void addError(ObjectNode line, int number) {
    if (number != 0) {
      line.put("error", "AR-" + number);
    }
  }

  private static void write(FileHandler file, ObjectNode line) {
    file.publish(new LogRecord(Level.INFO, line.toString()));
  }

  @Override
  public void close() {
    if (file != null) {
      file.close();
    }
  }
}
