import { resolve } from 'node:path'
import ts from 'typescript'

/** What the checker of TypeScript says about some files; paths are relative to their folder. */
export interface JudgedScripts {
  /** Those that there was time for. What follows says nothing about edges from others. */
  readonly files: ReadonlySet<string>
  /** `from to`, both paths. */
  readonly imports: ReadonlySet<string>
  /** `caller callee`: a path, or `path#Holder.name` for a definition. */
  readonly calls: ReadonlySet<string>
  /** Calls of which the checker does not say which one of several definitions they mean. */
  readonly open_calls: ReadonlySet<string>
}

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ['lib.esnext.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  types: [],
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
}

/**
 * Definitions are functions, classes, variables of a module, methods, accessors, and members of object literals that are
 * functions; what stands inside of a function is part of it. Files are judged in the order given, until `mostMs` are over:
 * types that are computed from each other may take the checker minutes.
 */
export function judgeScripts(
  folder: string,
  files: readonly string[],
  mostMs = Number.POSITIVE_INFINITY,
): JudgedScripts {
  const due = performance.now() + mostMs
  const paths = new Map(files.map((file) => [resolve(folder, file), file]))
  const program = ts.createProgram([...paths.keys()], options)
  const judge = new Judge(program, paths)
  for (const [path, file] of paths) {
    const source = program.getSourceFile(path)
    if (source) judge.read(source, file)
    if (performance.now() > due) break
  }
  return judge
}

class Judge implements JudgedScripts {
  readonly files = new Set<string>()
  readonly imports = new Set<string>()
  readonly calls = new Set<string>()
  readonly open_calls = new Set<string>()
  readonly #checker: ts.TypeChecker
  readonly #paths: ReadonlyMap<string, string>

  constructor(program: ts.Program, paths: ReadonlyMap<string, string>) {
    this.#checker = program.getTypeChecker()
    this.#paths = paths
  }

  read(source: ts.SourceFile, file: string): void {
    this.files.add(file)
    const visit = (node: ts.Node, caller: string): void => {
      const own = this.#keyOf(node) ?? caller
      this.#readImport(node, file)
      if (ts.isCallExpression(node) || ts.isNewExpression(node) || ts.isTaggedTemplateExpression(node))
        this.#readCall(node, own)
      ts.forEachChild(node, (child) => visit(child, own))
    }
    visit(source, file)
  }

  #readImport(node: ts.Node, file: string): void {
    const specifier = specifierOf(node)
    if (!specifier) return
    const module = this.#checker.getSymbolAtLocation(specifier)?.declarations?.find(ts.isSourceFile)
    const to = module && this.#paths.get(module.fileName)
    if (to !== undefined && to !== file) this.imports.add(`${file} ${to}`)
  }

  #readCall(node: ts.CallExpression | ts.NewExpression | ts.TaggedTemplateExpression, caller: string): void {
    const callee = unwrapped(ts.isTaggedTemplateExpression(node) ? node.tag : node.expression)
    if (callee.kind === ts.SyntaxKind.ImportKeyword) return
    const keys = new Set(this.#calledBy(node, callee))
    const into = keys.size > 1 ? this.open_calls : this.calls
    for (const key of keys) into.add(`${caller} ${key}`)
  }

  #calledBy(node: ts.CallLikeExpression, callee: ts.Expression): string[] {
    if (callee.kind === ts.SyntaxKind.SuperKeyword)
      return this.#keysOf(this.#checker.getTypeAtLocation(callee).symbol)
    const name = ts.isPropertyAccessExpression(callee) ? callee.name : callee
    const named = ts.isIdentifier(name) || ts.isPrivateIdentifier(name)
    const keys = named ? this.#keysOf(this.#checker.getSymbolAtLocation(name)) : []
    if (keys.length > 0) return keys
    // A local name for a definition.
    const declaration = this.#checker.getResolvedSignature(node)?.declaration
    const isHeld = declaration && (ts.isConstructorDeclaration(declaration) || isFunction(declaration))
    const holder = isHeld ? declaration.parent : declaration
    const key = holder && this.#calleeKey(holder)
    return key === undefined ? [] : [key]
  }

  #keysOf(symbol: ts.Symbol | undefined): string[] {
    if (!symbol) return []
    const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0
    const meant = isAlias ? this.#checker.getAliasedSymbol(symbol) : symbol
    return (meant.declarations ?? []).flatMap((each) => this.#calleeKey(each) ?? [])
  }

  #calleeKey(declaration: ts.Node): string | undefined {
    const isType =
      ts.isInterfaceDeclaration(declaration) ||
      ts.isTypeAliasDeclaration(declaration) ||
      ts.isModuleDeclaration(declaration)
    return isType ? undefined : this.#keyOf(declaration)
  }

  /** The key of a node that is a definition. */
  #keyOf(node: ts.Node): string | undefined {
    const file = this.#paths.get(node.getSourceFile().fileName)
    const name = file === undefined || ts.isSourceFile(node) ? undefined : qualifiedName(node)
    return name === undefined ? undefined : `${file}#${name}`
  }
}

function specifierOf(node: ts.Node): ts.Expression | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier
  if (ts.isExternalModuleReference(node)) return node.expression
  if (
    ts.isImportTypeNode(node) &&
    ts.isLiteralTypeNode(node.argument) &&
    ts.isStringLiteral(node.argument.literal)
  )
    return node.argument.literal
  const isCalled = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
  return isCalled ? node.arguments[0] : undefined
}

function unwrapped(node: ts.Expression): ts.Expression {
  const isWrapped =
    ts.isParenthesizedExpression(node) ||
    ts.isNonNullExpression(node) ||
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node)
  return isWrapped ? unwrapped(node.expression) : node
}

/** `Store.find`; nothing for what is no definition or stands inside of a function. */
function qualifiedName(node: ts.Node): string | undefined {
  const name = ownName(node)
  if (name === undefined) return undefined
  for (let outer = node.parent; !ts.isSourceFile(outer); outer = outer.parent) {
    if (ts.isFunctionLike(outer) && !ts.isMethodSignature(outer)) return undefined
    if (ts.isClassStaticBlockDeclaration(outer)) return undefined
    const held = ownName(outer)
    // An object literal in a variable is its holder, so both names stand.
    if (held !== undefined) {
      const rest = qualifiedName(outer)
      return rest === undefined ? undefined : `${rest}.${name}`
    }
  }
  return name
}

function ownName(node: ts.Node): string | undefined {
  if (ts.isExportAssignment(node)) return ts.isIdentifier(node.expression) ? undefined : 'default'
  if (ts.isConstructorDeclaration(node)) return 'constructor'
  if (ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node)) return node.name?.text ?? 'default'
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return node.name.text
  if (ts.isEnumDeclaration(node) || (ts.isModuleDeclaration(node) && ts.isIdentifier(node.name)))
    return node.name.text
  if (ts.isVariableDeclaration(node) || ts.isBindingElement(node))
    return ts.isIdentifier(node.name) ? node.name.text : undefined
  if (ts.isMethodDeclaration(node) || ts.isMethodSignature(node) || ts.isAccessor(node))
    return memberName(node.name)
  const hasFunction =
    (ts.isPropertyDeclaration(node) || ts.isPropertyAssignment(node)) && isFunction(node.initializer)
  if (hasFunction) return memberName(node.name)
  return undefined
}

const memberName = (name: ts.PropertyName): string | undefined =>
  ts.isIdentifier(name) || ts.isPrivateIdentifier(name) || ts.isStringLiteral(name) ? name.text : undefined

const isFunction = (node: ts.Node | undefined): boolean =>
  node !== undefined && (ts.isArrowFunction(node) || ts.isFunctionExpression(node))
