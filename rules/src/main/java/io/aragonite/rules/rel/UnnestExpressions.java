package io.aragonite.rules.rel;

import io.aragonite.rules.function.UnnestFunctions;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.Util;

/** What an {@link UnnestRel} computes, before its rows are repeated and after. */
final class UnnestExpressions {
  private final UnnestRel rel;
  private final RexBuilder rexBuilder;
  private final RelDataTypeFactory types;

  UnnestExpressions(UnnestRel rel) {
    this.rel = rel;
    this.rexBuilder = rel.getCluster().getRexBuilder();
    this.types = rel.getCluster().getTypeFactory();
  }

  /** Over the input: the columns that stay, the collections as lists, the number of elements. */
  List<RexNode> counted() {
    List<RelDataTypeField> input = rel.getInput().getRowType().getFieldList();
    List<RexNode> columns = new ArrayList<>();
    RexNode count = rexBuilder.makeExactLiteral(BigDecimal.valueOf(rel.form().outer() ? 1 : 0));
    for (int i = 0; i < input.size(); i++) {
      RexInputRef column = rexBuilder.makeInputRef(rel.getInput(), i);
      if (i < rel.kept()) {
        columns.add(column);
        continue;
      }
      columns.add(list(column));
      count = rexBuilder.makeCall(bigint(), UnnestFunctions.SIZE, List.of(column, count));
    }
    columns.add(count);
    return columns;
  }

  private static boolean isList(RelDataType collection) {
    return collection.getSqlTypeName() == SqlTypeName.ARRAY;
  }

  private RelDataType bigint() {
    return types.createSqlType(SqlTypeName.BIGINT);
  }

  private RexNode list(RexInputRef collection) {
    return isList(collection.getType())
        ? collection
        : rexBuilder.makeCall(
            listType(collection.getType()), UnnestFunctions.LIST, List.of(collection));
  }

  /** The type of the list of a collection's elements, those of a map being rows. */
  private RelDataType listType(RelDataType collection) {
    if (isList(collection)) {
      return collection;
    }
    RelDataType element = collection.getComponentType();
    RelDataType key = collection.getKeyType();
    RelDataType value = collection.getValueType();
    if (key != null && value != null) {
      element = types.createStructType(List.of(key, value), List.of("KEY", "VALUE"));
    }
    return types.createTypeWithNullability(
        types.createArrayType(Util.first(element, bigint()), -1), collection.isNullable());
  }

  /** Over the repeated rows: the columns that stay, the elements, their place if it is wanted. */
  List<RexNode> elements() {
    List<RelDataTypeField> input = rel.getInput().getRowType().getFieldList();
    List<RexNode> columns = new ArrayList<>();
    for (int i = 0; i < rel.kept(); i++) {
      columns.add(rexBuilder.makeInputRef(rel.getInput(), i));
    }
    RelDataType integer = types.createSqlType(SqlTypeName.INTEGER);
    RexNode place =
        rexBuilder.makeCall(
            integer,
            SqlStdOperatorTable.PLUS,
            List.of(
                rexBuilder.makeInputRef(integer, input.size()),
                rexBuilder.makeExactLiteral(BigDecimal.ONE)));
    for (int i = rel.kept(); i < input.size(); i++) {
      RelDataType type = listType(input.get(i).getType());
      RelDataType element = nullable(Util.first(type.getComponentType(), bigint()));
      RexNode value =
          rexBuilder.makeCall(
              element, UnnestFunctions.ELEMENT, List.of(rexBuilder.makeInputRef(type, i), place));
      if (element.isStruct() && !rel.form().whole()) {
        for (RelDataTypeField field : element.getFieldList()) {
          columns.add(rexBuilder.makeFieldAccess(value, field.getIndex()));
        }
      } else {
        columns.add(value);
      }
    }
    if (rel.form().ordinality()) {
      columns.add(rel.form().outer() ? placeOfElement(place) : place);
    }
    return columns;
  }

  /** A row without elements has no place. */
  private RexNode placeOfElement(RexNode place) {
    RexNode count = rexBuilder.makeExactLiteral(BigDecimal.ZERO);
    List<RelDataTypeField> input = rel.getInput().getRowType().getFieldList();
    for (int i = rel.kept(); i < input.size(); i++) {
      RexNode list = rexBuilder.makeInputRef(listType(input.get(i).getType()), i);
      count = rexBuilder.makeCall(bigint(), UnnestFunctions.SIZE, List.of(list, count));
    }
    RelDataType type = nullable(place.getType());
    return rexBuilder.makeCall(
        type,
        SqlStdOperatorTable.CASE,
        List.of(
            rexBuilder.makeCall(
                SqlStdOperatorTable.GREATER_THAN,
                count,
                rexBuilder.makeExactLiteral(BigDecimal.ZERO)),
            place,
            rexBuilder.makeNullLiteral(place.getType())));
  }

  private RelDataType nullable(RelDataType type) {
    return types.createTypeWithNullability(type, true);
  }
}
