package io.aragonite.adapter.sql.parse;

import static org.apache.calcite.sql.parser.babel.SqlBabelParserImplConstants.*;

import io.aragonite.adapter.sql.function.StructPack;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.rules.function.AsofMatch;
import io.aragonite.rules.function.RowAggregates;
import io.aragonite.rules.function.ZoneFunctions;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.parser.babel.Token;

/** Names that rewritten statements use, and which statements as they are written may not. */
final class InternalNames {
  private static final Set<String> ALL = new TreeSet<>();

  static {
    for (SqlOperator operator :
        new SqlOperator[] {
          AsofMatch.ASOF_MATCH,
          AsofMatch.ASOF_USING,
          RowAggregates.QUANTILE_CONT,
          RowAggregates.QUANTILE_DISC,
          ZoneFunctions.INSTANT_TEXT,
          ZoneFunctions.INSTANT_OF_TEXT,
          ZoneFunctions.FINE_INSTANT_OF_TEXT,
          ZoneFunctions.TRY_INSTANT_OF_TEXT,
          ZoneFunctions.TRY_FINE_INSTANT_OF_TEXT
        }) {
      ALL.add(operator.getName().toUpperCase(Locale.ROOT));
    }
    for (String mark :
        new String[] {
          TokenForms.ALL_COLUMNS,
          TokenForms.DISTINCT_ON,
          TokenForms.COLUMN_NUMBER,
          PercentLimit.MARK,
          StructPack.MARK,
          UnionByName.MARK,
          SelectedUnnest.MARK
        }) {
      ALL.add(mark.toUpperCase(Locale.ROOT));
    }
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
    if (ALL.contains(name.toUpperCase(Locale.ROOT))) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "The name %s is one that the product uses itself; take another one (line %d, column %d)."
              .formatted(name, token.beginLine, token.beginColumn));
    }
  }
}
