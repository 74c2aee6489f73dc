package io.aragonite.rules.metadata;

import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.calcite.rel.metadata.BuiltInMetadata;
import org.apache.calcite.rel.metadata.JaninoRelMetadataProvider;
import org.apache.calcite.rel.metadata.MetadataHandler;
import org.jspecify.annotations.Nullable;

/**
 * Calcite's dispatch of metadata to the handlers of {@link GpuMetadata}, a class for each kind,
 * which the build has compiled (<code>build/MetadataHandlers.java</code>). Calcite itself compiles
 * the same classes in each process; where one is missing here, it does so.
 */
public final class PrecompiledHandlers {
  private static final JaninoRelMetadataProvider COMPILED_FOR =
      JaninoRelMetadataProvider.of(GpuMetadata.PROVIDER);

  private static final ConcurrentHashMap<Class<?>, Optional<MetadataHandler<?>>> HANDLERS =
      new ConcurrentHashMap<>();

  private PrecompiledHandlers() {}

  /** Whether these are a provider's handlers. */
  public static boolean areOf(@Nullable JaninoRelMetadataProvider provider) {
    return COMPILED_FOR.equals(provider);
  }

  /** The handler of a kind of metadata; null if the build has none. */
  public static <H extends MetadataHandler<?>> @Nullable H of(Class<H> type) {
    return HANDLERS.computeIfAbsent(type, PrecompiledHandlers::make).map(type::cast).orElse(null);
  }

  private static Optional<MetadataHandler<?>> make(Class<?> type) {
    List<MetadataHandler<?>> handlers = handlers(type.asSubclass(MetadataHandler.class));
    try {
      Class<?> made = Class.forName(className(type));
      return Optional.of(
          (MetadataHandler<?>) made.getConstructors()[0].newInstance(handlers.toArray()));
    } catch (ClassNotFoundException e) {
      return Optional.empty();
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
  @SuppressWarnings("unchecked") // a raw class literal
  public static List<MetadataHandler<?>> handlers(Class<? extends MetadataHandler> type) {
    return GpuMetadata.PROVIDER.handlers((Class<? extends MetadataHandler<?>>) type).stream()
        .distinct()
        .toList();
  }

  /** The class of a kind of metadata. */
  public static String className(Class<?> type) {
    String kind = type.getEnclosingClass().getSimpleName();
    return PrecompiledHandlers.class.getPackageName() + ".generated." + kind + "Dispatch";
  }
}
