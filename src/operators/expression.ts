import jsep from 'jsep'
import { compareValues, requireNumber } from '../geo/attribute.ts'
import { placeholderError } from '../model/placeholder.ts'
import { remember } from './remember.ts'
import { pluralize } from '../model/text.ts'
import type { Value } from '../model/source.ts'
import { formulaFunctions } from './formula-functions.ts'

/** The variables of a formula by name. A missing variable is null. */
type Variables = Readonly<Record<string, Value>>

type ExpressionResult = Value | Value[]
type CompiledExpression = (variables: Variables) => ExpressionResult

/**
 * Compiles a formula of the catalog. Arithmetic with null returns null, and so does an undefined result such as a
 * division by zero. Throws an Error for a syntax error, and for a name that is neither in `knownNames` nor a function.
 */
export function compileExpression(text: string, knownNames: readonly string[]): (variables: Variables) => Value {
  const key = `${knownNames.join(' ')}\n${text}`
  return compiledExpressions.get(key) ?? remember(compiledExpressions, key, compileNamed(text, knownNames))
}

function compileNamed(text: string, knownNames: readonly string[]): (variables: Variables) => Value {
  const onName = (name: string) => {
    if (!knownNames.includes(name))
      throw expressionError(`unknown name ${name}. Known names: ${knownNames.join(', ')}`, text)
  }
  const evaluate = compile(parseExpression(text), { text, onName })
  return (variables) => requireSingle(evaluate(variables), text)
}

/** Compiles a formula over arbitrary names. The compiled formula looks up each name once. */
export function compileFormula(text: string): Formula {
  return compiledFormulas.get(text) ?? remember(compiledFormulas, text, compileWithLookup(text))
}

type Formula = (lookUp: (name: string) => Value) => Value

/** Compiled texts of the catalog. */
const compiledExpressions = new Map<string, (variables: Variables) => Value>()
const compiledFormulas = new Map<string, Formula>()

function compileWithLookup(text: string): Formula {
  const names = new Set<string>()
  const evaluate = compile(parseExpression(text), { text, onName: (name) => names.add(name) })
  return (lookUp) => requireSingle(evaluate(Object.fromEntries([...names].map((name) => [name, lookUp(name)]))), text)
}

type Scope = { text: string; onName: (name: string) => void }

function parseExpression(text: string): jsep.Expression {
  try {
    return jsep(text)
  } catch (cause) {
    throw new Error(`The expression ${text} has a syntax error.`, { cause })
  }
}

function compile(expression: jsep.Expression, scope: Scope): CompiledExpression {
  const node = expression as jsep.CoreExpression
  switch (node.type) {
    case 'Literal':
      return compileLiteral(node, scope)
    case 'Identifier':
      return compileVariable(node, scope)
    case 'ArrayExpression':
      return compileList(node, scope)
    case 'MemberExpression':
      return compileElement(node, scope)
    case 'CallExpression':
      return compileCall(node, scope)
    case 'UnaryExpression':
      return compileUnary(node, scope)
    case 'BinaryExpression':
      return compileBinary(node, scope)
    case 'ConditionalExpression':
      return compileConditional(node, scope)
    default:
      throw expressionError(`${node.type} is not allowed`, scope.text)
  }
}

function compileLiteral({ value, raw }: jsep.Literal, scope: Scope): CompiledExpression {
  if (typeof value === 'object' && value !== null) throw expressionError(`${raw} is not allowed`, scope.text)
  return () => value
}

function compileVariable({ name }: jsep.Identifier, scope: Scope): CompiledExpression {
  scope.onName(name)
  return (variables) => (Object.hasOwn(variables, name) ? variables[name]! : null)
}

function compileList({ elements }: jsep.ArrayExpression, scope: Scope): CompiledExpression {
  const items = elements.map((item) => compileOperand(item, scope))
  return (variables) => items.map((item) => item(variables))
}

function compileElement({ computed, object, property }: jsep.MemberExpression, scope: Scope): CompiledExpression {
  if (!computed) throw expressionError('member access is not allowed, except to list elements by index', scope.text)
  const items = compile(object, scope)
  const index = compileOperand(property, scope)
  return (variables) => {
    const [list, i] = [items(variables), index(variables)]
    return Array.isArray(list) && typeof i === 'number' && Object.hasOwn(list, i) ? list[i]! : null
  }
}

function compileCall({ callee, arguments: args }: jsep.CallExpression, scope: Scope): CompiledExpression {
  const { name } = callee as jsep.Identifier
  if (callee.type !== 'Identifier') throw expressionError('only named functions can be called', scope.text)
  if (!Object.hasOwn(formulaFunctions, name)) {
    throw expressionError(
      `unknown function ${name}. Known functions: ${Object.keys(formulaFunctions).join(', ')}`,
      scope.text,
    )
  }
  const {
    arity: [min, max],
    compute,
  } = formulaFunctions[name]!
  if (args.length < min || args.length > max)
    throw expressionError(`${name} takes ${min === max ? '' : `${min} to `}${pluralize(max, 'argument')}`, scope.text)
  const values = args.map((arg) => compileOperand(arg, scope))
  return (variables) => compute(...values.map((value) => value(variables)))
}

function compileUnary({ operator, argument }: jsep.UnaryExpression, scope: Scope): CompiledExpression {
  const value = compileOperand(argument, scope)
  if (operator === '!') return (variables) => !value(variables)
  if (operator === '-') return (variables) => arithmetic((x, y) => x - y)(0, value(variables))
  throw expressionError(`unknown unary operator ${operator}`, scope.text)
}

function compileBinary({ operator, left, right }: jsep.BinaryExpression, scope: Scope): CompiledExpression {
  const [a, b] = [compileOperand(left, scope), compileOperand(right, scope)]
  if (operator === '&&') return (variables) => Boolean(a(variables)) && Boolean(b(variables))
  if (operator === '||') return (variables) => Boolean(a(variables)) || Boolean(b(variables))
  if (!Object.hasOwn(operations, operator)) throw expressionError(`unknown operator ${operator}`, scope.text)
  const operation = operations[operator]!
  return (variables) => operation(a(variables), b(variables))
}

function compileConditional(
  { test, consequent, alternate }: jsep.ConditionalExpression,
  scope: Scope,
): CompiledExpression {
  const condition = compileOperand(test, scope)
  const [then, otherwise] = [compile(consequent, scope), compile(alternate, scope)]
  return (variables) => (condition(variables) ? then(variables) : otherwise(variables))
}

const operations: Record<string, (a: Value, b: Value) => Value> = {
  '+': (a, b) =>
    typeof a === 'string' || typeof b === 'string' ? concatenate(a, b) : arithmetic((x, y) => x + y)(a, b),
  '-': arithmetic((x, y) => x - y),
  '*': arithmetic((x, y) => x * y),
  '/': arithmetic((x, y) => x / y),
  '%': arithmetic((x, y) => x % y),
  '==': isEqual,
  '!=': (a, b) => !isEqual(a, b),
  '<': (a, b) => compareValues(a, b) < 0,
  '<=': (a, b) => compareValues(a, b) <= 0,
  '>': (a, b) => compareValues(a, b) > 0,
  '>=': (a, b) => compareValues(a, b) >= 0,
}

function concatenate(a: Value, b: Value): Value {
  if (a === null || b === null) return null
  if (typeof a === 'boolean' || typeof b === 'boolean') throw placeholderError(typeof a === 'boolean' ? a : b)
  return `${a}${b}`
}

function isEqual(a: Value, b: Value): boolean {
  return a === b || compareValues(a, b) === 0
}

function arithmetic(operation: (x: number, y: number) => number): (a: Value, b: Value) => Value {
  return (a, b) => {
    if (a === null || b === null) return null
    const result = operation(requireNumber(a), requireNumber(b))
    return Number.isFinite(result) ? result : null
  }
}

function compileOperand(node: jsep.Expression | null, scope: Scope): (variables: Variables) => Value {
  if (node === null) throw expressionError('a list has an empty element', scope.text)
  const evaluate = compile(node, scope)
  return (variables) => requireSingle(evaluate(variables), scope.text)
}

function requireSingle(result: ExpressionResult, text: string): Value {
  if (Array.isArray(result)) throw new Error(`The expression ${text} uses a list where a single value is required.`)
  return result
}

function expressionError(reason: string, text: string): Error {
  return new Error(`Invalid expression ${text}: ${reason}.`)
}
