import ts from 'typescript'

/** A small change of a source file that its tests should notice: `after` replaces the text from `start` to `end`. */
export type Mutation = { file: string; start: number; end: number; line: number; before: string; after: string }

/** Bounds of counts and indexes: one more or less is another answer. */
const otherBound: Record<string, string> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' }
const otherOperator: Record<string, string> = {
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '??': '&&',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
}

/**
 * Finds the mutations of a file: operators, conditions, numbers, booleans, and calls that are left out. Those that no
 * answer can show are no mutations: a measured number beside its bound, a limit that is one higher, a figure in a
 * message, a call that only writes the log, yields, or lets the process end.
 */
export function mutationsOf(file: string, text: string): Mutation[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found: Mutation[] = []
  const replace = (node: ts.Node, after: string) => {
    const start = node.getStart(source)
    const line = source.getLineAndCharacterOfPosition(start).line + 1
    found.push({ file, start, end: node.getEnd(), line, before: node.getText(source), after })
  }
  const visit = (node: ts.Node) => {
    if (isLimit(node)) return replace(node.initializer!, '0')
    if (ts.isTypeNode(node) || ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node)) return
    if (ts.isBinaryExpression(node)) {
      const operator = node.operatorToken.getText(source)
      const other = (isCount(node) && !isLoopBound(node) && otherBound[operator]) || otherOperator[operator]
      if (other !== undefined && !isText(node)) replace(node.operatorToken, other)
    }
    if (ts.isIfStatement(node) || ts.isWhileStatement(node))
      replace(node.expression, `!(${node.expression.getText(source)})`)
    if (ts.isConditionalExpression(node)) replace(node.condition, `!(${node.condition.getText(source)})`)
    if (ts.isNumericLiteral(node) && !isKey(node) && !ts.findAncestor(node, ts.isTemplateSpan))
      replace(node, otherNumber(node.getText(source)))
    if (node.kind === ts.SyntaxKind.TrueKeyword) replace(node, 'false')
    if (node.kind === ts.SyntaxKind.FalseKeyword) replace(node, 'true')
    if (ts.isExpressionStatement(node) && isCall(node.expression) && !unseen.test(node.getText(source)))
      replace(node, ';')
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

const unseen =
  /^(await )?([\w.]*\b(log|logger|telemetry)\b|clear(Timeout|Interval|Immediate)\(|(Bun\.sleep|setImmediate|yield\w+)\(|.*\.unref\??\.?\(\)$)/

/** Whether a comparison is of a length, a size or a count, or with a small whole number. */
function isCount({ left, right }: ts.BinaryExpression): boolean {
  return [left, right].some((it) => /(\.length|\.size|[cC]ount|\b[ijkn]|^[1-9]\d?)$/.test(it.getText()))
}

/** Whether a comparison ends a loop, which reads `undefined` beyond its list and often does the same. */
function isLoopBound({ parent }: ts.Node): boolean {
  return ts.isForStatement(parent) || (ts.isBinaryExpression(parent) && isLoopBound(parent))
}

/** Whether a node declares a limit of the module, such as `const keyMax_characters = 8 * 2 ** 20`. */
function isLimit(node: ts.Node): node is ts.VariableDeclaration {
  return (
    ts.isVariableDeclaration(node) &&
    ts.isSourceFile(node.parent.parent.parent) &&
    /^max|Max|_(ms|bytes|characters|seconds)$|per[A-Z]/.test(node.name.getText()) &&
    /^[\d_e.*\s]+$/.test(node.initializer?.getText() ?? '')
  )
}

/** A number that is one higher is often the same limit, so a large one becomes none. */
function otherNumber(written: string): string {
  return Number(written.replaceAll('_', '')) >= 100 ? '0' : `(${written} + 1)`
}

/** Whether a sum joins texts, where a difference makes no sense. */
function isText(node: ts.BinaryExpression): boolean {
  return [node.left, node.right].some((it) => ts.isStringLiteralLike(it) || ts.isTemplateExpression(it))
}

function isCall(node: ts.Expression): boolean {
  return ts.isCallExpression(node) || (ts.isAwaitExpression(node) && ts.isCallExpression(node.expression))
}

function isKey(node: ts.NumericLiteral): boolean {
  return ts.isPropertyAssignment(node.parent) && node.parent.name === node
}
