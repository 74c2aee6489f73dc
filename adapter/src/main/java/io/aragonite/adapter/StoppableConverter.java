package io.aragonite.adapter;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import java.util.List;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptTable;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.prepare.Prepare;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelRoot;
import org.apache.calcite.rel.core.RepeatUnion;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.sql.validate.SqlValidator;
import org.apache.calcite.sql2rel.SqlRexConvertletTable;
import org.apache.calcite.sql2rel.SqlToRelConverter;
import org.jspecify.annotations.Nullable;

/** Makes plans of syntax trees, and ends with the statement's error when its time is up. */
final class StoppableConverter extends SqlToRelConverter {
  StoppableConverter(
      RelOptTable.ViewExpander views,
      @Nullable SqlValidator validator,
      Prepare.CatalogReader catalogReader,
      RelOptCluster cluster,
      SqlRexConvertletTable convertlets,
      Config config) {
    super(views, validator, catalogReader, cluster, convertlets, config);
  }

  @Override
  protected RelRoot convertQueryRecursive(
      SqlNode query, boolean top, @Nullable RelDataType targetRowType) {
    StopCheck.current().check();
    return super.convertQueryRecursive(query, top, targetRowType);
  }

  /**
   * A recursive query has the types that the validator has given it, which are those of its working
   * table; Calcite's types of the step that is built over that may be wider.
   */
  @Override
  protected RelNode convertSetOp(SqlCall call) {
    RelNode made = super.convertSetOp(call);
    if (!(made instanceof RepeatUnion recursion) || validator == null) {
      return made;
    }
    RelDataType wanted = validator.getValidatedNodeType(call);
    if (RelOptUtil.areRowTypesEqual(made.getRowType(), wanted, false)) {
      return made;
    }
    return recursion.copy(
        recursion.getTraitSet(),
        List.of(cast(recursion.getSeedRel(), wanted), cast(recursion.getIterativeRel(), wanted)));
  }

  private static RelNode cast(RelNode spool, RelDataType wanted) {
    RelNode rows = spool.getInput(0);
    List<RelDataTypeField> fields = rows.getRowType().getFieldList();
    for (int i = 0; i < fields.size(); i++) {
      RelDataTypeField to = wanted.getFieldList().get(i);
      if (loses(fields.get(i).getType(), to.getType())) {
        throw new AragoniteException(
            ErrorCode.INVALID_STATEMENT,
            "Column %s of the recursive query is %s by its first part and %s by its recursive one; cast it to one type in both."
                .formatted(to.getName(), to.getType(), fields.get(i).getType()));
      }
    }
    return spool.copy(spool.getTraitSet(), List.of(RelOptUtil.createCastRel(rows, wanted, true)));
  }

  /**
   * Whether values may lose digits or letters; a number that does not fit is an error at run time.
   */
  private static boolean loses(RelDataType from, RelDataType to) {
    return SqlTypeUtil.isDecimal(to) && from.getScale() > to.getScale()
        || SqlTypeUtil.inCharOrBinaryFamilies(to)
            && to.getPrecision() >= 0
            && (from.getPrecision() < 0 || from.getPrecision() > to.getPrecision());
  }

  @Override
  protected void convertFrom(@Nullable Blackboard blackboard, @Nullable SqlNode from) {
    StopCheck.current().check();
    super.convertFrom(blackboard, from);
  }
}
