package io.aragonite.adapter.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.apache.calcite.avatica.util.Quoting;
import org.junit.jupiter.api.Test;

class SqlTokensTest {
  private static String statement(String sql) {
    return SqlTokens.statement(sql, Quoting.DOUBLE_QUOTE);
  }

  @Test
  void whatStandsAroundAStatementIsNoPartOfIt() {
    assertEquals("        set x", statement("/* c */ set x"));
    assertEquals("    \n  select 1", statement("-- a\n  select 1; -- b\n"));
    assertEquals("select /* c */ 1", statement("select /* c */ 1 /* d */ ; /* e */ -- f"));
    assertEquals("select 1", statement("select 1;"));
    assertEquals(";", statement(";"));
    assertEquals("", statement("/* c */ -- d"));
  }

  @Test
  void textsAndNamesHaveNoComments() {
    assertEquals("select '-- a', \"/* b\"", statement("select '-- a', \"/* b\" -- c"));
    assertEquals("select [it's -- a]", SqlTokens.statement("select [it's -- a]", Quoting.BRACKET));
  }

  @Test
  void aCommentWithoutAnEndIsTheParsersToTellOf() {
    assertEquals("select 1 /* c", statement("select 1 /* c"));
    assertEquals("/*/", statement("/*/"));
  }
}
