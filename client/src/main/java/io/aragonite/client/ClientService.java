package io.aragonite.client;

import java.net.MalformedURLException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import org.apache.calcite.avatica.AvaticaConnection;
import org.apache.calcite.avatica.ConnectionConfig;
import org.apache.calcite.avatica.remote.RemoteProtobufService;
import org.apache.calcite.avatica.remote.Service;

/** Talks to a server by HTTP, as Avatica does, with messages of {@link ClientTranslation}. */
public final class ClientService implements Service.Factory {
  /** For Avatica, which calls it by name. */
  public ClientService() {}

  @Override
  public Service create(AvaticaConnection connection) {
    ConnectionConfig config = connection.config();
    String server =
        config.useClientSideLb() ? config.getLBStrategy().getLbURL(config) : config.url();
    return new RemoteProtobufService(
        config
            .httpClientFactory()
            .getClient(url(server), config, connection.getKerberosConnection()),
        new ClientTranslation());
  }

  private static URL url(String server) {
    try {
      return new URI(server).toURL();
    } catch (MalformedURLException | URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
