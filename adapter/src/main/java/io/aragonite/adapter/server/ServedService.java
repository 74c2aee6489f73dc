package io.aragonite.adapter.server;

import java.util.function.Supplier;
import org.apache.calcite.avatica.remote.AvaticaRuntimeException;
import org.apache.calcite.avatica.remote.Service;

/** A service whose errors are those that clients are told, {@link ServedErrors}. */
final class ServedService implements Service {
  private final Service service;
  private final ServedOwners owners;

  /**
   * @param owners tells what is whose
   */
  ServedService(Service service, ServedOwners owners) {
    this.service = service;
    this.owners = owners;
  }

  private <T extends Response> T call(Request request, Supplier<T> service) {
    String name = request.getClass().getSimpleName();
    try (ServerMetrics.Timed timed = ServerMetrics.request("avatica", name)) {
      try {
        owners.require(request);
        T answer = service.get();
        owners.answered(answer);
        return answer;
      } catch (Throwable e) {
        AvaticaRuntimeException told = ServedErrors.of(e);
        timed.failed(told.getErrorCode());
        throw told;
      }
    }
  }

  @Override
  public ResultSetResponse apply(CatalogsRequest request) {
    return call(request, () -> service.apply(request));
  }

  @Override
  public ResultSetResponse apply(SchemasRequest request) {
    return call(request, () -> service.apply(request));
  }

  @Override
  public ResultSetResponse apply(TablesRequest request) {
    return call(request, () -> service.apply(request));
  }

  @Override
  public ResultSetResponse apply(TableTypesRequest request) {
    return call(request, () -> service.apply(request));
  }

  @Override
  public ResultSetResponse apply(TypeInfoRequest request) {
    return call(request, () -> service.apply(request));
  }

  @Override
  public ResultSetResponse apply(ColumnsRequest request) {
    return call(request, () -> service.apply(request));
  }

  @Override
  public PrepareResponse apply(PrepareRequest request) {
    return call(request, () -> service.apply(request));
  }

  @Override
  public ExecuteResponse apply(ExecuteRequest request) {
    return call(request, () -> service.apply(request));
  }

  @Override
  public ExecuteResponse apply(PrepareAndExecuteRequest request) {
    return call(request, () -> service.apply(request));
  }

  @Override
  public SyncResultsResponse apply(SyncResultsRequest request) {
    return call(request, () -> service.apply(request));
  }

  @Override
  public FetchResponse apply(FetchRequest request) {
    return call(request, () -> service.apply(request));
  }

  @Override
  public CreateStatementResponse apply(CreateStatementRequest request) {
    return call(request, () -> service.apply(request));
  }

  @Override
  public CloseStatementResponse apply(CloseStatementRequest request) {
    return call(request, () -> service.apply(request));
  }

  @Override
  public OpenConnectionResponse apply(OpenConnectionRequest request) {
    return call(request, () -> service.apply(request));
  }

  @Override
  public CloseConnectionResponse apply(CloseConnectionRequest request) {
    return call(request, () -> service.apply(request));
  }

  @Override
  public ConnectionSyncResponse apply(ConnectionSyncRequest request) {
    return call(request, () -> service.apply(request));
  }

  @Override
  public DatabasePropertyResponse apply(DatabasePropertyRequest request) {
    return call(request, () -> service.apply(request));
  }

  @Override
  public CommitResponse apply(CommitRequest request) {
    return call(request, () -> service.apply(request));
  }

  @Override
  public RollbackResponse apply(RollbackRequest request) {
    return call(request, () -> service.apply(request));
  }

  @Override
  public ExecuteBatchResponse apply(PrepareAndExecuteBatchRequest request) {
    return call(request, () -> service.apply(request));
  }

  @Override
  public ExecuteBatchResponse apply(ExecuteBatchRequest request) {
    return call(request, () -> service.apply(request));
  }

  @Override
  public void setRpcMetadata(RpcMetadataResponse metadata) {
    service.setRpcMetadata(metadata);
  }
}
