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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The file with a server's certificate and key, which may change. One thread at a time uses it. */
public final class KeystoreFile {
  private static final Logger LOG = LoggerFactory.getLogger(KeystoreFile.class);

  private final Path path;
  private final char[] password;
  private ChangeTime seen;

  /**
   * @param password null for none
   */
  public KeystoreFile(Path path, @Nullable String password) {
    this.path = path;
    this.password = password == null ? new char[0] : password.toCharArray();
    seen = ChangeTime.of(path);
  }

  /** Its password, and that of its key. */
  public char[] password() {
    return password.clone();
  }

  /** What uses the keys that were read. */
  public interface Use {
    void accept(KeyStore keys) throws Exception; // what libraries of TLS declare
  }

  /**
   * Reads the file.
   *
   * @throws AragoniteException SERVER_REFUSED if it is no keystore, the password is not its own, or
   *     its certificate has expired
   */
  public KeyStore first() {
    try {
      return read();
    } catch (IOException | GeneralSecurityException e) {
      throw new AragoniteException(
          ErrorCode.SERVER_REFUSED,
          "The keystore %s cannot be read: %s.".formatted(path, reason(e)),
          e);
    }
  }

  /** Has the keys used if the file has changed and can be read; to be called every second. */
  public void ifChanged(Use use) {
    ChangeTime now = ChangeTime.of(path);
    if (now.equals(seen)) {
      return;
    }
    seen = now;
    try {
      use.accept(read());
      LOG.info("the keystore {} has changed and is read again", path);
    } catch (Exception e) { // what uses of it declare
      LOG.warn(
          "the keystore {} has changed and cannot be read; the one before stays: {}",
          path,
          reason(e));
    }
  }

  private KeyStore read() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance(path.toFile(), password);
    boolean keys = false;
    for (String alias : Collections.list(store.aliases())) {
      if (store.isKeyEntry(alias)) {
        Key _ = store.getKey(alias, password);
        keys = true;
        requireGood(store.getCertificate(alias));
      }
    }
    if (!keys) {
      throw new GeneralSecurityException("it has no key with a certificate");
    }
    return store;
  }

  /** Clients refuse it: who has another must not lose it for this one. */
  private static void requireGood(@Nullable Certificate certificate)
      throws GeneralSecurityException {
    if (certificate instanceof X509Certificate x509 && x509.getNotAfter().before(new Date())) {
      throw new GeneralSecurityException(
          "its certificate for %s has expired at %s; make another"
              .formatted(x509.getSubjectX500Principal(), x509.getNotAfter().toInstant()));
    }
  }

  private static String reason(Exception error) {
    return error instanceof IOException io
        ? FileErrors.reason(io)
        : AragoniteException.reason(error);
  }
}
