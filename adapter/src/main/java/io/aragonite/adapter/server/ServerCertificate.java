package io.aragonite.adapter.server;

import io.aragonite.adapter.format.FileErrors;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Collections;
import java.util.Date;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server's certificate and key. When its file changes, connections that begin after it get the
 * new one; a file that cannot be read leaves the one that there is.
 */
final class ServerCertificate {
  private static final Logger LOG = LoggerFactory.getLogger(ServerCertificate.class);

  private final Path keystore;
  private final char[] password;
  private final SslContextFactory.Server factory = new SslContextFactory.Server();
  private ChangeTime seen;

  /**
   * @throws AragoniteException SERVER_REFUSED if the file is no keystore, or the password is not
   *     its own
   */
  ServerCertificate(Path keystore, @Nullable String password) {
    this.keystore = keystore;
    this.password = password == null ? new char[0] : password.toCharArray();
    seen = ChangeTime.of(keystore);
    try {
      factory.setKeyStore(read());
    } catch (IOException | GeneralSecurityException e) {
      throw new AragoniteException(
          ErrorCode.SERVER_REFUSED,
          "The keystore %s cannot be read: %s.".formatted(keystore, reason(e)),
          e);
    }
    factory.setKeyStorePassword(new String(this.password));
  }

  SslContextFactory.Server factory() {
    return factory;
  }

  /** Looks at the file; to be called every few seconds. */
  void reloadIfChanged() {
    ChangeTime now = ChangeTime.of(keystore);
    if (now.equals(seen)) {
      return;
    }
    seen = now;
    try {
      KeyStore changed = read(); // the factory has none any more after a reload that failed
      factory.reload(same -> same.setKeyStore(changed));
      LOG.info("the keystore {} has changed and is read again", keystore);
    } catch (Exception e) { // what Jetty declares
      LOG.warn(
          "the keystore {} has changed and cannot be read; the one before stays: {}",
          keystore,
          reason(e));
    }
  }

  private KeyStore read() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance(keystore.toFile(), password);
    boolean keys = false;
    for (String alias : Collections.list(store.aliases())) {
      if (store.isKeyEntry(alias)) {
        Key _ = store.getKey(alias, password);
        keys = true;
        warnIfExpired(store.getCertificate(alias));
      }
    }
    if (!keys) {
      throw new GeneralSecurityException("it has no key with a certificate");
    }
    return store;
  }

  private void warnIfExpired(@Nullable Certificate certificate) {
    if (certificate instanceof X509Certificate x509 && x509.getNotAfter().before(new Date())) {
      LOG.warn(
          "the certificate in {} has expired at {}: clients will refuse it",
          keystore,
          x509.getNotAfter().toInstant());
    }
  }

  private static String reason(Exception error) {
    return error instanceof IOException io
        ? FileErrors.reason(io)
        : AragoniteException.reason(error);
  }
}
