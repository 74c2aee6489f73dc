package io.aragonite.client;

import com.google.protobuf.InvalidProtocolBufferException;
import java.net.URL;
import org.apache.calcite.avatica.ConnectionConfig;
import org.apache.calcite.avatica.proto.Common.WireMessage;
import org.apache.calcite.avatica.remote.AvaticaHttpClient;
import org.apache.calcite.avatica.remote.AvaticaHttpClientFactory;
import org.apache.calcite.avatica.remote.AvaticaHttpClientFactoryImpl;
import org.apache.calcite.avatica.remote.KerberosConnection;

/**
 * Sends requests by HTTP, as Avatica does. A message begins with the name of its class, which is
 * Avatica's on the wire whatever it is in this jar.
 */
public final class ClientTransport implements AvaticaHttpClientFactory {
  /** What this jar puts before Avatica's names; empty where it has them as they are. */
  private static final String PREFIX =
      WireMessage.class.getName().replaceFirst("org[.]apache[.].*", "");

  /** For Avatica, which calls it by name. */
  public ClientTransport() {}

  @Override
  public AvaticaHttpClient getClient(
      URL url, ConnectionConfig config, KerberosConnection kerberos) {
    AvaticaHttpClient client =
        AvaticaHttpClientFactoryImpl.getInstance().getClient(url, config, kerberos);
    return PREFIX.isEmpty() ? client : request -> answer(client, request);
  }

  private static byte[] answer(AvaticaHttpClient client, byte[] request) {
    try {
      WireMessage asked = WireMessage.parseFrom(request);
      byte[] answer =
          client.send(named(asked, asked.getName().substring(PREFIX.length())).toByteArray());
      WireMessage answered = WireMessage.parseFrom(answer);
      return named(answered, PREFIX + answered.getName()).toByteArray();
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException(
          "what answers does not speak Protobuf, or is no server of Aragonite", e);
    }
  }

  private static WireMessage named(WireMessage message, String name) {
    return message.toBuilder().setName(name).build();
  }
}
