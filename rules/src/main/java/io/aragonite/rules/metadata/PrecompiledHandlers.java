package io.aragonite.rules.metadata;

import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.calcite.rel.metadata.BuiltInMetadata;
import org.apache.calcite.rel.metadata.JaninoRelMetadataProvider;
import org.apache.calcite.rel.metadata.MetadataHandler;
import org.apache.calcite.rel.metadata.MetadataHandlerProvider;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calcite's dispatch of metadata to the handlers of {@link GpuMetadata}, a class for each kind,
 * which the build has compiled (<code>build/MetadataHandlers.java</code>). Calcite itself compiles
 * the same classes in each process; where one is missing here, it does so, and a warning says so
 * once.
 */
public final class PrecompiledHandlers implements MetadataHandlerProvider {
  public static final PrecompiledHandlers INSTANCE = new PrecompiledHandlers();

  private static final Logger LOG = LoggerFactory.getLogger(PrecompiledHandlers.class);
  private static final AtomicBoolean WARNED = new AtomicBoolean();

  private final ConcurrentHashMap<Class<?>, MetadataHandler<?>> made = new ConcurrentHashMap<>();

  private PrecompiledHandlers() {}

  @Override
  public <H extends MetadataHandler<?>> H handler(Class<H> type) {
    MetadataHandler<?> known = made.get(type);
    return type.cast(known != null ? known : made.computeIfAbsent(type, t -> make(type)));
  }

  private static MetadataHandler<?> make(Class<? extends MetadataHandler<?>> type) {
    try {
      Class<?> dispatch = Class.forName(className(type));
      return (MetadataHandler<?>)
          dispatch.getConstructors()[0].newInstance(handlers(type).toArray());
    } catch (ClassNotFoundException e) {
      if (!WARNED.getAndSet(true)) {
        LOG.warn(
            "The class {} is missing from this build, so that each process compiles it and plans"
                + " its first query later; build module rules anew with Maven.",
            e.getMessage());
      }
      return JaninoRelMetadataProvider.of(GpuMetadata.PROVIDER).revise(type);
    } catch (InstantiationException | IllegalAccessException | InvocationTargetException e) {
      throw new IllegalStateException("cannot make the handler of " + type, e);
    }
  }

  /** Every kind of metadata that Calcite asks for. */
  @SuppressWarnings("unchecked") // what is assignable to a raw type is to a wildcard
  public static List<Class<? extends MetadataHandler<?>>> types() {
    List<Class<? extends MetadataHandler<?>>> types = new ArrayList<>();
    for (Class<?> kind : BuiltInMetadata.class.getDeclaredClasses()) {
      for (Class<?> nested : kind.getDeclaredClasses()) {
        if (MetadataHandler.class.isAssignableFrom(nested)) {
          types.add((Class<? extends MetadataHandler<?>>) nested);
        }
      }
    }
    return types;
  }

  /** Who answers for a kind of metadata, in the order of the constructor's parameters. */
  public static List<MetadataHandler<?>> handlers(Class<? extends MetadataHandler<?>> type) {
    return GpuMetadata.PROVIDER.handlers(type).stream().distinct().toList();
  }

  /** The class of a kind of metadata. */
  public static String className(Class<?> type) {
    String kind = type.getEnclosingClass().getSimpleName();
    return PrecompiledHandlers.class.getPackageName() + ".generated." + kind + "Dispatch";
  }
}
