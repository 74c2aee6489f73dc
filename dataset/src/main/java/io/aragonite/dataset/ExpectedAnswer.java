package io.aragonite.dataset;

import java.util.List;

/**
 * What a query must return.
 *
 * @param answer the rows in the order of the query's ORDER BY, those that its LIMIT leaves out too
 *     where they are known
 * @param sortedOn columns of the result that the rows are sorted on, from 0; rows that are equal
 *     there may come in any order. Empty if any order will do
 * @param limit how many of the rows the query returns at most
 */
public record ExpectedAnswer(Answer answer, List<Integer> sortedOn, long limit) {
  /** Copies the list. */
  public ExpectedAnswer {
    sortedOn = List.copyOf(sortedOn);
  }

  /** All rows of an answer. */
  public static ExpectedAnswer of(Answer answer, List<Integer> sortedOn) {
    return new ExpectedAnswer(answer, sortedOn, Long.MAX_VALUE);
  }
}
