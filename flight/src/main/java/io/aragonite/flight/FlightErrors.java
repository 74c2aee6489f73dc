package io.aragonite.flight;

import io.aragonite.adapter.server.ClientError;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.error.ErrorKind;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.ErrorFlightMetadata;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.memory.OutOfMemoryException;
import org.jspecify.annotations.Nullable;

/**
 * What clients are told of errors: a status of Flight's that fits, our sentence with its code, and
 * the number and the SQLSTATE in trailers.
 */
final class FlightErrors {
  /** The trailer with the number of the error. */
  static final String CODE = "x-aragonite-code";

  /** The trailer with its SQLSTATE. */
  static final String SQL_STATE = "x-aragonite-sqlstate";

  /** With which each sentence of ours begins. */
  private static final Pattern NUMBER = Pattern.compile("AR-(\\d{3})");

  private static final String MALFORMED =
      "The request is malformed: it is none of Flight SQL's, or a value or a handle in it is"
          + " missing or of the wrong type.";

  private FlightErrors() {}

  static FlightRuntimeException of(ErrorCode code, String sentence) {
    return of(status(code.number()), code, sentence);
  }

  static FlightRuntimeException of(FlightStatusCode status, ErrorCode code, String sentence) {
    return of(status, ClientError.of(code, sentence));
  }

  /** An error of what a request that was understood asks for. */
  static FlightRuntimeException of(Throwable error) {
    FlightRuntimeException known = known(error);
    return known != null ? known : told(ClientError.of(error));
  }

  /** An error where a request is taken to pieces, which may be what is wrong. */
  static FlightRuntimeException ofRequest(Throwable error) {
    FlightRuntimeException known = known(error);
    return known != null ? known : told(ClientError.of(error, MALFORMED));
  }

  private static FlightRuntimeException told(ClientError error) {
    return of(status(error.number()), error);
  }

  private static @Nullable FlightRuntimeException known(Throwable error) {
    for (Throwable e = error; e != null; e = e.getCause()) {
      if (e instanceof FlightRuntimeException known
          && known.status().metadata() != null
          && known.status().metadata().containsKey(CODE)) {
        return known;
      }
      if (e instanceof OutOfMemoryException) {
        return of(
            ErrorCode.MEMORY_EXCEEDED,
            "The vectors of the result exceed what the server has for those of all clients; ask"
                + " for fewer or shorter values, or again later.");
      }
      if (e instanceof FlightRuntimeException known
          && known.status().code() == FlightStatusCode.UNIMPLEMENTED) {
        return of(
            ErrorCode.EXPRESSION_UNSUPPORTED,
            "The server does not do that request of Flight SQL: it runs SQL, without transactions"
                + " and plans of others, and has no bulk ingestion.");
      }
      if (e instanceof com.google.protobuf.InvalidProtocolBufferException
          || e instanceof FlightRuntimeException) {
        return of(ErrorCode.INVALID_CALL, MALFORMED);
      }
    }
    return null;
  }

  /** Ends a call that nothing was done for. */
  static void refuse(ServerCall<?, ?> call, String sentence) {
    ClientError error = ClientError.of(ErrorCode.SERVER_REFUSED, sentence);
    Metadata trailers = new Metadata();
    trailers.put(text(CODE), String.valueOf(error.number()));
    trailers.put(text(SQL_STATE), error.sqlState());
    call.close(Status.RESOURCE_EXHAUSTED.withDescription(error.message()), trailers);
  }

  private static Metadata.Key<String> text(String name) {
    return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
  }

  /** The number of the error that a call has ended with. Flight leaves the trailers out. */
  static OptionalInt code(CallStatus status) {
    String sentence = status.description();
    Matcher code = NUMBER.matcher(sentence == null ? "" : sentence);
    return code.lookingAt()
        ? OptionalInt.of(Integer.parseInt(code.group(1)))
        : OptionalInt.empty();
  }

  private static FlightRuntimeException of(FlightStatusCode status, ClientError error) {
    ErrorFlightMetadata metadata = new ErrorFlightMetadata();
    metadata.insert(CODE, String.valueOf(error.number()));
    metadata.insert(SQL_STATE, error.sqlState());
    FlightRuntimeException told =
        new CallStatus(status, null, error.message(), metadata).toRuntimeException();
    told.setStackTrace(new StackTraceElement[0]); // the server's own business
    return told;
  }

  private static FlightStatusCode status(int number) {
    for (ErrorCode code : ErrorCode.values()) {
      if (code.number() == number) {
        return status(code);
      }
    }
    return FlightStatusCode.INTERNAL;
  }

  private static FlightStatusCode status(ErrorCode code) {
    return switch (code) {
      case CANCELLED -> FlightStatusCode.CANCELLED;
      case TIMED_OUT -> FlightStatusCode.TIMED_OUT;
      case UNKNOWN_TABLE -> FlightStatusCode.NOT_FOUND;
      case DUPLICATE_TABLE -> FlightStatusCode.ALREADY_EXISTS;
      case FILE_NOT_ALLOWED, FILE_OUTSIDE_DIRECTORY, READ_ONLY, CLASS_NOT_ALLOWED, NOT_GRANTED ->
          FlightStatusCode.UNAUTHORIZED;
      case SERVER_REFUSED -> FlightStatusCode.UNAVAILABLE;
      default ->
          code.kind() == ErrorKind.USER
              ? FlightStatusCode.INVALID_ARGUMENT
              : code.kind() == ErrorKind.UNSUPPORTED
                  ? FlightStatusCode.UNIMPLEMENTED
                  : code.kind() == ErrorKind.RESOURCES
                      ? FlightStatusCode.RESOURCE_EXHAUSTED
                      : FlightStatusCode.INTERNAL;
    };
  }
}
