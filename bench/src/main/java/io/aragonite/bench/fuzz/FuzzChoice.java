package io.aragonite.bench.fuzz;

import java.util.List;
import java.util.Random;

/** Random choices, the same for the same seed. */
record FuzzChoice(Random random) {
  boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  <T> T any(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }
}
