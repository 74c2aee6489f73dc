package io.aragonite.rules.limit;

import io.aragonite.exec.limit.StopCheck;
import java.util.List;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.parser.SqlParserPos;

/** Builds expressions, and ends with the statement's error when its time is up. */
public class StoppableRexBuilder extends RexBuilder {
  public StoppableRexBuilder(RelDataTypeFactory types) {
    super(types);
  }

  @Override
  public RexNode makeCall(
      SqlParserPos pos, RelDataType type, SqlOperator operator, List<RexNode> operands) {
    StopCheck.current().check();
    return super.makeCall(pos, type, operator, operands);
  }

  @Override
  public RexNode makeCall(
      SqlParserPos pos, SqlOperator operator, List<? extends RexNode> operands) {
    StopCheck.current().check();
    return super.makeCall(pos, operator, operands);
  }
}
