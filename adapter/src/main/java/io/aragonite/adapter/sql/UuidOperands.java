package io.aragonite.adapter.sql;

import io.aragonite.adapter.parameter.TypedMarker;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlCharStringLiteral;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.fun.SqlCase;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;

/**
 * Literals and parameters that are texts, beside UUIDs: they are read as UUIDs, each by itself.
 * Calcite asks for the type that they have in common first, which is a text's where their lengths
 * are different.
 */
final class UuidOperands {
  /** Of lists and one of their elements. */
  private static final Set<String> SEARCHES =
      Set.of(
          "ARRAY_CONTAINS",
          "ARRAY_HAS",
          "ARRAY_INDEXOF",
          "ARRAY_POSITION",
          "LIST_CONTAINS",
          "LIST_HAS",
          "LIST_INDEXOF",
          "LIST_POSITION");

  /** A value, and how another one comes to its place. */
  private record Place(SqlNode node, Consumer<SqlNode> put) {
    static Place of(SqlCall call, int operand) {
      return new Place(call.operand(operand), node -> call.setOperand(operand, node));
    }

    static Place of(SqlNodeList list, int element) {
      return new Place(list.get(element), node -> list.set(element, node));
    }
  }

  private UuidOperands() {}

  /** Casts such operands of comparisons, IN, CASE and searches in lists. */
  static void apply(SqlNode expr, Function<SqlNode, RelDataType> types) {
    if (!(expr instanceof SqlCall call)) {
      return;
    }
    switch (call.getKind()) {
      case EQUALS,
          NOT_EQUALS,
          LESS_THAN,
          LESS_THAN_OR_EQUAL,
          GREATER_THAN,
          GREATER_THAN_OR_EQUAL,
          IS_DISTINCT_FROM,
          IS_NOT_DISTINCT_FROM,
          BETWEEN ->
          compared(operands(call), types);
      case IN, NOT_IN, SOME, ALL -> {
        if (call.operandCount() == 2 && call.operand(1) instanceof SqlNodeList list) {
          boolean array =
              list.size() == 1 && list.get(0).getKind() == SqlKind.ARRAY_VALUE_CONSTRUCTOR;
          List<Place> places =
              array ? new ArrayList<>(operands((SqlCall) list.get(0))) : elements(list);
          places.addFirst(Place.of(call, 0));
          compared(places, types);
        }
      }
      case CASE -> {
        SqlCase cases = (SqlCase) call;
        List<Place> places = elements(cases.getThenOperands());
        if (cases.getElseOperand() != null) {
          places.add(new Place(cases.getElseOperand(), node -> cases.setOperand(3, node)));
        }
        beside(places, types);
      }
      default -> {
        if (isSearch(call)) {
          searched(call, types);
        }
      }
    }
  }

  /** Whether a call looks for a value in a list. */
  static boolean isSearch(SqlCall call) {
    return call.operandCount() == 2
        && SEARCHES.contains(call.getOperator().getName().toUpperCase(Locale.ROOT));
  }

  /** Whether a node is a text that a statement gives as a literal or a parameter. */
  static boolean isGiven(SqlNode node) {
    return node instanceof SqlCharStringLiteral || TypedMarker.isText(node);
  }

  private static List<Place> operands(SqlCall call) {
    List<Place> places = new ArrayList<>();
    for (int i = 0; i < call.operandCount(); i++) {
      places.add(Place.of(call, i));
    }
    return places;
  }

  private static List<Place> elements(SqlNodeList list) {
    List<Place> places = new ArrayList<>();
    for (int i = 0; i < list.size(); i++) {
      places.add(Place.of(list, i));
    }
    return places;
  }

  /** Rows are compared field by field. */
  private static void compared(List<Place> places, Function<SqlNode, RelDataType> types) {
    if (places.getFirst().node.getKind() != SqlKind.ROW) {
      beside(places, types);
      return;
    }
    int fields = ((SqlCall) places.getFirst().node).operandCount();
    boolean rows =
        places.stream()
            .allMatch(place ->
                place.node instanceof SqlCall row
                    && row.getKind() == SqlKind.ROW
                    && row.operandCount() == fields);
    for (int i = 0; rows && i < fields; i++) {
      int field = i;
      beside(places.stream().map(place -> Place.of((SqlCall) place.node, field)).toList(), types);
    }
  }

  private static void beside(List<Place> places, Function<SqlNode, RelDataType> types) {
    List<Place> given = places.stream().filter(place -> isGiven(place.node)).toList();
    if (given.isEmpty() || given.size() == places.size()) {
      return;
    }
    boolean uuids = false;
    boolean texts = false;
    for (Place place : places) {
      if (!isGiven(place.node)) {
        RelDataType type = types.apply(place.node);
        uuids |= type.getSqlTypeName() == SqlTypeName.UUID;
        texts |= SqlTypeUtil.inCharFamily(type);
      }
    }
    for (Place place : uuids ? given : List.<Place>of()) {
      SqlNode uuid = CastCalls.cast(place.node, SqlTypeName.UUID);
      // Beside other texts all are compared as texts, of which the canonical one is a UUID's.
      place.put.accept(texts ? CastCalls.cast(uuid, SqlTypeName.VARCHAR) : uuid);
    }
  }

  private static void searched(SqlCall call, Function<SqlNode, RelDataType> types) {
    if (isGiven(call.operand(1))) {
      RelDataType element = types.apply(call.operand(0)).getComponentType();
      if (element != null && element.getSqlTypeName() == SqlTypeName.UUID) {
        call.setOperand(1, CastCalls.cast(call.operand(1), SqlTypeName.UUID));
      }
    }
  }
}
