package io.aragonite.adapter.server;

import java.util.function.Supplier;
import org.apache.calcite.avatica.remote.Service;

/** A service whose errors are those that clients are told, {@link ServedErrors}. */
final class ServedService implements Service {
  private final Service service;

  ServedService(Service service) {
    this.service = service;
  }

  private static <T> T call(Supplier<T> request) {
    try {
      return request.get();
    } catch (Throwable e) {
      throw ServedErrors.of(e);
    }
  }

  @Override
  public ResultSetResponse apply(CatalogsRequest request) {
    return call(() -> service.apply(request));
  }

  @Override
  public ResultSetResponse apply(SchemasRequest request) {
    return call(() -> service.apply(request));
  }

  @Override
  public ResultSetResponse apply(TablesRequest request) {
    return call(() -> service.apply(request));
  }

  @Override
  public ResultSetResponse apply(TableTypesRequest request) {
    return call(() -> service.apply(request));
  }

  @Override
  public ResultSetResponse apply(TypeInfoRequest request) {
    return call(() -> service.apply(request));
  }

  @Override
  public ResultSetResponse apply(ColumnsRequest request) {
    return call(() -> service.apply(request));
  }

  @Override
  public PrepareResponse apply(PrepareRequest request) {
    return call(() -> service.apply(request));
  }

  @Override
  public ExecuteResponse apply(ExecuteRequest request) {
    return call(() -> service.apply(request));
  }

  @Override
  public ExecuteResponse apply(PrepareAndExecuteRequest request) {
    return call(() -> service.apply(request));
  }

  @Override
  public SyncResultsResponse apply(SyncResultsRequest request) {
    return call(() -> service.apply(request));
  }

  @Override
  public FetchResponse apply(FetchRequest request) {
    return call(() -> service.apply(request));
  }

  @Override
  public CreateStatementResponse apply(CreateStatementRequest request) {
    return call(() -> service.apply(request));
  }

  @Override
  public CloseStatementResponse apply(CloseStatementRequest request) {
    return call(() -> service.apply(request));
  }

  @Override
  public OpenConnectionResponse apply(OpenConnectionRequest request) {
    return call(() -> service.apply(request));
  }

  @Override
  public CloseConnectionResponse apply(CloseConnectionRequest request) {
    return call(() -> service.apply(request));
  }

  @Override
  public ConnectionSyncResponse apply(ConnectionSyncRequest request) {
    return call(() -> service.apply(request));
  }

  @Override
  public DatabasePropertyResponse apply(DatabasePropertyRequest request) {
    return call(() -> service.apply(request));
  }

  @Override
  public CommitResponse apply(CommitRequest request) {
    return call(() -> service.apply(request));
  }

  @Override
  public RollbackResponse apply(RollbackRequest request) {
    return call(() -> service.apply(request));
  }

  @Override
  public ExecuteBatchResponse apply(PrepareAndExecuteBatchRequest request) {
    return call(() -> service.apply(request));
  }

  @Override
  public ExecuteBatchResponse apply(ExecuteBatchRequest request) {
    return call(() -> service.apply(request));
  }

  @Override
  public void setRpcMetadata(RpcMetadataResponse metadata) {
    service.setRpcMetadata(metadata);
  }
}
