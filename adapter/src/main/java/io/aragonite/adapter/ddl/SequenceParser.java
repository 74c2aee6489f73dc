package io.aragonite.adapter.ddl;

import io.aragonite.adapter.ddl.TableStatement.IfExists;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.rules.function.NumberSequence;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads CREATE SEQUENCE and DROP SEQUENCE behind these words, as PostgreSQL has them. */
final class SequenceParser {
  private final StatementReader in;
  private @Nullable Long start;
  private @Nullable Long least;
  private @Nullable Long most;
  private long increment = 1;
  private boolean cycles;

  private SequenceParser(StatementReader in) {
    this.in = in;
  }

  /**
   * @param ifExists what was written before the word
   * @throws AragoniteException SYNTAX, INVALID_STATEMENT if the limits leave no numbers
   */
  static TableStatement.CreateSequence create(StatementReader in, IfExists ifExists) {
    boolean keep = in.take("IF", "NOT", "EXISTS");
    if (keep && ifExists == IfExists.REPLACE) {
      throw in.unexpected("either OR REPLACE or IF NOT EXISTS, and not both,");
    }
    String name = name(in);
    SequenceParser parser = new SequenceParser(in);
    while (!in.atEnd() && !in.peek().equals(";")) {
      parser.option();
    }
    in.end();
    return new TableStatement.CreateSequence(
        name, parser.definition(name), keep ? IfExists.KEEP : ifExists);
  }

  static TableStatement.DropSequence drop(StatementReader in) {
    boolean ifExists = in.take("IF", "EXISTS");
    String name = name(in);
    boolean cascade = in.take("CASCADE");
    boolean _ = !cascade && in.take("RESTRICT");
    in.end();
    return new TableStatement.DropSequence(name, ifExists);
  }

  /** Sequences are the connection's, in no schema: a schema's name before theirs says nothing. */
  private static String name(StatementReader in) {
    String name = in.name("the name of a sequence");
    while (in.take(".")) {
      name = in.name("the name of a sequence");
    }
    return name;
  }

  private void option() {
    if (in.take("START")) {
      boolean _ = in.take("WITH");
      start = number();
    } else if (in.take("INCREMENT")) {
      boolean _ = in.take("BY");
      increment = number();
    } else if (in.take("MINVALUE")) {
      least = number();
    } else if (in.take("MAXVALUE")) {
      most = number();
    } else if (in.take("NO", "MINVALUE")) {
      least = null;
    } else if (in.take("NO", "MAXVALUE")) {
      most = null;
    } else if (in.take("NO", "CYCLE")) {
      cycles = false;
    } else if (in.take("CYCLE")) {
      cycles = true;
    } else if (in.take("CACHE")) {
      long _ = number();
    } else if (in.take("AS")) {
      String _ = in.name("a type");
    } else {
      throw in.unexpected("START, INCREMENT, MINVALUE, MAXVALUE or CYCLE");
    }
  }

  private long number() {
    boolean negative = in.take("-");
    String digits = (negative ? "-" : "") + in.peek();
    try {
      long number = Long.parseLong(digits);
      String _ = in.next();
      return number;
    } catch (NumberFormatException e) {
      throw in.unexpected("a whole number");
    }
  }

  private NumberSequence.Definition definition(String name) {
    boolean up = increment > 0;
    long from = Objects.requireNonNullElse(least, up ? 1 : Long.MIN_VALUE);
    long to = Objects.requireNonNullElse(most, up ? Long.MAX_VALUE : -1L);
    long first = Objects.requireNonNullElse(start, up ? from : to);
    if (increment == 0 || from >= to || first < from || first > to) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          increment == 0
              ? "INCREMENT of sequence \"%s\" is 0; take another number.".formatted(name)
              : "Sequence \"%s\" begins with %d, which is not among its numbers from %d to %d; set START, MINVALUE or MAXVALUE."
                  .formatted(name, first, from, to));
    }
    return new NumberSequence.Definition(first, increment, from, to, cycles);
  }
}
