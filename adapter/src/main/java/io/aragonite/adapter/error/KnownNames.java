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

  /** Tables of that name, with their schemas. */
  default List<String> tablesOf(String name) {
    return List.of();
  }

  /** Those that the statement is about and that have such a column, with their schemas. */
  default List<String> tablesWith(String column) {
    return List.of();
  }

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
