package io.aragonite.adapter.sql.function;

import static org.apache.calcite.util.Static.RESOURCE;

import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlCallBinding;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlTypeUtil;

/** A key of JSON_OBJECT: a text that is never null, as the standard has it. */
final class JsonKey extends SqlFunction {
  JsonKey() {
    super(
        "JSON_KEY",
        SqlKind.OTHER_FUNCTION,
        ReturnTypes.VARCHAR,
        null,
        OperandTypes.ANY,
        SqlFunctionCategory.STRING);
  }

  @Override
  public boolean checkOperandTypes(SqlCallBinding binding, boolean throwOnFailure) {
    RelDataType type = binding.getOperandType(0);
    if (!type.isNullable() && SqlTypeUtil.inCharFamily(type)) {
      return true;
    }
    if (!throwOnFailure) {
      return false;
    }
    throw binding.newError(
        type.isNullable()
            ? RESOURCE.argumentMustNotBeNull(binding.operand(0).toString())
            : RESOURCE.expectedCharacter());
  }
}
