package io.aragonite.exec.device.cpu.codegen;

import io.aragonite.exec.device.CompiledProjection;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;

/**
 * A list of expressions as generated code. Columns that are only passed on, maybe under another
 * type, are not copied.
 */
public final class GeneratedProjection implements CompiledProjection {
  /** Outputs of one loop, and of one class. */
  static final int MAX_LOOP_OUTPUTS = 24;

  private final List<ColumnShape> shapes = new ArrayList<>();

  /** For each output the column that is passed on, or -1. */
  private final int[] passed;

  private final CompiledCode code;
  private final boolean computes;

  /** Compiles; classes are made when the first batch shows its indirections. */
  public GeneratedProjection(List<Expr> expressions, List<ColumnShape> inputs) {
    Lowering lowering = new Lowering(inputs);
    this.passed = new int[expressions.size()];
    List<Node> computed = new ArrayList<>();
    List<Integer> places = new ArrayList<>();
    IdentityHashMap<Node, Integer> known = new IdentityHashMap<>();
    for (int i = 0; i < expressions.size(); i++) {
      Expr expr = expressions.get(i);
      passed[i] = -1;
      if (expr instanceof Expr.InputRef ref) {
        passed[i] = ref.index();
        shapes.add(inputs.get(ref.index()));
        continue;
      }
      Node node = lowering.lower(expr);
      DataType type = expr.type();
      if (node.rep != Node.Rep.CODE || node.isConstantNull()) {
        node = lowering.coerce(node, type);
      }
      if (node.kind == Node.Kind.COLUMN && canPass(inputs.get(node.index), type)) {
        passed[i] = node.index;
        shapes.add(inputs.get(node.index).withType(type));
        continue;
      }
      shapes.add(shape(node, type));
      ClassWriter.outline(node, known);
      computed.add(node);
      places.add(i);
    }
    this.computes = !computed.isEmpty();
    Inputs read = new Inputs(inputs, computed);
    this.code =
        new CompiledCode(
            read,
            lowering.constants.freeze(),
            pattern -> kernels(read, pattern, computed, places, known),
            DeepStack.isDeep(expressions));
  }

  static boolean canPass(ColumnShape shape, DataType type) {
    Storage storage = shape.storage();
    return storage == Storage.CODE || storage == Storage.BYTES
        ? type.kind().isVariable()
        : type.kind() == TypeKind.DECIMAL
            ? shape.type().kind() == TypeKind.DECIMAL && shape.type().scale() == type.scale()
            : storage == Storage.of(type);
  }

  static ColumnShape shape(Node node, DataType type) {
    boolean nullable = node.nullable;
    Storage storage =
        switch (node.rep) {
          case CODE -> Storage.CODE;
          case LONG -> type.kind() == TypeKind.DECIMAL ? Storage.LONG : Storage.of(type);
          case WIDE -> Storage.LONG128;
          default -> Storage.of(type);
        };
    return new ColumnShape(
        type,
        storage,
        nullable,
        node.rep == Node.Rep.CODE ? node.dictionary : null,
        Bounds.range(node));
  }

  private Kernel[] kernels(
      Inputs read,
      Inputs.Pattern pattern,
      List<Node> computed,
      List<Integer> places,
      IdentityHashMap<Node, Integer> known) {
    List<Kernel> kernels = new ArrayList<>();
    int from = 0;
    while (from < computed.size()) {
      int to = from;
      int weight = 0;
      while (to < computed.size() && to - from < MAX_LOOP_OUTPUTS) {
        int own = java.util.Objects.requireNonNullElse(known.get(computed.get(to)), 1);
        if (to > from && weight + own > ClassWriter.MAX_METHOD_WEIGHT) {
          break;
        }
        weight += own;
        to++;
      }
      ClassWriter writer = new ClassWriter(read, pattern, true);
      int[] numbers = places.subList(from, to).stream().mapToInt(Integer::intValue).toArray();
      List<ColumnShape> shapesHere = new ArrayList<>();
      for (int number : numbers) {
        shapesHere.add(shapes.get(number));
      }
      writer.outputLoop(computed.subList(from, to), shapesHere, numbers);
      kernels.add(KernelCache.get(writer.text(false)));
      from = to;
    }
    return kernels.toArray(new Kernel[0]);
  }

  @Override
  public List<ColumnShape> shapes() {
    return shapes;
  }

  @Override
  public ColumnBatch evaluate(ExecContext context, ColumnBatch batch) {
    int rows = batch.rows();
    int count = passed.length;
    Buffer[] values = new Buffer[count];
    Buffer[] validity = new Buffer[count];
    TextWriter[] writers = new TextWriter[count];
    if (computes) {
      KernelArgs args = code.args(context, batch);
      args.outValues = new long[count];
      args.outValidity = new long[count];
      args.writers = writers;
      QueryMemory.Arena scratch = context.scratch();
      for (int i = 0; i < count; i++) {
        if (passed[i] >= 0) {
          continue;
        }
        ColumnShape shape = shapes.get(i);
        if (shape.storage() == Storage.BYTES) {
          writers[i] = new TextWriter(scratch, rows);
        } else {
          values[i] = scratch.allocate((long) rows * shape.storage().width());
          args.outValues[i] = values[i].address();
        }
        if (shape.mayBeNull()) {
          validity[i] = scratch.allocate((rows + 63L) / 64 * 8);
          args.outValidity[i] = validity[i].address();
        }
      }
      code.run(args, batch);
    }
    List<Column> columns = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      if (passed[i] >= 0) {
        Column column = batch.column(passed[i]);
        columns.add(
            column.shape().type().equals(shapes.get(i).type()) ? column : retyped(column, i));
      } else if (writers[i] != null) {
        columns.add(
            new Column(
                shapes.get(i), rows, writers[i].bytes(), writers[i].offsets(), validity[i], null));
      } else {
        columns.add(new Column(shapes.get(i), rows, values[i], Buffer.EMPTY, validity[i], null));
      }
    }
    return new ColumnBatch(columns, rows);
  }

  private Column retyped(Column column, int output) {
    return retyped(column, shapes.get(output).type());
  }

  static Column retyped(Column column, DataType type) {
    return new Column(
        column.shape().withType(type),
        column.dataRows(),
        column.values(),
        column.offsets(),
        column.validity(),
        column.rowIds());
  }
}
