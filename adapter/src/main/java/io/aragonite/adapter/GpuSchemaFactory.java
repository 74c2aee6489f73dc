package io.aragonite.adapter;

import io.aragonite.adapter.catalog.GeneratedCatalog;
import io.aragonite.adapter.engine.Engines;
import io.aragonite.adapter.error.NearestName;
import io.aragonite.adapter.options.ConnectionOptions;
import io.aragonite.adapter.statement.Session;
import io.aragonite.adapter.table.TableCatalog;
import io.aragonite.exec.engine.Engine;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.rules.runtime.EngineProvider;
import java.lang.ref.Cleaner;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.calcite.schema.Schema;
import org.apache.calcite.schema.SchemaFactory;
import org.apache.calcite.schema.SchemaPlus;

/**
 * Makes schemas whose tables run in our convention in any Calcite connection, from a model file
 *
 * <pre>{@code
 * {version: '1.0', defaultSchema: 'shop', schemas: [{type: 'custom', name: 'shop',
 *   factory: 'io.aragonite.adapter.GpuSchemaFactory', operand: {directory: 'data'}}]}
 * }</pre>
 *
 * or from a connect string: {@code
 * jdbc:calcite:schemaFactory=io.aragonite.adapter.GpuSchemaFactory;schema.directory=data}.
 *
 * <p>Operands: {@code directory} (relative to the model file) or {@code tpch} or {@code tpcds}, and
 * {@code device}, {@code memory}, {@code gpuMemory}, {@code spill}, {@code spillLimit} and {@code
 * threads} as in {@link io.aragonite.adapter.options.AragoniteProperty}; numbers may be strings.
 * Under {@code jdbc:aragonite:} they are those of the connection, unless its URL says otherwise.
 * Elsewhere the engine lives until its tables are garbage.
 */
public final class GpuSchemaFactory implements SchemaFactory {
  public static final GpuSchemaFactory INSTANCE = new GpuSchemaFactory();

  private static final Cleaner CLEANER = Cleaner.create();
  private static final Set<String> OPERANDS =
      Set.of(
          "directory",
          "tpch",
          "tpcds",
          "device",
          "memory",
          "gpumemory",
          "spill",
          "spilllimit",
          "threads");
  // what Calcite adds of its own
  private static final Set<String> CALCITE_OPERANDS = Set.of("modelUri", "baseDirectory", "tables");

  private static final ScopedValue<Session> OPENING = ScopedValue.newInstance();

  public GpuSchemaFactory() {}

  /** Runs {@code action}, in which schemas belong to a connection of ours. */
  static <T, X extends Throwable> T within(Session session, ScopedValue.CallableOp<T, X> action)
      throws X {
    return ScopedValue.where(OPENING, session).call(action);
  }

  /**
   * @throws AragoniteException UNKNOWN_PROPERTY, INVALID_PROPERTY, and what can be wrong with a
   *     directory
   */
  @Override
  public Schema create(SchemaPlus parentSchema, String name, Map<String, Object> operand) {
    Properties properties = new Properties();
    for (Map.Entry<String, Object> entry : operand.entrySet()) {
      if (OPERANDS.contains(entry.getKey().toLowerCase(Locale.ROOT))) {
        properties.setProperty(entry.getKey(), String.valueOf(entry.getValue()));
      } else if (!CALCITE_OPERANDS.contains(entry.getKey())) {
        throw unknown(name, entry.getKey());
      }
    }
    ConnectionOptions options = ConnectionOptions.of(properties);
    if (OPENING.isBound()) {
      Session session = OPENING.get();
      return new GpuSchema(session.catalog(directory(name, options, operand)), session);
    }
    Engines.Lease lease = Engines.open(options);
    boolean done = false;
    try {
      TableCatalog catalog = lease.catalog(directory(name, options, operand));
      Leased engines = new Leased(lease); // all tables and plans hold it
      CLEANER.register(engines, lease::close);
      done = true;
      return new GpuSchema(catalog, engines);
    } finally {
      if (!done) {
        lease.close();
      }
    }
  }

  private record Leased(Engines.Lease lease) implements EngineProvider {
    @Override
    public Engine engine() {
      return lease.engine();
    }
  }

  private static Path directory(
      String name, ConnectionOptions options, Map<String, Object> operand) {
    if (options.tpch() != null) {
      return GeneratedCatalog.tpch(options.tpch(), options.threads()).get();
    }
    if (options.tpcds() != null) {
      return GeneratedCatalog.tpcds(options.tpcds(), options.threads()).get();
    }
    Path directory = options.directory();
    if (directory == null) {
      throw new AragoniteException(
          ErrorCode.MODEL_INVALID,
          "Schema '%s' has no tables: give it an operand 'directory', 'tpch' or 'tpcds'."
              .formatted(name));
    }
    Object base = operand.get("baseDirectory");
    return base != null && !directory.isAbsolute()
        ? Path.of(base.toString()).resolve(directory)
        : directory;
  }

  private static AragoniteException unknown(String schema, String operand) {
    List<String> names = new ArrayList<>(OPERANDS);
    String nearest = NearestName.of(operand, names);
    return new AragoniteException(
        ErrorCode.UNKNOWN_PROPERTY,
        "Schema '%s' has an operand '%s', which there is not; %s."
            .formatted(
                schema,
                operand,
                nearest == null
                    ? "there are " + String.join(", ", names.stream().sorted().toList())
                    : "did you mean '" + nearest + "'?"));
  }
}
