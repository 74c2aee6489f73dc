package io.aragonite.sqltests.architecture;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Which packages use which, and the edges that take part in a cycle. */
final class PackageGraph {
  private final SortedMap<String, SortedSet<String>> uses = new TreeMap<>();

  private PackageGraph() {}

  /** The packages of {@code classes} that begin with {@code prefix}. */
  static PackageGraph of(JavaClasses classes, String prefix) {
    PackageGraph graph = new PackageGraph();
    for (JavaClass type : classes) {
      for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
        graph.add(
            type.getPackageName(),
            dependency.getTargetClass().getBaseComponentType().getPackageName(),
            prefix);
      }
    }
    return graph;
  }

  private void add(String from, String to, String prefix) {
    if (!from.equals(to) && from.startsWith(prefix) && to.startsWith(prefix)) {
      uses.computeIfAbsent(from, key -> new TreeSet<>()).add(to);
    }
  }

  /** All edges, as {@code from -> to}. */
  SortedSet<String> edges() {
    SortedSet<String> edges = new TreeSet<>();
    uses.forEach((from, targets) -> targets.forEach(to -> edges.add(from + " -> " + to)));
    return edges;
  }

  /** Edges {@code from -> to} where {@code from} can be reached from {@code to}. */
  SortedSet<String> edgesInCycles() {
    SortedSet<String> edges = new TreeSet<>();
    Map<String, Set<String>> reached = new HashMap<>();
    uses.forEach((from, targets) -> {
      for (String to : targets) {
        if (reached.computeIfAbsent(to, this::reachable).contains(from)) {
          edges.add(from + " -> " + to);
        }
      }
    });
    return edges;
  }

  private Set<String> reachable(String start) {
    Set<String> seen = new HashSet<>();
    Deque<String> todo = new ArrayDeque<>(Set.of(start));
    while (!todo.isEmpty()) {
      for (String next : uses.getOrDefault(todo.remove(), new TreeSet<>())) {
        if (seen.add(next)) {
          todo.add(next);
        }
      }
    }
    return seen;
  }
}
