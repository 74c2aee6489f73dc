package io.aragonite.flight;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.flight.FlightProducer.ServerStreamListener;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.Test;

/** What a client may do when it is told that it has all rows. */
class FlightStatementTest {
  /** A client that runs a statement again at once must not cancel the run that it has read. */
  @Test
  void aRunHasEndedWhenItsClientHasAll() throws Exception {
    try (Connection connection = DriverManager.getConnection("jdbc:aragonite:device=cpu");
        BufferAllocator allocator = new RootAllocator()) {
      for (String sql :
          List.of(
              "select x from (values (1), (2)) t(x)",
              "create or replace table t as select 1 as x",
              "select * from t where x > 1")) {
        FlightStatement statement =
            FlightStatement.prepare(connection, sql, ByteString.copyFromUtf8("a"));
        ByteString ticket = statement.ticket();
        List<String> told = new ArrayList<>();
        InvocationHandler client =
            (proxy, method, arguments) -> {
              if (method.getName().equals("completed")) {
                told.add(statement.cancel(ticket) ? "completed while it runs" : "completed");
              }
              return switch (method.getName()) {
                case "isReady" -> true;
                case "isCancelled" -> false;
                default -> null;
              };
            };
        ServerStreamListener listener =
            (ServerStreamListener)
                Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {ServerStreamListener.class}, client);
        statement.send(ticket, new ResultSender(listener, null), allocator);
        statement.send(ticket, new ResultSender(listener, null), allocator);
        assertEquals(List.of("completed", "completed"), told, sql);
        statement.close();
      }
    }
  }
}
