package io.aragonite.adapter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.TimeZone;
import org.junit.jupiter.api.Test;

/** What a program that loads the driver does not find changed. */
class HostProcessTest {
  @Test
  void settingsOfTheProcessStay() throws SQLException {
    TimeZone zone = TimeZone.getDefault(); // the JVM keeps its answer in a property
    Locale locale = Locale.getDefault();
    Thread.UncaughtExceptionHandler handler = Thread.getDefaultUncaughtExceptionHandler();
    Properties before = (Properties) System.getProperties().clone();
    try (Connection connection = TestConnections.tpch()) {
      assertEquals(List.of("25"), TestConnections.query(connection, "select count(*) from nation"));
    }
    assertEquals(before, System.getProperties());
    assertEquals(zone, TimeZone.getDefault());
    assertEquals(locale, Locale.getDefault());
    assertSame(handler, Thread.getDefaultUncaughtExceptionHandler());
  }

  /** Names that any SLF4J binding of the program would find are the commands' and tests' only. */
  @Test
  void bringsNoBindingOfSlf4j() {
    ClassLoader loader = AragoniteDriver.class.getClassLoader();
    List<String> ours =
        loader
            .resources("simplelogger.properties")
            .map(Object::toString)
            .filter(url -> !url.contains("test-classes"))
            .toList();
    assertEquals(List.of(), ours);
  }
}
