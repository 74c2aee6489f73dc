package io.aragonite.adapter.error;

import java.util.Collection;
import java.util.List;

/** Names that a statement could have meant. */
public interface KnownNames {
  KnownNames NONE =
      new KnownNames() {
        @Override
        public Collection<String> tables() {
          return List.of();
        }

        @Override
        public Collection<String> columns() {
          return List.of();
        }
      };

  /** Tables and schemas that a query can name. */
  Collection<String> tables();

  /** Columns of the tables that the statement is about. */
  Collection<String> columns();

  /** Functions and aggregates. */
  default Collection<String> functions() {
    return List.of();
  }

  /** Types of a CAST. */
  default Collection<String> types() {
    return List.of();
  }

  /** The statement's text; empty if there is none. */
  default String statement() {
    return "";
  }
}
