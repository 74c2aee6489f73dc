import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.StackMapsOption;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.AccessFlag;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Makes classes in a jar such that the JVM's AOT cache has all of them.
 *
 * <ul>
 *   <li>Old classes get the format of Java 8, with stack maps. The JVM keeps no class of a format
 *       before Java 6: it reads, checks and links those in each process, and the parser of the
 *       command line alone takes longer so than a small query.
 *   <li>Each {@code switch} over types becomes a method. As the compiler writes it the JVM makes a
 *       class for it when it first comes there, some milliseconds in each process, and keeps none.
 * </ul>
 *
 * <p>{@code java build/AotClasses.java JAR PACKAGE...}: a package is a folder in the jar.
 */
public final class AotClasses {
  private static final int NEWER = ClassFile.JAVA_8_VERSION;

  private static final String SWITCHES = "Ljava/lang/runtime/SwitchBootstraps;";

  private static final int METHOD =
      AccessFlag.PRIVATE.mask() | AccessFlag.STATIC.mask() | AccessFlag.SYNTHETIC.mask();

  /** A method in place of a switch: the number of the first label from a given one on that fits. */
  private record TypeSwitch(String name, MethodTypeDesc type, List<ClassDesc> labels) {}

  private AotClasses() {}

  public static void main(String[] args) throws IOException {
    Path jar = Path.of(args[0]);
    int renewed = 0;
    int switches = 0;
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
            ClassModel model = classFile.parse(Files.readAllBytes(path));
            renewed += renew(classFile, model, path) ? 1 : 0;
            switches += replaceSwitches(classFile, model, path);
          }
        }
      }
    }
    System.out.printf(
        "%s: %d classes have a newer format, %d switches over types are methods%n",
        jar.getFileName(), renewed, switches);
  }

  private static boolean renew(ClassFile classFile, ClassModel model, Path path)
      throws IOException {
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

  private static int replaceSwitches(ClassFile classFile, ClassModel model, Path path)
      throws IOException {
    List<TypeSwitch> switches = new ArrayList<>();
    CodeTransform calls =
        (builder, element) -> {
          if (element instanceof InvokeDynamicInstruction call && isTypeSwitch(call)) {
            TypeSwitch made =
                new TypeSwitch("typeSwitch$" + switches.size(), call.typeSymbol(), labels(call));
            switches.add(made);
            boolean ofInterface = model.flags().has(AccessFlag.INTERFACE);
            builder.invokestatic(model.thisClass().asSymbol(), made.name, made.type, ofInterface);
          } else {
            builder.with(element);
          }
        };
    ClassTransform methods =
        ClassTransform.endHandler(builder ->
            switches.forEach(made ->
                builder.withMethodBody(made.name, made.type, METHOD, code -> write(made, code))));
    byte[] changed =
        classFile.transformClass(
            model,
            ClassTransform.transformingMethodBodies(AotClasses::hasTypeSwitch, calls)
                .andThen(methods));
    if (!switches.isEmpty()) {
      Files.write(path, changed);
    }
    return switches.size();
  }

  private static boolean hasTypeSwitch(MethodModel method) {
    return method.code().stream()
        .flatMap(code -> code.elementStream())
        .anyMatch(
            element -> element instanceof InvokeDynamicInstruction call && isTypeSwitch(call));
  }

  /** Not one with constants of enums, texts or numbers among its labels. */
  private static boolean isTypeSwitch(InvokeDynamicInstruction call) {
    return call.bootstrapMethod().owner().descriptorString().equals(SWITCHES)
        && call.bootstrapMethod().methodName().equals("typeSwitch")
        && !call.typeSymbol().parameterType(0).isPrimitive()
        && call.bootstrapArgs().stream()
            .allMatch(label -> label instanceof ClassDesc type && !type.isPrimitive());
  }

  private static List<ClassDesc> labels(InvokeDynamicInstruction call) {
    return call.bootstrapArgs().stream().map(ClassDesc.class::cast).toList();
  }

  /** As {@code SwitchBootstraps} has it: -1 of null, the count of labels where none fits. */
  private static void write(TypeSwitch made, CodeBuilder code) {
    Label some = code.newLabel();
    code.aload(0).ifnonnull(some).iconst_m1().ireturn().labelBinding(some);
    for (int i = 0; i < made.labels.size(); i++) {
      Label next = code.newLabel();
      code.iload(1).loadConstant(i).if_icmpgt(next);
      code.aload(0).instanceOf(made.labels.get(i)).ifeq(next);
      code.loadConstant(i).ireturn().labelBinding(next);
    }
    code.loadConstant(made.labels.size()).ireturn();
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
