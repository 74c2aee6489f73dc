import io.aragonite.rules.metadata.GpuMetadata;
import io.aragonite.rules.metadata.PrecompiledHandlers;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.calcite.rel.metadata.MetadataHandler;
import org.apache.calcite.rel.metadata.janino.RelMetadataHandlerGeneratorUtil;
import org.apache.calcite.rel.metadata.janino.RelMetadataHandlerGeneratorUtil.HandlerNameAndGeneratedCode;
import org.codehaus.commons.compiler.CompileException;
import org.codehaus.janino.SimpleCompiler;

/**
 * Compiles Calcite's dispatch of metadata to {@link GpuMetadata}'s handlers: {@code java -cp RULES
 * build/MetadataHandlers.java CLASSES}. Calcite would generate and compile the same classes in
 * every process, while a first statement waits.
 */
public final class MetadataHandlers {
  private MetadataHandlers() {}

  public static void main(String[] args) throws IOException, CompileException {
    Path classes = Path.of(args[0]);
    for (Class<? extends MetadataHandler<?>> type : PrecompiledHandlers.types()) {
      List<MetadataHandler<?>> handlers = PrecompiledHandlers.handlers(type);
      HandlerNameAndGeneratedCode code =
          RelMetadataHandlerGeneratorUtil.generateHandler(type, handlers);
      String name = PrecompiledHandlers.className(type);
      write(classes, compile(renamed(code, name)));
    }
  }

  /** Under a name in a package of ours: no two modules may have the same package. */
  private static String renamed(HandlerNameAndGeneratedCode code, String name) {
    String generated = code.getHandlerName();
    String simple = generated.substring(generated.lastIndexOf('.') + 1);
    String ours = name.substring(name.lastIndexOf('.') + 1);
    String text = code.getGeneratedCode().replaceAll("\\b" + simple + "\\b", ours);
    return text.replaceFirst(
        "package [\\w.]+;", "package " + name.substring(0, name.lastIndexOf('.')) + ";");
  }

  private static Map<String, byte[]> compile(String text) throws IOException, CompileException {
    SimpleCompiler compiler = new SimpleCompiler();
    compiler.setParentClassLoader(MetadataHandlers.class.getClassLoader());
    compiler.cook(new StringReader(text));
    return compiler.getBytecodes();
  }

  private static void write(Path classes, Map<String, byte[]> made) throws IOException {
    for (Map.Entry<String, byte[]> one : made.entrySet()) {
      Path file = classes.resolve(one.getKey().replace('.', '/') + ".class");
      Files.createDirectories(file.getParent());
      Files.write(file, one.getValue());
    }
  }
}
