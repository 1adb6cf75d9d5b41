import jsep from 'jsep'
import { compared } from '../geo/attribute.ts'
import type { Value } from '../model/source.ts'
import { formulaFunctions } from './formula-functions.ts'
import { numeric } from './numeric.ts'

/** What a formula is worked out from, by name; one that is not there is null. */
type Variables = Readonly<Record<string, Value>>

type Worth = Value | Value[]
type Compiled = (variables: Variables) => Worth

/**
 * A formula of the catalog, compiled. Null in arithmetic gives null, and so does what has no number: a division by zero, the root of -1.
 * Throws an Error for a wrong form, and for a name that is neither `known` nor a function.
 */
export function expressionOf(text: string, known: readonly string[]): (variables: Variables) => Value {
  const meet = (name: string) => {
    if (!known.includes(name)) throw refusal(`${name} is unknown; known are ${known.join(', ')}`, text)
  }
  const worth = compile(parsed(text), { text, meet })
  return (variables) => single(worth(variables), text)
}

/** A formula over whatever it names, compiled: what each name stands for is looked up, once. */
export function formulaOf(text: string): (lookUp: (name: string) => Value) => Value {
  const names = new Set<string>()
  const worth = compile(parsed(text), { text, meet: (name) => names.add(name) })
  return (lookUp) => single(worth(Object.fromEntries([...names].map((name) => [name, lookUp(name)]))), text)
}

type Scope = { text: string; meet: (name: string) => void }

function parsed(text: string): jsep.Expression {
  try {
    return jsep(text)
  } catch (cause) {
    throw new Error(`The expression ${text} has the wrong form.`, { cause })
  }
}

function compile(expression: jsep.Expression, scope: Scope): Compiled {
  const node = expression as jsep.CoreExpression
  switch (node.type) {
    case 'Literal':
      return literal(node, scope)
    case 'Identifier':
      return variable(node, scope)
    case 'ArrayExpression':
      return list(node, scope)
    case 'MemberExpression':
      return element(node, scope)
    case 'CallExpression':
      return call(node, scope)
    case 'UnaryExpression':
      return unary(node, scope)
    case 'BinaryExpression':
      return binary(node, scope)
    case 'ConditionalExpression':
      return choice(node, scope)
    default:
      throw refusal(`there may be no ${node.type}`, scope.text)
  }
}

function literal({ value, raw }: jsep.Literal, scope: Scope): Compiled {
  if (typeof value === 'object' && value !== null) throw refusal(`there may be no ${raw}`, scope.text)
  return () => value
}

function variable({ name }: jsep.Identifier, scope: Scope): Compiled {
  scope.meet(name)
  return (variables) => (Object.hasOwn(variables, name) ? variables[name]! : null)
}

function list({ elements }: jsep.ArrayExpression, scope: Scope): Compiled {
  const items = elements.map((item) => operand(item, scope))
  return (variables) => items.map((item) => item(variables))
}

function element({ computed, object, property }: jsep.MemberExpression, scope: Scope): Compiled {
  if (!computed) throw refusal('there may be no member but one of a list, by its index', scope.text)
  const items = compile(object, scope)
  const index = operand(property, scope)
  return (variables) => {
    const [from, i] = [items(variables), index(variables)]
    return Array.isArray(from) && typeof i === 'number' && Object.hasOwn(from, i) ? from[i]! : null
  }
}

function call({ callee, arguments: given }: jsep.CallExpression, scope: Scope): Compiled {
  const { name } = callee as jsep.Identifier
  if (callee.type !== 'Identifier' || !Object.hasOwn(formulaFunctions, name)) {
    throw refusal(`there is no function ${name}; there are ${Object.keys(formulaFunctions).join(', ')}`, scope.text)
  }
  const { takes, of } = formulaFunctions[name]!
  if (given.length < takes[0] || given.length > takes[1]) throw refusal(`${name} takes ${takes.join(' to ')} arguments`, scope.text)
  const values = given.map((it) => operand(it, scope))
  return (variables) => of(...values.map((value) => value(variables)))
}

function unary({ operator, argument }: jsep.UnaryExpression, scope: Scope): Compiled {
  const value = operand(argument, scope)
  if (operator === '!') return (variables) => !value(variables)
  if (operator === '-') return (variables) => arithmetic((x, y) => x - y)(0, value(variables))
  throw refusal(`there is no ${operator} before a value`, scope.text)
}

function binary({ operator, left, right }: jsep.BinaryExpression, scope: Scope): Compiled {
  const [a, b] = [operand(left, scope), operand(right, scope)]
  if (operator === '&&') return (variables) => Boolean(a(variables)) && Boolean(b(variables))
  if (operator === '||') return (variables) => Boolean(a(variables)) || Boolean(b(variables))
  if (!Object.hasOwn(operations, operator)) throw refusal(`there is no operator ${operator}`, scope.text)
  const operation = operations[operator]!
  return (variables) => operation(a(variables), b(variables))
}

function choice({ test, consequent, alternate }: jsep.ConditionalExpression, scope: Scope): Compiled {
  const condition = operand(test, scope)
  const [then, otherwise] = [compile(consequent, scope), compile(alternate, scope)]
  return (variables) => (condition(variables) ? then(variables) : otherwise(variables))
}

const operations: Record<string, (a: Value, b: Value) => Value> = {
  '+': (a, b) => (typeof a === 'string' || typeof b === 'string' ? joined(a, b) : arithmetic((x, y) => x + y)(a, b)),
  '-': arithmetic((x, y) => x - y),
  '*': arithmetic((x, y) => x * y),
  '/': arithmetic((x, y) => x / y),
  '%': arithmetic((x, y) => x % y),
  '==': equal,
  '!=': (a, b) => !equal(a, b),
  '<': (a, b) => compared(a, b) < 0,
  '<=': (a, b) => compared(a, b) <= 0,
  '>': (a, b) => compared(a, b) > 0,
  '>=': (a, b) => compared(a, b) >= 0,
}

function joined(a: Value, b: Value): Value {
  return a === null || b === null ? null : `${a}${b}`
}

function equal(a: Value, b: Value): boolean {
  return a === b || compared(a, b) === 0
}

function arithmetic(operation: (x: number, y: number) => number): (a: Value, b: Value) => Value {
  return (a, b) => {
    if (a === null || b === null) return null
    const result = operation(numeric(a), numeric(b))
    return Number.isFinite(result) ? result : null
  }
}

function operand(node: jsep.Expression | null, scope: Scope): (variables: Variables) => Value {
  if (node === null) throw refusal('a list has a gap', scope.text)
  const worth = compile(node, scope)
  return (variables) => single(worth(variables), scope.text)
}

function single(worth: Worth, text: string): Value {
  if (Array.isArray(worth)) throw new Error(`The expression ${text} uses a list where one value is needed.`)
  return worth
}

function refusal(reason: string, text: string): Error {
  return new Error(`The expression ${text} cannot be used: ${reason}.`)
}
