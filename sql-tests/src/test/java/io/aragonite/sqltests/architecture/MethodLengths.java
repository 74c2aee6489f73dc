package io.aragonite.sqltests.architecture;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/** The methods of source files that have more lines than a limit, from name to closing brace. */
final class MethodLengths {
  private MethodLengths() {}

  /** {@code package.Class.method}, sorted; overloads share a line. */
  static SortedSet<String> longerThan(int limit, List<Path> sources) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null,
                  files,
                  diagnostic -> {},
                  List.of("-proc:none"),
                  null,
                  files.getJavaFileObjectsFromPaths(sources));
      SourcePositions positions = Trees.instance(task).getSourcePositions();
      SortedSet<String> found = new TreeSet<>();
      for (CompilationUnitTree unit : task.parse()) {
        new Scanner(limit, positions, unit, found).scan(unit, null);
      }
      return found;
    }
  }

  private static final class Scanner extends TreePathScanner<@Nullable Void, @Nullable Void> {
    private final int limit;
    private final SourcePositions positions;
    private final CompilationUnitTree unit;
    private final SortedSet<String> found;
    private String type;

    Scanner(
        int limit, SourcePositions positions, CompilationUnitTree unit, SortedSet<String> found) {
      this.limit = limit;
      this.positions = positions;
      this.unit = unit;
      this.found = found;
      this.type = String.valueOf(unit.getPackageName());
    }

    @Override
    public @Nullable Void visitClass(ClassTree tree, @Nullable Void none) {
      String outer = type;
      type = outer + "." + (tree.getSimpleName().isEmpty() ? "(anonymous)" : tree.getSimpleName());
      super.visitClass(tree, none);
      type = outer;
      return null;
    }

    @Override
    public @Nullable Void visitMethod(MethodTree tree, @Nullable Void none) {
      LineMap lines = unit.getLineMap();
      long start = positions.getStartPosition(unit, tree);
      long end = positions.getEndPosition(unit, tree);
      if (start >= 0 && lines.getLineNumber(end) - lines.getLineNumber(start) + 1 > limit) {
        found.add(type + "." + tree.getName());
      }
      return super.visitMethod(tree, none);
    }
  }
}
