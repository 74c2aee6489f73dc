package io.aragonite.bench.plan;

import io.aragonite.rules.metadata.CardinalityProvider;
import io.aragonite.rules.metadata.JoinedRelations;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.apache.calcite.rel.RelNode;
import org.jspecify.annotations.Nullable;

/**
 * Has the joins of a query ordered at random. The search for an order is told rows that depend on
 * the seed alone, and so large that nothing else decides; what chooses algorithms and build sides
 * gets none, and estimates as ever. Relations that no predicate connects are still not multiplied,
 * and outer joins stay where they are.
 *
 * @param seed of the order; the same seed gives the same order
 */
record RandomOrders(long seed) implements CardinalityProvider {
  private static final RandomGeneratorFactory<RandomGenerator> GENERATORS =
      RandomGeneratorFactory.of("L64X128MixRandom");

  /** Powers of ten between which rows are drawn: above those of the relations themselves. */
  private static final double LEAST = 9;

  private static final double MOST = 15;

  @Override
  public @Nullable Double rows(RelNode relation) {
    return null;
  }

  @Override
  public Double rows(JoinedRelations relations) {
    List<RelNode> all = relations.all();
    long set = 0;
    for (JoinedRelations.JoinedRelation joined : relations.joined()) {
      set = set << 8 ^ set >>> 56 ^ place(all, joined.relation());
    }
    RandomGenerator random = GENERATORS.create(seed * 1_000_003 + set * 31 + all.size());
    return Math.pow(10, random.nextDouble(LEAST, MOST));
  }

  @SuppressWarnings("ReferenceEquality") // a relation may stand there twice
  private static int place(List<RelNode> all, RelNode relation) {
    for (int i = 0; i < all.size(); i++) {
      if (all.get(i) == relation) {
        return i + 1;
      }
    }
    return 0;
  }
}
