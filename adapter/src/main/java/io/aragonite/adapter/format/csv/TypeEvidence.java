package io.aragonite.adapter.format.csv;

import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TimestampUnit;
import io.aragonite.exec.type.TypeKind;
import java.util.EnumSet;
import java.util.Set;

/** What the values of a column in a sample can be taken for. Not safe for several threads. */
public final class TypeEvidence {
  private enum Form {
    BOOLEAN,
    INTEGER,
    /** An integer of more than 64 bits, or a number with a point. */
    DECIMAL,
    FLOATING,
    DATE,
    TIME,
    TIMESTAMP,
    /** A timestamp with an offset in figures. */
    INSTANT,
    TEXT
  }

  /** Significant digits that a double is written with at most. */
  private static final int DOUBLE_DIGITS = 17;

  private final ValueParser parser;
  private final Set<Form> forms = EnumSet.noneOf(Form.class);
  private int wholeDigits;

  /** Of one value. */
  private int mostDigits;

  private int leastFraction = Integer.MAX_VALUE;
  private int mostFraction;
  private boolean onlyNotFinite = true;

  /** Whether some timestamp has more digits than microseconds. */
  private boolean nanos;

  private boolean beyondNanos;

  public TypeEvidence(ValueParser parser) {
    this.parser = parser;
  }

  /** Takes a value that is not null. */
  public void add(long from, long to) {
    if (!forms.contains(Form.TEXT)) {
      forms.add(form(from, to));
    }
  }

  /** Takes a text between quotes, which is never a number or a truth value. */
  public void addText(long from, long to) {
    if (!forms.contains(Form.TEXT)) {
      forms.add(moment(from, to));
    }
  }

  /** Takes a number that is not whole; beyond the range of doubles only a text holds it. */
  public void addFloating(long from, long to) {
    if (parser.floating(from, to) && Double.isFinite(parser.number)) {
      onlyNotFinite = false;
      forms.add(Form.FLOATING);
    } else {
      forms.add(Form.TEXT);
    }
  }

  /** Takes a value that only a text holds. */
  public void addOther() {
    forms.add(Form.TEXT);
  }

  /** Whether no value was taken. */
  public boolean isEmpty() {
    return forms.isEmpty();
  }

  private Form form(long from, long to) {
    if (parser.bool(from, to, false)) {
      return Form.BOOLEAN;
    }
    if (parser.numberForm(from, to)) {
      if (parser.hasLeadingZero(from, to)) {
        return Form.TEXT;
      }
      return number(from, to);
    }
    return moment(from, to);
  }

  private Form moment(long from, long to) {
    return parser.date(from, to)
        ? Form.DATE
        : parser.time(from, to) ? Form.TIME : timestamp(from, to);
  }

  private Form timestamp(long from, long to) {
    boolean found = parser.timestamp(from, to, TimestampUnit.MICROS);
    nanos |= found && parser.timeDigits > TimestampUnit.MICROS.digits();
    beyondNanos |= found && !parser.timestamp(from, to, TimestampUnit.NANOS);
    return !found ? Form.TEXT : parser.hasOffset ? Form.INSTANT : Form.TIMESTAMP;
  }

  /** Microseconds, unless some have more digits and all are within nanoseconds' range. */
  private DataType timestamp() {
    return DataType.timestamp(nanos && !beyondNanos ? 9 : 6, true);
  }

  private Form number(long from, long to) {
    if (parser.special) {
      parser.floating(from, to);
      onlyNotFinite &= !Double.isFinite(parser.number);
      return Form.FLOATING;
    }
    onlyNotFinite = false;
    int fraction = parser.fractionDigits;
    wholeDigits = Math.max(wholeDigits, parser.wholeDigits);
    mostDigits = Math.max(mostDigits, parser.wholeDigits + fraction);
    leastFraction = Math.min(leastFraction, fraction);
    mostFraction = Math.max(mostFraction, fraction);
    return fraction == 0 && parser.integer(from, to, true) ? Form.INTEGER : Form.DECIMAL;
  }

  /** Whether a value with this text could be of the column's type. */
  boolean fits(long from, long to) {
    TypeEvidence alone = new TypeEvidence(parser);
    alone.add(from, to);
    return type().kind() == alone.type().kind() || type().kind() == TypeKind.VARCHAR;
  }

  /** The narrowest type that holds all values; VARCHAR if there are none. */
  public DataType type() {
    if (forms.isEmpty() || forms.contains(Form.TEXT)) {
      return text();
    }
    if (Set.of(Form.INTEGER, Form.DECIMAL, Form.FLOATING).containsAll(forms)) {
      return number();
    }
    // Beside some without an offset, or with Z, they are timestamps of UTC.
    if (forms.size() > 1 && Set.of(Form.DATE, Form.TIMESTAMP, Form.INSTANT).containsAll(forms)) {
      return timestamp();
    }
    if (forms.size() > 1) {
      return text();
    }
    return switch (forms.iterator().next()) {
      case BOOLEAN -> DataType.of(TypeKind.BOOLEAN, true);
      case DATE -> DataType.of(TypeKind.DATE, true);
      case TIME -> DataType.time(6, true);
      case TIMESTAMP -> timestamp();
      case INSTANT -> new DataType(TypeKind.INSTANT, timestamp().precision(), 0, true);
      default -> text();
    };
  }

  private static DataType text() {
    return DataType.of(TypeKind.VARCHAR, true);
  }

  private DataType number() {
    if (onlyNotFinite) {
      return text();
    }
    if (forms.contains(Form.FLOATING)) {
      return DataType.of(TypeKind.FLOAT64, true);
    }
    if (!forms.contains(Form.DECIMAL)) {
      return DataType.of(TypeKind.INT64, true);
    }
    int digits = wholeDigits + mostFraction;
    // Amounts have the same digits behind the point throughout; measurements do not.
    boolean measured = leastFraction != mostFraction && mostDigits <= DOUBLE_DIGITS;
    if (measured) {
      return DataType.of(TypeKind.FLOAT64, true);
    }
    if (digits > DataType.MAX_DECIMAL_PRECISION) {
      return mostFraction == 0 ? text() : DataType.of(TypeKind.FLOAT64, true);
    }
    int precision =
        digits <= DataType.MAX_LONG_PRECISION
            ? DataType.MAX_LONG_PRECISION
            : DataType.MAX_DECIMAL_PRECISION;
    return DataType.decimal(precision, mostFraction, true);
  }
}
