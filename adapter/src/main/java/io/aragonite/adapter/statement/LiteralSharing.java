package io.aragonite.adapter.statement;

import io.aragonite.adapter.parameter.ParameterValue;
import io.aragonite.adapter.sql.LiteralMarkers;
import io.aragonite.adapter.sql.LiteralMarkers.Marked;
import io.aragonite.adapter.sql.StatementShape;
import io.aragonite.adapter.statement.QueryShapes.KnownShape;
import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.sql.SqlNode;

/**
 * A query on its way to a plan that other queries of its shape use too. It has parameters in the
 * place of some literals; where that cannot be, planning ends early and the query is planned as it
 * is written.
 */
final class LiteralSharing {
  private final StatementShape shape;
  private final long wanted;
  private Marked marked = Marked.NONE;
  private List<ParameterValue> values = List.of();
  private List<ParameterRange> ranges = List.of();
  private long unfit;
  private boolean givenUp;

  /** Ends planning; no error. */
  private static final class UnsharedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnsharedException() {
      super(null, null, false, false);
    }
  }

  /**
   * @param wanted numbers of literals that may become parameters, as bits
   */
  LiteralSharing(StatementShape shape, long wanted) {
    this.shape = shape;
    this.wanted = wanted;
  }

  private UnsharedException givenUp() {
    givenUp = true;
    return new UnsharedException();
  }

  /** Whether planning was ended here. */
  boolean isGivenUp() {
    return givenUp;
  }

  /**
   * Looks whether the parser reads a text as it is written: places in another one say nothing.
   *
   * @param read what the parser reads for it
   */
  void requireWritten(String written, String read) {
    if (!written.equals(read)) {
      marked = Marked.NONE;
      throw givenUp();
    }
  }

  /** Puts parameters into the parsed query. */
  void mark(SqlNode query) {
    marked = LiteralMarkers.apply(query, shape, wanted);
    if (marked.literals() == 0) {
      throw givenUp();
    }
    values = marked.values(shape);
  }

  /** Looks at the converted query, before it is planned. */
  void check(RelNode query) {
    SharedParameters parameters = SharedParameters.of(query, values.size());
    if (!parameters.onSmallTables()) {
      marked = Marked.NONE;
      throw givenUp();
    }
    ranges = parameters.ranges();
    int parameter = 0;
    for (int i = 0; i < shape.literals().size(); i++) {
      if ((marked.literals() >>> i & 1) != 0 && ranges.get(parameter++).isEmpty()) {
        unfit |= 1L << i;
      }
    }
    if (unfit != 0 || !ParameterRange.hold(ranges, values)) {
      throw givenUp();
    }
  }

  /**
   * The literals of the shape that are parameters; none if none can be. Fewer than there were are
   * to be tried with the next query of the shape.
   */
  Marked marked() {
    return new Marked(marked.literals() & ~unfit, marked.negated() & ~unfit);
  }

  /**
   * What is known of the shape where planning was ended. Values that are beyond their columns' do
   * not come as far again.
   */
  KnownShape known() {
    return new KnownShape(marked(), unfit == 0 ? ranges : List.of());
  }

  /** The query with signs for its parameters. */
  String text() {
    return shape.text(marked.literals());
  }

  List<ParameterValue> values() {
    return values;
  }

  /** The values for which the plan does. */
  List<ParameterRange> ranges() {
    return ranges;
  }
}
