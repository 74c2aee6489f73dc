package io.aragonite.rules.function;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The members of a JSON object as they stand in its text, equal names too, of which the last one is
 * found.
 */
final class JsonMembers extends AbstractMap<String, JsonNode> {
  /** Objects of texts that are parsed have such members. */
  static final JsonNodeFactory FACTORY = new Factory();

  /** Up to so many are looked through. */
  private static final int FEW = 8;

  private final List<Map.Entry<String, JsonNode>> members = new ArrayList<>();
  private @Nullable Map<String, JsonNode> byName;

  @Override
  public @Nullable JsonNode put(String name, JsonNode value) {
    members.add(new SimpleEntry<>(name, value));
    if (byName != null) {
      byName.put(name, value);
    }
    return null; // it takes the place of no other
  }

  @Override
  public @Nullable JsonNode get(@Nullable Object name) {
    if (members.size() > FEW) {
      if (byName == null) {
        byName = HashMap.newHashMap(members.size());
        members.forEach(member -> byName.put(member.getKey(), member.getValue()));
      }
      return byName.get(name);
    }
    for (Map.Entry<String, JsonNode> member : members.reversed()) {
      if (member.getKey().equals(name)) {
        return member.getValue();
      }
    }
    return null;
  }

  @Override
  public boolean containsKey(@Nullable Object name) {
    return get(name) != null;
  }

  @Override
  public int size() {
    return members.size();
  }

  @Override
  public Set<Map.Entry<String, JsonNode>> entrySet() {
    return new AbstractSet<>() {
      @Override
      public Iterator<Map.Entry<String, JsonNode>> iterator() {
        return members.iterator();
      }

      @Override
      public int size() {
        return members.size();
      }
    };
  }

  private static final class Factory extends JsonNodeFactory {
    private static final long serialVersionUID = 1L;

    Factory() {
      super(true);
    }

    @Override
    public ObjectNode objectNode() {
      return new ObjectNode(this, new JsonMembers());
    }
  }
}
