package io.aragonite.adapter.sql.parse;

import static org.apache.calcite.sql.parser.babel.SqlBabelParserImplConstants.*;

import io.aragonite.adapter.sql.function.CommonFunctions;
import io.aragonite.adapter.sql.function.StructPack;
import io.aragonite.exec.error.AragoniteException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.calcite.sql.parser.babel.Token;

/** Names that rewritten statements use, and which statements as they are written may not. */
final class InternalNames {
  private static final Set<String> ALL = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

  static {
    CommonFunctions.internal().forEach(function -> ALL.add(function.getName()));
    ALL.addAll(
        List.of(
            TokenForms.ALL_COLUMNS,
            TokenForms.DISTINCT_ON,
            TokenForms.COLUMN_NUMBER,
            TokenForms.GROUP_OFFSET,
            TokenForms.RENAMED,
            TokenForms.EXCLUDED,
            PercentLimit.MARK,
            StructPack.MARK,
            UnionByName.MARK,
            SelectedUnnest.MARK));
  }

  private InternalNames() {}

  /**
   * Ends with an error if a name is one of these.
   *
   * @throws AragoniteException INVALID_STATEMENT, with the name
   */
  static void refuse(Token token) {
    boolean quoted = token.kind == QUOTED_IDENTIFIER || token.kind == BACK_QUOTED_IDENTIFIER;
    if (!quoted && token.kind != IDENTIFIER && token.kind != BRACKET_QUOTED_IDENTIFIER) {
      return;
    }
    String image = token.image;
    String name =
        token.kind == IDENTIFIER || image.length() < 2
            ? image
            : image.substring(1, image.length() - 1);
    if (ALL.contains(name)) {
      throw TokenList.invalid(
          token,
          "The name %s is one that the product uses itself; take another one".formatted(name));
    }
  }
}
