package io.aragonite.adapter.sql.function;

import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlLambda;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.util.SqlShuttle;

/** Copies a tree, since validation changes nodes, and one that stands twice must not be shared. */
public final class NodeCopy extends SqlShuttle {
  private final boolean validated;

  public NodeCopy() {
    this(false);
  }

  private NodeCopy(boolean validated) {
    this.validated = validated;
  }

  /**
   * Of trees that are being validated: lambdas and queries have scopes by then, and stay what they
   * are.
   */
  public static NodeCopy ofValidated() {
    return new NodeCopy(true);
  }

  @Override
  public SqlNode visit(SqlIdentifier id) {
    return id.clone(id.getParserPosition());
  }

  @Override
  public SqlNode visit(SqlCall call) {
    if (validated && (call instanceof SqlLambda || CallFinder.isQuery(call))) {
      return call;
    }
    CallCopyingArgHandler handler = new CallCopyingArgHandler(call, true);
    call.getOperator().acceptCall(this, call, false, handler);
    return handler.result();
  }

  @Override
  public SqlNode visit(SqlNodeList list) {
    return new SqlNodeList(
        list.getList().stream().map(item -> item == null ? null : item.accept(this)).toList(),
        list.getParserPosition());
  }
}
