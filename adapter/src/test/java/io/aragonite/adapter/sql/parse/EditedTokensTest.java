package io.aragonite.adapter.sql.parse;

import static org.apache.calcite.sql.parser.babel.SqlBabelParserImplConstants.COMMA;
import static org.apache.calcite.sql.parser.babel.SqlBabelParserImplConstants.LPAREN;
import static org.apache.calcite.sql.parser.babel.SqlBabelParserImplConstants.RPAREN;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.calcite.sql.parser.babel.Token;
import org.junit.jupiter.api.Test;

class EditedTokensTest {
  private static final long SEED = Long.getLong("aragonite.seed", 20261201);

  private static Token random(Random random) {
    int kind =
        switch (random.nextInt(4)) {
          case 0 -> LPAREN;
          case 1 -> RPAREN;
          default -> COMMA;
        };
    return TokenList.like(null, kind, "");
  }

  private static List<Token> some(Random random) {
    List<Token> tokens = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      tokens.add(random(random));
    }
    return tokens;
  }

  /** Looks back from a token over all before it. */
  private static int opening(List<Token> tokens, int inside) {
    int depth = 0;
    for (int i = inside - 1; i >= 0; i--) {
      int kind = tokens.get(i).kind;
      if (kind == LPAREN && depth-- == 0) {
        return i;
      }
      depth += kind == RPAREN ? 1 : 0;
    }
    return -1;
  }

  /** Edits in each way that lists have, also through parts of the list. */
  private static void edit(EditedTokens tokens, Random random) {
    int size = tokens.size();
    int at = random.nextInt(size + 1);
    int end = at + random.nextInt(Math.min(4, size - at + 1));
    switch (random.nextInt(8)) {
      case 0 -> tokens.add(at, random(random));
      case 1 -> tokens.addAll(at, some(random));
      case 2 -> tokens.subList(at, end).clear();
      case 3 -> tokens.subList(at, end).replaceAll(token -> random(random));
      case 4 -> tokens.subList(at, end).addAll(some(random));
      case 5 -> tokens.add(random(random));
      default -> {
        if (at < size && random.nextBoolean()) {
          tokens.remove(at);
        } else if (at < size) {
          tokens.set(at, random(random));
        }
      }
    }
  }

  @Test
  void parenthesesAroundAreThoseOfTheTokensAsTheyAre() {
    System.out.println("EditedTokensTest: to repeat, run with -Daragonite.seed=" + SEED);
    Random random = new Random(SEED);
    for (int round = 0; round < 300; round++) {
      EditedTokens tokens = new EditedTokens(some(random));
      for (int step = 0; step < 60; step++) {
        edit(tokens, random);
        int inside = random.nextInt(tokens.size() + 1);
        assertEquals(opening(tokens, inside), tokens.opening(inside), "round " + round);
      }
    }
    assertEquals(-1, new EditedTokens(List.of()).opening(0));
    assertEquals(-1, new EditedTokens(List.of()).opening(-1));
  }
}
