package io.aragonite.flight;

import org.apache.arrow.flight.FlightProducer.ServerStreamListener;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.ipc.message.IpcOption;

/** A client that reads a stream and is told our errors, for Flight's own ones too. */
final class ToldListener implements ServerStreamListener {
  private final ServerStreamListener client;

  ToldListener(ServerStreamListener client) {
    this.client = client;
  }

  @Override
  public void error(Throwable error) {
    client.error(FlightErrors.ofRequest(error));
  }

  @Override
  public boolean isCancelled() {
    return client.isCancelled();
  }

  @Override
  public void setOnCancelHandler(Runnable handler) {
    client.setOnCancelHandler(handler);
  }

  @Override
  public boolean isReady() {
    return client.isReady();
  }

  @Override
  public void setOnReadyHandler(Runnable handler) {
    client.setOnReadyHandler(handler);
  }

  @Override
  public void setUseZeroCopy(boolean enabled) {
    client.setUseZeroCopy(enabled);
  }

  @Override
  public void start(VectorSchemaRoot root, DictionaryProvider dictionaries, IpcOption option) {
    client.start(root, dictionaries, option);
  }

  @Override
  public void putNext() {
    client.putNext();
  }

  @Override
  public void putNext(ArrowBuf metadata) {
    client.putNext(metadata);
  }

  @Override
  public void putMetadata(ArrowBuf metadata) {
    client.putMetadata(metadata);
  }

  @Override
  public void completed() {
    client.completed();
  }
}
