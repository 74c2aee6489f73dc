package io.aragonite.adapter.sql.function;

import io.aragonite.exec.expr.DatePart;
import io.aragonite.rules.function.DatePartFunction;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import org.apache.calcite.avatica.util.TimeUnit;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlCharStringLiteral;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlIntervalQualifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.fun.SqlCase;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * {@code date_part} and {@code date_trunc}. A unit that is no literal is looked up once for each
 * row, and a CASE has a branch for each unit.
 */
final class DateParts {
  private static final int DAYS_IN_WEEK = 7;

  private DateParts() {}

  /** What a text or word names; null if it names none. */
  static @Nullable DatePart named(SqlNode node) {
    String name = Trees.unitName(node);
    return name == null ? null : DatePart.of(name).orElse(null);
  }

  /** Calcite's unit; null if it has none. */
  static @Nullable TimeUnit unit(DatePart part) {
    return switch (part) {
      case YEARWEEK, JULIAN, ERA -> null;
      default -> TimeUnit.valueOf(part.name());
    };
  }

  /** As {@link #named}, but a single letter that is no text is a column. */
  private static @Nullable DatePart unlessColumn(SqlNode node) {
    return node instanceof SqlIdentifier name && name.toString().length() == 1 ? null : named(node);
  }

  private static boolean isIso(SqlNode node) {
    return node instanceof SqlIdentifier name
        && name.isSimple()
        && (name.getSimple().equalsIgnoreCase("ISOWEEK")
            || name.getSimple().equalsIgnoreCase("ISOYEAR"));
  }

  private static boolean isText(SqlNode node) {
    return node instanceof SqlCharStringLiteral;
  }

  /** A literal of a moment. */
  private static SqlNode moment(Trees trees, SqlNode value) {
    return isText(value) ? trees.cast(value, SqlTypeName.TIMESTAMP) : value;
  }

  private static RuntimeException unknown(SqlCall call) {
    return FunctionForms.invalid(
        call,
        "%s needs a unit of time, such as 'year', 'month' or 'day'"
            .formatted(call.getOperator().getName()));
  }

  static SqlNode trunc(Trees trees, SqlCall call) {
    FunctionForms.require(call, 2, 2);
    SqlNode first = call.operand(0);
    SqlNode second = call.operand(1);
    DatePart part = unlessColumn(first);
    // BigQuery has the unit last, and weeks that begin on Sunday
    DatePart last = part == null && !isText(second) ? unlessColumn(second) : null;
    if (last != null) {
      return last == DatePart.WEEK
          ? trees.call(SqlStdOperatorTable.FLOOR, first, trees.unit(TimeUnit.WEEK))
          : floor(trees, last, first, call);
    }
    if (part != null) {
      return floor(trees, part, moment(trees, second), call);
    }
    if (isText(first)) {
      throw unknown(call);
    }
    if (second instanceof SqlIntervalQualifier || isIso(second)) {
      return call; // BigQuery's ISOWEEK and the like, which its library in fun= knows
    }
    return each(
        trees, first, moment(trees, second), (each, value) -> floor(trees, each, value, call));
  }

  static SqlNode part(Trees trees, SqlCall call) {
    FunctionForms.require(call, 2, 2);
    SqlNode name = call.operand(0);
    SqlNode value = moment(trees, call.operand(1));
    DatePart part = unlessColumn(name);
    if (part != null) {
      return of(trees, part, value);
    }
    if (isText(name) || name instanceof SqlIntervalQualifier) {
      throw unknown(call);
    }
    if (name instanceof SqlCall list && list.getKind() == SqlKind.ARRAY_VALUE_CONSTRUCTOR) {
      return struct(trees, call, list, value);
    }
    return each(
        trees, name, value, (each, of) -> trees.cast(of(trees, each, of), SqlTypeName.DOUBLE));
  }

  /** A list of units makes a struct of what they take out. */
  private static SqlNode struct(Trees trees, SqlCall call, SqlCall list, SqlNode value) {
    List<SqlNode> fields = new ArrayList<>();
    for (SqlNode name : list.getOperandList()) {
      DatePart part = isText(name) ? named(name) : null;
      if (part == null) {
        throw unknown(call);
      }
      fields.add(trees.text(String.valueOf(Trees.literalText(name)).toLowerCase(Locale.ROOT)));
      fields.add(of(trees, part, Trees.copy(value)));
    }
    return trees.ifElse(
        trees.call(SqlStdOperatorTable.IS_NOT_NULL, Trees.copy(value)),
        trees.call(StructPack.OPERATOR, fields.toArray(SqlNode[]::new)),
        SqlLiteral.createNull(trees.at));
  }

  /** Null of a null of either; an error of a name that is no unit. */
  private static SqlNode each(
      Trees trees, SqlNode name, SqlNode value, BiFunction<DatePart, SqlNode, SqlNode> form) {
    SqlNodeList when = new SqlNodeList(trees.at);
    SqlNodeList then = new SqlNodeList(trees.at);
    when.add(trees.call(SqlStdOperatorTable.IS_NULL, Trees.copy(value)));
    then.add(SqlLiteral.createNull(trees.at));
    for (DatePart part : DatePart.values()) {
      if (part != DatePart.ERA) {
        SqlNode ordinal = trees.call(DatePartFunction.DATE_PART, Trees.copy(name));
        when.add(trees.call(SqlStdOperatorTable.EQUALS, ordinal, trees.number(part.ordinal())));
        then.add(form.apply(part, Trees.copy(value)));
      }
    }
    return new SqlCase(trees.at, null, when, then, SqlLiteral.createNull(trees.at));
  }

  private static SqlNode floor(Trees trees, DatePart part, SqlNode value, SqlCall call) {
    return switch (part) {
      case ERA ->
          throw FunctionForms.invalid(
              call, "%s has no unit 'era'".formatted(call.getOperator().getName()));
      case DOW, ISODOW, DOY, JULIAN -> floor(trees, value, TimeUnit.DAY);
      case YEARWEEK -> floor(trees, value, TimeUnit.WEEK);
      case EPOCH -> floor(trees, value, TimeUnit.SECOND);
      default -> floor(trees, value, TimeUnit.valueOf(part.name()));
    };
  }

  /** Weeks begin on Monday; Calcite's begin on Sunday. */
  static SqlNode floor(Trees trees, SqlNode value, TimeUnit unit) {
    return switch (unit) {
      case WEEK ->
          trees.plus(
              trees.call(
                  SqlStdOperatorTable.FLOOR,
                  trees.minus(value, trees.interval(1, TimeUnit.DAY)),
                  trees.unit(TimeUnit.WEEK)),
              trees.interval(1, TimeUnit.DAY));
      default -> trees.call(SqlStdOperatorTable.FLOOR, value, trees.unit(unit));
    };
  }

  /** The days of a week are 0 (Sunday) to 6, as in PostgreSQL; Calcite's are 1 to 7. */
  static SqlNode of(Trees trees, DatePart part, SqlNode value) {
    SqlNode ofAge = Ages.part(trees, part, value);
    if (ofAge != null) {
      return ofAge;
    }
    return switch (part) {
      case DOW ->
          trees.call(
              SqlStdOperatorTable.MOD,
              trees.extract(TimeUnit.ISODOW, value),
              trees.number(DAYS_IN_WEEK));
      case YEARWEEK -> DateForms.yearWeek(trees, value);
      case EPOCH -> DateForms.epoch(trees, value);
      case JULIAN -> DateForms.julian(trees, value);
      case ERA -> era(trees, value);
      default -> trees.extract(TimeUnit.valueOf(part.name()), value);
    };
  }

  private static SqlNode era(Trees trees, SqlNode value) {
    SqlNode year = trees.extract(TimeUnit.YEAR, value);
    SqlNode bc =
        trees.ifElse(
            trees.call(SqlStdOperatorTable.LESS_THAN_OR_EQUAL, Trees.copy(year), trees.number(0)),
            trees.cast(trees.number(0), SqlTypeName.BIGINT),
            SqlLiteral.createNull(trees.at));
    return trees.ifElse(
        trees.call(SqlStdOperatorTable.GREATER_THAN, year, trees.number(0)),
        trees.cast(trees.number(1), SqlTypeName.BIGINT),
        bc);
  }

  /** What {@code EXTRACT} becomes; null if it stays. It has the whole seconds of EPOCH. */
  static @Nullable SqlNode extract(Trees trees, SqlCall call) {
    DatePart part = named(call.operand(0));
    SqlNode ofAge = part == null ? null : Ages.part(trees, part, call.operand(1));
    if (ofAge != null) {
      return ofAge;
    }
    return switch (part) {
      case null -> null;
      case DOW, YEARWEEK, JULIAN, ERA -> of(trees, part, call.operand(1));
      default ->
          call.operand(0) instanceof SqlIntervalQualifier word && word.timeFrameName != null
              ? trees.extract(TimeUnit.valueOf(part.name()), call.operand(1))
              : null;
    };
  }
}
