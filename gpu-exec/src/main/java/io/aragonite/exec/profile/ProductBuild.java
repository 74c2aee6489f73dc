package io.aragonite.exec.profile;

import io.aragonite.exec.error.AragoniteException;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What makes code of expressions: another build, or another JVM, may make other code of them. */
public final class ProductBuild {
  private static final Logger LOG = LoggerFactory.getLogger(ProductBuild.class);

  private ProductBuild() {}

  /**
   * The jar that this class is in, its size and time, and the JVM. Null where classes lie in
   * folders, which do not tell that they have changed.
   */
  public static @Nullable String name() {
    try {
      CodeSource source = ProductBuild.class.getProtectionDomain().getCodeSource();
      if (source == null || !source.getLocation().getProtocol().equals("file")) {
        return null;
      }
      Path jar = Path.of(source.getLocation().toURI());
      if (!Files.isRegularFile(jar)) {
        return null;
      }
      long time = Files.getLastModifiedTime(jar).toMillis();
      return jar + " " + Files.size(jar) + " " + time + " " + Runtime.version();
    } catch (IOException | URISyntaxException | RuntimeException e) {
      LOG.debug("Generated code is not kept: {}", AragoniteException.reason(e));
      return null;
    }
  }
}
