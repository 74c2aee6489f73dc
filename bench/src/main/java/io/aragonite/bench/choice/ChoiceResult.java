package io.aragonite.bench.choice;

import static java.util.Objects.requireNonNull;

import io.aragonite.bench.data.CsvColumns;
import io.aragonite.bench.join.JoinBench;
import io.aragonite.exec.cost.JoinModel;
import io.aragonite.exec.cost.JoinPrice;
import io.aragonite.exec.cost.JoinShape;
import io.aragonite.exec.profile.MachineProfile;
import io.aragonite.exec.profile.Skew;
import io.aragonite.exec.plan.JoinAlgorithm;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A point of the grid with the times of all candidates.
 *
 * @param id of the point
 * @param built the join with R built, and with S built: what the model is told
 * @param free bytes that a candidate could count on: one that needs more is joined by one table
 *     after all, and is not chosen; infinite if it is not known
 * @param candidates all that were timed
 */
public record ChoiceResult(int id, Built built, double free, List<Candidate> candidates) {
  /** The same join with either side built. */
  public record Built(JoinShape left, JoinShape right) {
    JoinShape of(boolean buildLeft) {
      return buildLeft ? left : right;
    }
  }

  /**
   * A way to join.
   *
   * @param millis of the quickest run, from tables to output columns
   */
  public record Candidate(JoinAlgorithm algorithm, boolean buildLeft, double millis) {
    String label() {
      return algorithm.shortName() + (buildLeft ? " R" : " S");
    }
  }

  /** Milliseconds that a model expects of a candidate, which collects its output. */
  public double predicted(JoinModel model, Candidate candidate) {
    JoinShape shape = built.of(candidate.buildLeft);
    return (price(model, candidate).nanos() + model.besideAlgorithm(shape)) / 1e6;
  }

  private JoinPrice price(JoinModel model, Candidate candidate) {
    JoinShape shape = built.of(candidate.buildLeft);
    return model.outOfCore(model.price(shape, candidate.algorithm), shape, free);
  }

  /** Whether the engine would take a candidate; one table is what it takes if nothing else fits. */
  private boolean fits(JoinModel model, Candidate candidate) {
    return candidate.algorithm == JoinAlgorithm.NON_PARTITIONED_HASH
        || JoinModel.fits(price(model, candidate), built.of(candidate.buildLeft), free);
  }

  /** The candidate that a model would take. */
  public Candidate chosen(JoinModel model) {
    return candidates.stream()
        .filter(c -> fits(model, c))
        .min(Comparator.comparingDouble(c -> model.trusted(price(model, c))))
        .orElseThrow();
  }

  /** The quickest candidate. */
  public Candidate best() {
    return candidates.stream().min(Comparator.comparingDouble(Candidate::millis)).orElseThrow();
  }

  /** The chosen candidate's time over the best one's. */
  public double regret(JoinModel model) {
    return chosen(model).millis / best().millis;
  }

  /** The same point with the quicker of two times of each candidate. */
  ChoiceResult quickest(ChoiceResult again) {
    List<Candidate> quicker = new ArrayList<>();
    for (int i = 0; i < candidates.size(); i++) {
      Candidate one = candidates.get(i);
      Candidate other = again.candidates.get(i);
      quicker.add(other.millis < one.millis ? other : one);
    }
    return new ChoiceResult(id, built, free, quicker);
  }

  /** Predicted over measured time of the chosen candidate. */
  public double predicted(JoinModel model) {
    Candidate chosen = chosen(model);
    return predicted(model, chosen) / chosen.millis;
  }

  /** A candidate of a point, and what a model expects of it. */
  private record CandidateLine(ChoiceResult point, Candidate candidate, double predicted) {
    JoinShape shape() {
      return point.built.of(candidate.buildLeft);
    }
  }

  /** The place of the measured time in a line. */
  private static final int MILLIS = 19;

  private static final CsvColumns<CandidateLine> COLUMNS =
      new CsvColumns<CandidateLine>()
          .add("id", line -> line.point.id)
          .add("algorithm", line -> line.candidate.algorithm.shortName())
          .add("build", line -> line.candidate.buildLeft ? "R" : "S")
          .add("buildRows", line -> cell(line.shape().build().rows()))
          .add("buildColumns", line -> line.shape().build().columns())
          .add("buildBytes", line -> cell(line.shape().build().bytes()))
          .add("buildSorted", line -> line.shape().build().sorted())
          .add("probeRows", line -> cell(line.shape().probe().rows()))
          .add("probeColumns", line -> line.shape().probe().columns())
          .add("probeBytes", line -> cell(line.shape().probe().bytes()))
          .add("probeSorted", line -> line.shape().probe().sorted())
          .add("wordBytes", line -> line.shape().wordBytes())
          .add("distinct", line -> cell(line.shape().distinct()))
          .add("keyRange", line -> cell(line.shape().keyRange()))
          .add("matchRatio", line -> cell(line.shape().matchRatio()))
          .add("outRows", line -> cell(line.shape().outRows()))
          .add("skew", line -> cell(line.shape().skew().exponent()))
          .add("streamed", line -> line.shape().streamed())
          .add("free", line -> cell(line.point.free))
          .add("millis", line -> cell(line.candidate.millis))
          .add("predicted", line -> cell(line.predicted));

  /** A line a candidate, with a line of names; {@link #parse} reads it. */
  public static String csv(List<ChoiceResult> results, MachineProfile profile) {
    JoinModel model = new JoinModel(profile);
    List<CandidateLine> lines = new ArrayList<>();
    for (ChoiceResult result : results) {
      for (Candidate candidate : result.candidates) {
        lines.add(new CandidateLine(result, candidate, result.predicted(model, candidate)));
      }
    }
    return COLUMNS.text(lines);
  }

  private static String cell(double number) {
    return number == Math.rint(number) && Math.abs(number) < 1e15
        ? Long.toString((long) number)
        : String.format(Locale.ROOT, "%.5g", number);
  }

  /**
   * What {@link #csv} wrote.
   *
   * @throws IllegalArgumentException if it is something else
   */
  public static List<ChoiceResult> parse(List<String> lines) {
    if (lines.isEmpty() || !lines.getFirst().equals(COLUMNS.names())) {
      throw new IllegalArgumentException("no results of bench choice: the first line is another");
    }
    Map<Integer, List<String[]>> byPoint = new LinkedHashMap<>();
    for (String line : lines.subList(1, lines.size())) {
      String[] cells = line.split(",", -1);
      if (cells.length <= MILLIS || !JoinBench.ALGORITHMS.containsKey(cells[1])) {
        throw new IllegalArgumentException("no results of bench choice: a line is \"" + line + '"');
      }
      byPoint.computeIfAbsent(Integer.valueOf(cells[0]), id -> new ArrayList<>()).add(cells);
    }
    List<ChoiceResult> results = new ArrayList<>();
    byPoint.forEach((id, rows) -> {
      JoinShape left = shape(rows, "R");
      JoinShape right = shape(rows, "S");
      List<Candidate> candidates = new ArrayList<>();
      for (String[] c : rows) {
        JoinAlgorithm algorithm = requireNonNull(JoinBench.ALGORITHMS.get(c[1]), c[1]);
        candidates.add(new Candidate(algorithm, c[2].equals("R"), number(c[MILLIS])));
      }
      double free = number(rows.getFirst()[18]);
      results.add(new ChoiceResult(id, new Built(left, right), free, candidates));
    });
    return results;
  }

  private static double number(String cell) {
    return Double.parseDouble(cell);
  }

  /**
   * The share of probe rows within the bounds of the build side's keys: rows of S without a partner
   * have keys beyond all of R's, while S has keys from all over R's range.
   */
  static double within(boolean buildLeft, double matchRatio) {
    return buildLeft ? Math.min(1, matchRatio) : 1;
  }

  private static JoinShape shape(List<String[]> rows, String build) {
    String[] c = rows.stream().filter(row -> row[2].equals(build)).findFirst().orElseThrow();
    return new JoinShape(
        new JoinShape.JoinSideShape(
            number(c[3]), Integer.parseInt(c[4]), number(c[5]), 0, Boolean.parseBoolean(c[6])),
        new JoinShape.JoinSideShape(
            number(c[7]), Integer.parseInt(c[8]), number(c[9]), 0, Boolean.parseBoolean(c[10])),
        Integer.parseInt(c[11]),
        number(c[12]),
        number(c[13]),
        number(c[14]),
        within(build.equals("R"), number(c[14])),
        number(c[15]),
        new Skew(number(c[16]), Math.max(1, number(c[12]))),
        Boolean.parseBoolean(c[17]));
  }
}
