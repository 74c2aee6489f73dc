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
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DirectMethodHandleDesc;
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
 *   <li>Each {@code switch} over types, or over an enum with null, becomes a method. As the
 *       compiler writes it the JVM makes a class for it when it first comes there, some
 *       milliseconds in each process, and keeps none.
 *   <li>So it does for {@code equals} and {@code hashCode} of each record, which become code.
 * </ul>
 *
 * <p>{@code java build/AotClasses.java JAR PACKAGE...}: a package is a folder in the jar.
 */
public final class AotClasses {
  private static final int NEWER = ClassFile.JAVA_8_VERSION;

  private static final String SWITCHES = "Ljava/lang/runtime/SwitchBootstraps;";

  private static final String RECORDS = "Ljava/lang/runtime/ObjectMethods;";

  private static final ClassDesc OBJECTS = ClassDesc.of("java.util.Objects");

  private static final int METHOD =
      AccessFlag.PRIVATE.mask() | AccessFlag.STATIC.mask() | AccessFlag.SYNTHETIC.mask();

  /**
   * A method in place of a switch: the number of the first label from a given one on that fits.
   *
   * @param labels types, or names of constants of the enum that the method takes
   */
  private record TypeSwitch(String name, MethodTypeDesc type, List<ConstantDesc> labels) {}

  /** The fields of a record in their order, by what asks for them. */
  private static List<DirectMethodHandleDesc> fields(InvokeDynamicInstruction call) {
    return call.bootstrapArgs().stream()
        .filter(DirectMethodHandleDesc.class::isInstance)
        .map(DirectMethodHandleDesc.class::cast)
        .toList();
  }

  private AotClasses() {}

  public static void main(String[] args) throws IOException {
    Path jar = Path.of(args[0]);
    int renewed = 0;
    int switches = 0;
    int records = 0;
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
            // first, since some methods that were changed cannot be read again (JDK 25)
            if (replaceRecords(classFile, model, path)) {
              records++;
              model = classFile.parse(Files.readAllBytes(path));
            }
            switches += replaceSwitches(classFile, model, path);
          }
        }
      }
    }
    System.out.printf(
        "%s: %d classes have a newer format, %d switches over types are methods, %d records have"
            + " code for equality%n",
        jar.getFileName(), renewed, switches, records);
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
                new TypeSwitch(
                    "typeSwitch$" + switches.size(), call.typeSymbol(), call.bootstrapArgs());
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

  /** One of types alone, or of an enum's constants alone; not one with texts or numbers. */
  private static boolean isTypeSwitch(InvokeDynamicInstruction call) {
    if (!call.bootstrapMethod().owner().descriptorString().equals(SWITCHES)
        || call.typeSymbol().parameterType(0).isPrimitive()) {
      return false;
    }
    return switch (call.bootstrapMethod().methodName()) {
      case "typeSwitch" ->
          call.bootstrapArgs().stream()
              .allMatch(label -> label instanceof ClassDesc type && !type.isPrimitive());
      case "enumSwitch" -> call.bootstrapArgs().stream().allMatch(label -> label instanceof String);
      default -> false;
    };
  }

  /** As {@code SwitchBootstraps} has it: -1 of null, the count of labels where none fits. */
  private static void write(TypeSwitch made, CodeBuilder code) {
    Label some = code.newLabel();
    code.aload(0).ifnonnull(some).iconst_m1().ireturn().labelBinding(some);
    for (int i = 0; i < made.labels.size(); i++) {
      Label next = code.newLabel();
      code.iload(1).loadConstant(i).if_icmpgt(next);
      if (made.labels.get(i) instanceof ClassDesc type) {
        code.aload(0).instanceOf(type).ifeq(next);
      } else {
        ClassDesc ofEnum = made.type.parameterType(0);
        code.aload(0).getstatic(ofEnum, (String) made.labels.get(i), ofEnum).if_acmpne(next);
      }
      code.loadConstant(i).ireturn().labelBinding(next);
    }
    code.loadConstant(made.labels.size()).ireturn();
  }

  /**
   * Writes {@code equals} and {@code hashCode} of a record where the compiler has left them out.
   */
  private static boolean replaceRecords(ClassFile classFile, ClassModel model, Path path)
      throws IOException {
    if (model.methods().stream().noneMatch(AotClasses::isLeftOut)) {
      return false;
    }
    ClassDesc type = model.thisClass().asSymbol();
    CodeTransform written =
        (builder, element) -> {
          if (!(element instanceof InvokeDynamicInstruction call)) {
            // nothing else but the arguments, which are loaded when they are needed
          } else if (call.name().equalsString("equals")) {
            writeEquals(type, fields(call), builder);
          } else {
            writeHash(type, fields(call), builder);
          }
        };
    Files.write(
        path,
        classFile.transformClass(
            model, ClassTransform.transformingMethodBodies(AotClasses::isLeftOut, written)));
    return true;
  }

  private static boolean isLeftOut(MethodModel method) {
    String name = method.methodName().stringValue();
    return (name.equals("equals") || name.equals("hashCode"))
        && method.code().stream()
            .flatMap(code -> code.elementStream())
            .anyMatch(element ->
                element instanceof InvokeDynamicInstruction call
                    && call.bootstrapMethod().owner().descriptorString().equals(RECORDS));
  }

  private static void writeEquals(
      ClassDesc type, List<DirectMethodHandleDesc> fields, CodeBuilder code) {
    Label differ = code.newLabel();
    Label same = code.newLabel();
    code.aload(0).aload(1).if_acmpeq(same);
    code.aload(1).instanceOf(type).ifeq(differ);
    for (DirectMethodHandleDesc field : fields) {
      ClassDesc of = field.invocationType().returnType();
      code.aload(0).getfield(type, field.methodName(), of);
      code.aload(1).checkcast(type).getfield(type, field.methodName(), of);
      switch (TypeKind.from(of)) {
        case LONG -> code.lcmp().ifne(differ);
        case FLOAT, DOUBLE ->
            code.invokestatic(boxed(of), "compare", MethodTypeDesc.of(ConstantDescs.CD_int, of, of))
                .ifne(differ);
        case REFERENCE ->
            code.invokestatic(
                    OBJECTS,
                    "equals",
                    MethodTypeDesc.of(
                        ConstantDescs.CD_boolean, ConstantDescs.CD_Object, ConstantDescs.CD_Object))
                .ifeq(differ);
        default -> code.if_icmpne(differ);
      }
    }
    code.labelBinding(same).iconst_1().ireturn().labelBinding(differ).iconst_0().ireturn();
  }

  /** As {@code ObjectMethods} has it: 31 times what is before, and the field's. */
  private static void writeHash(
      ClassDesc type, List<DirectMethodHandleDesc> fields, CodeBuilder code) {
    code.iconst_0();
    for (DirectMethodHandleDesc field : fields) {
      ClassDesc of = field.invocationType().returnType();
      boolean primitive = of.isPrimitive();
      code.bipush(31).imul().aload(0).getfield(type, field.methodName(), of);
      code.invokestatic(
              primitive ? boxed(of) : OBJECTS,
              "hashCode",
              MethodTypeDesc.of(ConstantDescs.CD_int, primitive ? of : ConstantDescs.CD_Object))
          .iadd();
    }
    code.ireturn();
  }

  private static ClassDesc boxed(ClassDesc primitive) {
    return switch (TypeKind.from(primitive)) {
      case BOOLEAN -> ConstantDescs.CD_Boolean;
      case BYTE -> ConstantDescs.CD_Byte;
      case CHAR -> ConstantDescs.CD_Character;
      case SHORT -> ConstantDescs.CD_Short;
      case INT -> ConstantDescs.CD_Integer;
      case LONG -> ConstantDescs.CD_Long;
      case FLOAT -> ConstantDescs.CD_Float;
      case DOUBLE -> ConstantDescs.CD_Double;
      default -> throw new IllegalArgumentException(primitive.displayName());
    };
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
