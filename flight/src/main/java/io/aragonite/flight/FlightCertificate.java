package io.aragonite.flight;

import io.aragonite.adapter.server.KeystoreFile;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * The certificate and key of a server, as connections that begin now get them: those of its file,
 * as long as that can be read, else those of before.
 */
final class FlightCertificate extends X509ExtendedKeyManager {
  private final KeystoreFile keystore;
  private volatile X509ExtendedKeyManager keys;

  /**
   * @throws io.aragonite.exec.error.AragoniteException SERVER_REFUSED if the file is no keystore,
   *     or the password is not its own
   */
  FlightCertificate(Path path, @Nullable String password) throws GeneralSecurityException {
    keystore = new KeystoreFile(path, password);
    keys = manager(keystore.first());
  }

  private X509ExtendedKeyManager manager(KeyStore store) throws GeneralSecurityException {
    KeyManagerFactory factory =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(store, keystore.password());
    for (KeyManager manager : factory.getKeyManagers()) {
      if (manager instanceof X509ExtendedKeyManager found) {
        return found;
      }
    }
    throw new GeneralSecurityException("it has no key for TLS");
  }

  /** Looks at the file; to be called every few seconds. */
  void reloadIfChanged() {
    keystore.ifChanged(store -> keys = manager(store));
  }

  @Override
  public String @Nullable [] getServerAliases(String type, Principal @Nullable [] issuers) {
    return keys.getServerAliases(type, issuers);
  }

  @Override
  public @Nullable String chooseServerAlias(
      String type, Principal @Nullable [] issuers, @Nullable Socket socket) {
    return keys.chooseServerAlias(type, issuers, socket);
  }

  @Override
  public @Nullable String chooseEngineServerAlias(
      String type, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
    return keys.chooseEngineServerAlias(type, issuers, engine);
  }

  @Override
  public X509Certificate @Nullable [] getCertificateChain(String alias) {
    return keys.getCertificateChain(alias);
  }

  @Override
  public @Nullable PrivateKey getPrivateKey(String alias) {
    return keys.getPrivateKey(alias);
  }

  // A server is nobody's client.

  @Override
  public String @Nullable [] getClientAliases(String type, Principal @Nullable [] issuers) {
    return null;
  }

  @Override
  public @Nullable String chooseClientAlias(
      String[] types, Principal @Nullable [] issuers, @Nullable Socket socket) {
    return null;
  }
}
