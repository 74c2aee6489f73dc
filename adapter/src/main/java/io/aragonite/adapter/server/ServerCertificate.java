package io.aragonite.adapter.server;

import io.aragonite.exec.error.AragoniteException;
import java.nio.file.Path;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.jspecify.annotations.Nullable;

/**
 * A server's certificate and key. When its file changes, connections that begin after it get the
 * new one; a file that cannot be read leaves the one that there is.
 */
final class ServerCertificate {
  private final KeystoreFile keystore;
  private final SslContextFactory.Server factory = new SslContextFactory.Server();

  /**
   * @throws AragoniteException SERVER_REFUSED if the file is no keystore, or the password is not
   *     its own
   */
  ServerCertificate(Path path, @Nullable String password) {
    keystore = new KeystoreFile(path, password);
    factory.setKeyStore(keystore.first());
    factory.setKeyStorePassword(new String(keystore.password()));
  }

  SslContextFactory.Server factory() {
    return factory;
  }

  /** Looks at the file; to be called every second. */
  void reloadIfChanged() {
    // The factory has no keys any more after a reload that failed.
    keystore.ifChanged(keys -> factory.reload(same -> same.setKeyStore(keys)));
  }
}
