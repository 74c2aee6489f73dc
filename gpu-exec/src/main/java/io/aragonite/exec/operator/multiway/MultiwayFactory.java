package io.aragonite.exec.operator.multiway;

import io.aragonite.exec.device.DerivedCache;
import io.aragonite.exec.device.TrieStep;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.MemoryScope;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.pipeline.PlanCompiler;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.MultiwayJoin;
import io.aragonite.exec.plan.PhysicalPlan.VariableComparison;
import io.aragonite.exec.plan.PhysicalPlan.VariableKey;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Dictionary;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Runs the relations of a multi-predicate join, builds their tries, and yields the pipeline of its
 * rows; where keys do not fit tries, or tries do not fit memory, that of the joins of two relations
 * at a time, which can leave memory.
 */
public final class MultiwayFactory {
  /** What part of the memory that is left a round's first variable may have. */
  private static final int ROUND_SHARE = 4;

  private final PlanCompiler compiler;
  private final MultiwayJoin node;

  /** The join as it runs: its comparisons may be others that count the same. */
  private MultiwayJoin pattern;

  private final List<Relation> relations = new ArrayList<>();

  /** For each variable what its numbers are; null: the values, or their codes, themselves. */
  private final @Nullable KeyNumbers[] numbers;

  /** For each relation and key its numbers, if they are the values themselves. */
  private final List<List<@Nullable KeyRange>> ranges = new ArrayList<>();

  private final List<DerivedCache.CacheUse> uses = new ArrayList<>();

  private MultiwayFactory(PlanCompiler compiler, MultiwayJoin node) {
    this.compiler = compiler;
    this.node = node;
    this.pattern = node;
    this.numbers = new KeyNumbers[node.variables()];
  }

  /** The pipeline of a join's output. */
  public static PipelineHead compile(PlanCompiler compiler, MultiwayJoin node) {
    return new MultiwayFactory(compiler, node).compile();
  }

  private PipelineHead compile() {
    MemoryScope scope = null;
    String reason = null;
    boolean made = false;
    try {
      reason = node.relations().size() > TrieStep.MAX ? "too many relations" : collect();
      if (reason == null) {
        scope = compiler.resources().memory().scope();
        MultiwaySource source = source();
        scope.end();
        uses.forEach(compiler.resources()::closeLater);
        made = true;
        return source == null ? none() : PipelineHead.of(source);
      }
    } catch (AragoniteException e) {
      if (e.code() != ErrorCode.MEMORY_EXCEEDED) {
        throw e;
      }
      reason = "memory does not hold tries";
    } catch (KeysTooWideException e) {
      reason = String.valueOf(e.getMessage());
    } finally {
      if (!made) {
        giveBack(scope);
      }
    }
    compiler.resources().metrics(node).addNote("two relations at a time: " + reason);
    return compiler.compile(node.otherwise());
  }

  private void giveBack(@Nullable MemoryScope scope) {
    relations.forEach(Relation::close);
    uses.forEach(DerivedCache.CacheUse::close);
    if (scope != null) {
      scope.close();
    }
  }

  /** Keys that tries do not hold. */
  private static final class KeysTooWideException extends RuntimeException {
    private static final long serialVersionUID = 1;

    KeysTooWideException(String message) {
      super(message, null, false, false);
    }
  }

  private PipelineHead none() {
    List<ColumnShape> shapes = MultiwayRun.shapes(node, relations);
    return PipelineHead.of(compiler.resources().scanOf(shapes, List.of(), false));
  }

  /** Collects the relations; says why they cannot be in tries, null if they can. */
  private @Nullable String collect() {
    for (int i = 0; i < node.relations().size(); i++) {
      relations.add(Relation.of(compiler, node, i));
    }
    @Nullable Dictionary[] dictionaries = new Dictionary[node.variables()];
    boolean[] met = new boolean[node.variables()];
    for (int i = 0; i < relations.size(); i++) {
      Relation relation = relations.get(i);
      if (relation.rowCount() >= Integer.MAX_VALUE - 64) {
        return "a relation has %,d rows".formatted(relation.rowCount());
      }
      for (VariableKey key : node.keys().get(i)) {
        ColumnShape shape = relation.shapes().get(key.column());
        if (!KeyRange.suits(shape)) {
          return "a key is stored as %s".formatted(shape.storage());
        }
        int v = key.variable();
        Dictionary dictionary = shape.storage().isCode() ? shape.dictionary() : null;
        if (met[v] && dictionaries[v] != dictionary) {
          if (dictionary == null || dictionaries[v] == null) {
            return "a variable has texts with a dictionary and without";
          }
          numbers[v] = new KeyCodes(Objects.requireNonNull(dictionaries[v]));
        } else {
          dictionaries[v] = dictionary;
        }
        met[v] = true;
      }
    }
    long need = need();
    long room = compiler.resources().spill().room();
    return need <= room
        ? null
        : "tries and rows take up to %,d bytes, there is room for %,d".formatted(need, room);
  }

  /** Bytes that rows in one piece, tries, and a round of the first variable take at most. */
  private long need() {
    long bytes = 0;
    long building = 0;
    Set<List<Object>> known = new HashSet<>();
    for (int i = 0; i < relations.size(); i++) {
      Relation relation = relations.get(i);
      List<VariableKey> keys = node.keys().get(i);
      bytes += relation.bytesInOnePiece();
      if (known.add(List.of(rowsOf(relation), columns(relation, keys)))) {
        TrieBuilder.MemoryNeed need = TrieBuilder.MemoryNeed.of(relation.rowCount(), keys.size());
        bytes += need.left();
        building = Math.max(building, need.most() - need.left());
      }
    }
    return bytes + building;
  }

  private static Object rowsOf(Relation relation) {
    PhysicalPlan.Scan scan = relation.scan();
    return scan == null ? relation : scan.table();
  }

  /** Key columns in the numbers of the table, if there is one. */
  private static List<Integer> columns(Relation relation, List<VariableKey> keys) {
    PhysicalPlan.Scan scan = relation.scan();
    return keys.stream()
        .map(key -> scan == null ? key.column() : scan.columns().get(key.column()))
        .toList();
  }

  /** The rows of the join, null if there are none. */
  private @Nullable MultiwaySource source() {
    if (relations.stream().anyMatch(relation -> relation.rowCount() == 0)) {
      return null;
    }
    long before = compiler.resources().memory().used();
    number();
    List<Trie> tries = tries();
    if (tries == null) {
      return null;
    }
    compiler
        .resources()
        .metrics(node)
        .addStateBytes(Math.max(0, compiler.resources().memory().used() - before));
    MultiwayRun run = new MultiwayRun(pattern, relations, tries);
    int batchRows = compiler.resources().context().device().properties().batchRows();
    long room = compiler.resources().spill().room();
    int workers = compiler.resources().context().parallel().workers();
    if (!run.fit(compiler.resources().context().device(), room / ROUND_SHARE / workers)) {
      throw new KeysTooWideException("there is room for %,d bytes beside tries".formatted(room));
    }
    long round = room / ROUND_SHARE / Math.max(1, run.bindingBytes(0) + run.bindingBytes(1));
    int most = (int) Math.clamp(round, batchRows, 1 << 30);
    return new MultiwaySource(run, compiler.resources().metrics(node), batchRows, most);
  }

  /** Decides what the numbers of each variable are. */
  private void number() {
    MultiwayJoin inOrder =
        node.counted() && node.outputs().isEmpty() ? ChainSymmetry.inOrderOfBinding(node) : null;
    DegreeRanks degrees = inOrder == null ? null : degreeRanks();
    if (inOrder != null && degrees != null) {
      pattern = inOrder;
      Arrays.fill(numbers, degrees);
      compiler.resources().metrics(node).addNote("keys are numbered by their degrees");
    }
    for (int i = 0; i < relations.size(); i++) {
      List<@Nullable KeyRange> ofRelation = new ArrayList<>();
      Relation relation = relations.get(i);
      for (VariableKey key : node.keys().get(i)) {
        ColumnShape shape = relation.shapes().get(key.column());
        KeyRange range =
            numbers[key.variable()] instanceof DegreeRanks
                ? null
                : KeyRange.of(
                    compiler.resources().context(), shape, () -> relation.column(key.column()));
        if (range == null && numbers[key.variable()] == null) {
          rank(key.variable());
        }
        ofRelation.add(range);
      }
      ranges.add(ofRelation);
    }
    for (int i = 0; i < relations.size(); i++) {
      while (bits(i) > Long.SIZE) {
        rank(widest(i));
      }
    }
  }

  /**
   * Numbers by degrees for all variables, where all relations are the same table of edges; null
   * where they are not.
   */
  private @Nullable DegreeRanks degreeRanks() {
    DerivedCache cache = compiler.resources().context().device().derived();
    PhysicalPlan.Scan scan = relations.getFirst().scan();
    if (cache == null || scan == null || !sameEdges()) {
      return null;
    }
    Relation edges = relations.getFirst();
    if (need() + DegreeRanks.BYTES * edges.rowCount() > compiler.resources().spill().room()) {
      return null;
    }
    List<VariableKey> ends = node.keys().getFirst();
    DegreeOrder order = new DegreeOrder(Set.copyOf(columns(edges, ends)));
    DerivedCache.CacheUse use = cache.find(compiler.resources().context(), scan.table(), order);
    if (use != null) {
      uses.add(use);
      return ((FoundRanks) use.value()).ranks();
    }
    return compiler
        .resources()
        .<@Nullable DegreeRanks>work(
            node,
            context -> {
              FoundRanks found =
                  new FoundRanks(
                      DegreeRanks.of(
                          context,
                          order,
                          edges.column(ends.getFirst().column()),
                          edges.column(ends.getLast().column())));
              DerivedCache.CacheUse kept =
                  cache.keep(context, scan.table(), order, found.buffers(), found::over);
              if (kept == null) {
                return found.ranks();
              }
              uses.add(kept);
              found.buffers().forEach(context.memory()::free);
              return ((FoundRanks) kept.value()).ranks();
            });
  }

  /** Two columns of a table as the ends of edges. */
  private record DegreeOrder(Set<Integer> columns) {}

  /** What was found out about an order, to be kept: that a table has none as well. */
  private record FoundRanks(@Nullable DegreeRanks ranks) {
    List<Buffer> buffers() {
      return ranks == null ? List.of() : ranks.buffers();
    }

    FoundRanks over(List<Buffer> copies) {
      return new FoundRanks(ranks == null ? null : ranks.over(copies));
    }
  }

  /** Whether all relations are the same two columns of integers of one stored table. */
  private boolean sameEdges() {
    Object rows = rowsOf(relations.getFirst());
    Set<Integer> ends = Set.copyOf(columns(relations.getFirst(), node.keys().getFirst()));
    for (int i = 0; i < relations.size(); i++) {
      Relation relation = relations.get(i);
      List<VariableKey> keys = node.keys().get(i);
      List<ColumnShape> shapes =
          keys.stream().map(key -> relation.shapes().get(key.column())).toList();
      if (!rowsOf(relation).equals(rows)
          || !Set.copyOf(columns(relation, keys)).equals(ends)
          || !shapes.stream().allMatch(shape -> DegreeRanks.suits(shape))
          || shapes.getFirst().type().kind() != shapes.getLast().type().kind()) {
        return false;
      }
    }
    return true;
  }

  /** The keys in the order of a relation's trie: edges that go both ways have but one. */
  private List<VariableKey> trieKeys(int index) {
    List<VariableKey> keys = node.keys().get(index);
    PhysicalPlan.Scan scan = relations.get(index).scan();
    boolean symmetric = numbers[keys.getFirst().variable()] instanceof DegreeRanks;
    return symmetric && scan != null
        ? keys.stream()
            .sorted(Comparator.comparing(key -> scan.columns().get(key.column())))
            .toList()
        : keys;
  }

  private KeyNumbers numbersOf(int variable) {
    return Objects.requireNonNull(numbers[variable]);
  }

  private int bits(int relation, int key) {
    int variable = node.keys().get(relation).get(key).variable();
    return numbers[variable] != null
        ? numbersOf(variable).bits()
        : Objects.requireNonNull(ranges.get(relation).get(key)).bits();
  }

  private int bits(int relation) {
    return IntStream.range(0, node.keys().get(relation).size())
        .map(key -> bits(relation, key))
        .sum();
  }

  /** The variable of a relation whose values are to become ranks, so that all fit one word. */
  private int widest(int relation) {
    int widest = -1;
    for (int key = 0; key < node.keys().get(relation).size(); key++) {
      int variable = node.keys().get(relation).get(key).variable();
      if (numbers[variable] == null
          && (widest < 0 || bits(relation, key) > bits(relation, widest))) {
        widest = key;
      }
    }
    if (widest < 0) {
      throw new KeysTooWideException("the keys of a relation have more than 64 bits together");
    }
    return node.keys().get(relation).get(widest).variable();
  }

  /** Gives ranks to a variable, and to those that it is compared with, directly or not. */
  private void rank(int variable) {
    boolean[] group = new boolean[node.variables()];
    group[variable] = true;
    boolean grown = true;
    while (grown) {
      grown = false;
      for (VariableComparison c : node.comparisons()) {
        grown |= group[c.left()] != group[c.right()];
        group[c.left()] |= group[c.right()];
        group[c.right()] |= group[c.left()];
      }
    }
    List<KeyRanks.RankedColumn> members = new ArrayList<>();
    for (int v = 0; v < group.length; v++) {
      if (group[v]) {
        members.add(smallest(v));
      }
    }
    KeyRanks ranks = new KeyRanks(members.stream().distinct().toList());
    for (int v = 0; v < group.length; v++) {
      if (group[v]) {
        numbers[v] = ranks;
      }
    }
  }

  /** A variable's column in the smallest relation, stored ones first: these tries can be kept. */
  private KeyRanks.RankedColumn smallest(int variable) {
    List<KeyRanks.RankedColumn> all = new ArrayList<>();
    for (int i = 0; i < relations.size(); i++) {
      for (VariableKey key : node.keys().get(i)) {
        if (key.variable() == variable) {
          all.add(new KeyRanks.RankedColumn(relations.get(i), key.column()));
        }
      }
    }
    return all.stream()
        .min(
            Comparator.<KeyRanks.RankedColumn>comparingInt(m -> m.relation().scan() == null ? 1 : 0)
                .thenComparingLong(m -> m.relation().rowCount()))
        .orElseThrow();
  }

  /** The tries, one for all relations that have the same rows and keys; null if one is empty. */
  private @Nullable List<Trie> tries() {
    List<Trie> tries = new ArrayList<>();
    Map<TrieKey, Trie> known = new HashMap<>();
    int built = 0;
    long start = System.nanoTime();
    for (int i = 0; i < relations.size(); i++) {
      Relation relation = relations.get(i);
      TrieKey key = key(i);
      Trie trie = known.get(key);
      boolean stored = relation.scan() != null && isOfStored(i);
      if (trie == null && stored) {
        trie = kept((Table) key.rows, key);
      }
      if (trie == null) {
        trie = build(i);
        if (trie == null) {
          return null;
        }
        built++;
        if (stored) {
          trie = keep((Table) key.rows, key, trie);
        }
      }
      known.put(key, trie);
      tries.add(trie);
    }
    compiler.resources().metrics(node).addFigure("tries built", built);
    compiler.resources().metrics(node).addFigure("tries kept before", known.size() - built);
    compiler
        .resources()
        .metrics(node)
        .addFigure("trie build us", (System.nanoTime() - start) / 1000);
    return tries;
  }

  /**
   * What a trie is made of.
   *
   * @param rows the table, or the relation whose rows nobody else has
   * @param columns of the table
   * @param numbers what stands for each column's values
   */
  private record TrieKey(Object rows, List<Integer> columns, List<Object> numbers) {}

  private TrieKey key(int index) {
    Relation relation = relations.get(index);
    List<VariableKey> keys = trieKeys(index);
    List<Object> meanings = new ArrayList<>();
    for (int k = 0; k < keys.size(); k++) {
      int variable = keys.get(k).variable();
      meanings.add(
          numbers[variable] != null
              ? numbersOf(variable).identity()
              : Objects.requireNonNull(ranges.get(index).get(k)));
    }
    return new TrieKey(rowsOf(relation), columns(relation, keys), meanings);
  }

  private boolean isOfStored(int relation) {
    return node.keys().get(relation).stream()
        .allMatch(key -> numbers[key.variable()] == null || numbersOf(key.variable()).isOfStored());
  }

  private @Nullable Trie kept(Table table, TrieKey key) {
    DerivedCache cache = compiler.resources().context().device().derived();
    DerivedCache.CacheUse use =
        cache == null ? null : cache.find(compiler.resources().context(), table, key);
    return use == null ? null : using(use);
  }

  private Trie using(DerivedCache.CacheUse use) {
    uses.add(use);
    return (Trie) use.value();
  }

  /** A trie in the query's memory, null if no row can join with anything. */
  private @Nullable Trie build(int index) {
    Relation relation = relations.get(index);
    List<VariableKey> keys = trieKeys(index);
    List<Column> columns = keys.stream().map(key -> relation.column(key.column())).toList();
    return compiler
        .resources()
        .<@Nullable Trie>work(
            node,
            context -> {
              JoinableRows rows = JoinableRows.of(context, columns);
              List<Integer> numbered = new ArrayList<>();
              List<Column> asNumbers = new ArrayList<>(rows.columns());
              List<KeyRange> ofKeys = new ArrayList<>();
              for (int k = 0; k < keys.size(); k++) {
                int variable = keys.get(k).variable();
                if (numbers[variable] == null) {
                  ofKeys.add(Objects.requireNonNull(ranges.get(index).get(k)));
                } else {
                  Column ranks = numbersOf(variable).numbers(context, asNumbers.get(k));
                  asNumbers.set(k, ranks);
                  numbered.add(k);
                  ofKeys.add(
                      new KeyRange(0, Objects.requireNonNull(ranks.shape().range()).max() + 1));
                }
              }
              JoinableRows joinable = rows.with(asNumbers).numbered(context, numbered);
              return joinable.count() == 0 ? null : TrieBuilder.build(context, joinable, ofKeys);
            });
  }

  /** Keeps a trie for later queries if there is room; the one to go on with. */
  private Trie keep(Table table, TrieKey key, Trie trie) {
    DerivedCache cache = compiler.resources().context().device().derived();
    DerivedCache.@Nullable CacheUse use =
        cache == null
            ? null
            : compiler
                .resources()
                .<DerivedCache.@Nullable CacheUse>work(
                    node, context -> cache.keep(context, table, key, trie.buffers(), trie::over));
    if (use == null) {
      return trie;
    }
    trie.buffers().forEach(compiler.resources().memory()::free);
    return using(use);
  }
}
