package io.aragonite.tpch;

import java.math.BigDecimal;

/**
 * A scale factor: 1 is about one gigabyte of text, 6 million rows of lineitem.
 *
 * @param factor between {@link #MIN} and {@link #MAX}
 */
public record TpchScale(double factor) {
  /** The smallest scale, with 10 suppliers and 150 customers. */
  public static final double MIN = 0.001;

  /** The largest scale that the generator knows. */
  public static final double MAX = 100_000;

  private static final int ORDERS = 1_500_000;
  private static final int PARTS = 200_000;
  private static final int CUSTOMERS = 150_000;
  private static final int SUPPLIERS = 10_000;
  private static final int SUPPLIERS_PER_PART = 4;

  /**
   * Checks the range.
   *
   * @throws IllegalArgumentException if the factor is out of range or not a number
   */
  public TpchScale {
    if (!(factor >= MIN && factor <= MAX)) {
      throw new IllegalArgumentException(
          "TPC-H scale must be between 0.001 and 100000, but is " + factor);
    }
  }

  /** The shortest decimal form: {@code 0.01}, {@code 1}, {@code 100}. Used for folder names. */
  @Override
  public String toString() {
    return BigDecimal.valueOf(factor).stripTrailingZeros().toPlainString();
  }

  /**
   * The generator's units of a table: rows, but orders for lineitem and parts for partsupp, which
   * have several rows for each.
   */
  long units(TpchTable table) {
    return switch (table) {
      case REGION -> 5;
      case NATION -> 25;
      case SUPPLIER -> (long) (SUPPLIERS * factor);
      case CUSTOMER -> (long) (CUSTOMERS * factor);
      case PART, PARTSUPP -> (long) (PARTS * factor);
      case ORDERS, LINEITEM -> (long) (ORDERS * factor);
    };
  }

  /**
   * Whether no pair of part and supplier comes twice. The generator spreads the four suppliers of a
   * part by a formula (clause 4.2.3) that repeats itself when there are few suppliers, as at scale
   * 0.001; the primary key of partsupp must not be declared then.
   */
  public boolean partSuppKeysAreUnique() {
    long suppliers = units(TpchTable.SUPPLIER);
    long parts = units(TpchTable.PART);
    for (long turn = 0; turn <= (parts - 1) / suppliers; turn++) {
      for (int distance = 1; distance < SUPPLIERS_PER_PART; distance++) {
        if (distance * (suppliers / SUPPLIERS_PER_PART + turn) % suppliers == 0) {
          return false;
        }
      }
    }
    return true;
  }

  /** About how many bytes the eight files take. */
  long estimatedBytes() {
    return (long) (1.55e9 * factor) + (1 << 20);
  }
}
