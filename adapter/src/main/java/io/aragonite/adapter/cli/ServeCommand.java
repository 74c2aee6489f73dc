package io.aragonite.adapter.cli;

import io.aragonite.adapter.remote.UrlRedaction;
import io.aragonite.adapter.server.Admission;
import io.aragonite.adapter.server.AuditLog;
import io.aragonite.adapter.server.BearerTokens;
import io.aragonite.adapter.server.QueryServer;
import io.aragonite.adapter.server.RunningServer;
import io.aragonite.adapter.server.ServerOptions;
import io.aragonite.adapter.server.ServerProtocol;
import io.aragonite.adapter.server.ServerRules;
import io.aragonite.adapter.server.StatementTraces;
import io.aragonite.adapter.server.TokenOptions;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code aragonite serve}: serves JDBC to other processes through Avatica. */
@Command(
    name = "serve",
    description = {
      "Serves JDBC to other processes and machines through Apache Calcite Avatica, and Arrow Flight"
          + " SQL beside it.",
      "It listens on loopback; another address needs --keystore, and --users or --jwks."
    },
    mixinStandardHelpOptions = true,
    addMethodSubcommands = false)
final class ServeCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private ConnectionArguments connection = new ConnectionArguments();

  @Option(
      names = "--port",
      paramLabel = "<port>",
      description = "Port to listen on, 0 for any free one (default: ${DEFAULT-VALUE}).")
  private int port = 8765;

  @Option(
      names = "--flight",
      arity = "0..1",
      fallbackValue = "8766",
      paramLabel = "<port>",
      description =
          "Serves Arrow Flight SQL as well, on a port of its own, 0 for any free one; 8766 if none"
              + " is given.")
  private @Nullable Integer flightPort;

  @Option(
      names = "--host",
      paramLabel = "<address>",
      description = "Address to listen on (default: ${DEFAULT-VALUE}).")
  private String host = "127.0.0.1";

  @Option(
      names = "--serialization",
      paramLabel = "protobuf|json",
      description = "What clients speak (default: ${DEFAULT-VALUE}).")
  private Serialization serialization = Serialization.PROTOBUF;

  @Option(
      names = "--max-query-time",
      paramLabel = "<time>",
      defaultValue = "10min",
      converter = Quantities.Time.class,
      description = "Longest time for a statement, 0 for none (default: ${DEFAULT-VALUE}).")
  private Duration maxQueryTime = Duration.ZERO;

  @Option(
      names = "--idle-time",
      paramLabel = "<time>",
      defaultValue = "30min",
      converter = Quantities.Time.class,
      description =
          "How long a client's connection is kept that it does not use, 0 for ever (default:"
              + " ${DEFAULT-VALUE}); counted from the end of the longest time of a statement, and"
              + " for ever if that has none.")
  private Duration idleTime = Duration.ZERO;

  @Option(
      names = "--idle-result-time",
      paramLabel = "<time>",
      defaultValue = "5min",
      converter = Quantities.Time.class,
      description =
          "How long a result is kept that its client does not read on in, 0 for as long as its"
              + " statement (default: ${DEFAULT-VALUE}).")
  private Duration idleResultTime = Duration.ZERO;

  @Option(
      names = "--users",
      paramLabel = "<file>",
      description =
          "File of users, a line 'name: hash' each, with a hash of hash-password; it is read again"
              + " when it changes.")
  private @Nullable Path users;

  @Option(
      names = "--access",
      paramLabel = "<file>",
      description =
          "File of roles and of what they may read, in JSON; it is read again when it changes."
              + " Users that it does not name may do nothing.")
  private @Nullable Path access;

  @Option(
      names = "--jwks",
      paramLabel = "<file|URL>",
      description =
          "Keys of the issuer whose bearer tokens (JWT) let users in, as a JWK set; a file is read"
              + " again when it changes, a URL is asked again when a token has a key that is not"
              + " known, and every 5 minutes.")
  private @Nullable String jwks;

  @Option(
      names = "--jwt-issuer",
      paramLabel = "<issuer>",
      description = "The issuer of tokens, which their claim iss names.")
  private @Nullable String jwtIssuer;

  @Option(
      names = "--jwt-audience",
      paramLabel = "<audience>",
      description = "For whom tokens are, which their claim aud names.")
  private @Nullable String jwtAudience;

  @Option(
      names = "--jwt-user",
      paramLabel = "<claim>",
      description = "Claim of tokens with the user's name (default: ${DEFAULT-VALUE}).")
  private String jwtUser = "sub";

  @Option(
      names = "--jwt-roles",
      paramLabel = "<claim>",
      description =
          "Claim of tokens with the user's roles, those of --access: a list, or a text with spaces;"
              + " a path such as realm_access.roles leads to one within another.")
  private @Nullable String jwtRoles;

  @Option(
      names = "--max-queries",
      paramLabel = "<n>",
      description =
          "Statements that run at once; others wait, and users take turns (default: no limit).")
  private int maxQueries = Integer.MAX_VALUE;

  @Option(
      names = "--queue-time",
      paramLabel = "<time>",
      defaultValue = "30s",
      converter = Quantities.Time.class,
      description = "How long a statement waits for its turn (default: ${DEFAULT-VALUE}).")
  private Duration queueTime = Duration.ZERO;

  @Option(
      names = "--stop-time",
      paramLabel = "<time>",
      defaultValue = "30s",
      converter = Quantities.Time.class,
      description =
          "How long statements may go on when the server is told to stop; then they are cancelled"
              + " (default: ${DEFAULT-VALUE}).")
  private Duration stopTime = Duration.ZERO;

  @Option(
      names = "--audit",
      paramLabel = "<file>",
      description =
          "Files of who has logged in and what was asked, a line of JSON each: <file>.0 is the"
              + " newest of ten with 64 MB each.")
  private @Nullable Path audit;

  @Option(
      names = "--traces",
      paramLabel = "<URL>",
      description =
          "Collector that is told of statements as spans of OpenTelemetry, by OTLP over HTTP:"
              + " http://localhost:4318.")
  private @Nullable String traces;

  @Option(
      names = "--trace-statements",
      description = "Spans have the texts of statements, without secrets of URLs.")
  private boolean traceStatements;

  @Option(
      names = "--keystore",
      paramLabel = "<file>",
      description =
          "Keystore with the server's certificate, for TLS, which is read again when it changes;"
              + " its password is read from the environment variable "
              + "ARAGONITE_KEYSTORE_PASSWORD, or is keystore-password in --config.")
  private @Nullable Path keystore;

  private @Nullable String keystorePassword;

  /** What clients speak. */
  enum Serialization {
    PROTOBUF,
    JSON
  }

  @Option(
      names = "--log-format",
      paramLabel = "text|json",
      description =
          "What lines of the log on standard error are (default: ${DEFAULT-VALUE}); those about a"
              + " statement have the number of its run.")
  private ServiceLogging.Format logFormat = ServiceLogging.Format.TEXT;

  @Option(
      names = "--config",
      paramLabel = "<file>",
      description =
          "File of settings in YAML or JSON, a line 'max-queries: 8' for --max-queries=8, and"
              + " connection properties below 'property:'. Options on the command line are"
              + " stronger, and so are variables ARAGONITE_MAX_QUERIES of the environment.")
  private @Nullable Path config;

  @Option(
      names = "--print-config",
      description = "Prints each setting and where it is from, without secrets, and ends.")
  private boolean printConfig;

  @Override
  public Integer call() throws Exception {
    CommandSettings settings = CommandSettings.apply(spec, config, System.getenv());
    if (printConfig) {
      settings.print(spec.commandLine().getOut());
      return 0;
    }
    ServiceLogging.use(logFormat);
    keystorePassword = settings.keystorePassword();
    try (AuditLog log = audit == null ? AuditLog.off() : AuditLog.open(audit);
        @Nullable StatementTraces told =
            traces == null ? null : StatementTraces.to(traces, traceStatements)) {
      return serve(log, told);
    }
  }

  private int serve(AuditLog log, @Nullable StatementTraces told)
      throws SQLException, InterruptedException {
    if (maxQueries < 1) {
      throw new AragoniteException(
          ErrorCode.WRONG_USAGE, "--max-queries=%d is not at least 1.".formatted(maxQueries));
    }
    Admission admission =
        new Admission(maxQueries, queueTime, idleResultTime.isZero() ? null : idleResultTime);
    PrintWriter out = spec.commandLine().getOut();
    ServerOptions options =
        new ServerOptions(
            connection.fullUrl(),
            host,
            port,
            serialization == Serialization.JSON,
            maxQueryTime.isZero() ? null : maxQueryTime,
            idleTime.isZero() ? null : idleTime,
            users,
            keystore,
            keystorePassword,
            new ServerRules(access, log, admission, tokens()).withTraces(told));
    StopSignals stop = StopSignals.handle();
    // Flight first: the other one's /ready is asked for both.
    try (@Nullable RunningServer flight = flight(options);
        QueryServer server = QueryServer.start(options)) {
      out.println("Serving " + UrlRedaction.redact(connection.fullUrl()));
      out.println("Connect with " + server.clientUrl());
      if (flight != null) {
        out.println("Connect with " + flight.clientUrl());
      }
      out.println("See what runs at " + server.consoleUrl());
      out.println("Stop with Ctrl-C.");
      out.flush();
      stop.await();
      admission.stop();
      stop.awaitAgain(stopTime, admission::isQuiet); // what still runs is cancelled
    }
    return 0;
  }

  private @Nullable BearerTokens tokens() {
    if (jwks == null && jwtIssuer == null && jwtAudience == null && jwtRoles == null) {
      return null;
    }
    if (jwks == null || jwtIssuer == null || jwtAudience == null) {
      throw new AragoniteException(
          ErrorCode.WRONG_USAGE, "--jwks, --jwt-issuer and --jwt-audience go together.");
    }
    return new BearerTokens(new TokenOptions(jwtIssuer, jwtAudience, jwks, jwtUser, jwtRoles));
  }

  private @Nullable RunningServer flight(ServerOptions options) throws SQLException {
    if (flightPort == null) {
      return null;
    }
    for (ServerProtocol protocol : ServiceLoader.load(ServerProtocol.class)) {
      if (protocol.name().equals("flight")) {
        return protocol.start(options.withPort(flightPort));
      }
    }
    throw new AragoniteException(
        ErrorCode.SERVER_REFUSED,
        "There is no Arrow Flight here: aragonite-flight.jar is not on the class path. In a"
            + " checkout: mvn -Dfast -DskipTests package.");
  }
}
