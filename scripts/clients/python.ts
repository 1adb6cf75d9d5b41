import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { apiDocument, clientMethods, type ClientMethod, type Parameter, type Schema } from './api.ts'

/** Returns the Python client: a TypedDict for each object of the document, and a class with a method per operation. */
export function pythonClient(): string {
  const base = readFileSync(join(import.meta.dir, 'base.py.txt'), 'utf8')
  const types = Object.entries(apiDocument.components.schemas).flatMap(([name, schema]) => definitionsOf(name, schema))
  return base
    .replace('    # METHODS', clientMethods.map(methodText).join('\n\n'))
    .replace('# TYPES', types.join('\n\n'))
}

function methodText({
  name,
  method,
  path,
  summary,
  parameters,
  body,
  takesCsv,
  answers,
  isFile,
}: ClientMethod): string {
  const inPath = parameters.filter((it) => it.in === 'path')
  const others = parameters.filter((it) => it.in !== 'path')
  const bodyType = body && `${typeOf(body, '', [])}${takesCsv ? ' | str' : ''}`
  const args = [
    'self',
    ...inPath.map((it) => `${it.name}: ${typeOf(it.schema, '', [])}`),
    ...(bodyType ? [`body: ${bodyType}`] : []),
    ...(others.length > 0
      ? ['*', ...others.map((it) => `${argumentOf(it)}: ${typeOf(it.schema, '', [])} | None = None`)]
      : []),
  ]
  const answer = isFile ? 'bytes' : answers.length > 0 ? answers.map((it) => typeOf(it, '', [])).join(' | ') : 'None'
  const dict = (location: string) =>
    `{${others
      .filter((it) => it.in === location)
      .map((it) => `"${it.name}": ${argumentOf(it)}`)
      .join(', ')}}`
  const sent = [
    `"${method}"`,
    inPath.length > 0 ? `f"${path.replaceAll(/\{(\w+)\}/g, "{quote(str($1), safe='')}")}"` : `"${path}"`,
    ...(bodyType ? ['body=body'] : []),
    ...(others.some((it) => it.in === 'query') ? [`query=${dict('query')}`] : []),
    ...(others.some((it) => it.in === 'header') ? [`headers=${dict('header')}`] : []),
    ...(isFile ? ['is_file=True'] : []),
  ]
  return `    def ${name}(${args.join(', ')}) -> ${answer}:\n        """${summary}."""\n        return self._send(${sent.join(', ')})`
}

function argumentOf({ name }: Parameter): string {
  const argument = name.toLowerCase().replaceAll(/\W/g, '_')
  return keywords.has(argument) ? `${argument}_` : argument
}

const keywords: ReadonlySet<string> = new Set([
  'from',
  'in',
  'is',
  'class',
  'global',
  'import',
  'not',
  'or',
  'and',
  'pass',
])

/** The definition of a schema, after those of the objects inside it. */
function definitionsOf(name: string, schema: Schema): string[] {
  const inner: string[] = []
  if (schema.properties && Object.keys(schema.properties).length > 0) {
    const own = typedDict(name, schema, inner)
    return [...inner, own]
  }
  const type = typeOf(schema, name, inner)
  return [...inner, `${name}: TypeAlias = ${JSON.stringify(type)}`]
}

function typedDict(name: string, { properties = {}, required = [] }: Schema, inner: string[]): string {
  const members = Object.entries(properties).map(([member, schema]) => {
    const type = typeOf(schema, `${name}${pascalCase(member)}`, inner)
    return [member, required.includes(member) ? type : `NotRequired[${type}]`] as const
  })
  if (members.every(([member]) => /^[a-z_]\w*$/i.test(member) && !keywords.has(member)))
    return `class ${name}(TypedDict):\n${members.map(([member, type]) => `    ${member}: ${type}`).join('\n')}`
  return `${name} = TypedDict("${name}", {${members.map(([member, type]) => `${JSON.stringify(member)}: ${JSON.stringify(type)}`).join(', ')}})`
}

/** The type of a schema. The definitions of objects in it are added to `inner`, under names that begin with `name`. */
function typeOf(schema: Schema, name: string, inner: string[]): string {
  if (schema.$ref) return schema.$ref.split('/').at(-1)!
  if (schema.const !== undefined) return `Literal[${pythonValue(schema.const)}]`
  if (schema.enum) return `Literal[${schema.enum.map(pythonValue).join(', ')}]`
  if (schema.anyOf) return unionOf(schema.anyOf.map((it, i) => typeOf(it, `${name}${i + 1}`, inner)))
  if (Array.isArray(schema.type)) return unionOf(schema.type.map((type) => simpleTypes[type] ?? 'Any'))
  if (schema.type === 'array') return `list[${schema.items ? typeOf(schema.items, `${name}Item`, inner) : 'Any'}]`
  if (schema.properties && Object.keys(schema.properties).length > 0 && name !== '') {
    inner.push(typedDict(name, schema, inner))
    return name
  }
  if (typeof schema.additionalProperties === 'object')
    return `dict[str, ${typeOf(schema.additionalProperties, `${name}Value`, inner)}]`
  return simpleTypes[schema.type ?? ''] ?? 'Any'
}

const simpleTypes: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
  object: 'dict[str, Any]',
}

/** Literals of one union are joined. */
function unionOf(types: string[]): string {
  const literals = types.flatMap((type) => /^Literal\[(.*)\]$/.exec(type)?.[1] ?? [])
  const others = types.filter((type) => !type.startsWith('Literal['))
  return [...new Set([...(literals.length > 0 ? [`Literal[${literals.join(', ')}]`] : []), ...others])].join(' | ')
}

function pythonValue(value: string | number | boolean): string {
  return typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value)
}

function pascalCase(name: string): string {
  return name
    .split(/[^a-z0-9]+/i)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('')
}
