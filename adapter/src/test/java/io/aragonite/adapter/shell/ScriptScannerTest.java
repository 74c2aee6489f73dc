package io.aragonite.adapter.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aragonite.adapter.shell.ScriptScanner.Open;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScriptScannerTest {
  private static List<String> texts(String script) {
    return ScriptScanner.units(script).stream()
        .map(unit -> (unit.command() ? "!" : "") + unit.line() + ":" + unit.text())
        .toList();
  }

  @Test
  void statementsEndOutsideOfQuotesAndComments() {
    assertEquals(
        List.of("1:select 'a;b'", "1:select \"c;d\" /* ; */"),
        texts("select 'a;b'; select \"c;d\" /* ; */;;\n-- end;\n"));
    assertEquals(
        List.of("2:select 1 -- ;\n , 'x\ny;'", "6:select 2"),
        texts("-- a\n  select 1 -- ;\n , 'x\ny;';\n/* b;\n*/ select 2"));
    assertEquals(
        List.of("1:select /*+ PHJ */ '--', \"/*\""), texts("select /*+ PHJ */ '--', \"/*\""));
    assertEquals(List.of(), texts("\n -- nothing\n/* at all */\n"));
  }

  @Test
  void lineEndsWithinQuotesAreKept() {
    assertEquals(
        List.of("1:select 'a\r\n\rb', -- c\n 'd\re'", "!6:.tables", "7:select 2"),
        texts("select 'a\r\n\rb', -- c\r\n 'd\re';\r.tables\r\nselect 2\r\n"));
    assertEquals("select", ScriptScanner.firstWord(" -- with\n/* (values */ ((select 1"));
    assertEquals("", ScriptScanner.firstWord("/* select"));
  }

  @Test
  void commandsAreLines() {
    assertEquals(
        List.of("!1:.tables", "2:select 1\n.x", "!4:!set x y", "!5:EXIT", "6:select quit\nexit"),
        texts(".tables;\nselect 1\n.x;\n!set x y\n EXIT ;\nselect quit\nexit"));
    assertEquals(List.of("1:.5 + 1"), texts(".5 + 1;"));
  }

  @Test
  void whatATextWaitsFor() {
    assertEquals(Open.NOTHING, ScriptScanner.open("select 1;"));
    assertEquals(Open.NOTHING, ScriptScanner.open(".tables"));
    assertEquals(Open.NOTHING, ScriptScanner.open("quit"));
    assertEquals(Open.NOTHING, ScriptScanner.open(""));
    assertEquals(Open.SEMICOLON, ScriptScanner.open("select 1; select"));
    assertEquals(Open.SEMICOLON, ScriptScanner.open("select 1 --;"));
    assertEquals(Open.QUOTE, ScriptScanner.open("select 'a;"));
    assertEquals(Open.DOUBLE_QUOTE, ScriptScanner.open("select \"a;\n"));
    assertEquals(Open.COMMENT, ScriptScanner.open("select /* a;\n"));
  }
}
