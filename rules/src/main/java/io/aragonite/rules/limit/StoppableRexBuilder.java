package io.aragonite.rules.limit;

import io.aragonite.exec.limit.StopCheck;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCollation;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.NlsString;
import org.jspecify.annotations.Nullable;

/**
 * Builds expressions, and ends with the statement's error when its time is up. Literals of texts
 * are ordered by code points, as the engine orders texts: ranges of them are merged in planning.
 */
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

  @Override
  protected RexLiteral makeLiteral(@Nullable Comparable o, RelDataType type, SqlTypeName typeName) {
    Comparable value =
        o instanceof NlsString text && typeName == SqlTypeName.CHAR
            ? CodePointText.of(text, type)
            : o;
    return super.makeLiteral(value, type, typeName);
  }

  /**
   * A literal of a CHAR is not filled up. Blanks that it has stay: the literals of a text column's
   * ranges are CHARs, too.
   */
  @Override
  public RexNode makeLiteral(
      @Nullable Object value, RelDataType type, boolean allowCast, boolean trim) {
    NlsString text =
        switch (value) {
          case NlsString nls -> nls;
          case String plain -> new NlsString(plain, null, null);
          case null, default -> null;
        };
    if (type.getSqlTypeName() != SqlTypeName.CHAR
        || text == null
        || text.getValue().codePointCount(0, text.getValue().length()) >= type.getPrecision()) {
      return super.makeLiteral(value, type, allowCast, trim);
    }
    RexLiteral literal = makeLiteral(text, type, SqlTypeName.CHAR);
    return allowCast && type.isNullable() ? makeAbstractCast(type, literal, false) : literal;
  }

  /**
   * Calcite keeps the digits of a literal that is cast between REAL and DOUBLE, or its infinity,
   * and the blanks at the end of one that becomes a CHAR of its length.
   */
  @Override
  public RexNode makeCast(
      SqlParserPos pos,
      RelDataType type,
      RexNode exp,
      boolean matchNullability,
      boolean safe,
      RexLiteral format) {
    if (exp instanceof RexLiteral literal
        && literal.getValue() instanceof Double number
        && (exp.getType().getSqlTypeName() == SqlTypeName.REAL)
            != (type.getSqlTypeName() == SqlTypeName.REAL)) {
      float real = number.floatValue();
      if (Float.isInfinite(real)) {
        return makeAbstractCast(pos, type, exp, safe);
      }
      RexLiteral rounded = makeApproxLiteral((double) real, exp.getType());
      return super.makeCast(pos, type, rounded, matchNullability, safe, format);
    }
    if (type.getSqlTypeName() == SqlTypeName.CHAR
        && exp instanceof RexLiteral literal
        && literal.getValue() instanceof NlsString given) {
      NlsString text = given.rtrim();
      if (text.getValue().codePointCount(0, text.getValue().length()) <= type.getPrecision()) {
        RexLiteral stripped = makeLiteral(text, type, SqlTypeName.CHAR);
        return matchNullability && type.isNullable()
            ? makeAbstractCast(pos, type, stripped, safe)
            : stripped;
      }
    }
    return super.makeCast(pos, type, exp, matchNullability, safe, format);
  }

  /** A text of a literal. */
  private static final class CodePointText extends NlsString {
    private CodePointText(String text, @Nullable String charset, @Nullable SqlCollation collation) {
      super(text, charset, collation);
    }

    /** The text with the character set and collation of its type, which literals have. */
    static NlsString of(NlsString text, RelDataType type) {
      Charset charset = type.getCharset();
      if (charset == null || type.getCollation() == null) {
        return text;
      }
      return new CodePointText(text.getValue(), charset.name(), type.getCollation());
    }

    /** UTF-8's order of bytes. */
    @Override
    public int compareTo(NlsString other) {
      return Arrays.compareUnsigned(bytes(this), bytes(other));
    }

    private static byte[] bytes(NlsString text) {
      return text.getValue().getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public boolean equals(@Nullable Object o) {
      return super.equals(o);
    }

    @Override
    public int hashCode() {
      return super.hashCode();
    }
  }
}
