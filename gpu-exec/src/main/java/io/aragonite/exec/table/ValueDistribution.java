package io.aragonite.exec.table;

import java.util.List;

/**
 * How the values of a column are spread, from a sample of its rows. A share p of all rows is known
 * to within about two times the square root of p (1 - p) / sampled.
 *
 * @param sampled rows looked at that were not null; all of them if the column has no more
 * @param bounds ascending, cut the rows into parts of equal numbers: the first is the least value
 *     seen, the last the greatest; empty of texts without a dictionary. Numbers as they are stored:
 *     integers, days, unscaled decimals, floats, codes of a dictionary
 * @param frequent values (Double in the same form, String of a dictionary's) that were seen more
 *     often than equally frequent values would be by chance (four standard deviations), the most
 *     frequent first
 * @param shares of all rows that are not null, one for each frequent value
 */
public record ValueDistribution(
    int sampled, double[] bounds, List<Object> frequent, double[] shares) {
  /** Of a column without values, or of a kind that is not ordered. */
  public static final ValueDistribution NONE =
      new ValueDistribution(0, new double[0], List.of(), new double[0]);

  /** The share of the most frequent value; 0 if none stands out. */
  public double topShare() {
    return shares.length == 0 ? 0 : shares[0];
  }
}
