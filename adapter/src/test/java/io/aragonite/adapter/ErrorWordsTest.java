package io.aragonite.adapter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.error.SqlErrors;
import io.aragonite.exec.error.ErrorCode;
import java.sql.SQLException;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import org.apache.calcite.runtime.CalciteException;
import org.apache.calcite.sql.parser.SqlParseException;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.junit.jupiter.api.Test;

/** No error is without words, and none makes a pool throw its connection away. */
final class ErrorWordsTest {
  /** SQLSTATEs at which HikariCP 5.1 or DBCP 2.11 drop a connection, beside class 08. */
  private static final Set<String> DROPPED =
      Set.of("0A000", "57P01", "57P02", "57P03", "01002", "JZ0C0", "JZ0C1");

  @Test
  void anErrorWithoutAMessageGetsASentence() {
    List<Throwable> silent =
        List.of(
            new StackOverflowError(),
            new OutOfMemoryError(),
            new SqlParseException(null, SqlParserPos.ZERO, null, null, new StackOverflowError()),
            new SqlParseException(null, SqlParserPos.ZERO, null, null, null),
            new CalciteException(null, null),
            new ArithmeticException(),
            new NumberFormatException(),
            new NumberFormatException("null"),
            new UnsupportedOperationException(),
            new NullPointerException(),
            new NoSuchElementException(),
            new ConcurrentModificationException(),
            new IllegalStateException(),
            new AssertionError(),
            new SQLException(),
            new RuntimeException((String) null));
    for (Throwable error : silent) {
      for (Throwable thrown : List.of(error, new RuntimeException(null, error))) {
        String message = String.valueOf(SqlErrors.of(thrown).getMessage());
        assertFalse(message.matches(".*\\bnull\\b.*"), message);
        String sentence = message.substring(message.indexOf("): ") + 3);
        assertTrue(sentence.length() > 10, message);
      }
    }
  }

  @Test
  void poolsKeepTheConnectionOfAStatementThatFailed() {
    for (ErrorCode code : ErrorCode.values()) {
      if (code != ErrorCode.SERVER_REFUSED) {
        String state = code.sqlState();
        assertEquals(5, state.length(), code.name());
        assertFalse(state.startsWith("08") || DROPPED.contains(state), code.name());
      }
    }
    assertEquals("25006", ErrorCode.READ_ONLY.sqlState());
  }
}
