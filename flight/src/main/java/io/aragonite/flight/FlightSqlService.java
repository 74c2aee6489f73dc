package io.aragonite.flight;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.aragonite.exec.error.ErrorCode;
import io.grpc.Context;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.CancelFlightInfoRequest;
import org.apache.arrow.flight.CancelStatus;
import org.apache.arrow.flight.CloseSessionRequest;
import org.apache.arrow.flight.CloseSessionResult;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightEndpoint;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.PutResult;
import org.apache.arrow.flight.Result;
import org.apache.arrow.flight.SchemaResult;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.flight.sql.BasicFlightSqlProducer;
import org.apache.arrow.flight.sql.SqlInfoBuilder;
import org.apache.arrow.flight.sql.impl.FlightSql.ActionClosePreparedStatementRequest;
import org.apache.arrow.flight.sql.impl.FlightSql.ActionCreatePreparedStatementRequest;
import org.apache.arrow.flight.sql.impl.FlightSql.ActionCreatePreparedStatementResult;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetCrossReference;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetDbSchemas;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetExportedKeys;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetImportedKeys;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetPrimaryKeys;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetSqlInfo;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetTables;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetXdbcTypeInfo;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandPreparedStatementQuery;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandPreparedStatementUpdate;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementQuery;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementUpdate;
import org.apache.arrow.flight.sql.impl.FlightSql.DoPutUpdateResult;
import org.apache.arrow.flight.sql.impl.FlightSql.TicketStatementQuery;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Answers Flight SQL's requests by a client's JDBC connection. A statement is prepared when its
 * columns are asked for, and runs when its result is read, so that whoever stops reading stops it.
 */
final class FlightSqlService extends BasicFlightSqlProducer {
  private final FlightSessions sessions;
  private final BufferAllocator allocator;
  private final ExecutorService streams;
  private final @Nullable Duration maxQueryTime;
  private @Nullable SqlInfoBuilder info;

  /**
   * @param streams runs what sends results, which waits for clients
   */
  FlightSqlService(
      FlightSessions sessions,
      BufferAllocator allocator,
      ExecutorService streams,
      @Nullable Duration maxQueryTime) {
    this.sessions = sessions;
    this.allocator = allocator;
    this.streams = streams;
    this.maxQueryTime = maxQueryTime;
  }

  /** A part of an answer. */
  private interface Body<V> {
    V run(FlightSession session) throws SQLException, IOException;
  }

  /** Works for a call of a client's session; errors are told as such. */
  private <V> V call(CallContext context, Body<V> body) {
    try (FlightCall.Work _ = sessions.work(context)) {
      FlightSession session = sessions.of(context);
      try (FlightCall.Work _ = session.working()) {
        return body.run(session);
      }
    } catch (Throwable e) {
      throw FlightErrors.of(e);
    }
  }

  private static void requireNoTransaction(boolean wanted) {
    if (wanted) {
      throw FlightErrors.of(
          ErrorCode.EXPRESSION_UNSUPPORTED,
          "There are no transactions, each statement is in effect at once; send it without one.");
    }
  }

  // Flight's calls

  @Override
  public FlightInfo getFlightInfo(CallContext context, FlightDescriptor descriptor) {
    try {
      return super.getFlightInfo(context, descriptor);
    } catch (Throwable e) {
      throw FlightErrors.ofRequest(e);
    }
  }

  @Override
  public SchemaResult getSchema(CallContext context, FlightDescriptor descriptor) {
    try {
      return super.getSchema(context, descriptor);
    } catch (Throwable e) {
      throw FlightErrors.ofRequest(e);
    }
  }

  /** Flight calls back when the client reads or cancels, on the thread of this call only. */
  @Override
  public void getStream(CallContext context, Ticket ticket, ServerStreamListener listener) {
    Runnable send =
        () -> {
          try {
            super.getStream(context, ticket, new ToldListener(listener));
          } catch (Throwable e) {
            fail(listener, FlightErrors.ofRequest(e));
          }
        };
    streams.execute(Context.current().wrap(send));
  }

  private static void fail(ServerStreamListener listener, RuntimeException error) {
    if (listener.isCancelled()) {
      return; // nobody listens
    }
    try {
      listener.error(error);
    } catch (IllegalStateException e) {
      // It was cancelled meanwhile.
    }
  }

  /** A listener that is told our errors, for Flight's own ones too. */
  private static <V> StreamListener<V> told(StreamListener<V> listener) {
    return new StreamListener<>() {
      @Override
      public void onNext(V value) {
        listener.onNext(value);
      }

      @Override
      public void onError(Throwable error) {
        listener.onError(FlightErrors.ofRequest(error));
      }

      @Override
      public void onCompleted() {
        listener.onCompleted();
      }
    };
  }

  @Override
  public Runnable acceptPut(
      CallContext context, FlightStream stream, StreamListener<PutResult> listener) {
    try {
      Runnable put = super.acceptPut(context, stream, told(listener));
      Runnable told =
          () -> {
            try {
              put.run();
            } catch (Throwable e) {
              listener.onError(FlightErrors.ofRequest(e));
            }
          };
      return Context.current().wrap(told);
    } catch (Throwable e) {
      throw FlightErrors.ofRequest(e);
    }
  }

  @Override
  public void doAction(CallContext context, Action action, StreamListener<Result> listener) {
    try {
      super.doAction(context, action, told(listener));
    } catch (Throwable e) {
      listener.onError(FlightErrors.ofRequest(e));
    }
  }

  // Statements

  @Override
  public FlightInfo getFlightInfoStatement(
      CommandStatementQuery command, CallContext context, FlightDescriptor descriptor) {
    requireNoTransaction(command.hasTransactionId());
    return call(
        context,
        session -> {
          FlightStatement statement = session.prepare(command.getQuery());
          boolean described = false;
          try {
            TicketStatementQuery ticket =
                TicketStatementQuery.newBuilder().setStatementHandle(statement.handle()).build();
            FlightInfo info = generateFlightInfo(ticket, descriptor, statement.columns());
            described = true;
            return info;
          } finally {
            if (!described) {
              session.closeStatement(statement.handle());
            }
          }
        });
  }

  @Override
  public FlightInfo getFlightInfoPreparedStatement(
      CommandPreparedStatementQuery command, CallContext context, FlightDescriptor descriptor) {
    return call(
        context,
        session -> {
          FlightStatement statement = session.statement(command.getPreparedStatementHandle());
          CommandPreparedStatementQuery ticket =
              CommandPreparedStatementQuery.newBuilder()
                  .setPreparedStatementHandle(statement.ticket())
                  .build();
          return generateFlightInfo(ticket, descriptor, statement.columns());
        });
  }

  @Override
  public SchemaResult getSchemaStatement(
      CommandStatementQuery command, CallContext context, FlightDescriptor descriptor) {
    return call(
        context,
        session -> {
          FlightStatement statement = session.prepare(command.getQuery());
          try {
            return new SchemaResult(statement.columns());
          } finally {
            session.closeStatement(statement.handle());
          }
        });
  }

  @Override
  public SchemaResult getSchemaPreparedStatement(
      CommandPreparedStatementQuery command, CallContext context, FlightDescriptor descriptor) {
    return call(
        context,
        session ->
            new SchemaResult(session.statement(command.getPreparedStatementHandle()).columns()));
  }

  @Override
  protected <T extends Message> List<FlightEndpoint> determineEndpoints(
      T request, FlightDescriptor descriptor, Schema schema) {
    return List.of(new FlightEndpoint(new Ticket(Any.pack(request).toByteArray())));
  }

  @Override
  public void getStreamStatement(
      TicketStatementQuery ticket, CallContext context, ServerStreamListener listener) {
    ByteString handle = ticket.getStatementHandle();
    call(
        context,
        session -> {
          FlightStatement statement = session.statement(handle);
          try {
            statement.send(handle, new ResultSender(listener, maxQueryTime), allocator);
          } finally {
            session.closeStatement(handle);
          }
          return handle;
        });
  }

  @Override
  public void getStreamPreparedStatement(
      CommandPreparedStatementQuery command, CallContext context, ServerStreamListener listener) {
    ByteString handle = command.getPreparedStatementHandle();
    call(
        context,
        session -> {
          session
              .statement(handle)
              .send(handle, new ResultSender(listener, maxQueryTime), allocator);
          return handle;
        });
  }

  @Override
  public void createPreparedStatement(
      ActionCreatePreparedStatementRequest request,
      CallContext context,
      StreamListener<Result> listener) {
    requireNoTransaction(request.hasTransactionId());
    ActionCreatePreparedStatementResult prepared =
        call(
            context,
            session -> {
              FlightStatement statement = session.prepare(request.getQuery());
              boolean described = false;
              try {
                Schema columns = statement.columns();
                ActionCreatePreparedStatementResult.Builder result =
                    ActionCreatePreparedStatementResult.newBuilder()
                        .setPreparedStatementHandle(statement.handle())
                        .setParameterSchema(FlightMetadata.bytes(statement.parameters()));
                if (!columns.getFields().isEmpty()) {
                  result.setDatasetSchema(FlightMetadata.bytes(columns));
                }
                described = true;
                return result.build();
              } finally {
                if (!described) {
                  session.closeStatement(statement.handle());
                }
              }
            });
    listener.onNext(new Result(Any.pack(prepared).toByteArray()));
    listener.onCompleted();
  }

  @Override
  public void closePreparedStatement(
      ActionClosePreparedStatementRequest request,
      CallContext context,
      StreamListener<Result> listener) {
    call(
        context,
        session -> {
          session.closeStatement(request.getPreparedStatementHandle());
          return request;
        });
    listener.onCompleted();
  }

  @Override
  public Runnable acceptPutStatement(
      CommandStatementUpdate command,
      CallContext context,
      FlightStream stream,
      StreamListener<PutResult> listener) {
    return () -> {
      requireNoTransaction(command.hasTransactionId());
      long rows =
          call(
              context,
              session -> {
                FlightStatement statement = session.prepare(command.getQuery());
                try {
                  return statement.update(List.of());
                } finally {
                  session.closeStatement(statement.handle());
                }
              });
      changed(rows, listener);
    };
  }

  @Override
  public Runnable acceptPutPreparedStatementUpdate(
      CommandPreparedStatementUpdate command,
      CallContext context,
      FlightStream stream,
      StreamListener<PutResult> listener) {
    return () -> {
      long rows =
          call(
              context,
              session ->
                  session
                      .statement(command.getPreparedStatementHandle())
                      .update(ParameterRows.read(stream)));
      changed(rows, listener);
    };
  }

  @Override
  public Runnable acceptPutPreparedStatementQuery(
      CommandPreparedStatementQuery command,
      CallContext context,
      FlightStream stream,
      StreamListener<PutResult> listener) {
    return () -> {
      call(
          context,
          session -> {
            FlightStatement statement = session.statement(command.getPreparedStatementHandle());
            List<@Nullable Object[]> rows = ParameterRows.read(stream);
            if (rows.size() > 1) {
              throw FlightErrors.of(
                  ErrorCode.INVALID_CALL,
                  "A query runs for one row of parameters, and %d were given; run it for each."
                      .formatted(rows.size()));
            }
            if (!rows.isEmpty()) {
              statement.bind(rows.getFirst());
            }
            return statement;
          });
      listener.onCompleted();
    };
  }

  private void changed(long rows, StreamListener<PutResult> listener) {
    byte[] bytes = DoPutUpdateResult.newBuilder().setRecordCount(rows).build().toByteArray();
    try (ArrowBuf buffer = allocator.buffer(bytes.length)) {
      buffer.writeBytes(bytes);
      listener.onNext(PutResult.metadata(buffer));
    }
    listener.onCompleted();
  }

  // Sessions and cancelling

  @Override
  public void cancelFlightInfo(
      CancelFlightInfoRequest request,
      CallContext context,
      StreamListener<CancelStatus> listener) {
    CancelStatus status =
        call(
            context,
            session -> {
              boolean known = false;
              for (FlightEndpoint endpoint : request.getInfo().getEndpoints()) {
                known |= cancel(session, endpoint.getTicket());
              }
              return known ? CancelStatus.CANCELLED : CancelStatus.NOT_CANCELLABLE;
            });
    listener.onNext(status);
    listener.onCompleted();
  }

  private static boolean cancel(FlightSession session, Ticket ticket)
      throws SQLException, InvalidProtocolBufferException {
    Any any = Any.parseFrom(ticket.getBytes());
    ByteString handle;
    if (any.is(TicketStatementQuery.class)) {
      handle = any.unpack(TicketStatementQuery.class).getStatementHandle();
    } else if (any.is(CommandPreparedStatementQuery.class)) {
      handle = any.unpack(CommandPreparedStatementQuery.class).getPreparedStatementHandle();
    } else {
      return false; // metadata
    }
    if (session.statement(handle).cancel(handle)) {
      return true;
    }
    if (any.is(TicketStatementQuery.class)) {
      session.closeStatement(handle); // its ticket is good for nothing any more
      return true;
    }
    return false;
  }

  @Override
  public void closeSession(
      CloseSessionRequest request,
      CallContext context,
      StreamListener<CloseSessionResult> listener) {
    sessions.end(context);
    listener.onNext(new CloseSessionResult(CloseSessionResult.Status.CLOSED));
    listener.onCompleted();
  }

  // Metadata

  /** A table of metadata. */
  private interface Table {
    FlightMetadata.Rows of(FlightMetadata metadata) throws SQLException, IOException;
  }

  private void send(CallContext context, ServerStreamListener listener, Table table) {
    call(
        context,
        session -> {
          FlightMetadata.Rows rows = table.of(new FlightMetadata(session.connection()));
          MetadataStream.send(rows, listener, allocator);
          return rows;
        });
  }

  @Override
  public void getStreamCatalogs(CallContext context, ServerStreamListener listener) {
    send(context, listener, FlightMetadata::catalogs);
  }

  @Override
  public void getStreamSchemas(
      CommandGetDbSchemas command, CallContext context, ServerStreamListener listener) {
    send(context, listener, metadata -> metadata.schemas(command));
  }

  @Override
  public void getStreamTables(
      CommandGetTables command, CallContext context, ServerStreamListener listener) {
    send(context, listener, metadata -> metadata.tables(command));
  }

  @Override
  public void getStreamTableTypes(CallContext context, ServerStreamListener listener) {
    send(context, listener, FlightMetadata::tableTypes);
  }

  @Override
  public void getStreamTypeInfo(
      CommandGetXdbcTypeInfo command, CallContext context, ServerStreamListener listener) {
    send(context, listener, metadata -> metadata.typeInfo(command));
  }

  @Override
  public void getStreamSqlInfo(
      CommandGetSqlInfo command, CallContext context, ServerStreamListener listener) {
    call(
        context,
        session -> {
          SqlInfoBuilder known = info;
          if (known == null) {
            known = FlightSqlInfo.of(session.connection().getMetaData());
            info = known;
          }
          known.send(command.getInfoList(), listener);
          return known;
        });
  }

  private void sendNoKeys(CallContext context, ServerStreamListener listener, Schema schema) {
    send(context, listener, _ -> new FlightMetadata.Rows(schema, List.of()));
  }

  @Override
  public void getStreamPrimaryKeys(
      CommandGetPrimaryKeys command, CallContext context, ServerStreamListener listener) {
    sendNoKeys(context, listener, Schemas.GET_PRIMARY_KEYS_SCHEMA);
  }

  @Override
  public void getStreamExportedKeys(
      CommandGetExportedKeys command, CallContext context, ServerStreamListener listener) {
    sendNoKeys(context, listener, Schemas.GET_EXPORTED_KEYS_SCHEMA);
  }

  @Override
  public void getStreamImportedKeys(
      CommandGetImportedKeys command, CallContext context, ServerStreamListener listener) {
    sendNoKeys(context, listener, Schemas.GET_IMPORTED_KEYS_SCHEMA);
  }

  @Override
  public void getStreamCrossReference(
      CommandGetCrossReference command, CallContext context, ServerStreamListener listener) {
    sendNoKeys(context, listener, Schemas.GET_CROSS_REFERENCE_SCHEMA);
  }

  @Override
  public void close() {}
}
