package io.aragonite.exec.multiway;

import io.aragonite.exec.column.Column;
import io.aragonite.exec.column.ColumnShape;
import io.aragonite.exec.column.Dictionary;
import io.aragonite.exec.device.DerivedCache;
import io.aragonite.exec.device.TrieStep;
import io.aragonite.exec.multiway.MultiwayRun.Bindings;
import io.aragonite.exec.multiway.MultiwayRun.Candidates;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.pipeline.PlanCompiler;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.MultiwayJoin;
import io.aragonite.exec.plan.PhysicalPlan.VariableKey;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.type.Storage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Runs the relations of a multi-predicate join, builds their tries, and yields the pipeline of its
 * rows; where keys do not fit tries, that of the joins of two relations at a time.
 */
public final class MultiwayFactory {
  private final PlanCompiler compiler;
  private final MultiwayJoin node;
  private final List<Relation> relations = new ArrayList<>();
  private final List<List<KeyRange>> ranges = new ArrayList<>();

  private MultiwayFactory(PlanCompiler compiler, MultiwayJoin node) {
    this.compiler = compiler;
    this.node = node;
  }

  /** The pipeline of a join's output. */
  public static PipelineHead compile(PlanCompiler compiler, MultiwayJoin node) {
    return new MultiwayFactory(compiler, node).compile();
  }

  private PipelineHead compile() {
    String reason = node.relations().size() > TrieStep.MAX ? "too many relations" : collect();
    if (reason != null) {
      relations.forEach(Relation::free);
      compiler.addNote(node, "two relations at a time: " + reason);
      return compiler.compile(node.otherwise());
    }
    if (relations.stream().anyMatch(relation -> relation.rowCount() == 0)) {
      List<ColumnShape> shapes =
          node.counted()
              ? List.of(MultiwayRun.COUNT)
              : node.outputs().stream()
                  .map(output -> relations.get(output.relation()).shapes().get(output.column()))
                  .toList();
      return PipelineHead.of(compiler.scanOf(shapes, List.of(), false));
    }
    long before = compiler.memory().used();
    MultiwayRun run = new MultiwayRun(node, relations, tries());
    Candidates second =
        compiler.work(
            node,
            context -> {
              Candidates first = run.candidates(context, 0, run.none(), context.scratch());
              Bindings bound =
                  run.match(
                      context, 0, first, 0, Math.toIntExact(first.total()), compiler.memory());
              return run.candidates(context, 1, bound, compiler.memory());
            });
    compiler.addFigure(node, "values of the first variable", second.bindings().count());
    compiler.addFigure(node, "candidates of the second", second.total());
    compiler.addStateBytes(node, Math.max(0, compiler.memory().used() - before));
    return PipelineHead.of(
        new MultiwaySource(run, second, compiler.context().device().properties().batchRows()));
  }

  /** Collects the relations; says why their keys cannot be in tries, null if they can. */
  private @Nullable String collect() {
    for (int i = 0; i < node.relations().size(); i++) {
      relations.add(Relation.of(compiler, node, i));
    }
    @Nullable Dictionary[] dictionaries = new Dictionary[node.variables()];
    boolean[] met = new boolean[node.variables()];
    for (int i = 0; i < relations.size(); i++) {
      Relation relation = relations.get(i);
      List<KeyRange> ofRelation = new ArrayList<>();
      for (VariableKey key : node.keys().get(i)) {
        ColumnShape shape = relation.shapes().get(key.column());
        if (!KeyRange.suits(shape)) {
          return "a key is stored as %s".formatted(shape.storage());
        }
        Dictionary dictionary = shape.storage() == Storage.CODE ? shape.dictionary() : null;
        if (met[key.variable()] && dictionaries[key.variable()] != dictionary) {
          return "texts of different dictionaries";
        }
        met[key.variable()] = true;
        dictionaries[key.variable()] = dictionary;
        if (relation.rowCount() > 0) {
          KeyRange range =
              KeyRange.of(compiler.context(), shape, () -> relation.column(key.column()));
          if (range == null) {
            return "a key has values of more than 32 bits";
          }
          ofRelation.add(range);
        }
      }
      if (!TrieBuilder.fits(ofRelation)) {
        return "the keys of a relation have more than 64 bits together";
      }
      ranges.add(ofRelation);
    }
    return null;
  }

  /** The tries, one for all relations that have the same rows and keys. */
  private List<Trie> tries() {
    List<Trie> tries = new ArrayList<>();
    Map<TrieKey, Trie> known = new HashMap<>();
    int built = 0;
    long start = System.nanoTime();
    for (int i = 0; i < relations.size(); i++) {
      Relation relation = relations.get(i);
      List<KeyRange> ofRelation = ranges.get(i);
      PhysicalPlan.Scan scan = relation.scan();
      List<Integer> columns =
          node.keys().get(i).stream()
              .map(key -> scan == null ? key.column() : scan.columns().get(key.column()))
              .toList();
      TrieKey key = new TrieKey(scan == null ? relation : scan.table(), columns, ofRelation);
      Trie trie = known.get(key);
      if (trie == null && scan != null) {
        trie = kept(scan.table(), key);
      }
      if (trie == null) {
        trie = build(relation, node.keys().get(i), ofRelation);
        built++;
        if (scan != null) {
          trie = keep(scan.table(), key, trie);
        }
      }
      known.put(key, trie);
      tries.add(trie);
    }
    compiler.addFigure(node, "tries built", built);
    compiler.addFigure(node, "tries kept before", known.size() - built);
    compiler.addFigure(node, "us for tries", (System.nanoTime() - start) / 1000);
    return tries;
  }

  /**
   * What a trie is made of.
   *
   * @param rows the table, or the relation whose rows nobody else has
   * @param columns of the table
   */
  private record TrieKey(Object rows, List<Integer> columns, List<KeyRange> ranges) {}

  private @Nullable Trie kept(Table table, TrieKey key) {
    DerivedCache cache = compiler.context().device().derived();
    DerivedCache.Use use = cache == null ? null : cache.find(table, key);
    return use == null ? null : (Trie) compiler.closeLater(use).value();
  }

  private Trie build(Relation relation, List<VariableKey> keys, List<KeyRange> ofRelation) {
    List<Column> columns = relation.columns(keys);
    return compiler.work(
        node, context -> TrieBuilder.build(context, columns, ofRelation, relation.rowCount()));
  }

  /** Keeps a trie for later queries if there is room; the one to go on with. */
  private Trie keep(Table table, TrieKey key, Trie trie) {
    DerivedCache cache = compiler.context().device().derived();
    DerivedCache.@Nullable Use use =
        cache == null
            ? null
            : compiler.<DerivedCache.@Nullable Use>work(
                node, context -> cache.keep(context, table, key, trie.buffers(), trie::over));
    if (use == null) {
      return trie;
    }
    trie.buffers().forEach(compiler.memory()::free);
    return (Trie) compiler.closeLater(use).value();
  }
}
