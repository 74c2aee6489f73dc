package io.aragonite.adapter.sql.parse;

import static org.apache.calcite.sql.parser.babel.SqlBabelParserImplConstants.LPAREN;
import static org.apache.calcite.sql.parser.babel.SqlBabelParserImplConstants.RPAREN;

import java.util.AbstractList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.RandomAccess;
import org.apache.calcite.sql.parser.babel.Token;

/**
 * Tokens that are edited from left to right. It knows of each the parenthesis around it: a
 * statement may have millions of tokens, and looking back from each would take the square of that.
 */
final class EditedTokens extends AbstractList<Token> implements RandomAccess {
  private final List<Token> tokens;

  /**
   * The parenthesis that each token is directly within, -1 if it is within none; of the first so
   * many.
   */
  private int[] openings = new int[16];

  private int known;

  /**
   * @param tokens is edited, too
   */
  EditedTokens(List<Token> tokens) {
    this.tokens = tokens;
  }

  /**
   * The parenthesis that a token, or what would follow the last one, is directly within; -1 if it
   * is within none.
   */
  int opening(int inside) {
    if (inside >= openings.length) {
      openings = Arrays.copyOf(openings, Math.max(inside + 1, 2 * openings.length));
    }
    for (; known <= inside; known++) {
      openings[known] = known == 0 ? -1 : behind(known - 1);
    }
    return inside < 0 ? -1 : openings[inside];
  }

  private int behind(int i) {
    return switch (tokens.get(i).kind) {
      case LPAREN -> i;
      case RPAREN -> openings[i] < 0 ? -1 : openings[openings[i]];
      default -> openings[i];
    };
  }

  /** A token is another one from now on: what is around those behind it is to be found again. */
  private void changed(int i) {
    known = Math.min(known, i + 1);
  }

  @Override
  public Token get(int i) {
    return tokens.get(i);
  }

  @Override
  public int size() {
    return tokens.size();
  }

  @Override
  public Token set(int i, Token token) {
    changed(i);
    return tokens.set(i, token);
  }

  @Override
  public void add(int i, Token token) {
    modCount++;
    changed(i);
    tokens.add(i, token);
  }

  @Override
  public boolean addAll(int i, Collection<? extends Token> more) {
    modCount++;
    changed(i);
    return tokens.addAll(i, more);
  }

  @Override
  public Token remove(int i) {
    modCount++;
    changed(i);
    return tokens.remove(i);
  }

  @Override
  protected void removeRange(int from, int to) {
    modCount++;
    changed(from);
    tokens.subList(from, to).clear();
  }
}
