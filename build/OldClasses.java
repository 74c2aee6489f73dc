import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.StackMapsOption;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Gives old classes in a jar the format of Java 8, with stack maps. The JVM keeps no class of a
 * format before Java 6 in its class archive or AOT cache: it reads, checks and links those in each
 * process, and the parser of the command line alone takes longer so than a small query.
 *
 * <p>{@code java build/OldClasses.java JAR PACKAGE...}: a package is a folder in the jar.
 */
public final class OldClasses {
  private static final int NEWER = ClassFile.JAVA_8_VERSION;

  private OldClasses() {}

  public static void main(String[] args) throws IOException {
    Path jar = Path.of(args[0]);
    int renewed = 0;
    try (FileSystem files = FileSystems.newFileSystem(jar)) {
      ClassFile classFile =
          ClassFile.of(
              StackMapsOption.GENERATE_STACK_MAPS,
              ClassFile.ClassHierarchyResolverOption.of(
                  ClassHierarchyResolver.ofResourceParsing(
                          type -> open(files, type.descriptorString()))
                      .orElse(ClassHierarchyResolver.defaultResolver())
                      .cached()));
      for (String name : List.of(args).subList(1, args.length)) {
        try (Stream<Path> tree = Files.walk(files.getPath(name))) {
          for (Path path : tree.filter(path -> path.toString().endsWith(".class")).toList()) {
            renewed += renew(classFile, path) ? 1 : 0;
          }
        }
      }
    }
    System.out.printf("%s: %d classes have a newer format%n", jar.getFileName(), renewed);
  }

  private static boolean renew(ClassFile classFile, Path path) throws IOException {
    var model = classFile.parse(Files.readAllBytes(path));
    if (model.majorVersion() >= NEWER) {
      return false;
    }
    ClassTransform newer =
        ClassTransform.dropping(element -> element instanceof ClassFileVersion)
            // a body that is copied as a whole gets no stack maps
            .andThen(ClassTransform.transformingMethodBodies(CodeBuilder::with))
            .andThen(ClassTransform.endHandler(builder -> builder.withVersion(NEWER, 0)));
    Files.write(path, classFile.transformClass(model, newer));
    return true;
  }

  private static InputStream open(FileSystem files, String descriptor) {
    Path path = files.getPath(descriptor.substring(1, descriptor.length() - 1) + ".class");
    try {
      return Files.exists(path) ? Files.newInputStream(path) : null;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
