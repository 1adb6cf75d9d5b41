import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import openapiTS, { astToString } from 'openapi-typescript'
import { apiDocument, clientMethods, type ClientMethod, type Parameter, type Schema } from './api.ts'

/** Returns the TypeScript client: the types of the document, and a class with a method for each operation. */
export async function typescriptClient(): Promise<string> {
  const base = readFileSync(join(import.meta.dir, 'base.ts.txt'), 'utf8')
  const { components } = apiDocument
  const ast = await openapiTS({ openapi: '3.1.0', info: { title: '', version: '' }, paths: {}, components } as never, {
    exportType: true,
  })
  const types = astToString(ast).replace(/^export type (paths|webhooks|operations|\$defs) = .*;\n/gm, '')
  const methods = clientMethods.map(methodText).join('\n\n')
  return base.replace('  // METHODS', methods).replace('// TYPES', types.trim())
}

function methodText(method: ClientMethod): string {
  const { name, path, parameters, body, takesCsv, answers, isFile, summary } = method
  const inPath = parameters.filter((it) => it.in === 'path')
  const others = parameters.filter((it) => it.in !== 'path')
  const bodyType = body && `${typeOf(body)}${takesCsv ? ' | string' : ''}`
  const args = [
    ...inPath.map((it) => `${it.name}: ${typeOf(it.schema)}`),
    ...(bodyType ? [`body: ${bodyType}`] : []),
    ...(others.length > 0 ? [`options: { ${others.map(optionText).join('; ')} } = {}`] : []),
  ]
  const answer = isFile ? 'Response' : answers.length > 0 ? answers.map(typeOf).join(' | ') : 'void'
  const url = `\`${path.replaceAll(/\{(\w+)\}/g, '${encodeURIComponent($1)}')}\``
  const headers = others.filter((it) => it.in === 'header').map((it) => `'${it.name}'`)
  const parts = [
    ...(bodyType ? ['body'] : []),
    ...(others.length > 0 ? ['options'] : []),
    ...(headers.length > 0 ? [`headers: [${headers.join(', ')}]`] : []),
    ...(isFile ? ['isFile: true'] : []),
  ]
  const sent = parts.length > 0 ? `, { ${parts.join(', ')} }` : ''
  return `  /** ${summary}. */
  ${camelCase(name)}(${args.join(', ')}): Promise<${answer}> {
    return this.#send<${answer}>('${method.method}', ${url.includes('$') ? url : `'${path}'`}${sent})
  }`
}

function optionText({ name, schema }: Parameter): string {
  return `${/^\w+$/.test(name) ? name : `'${name}'`}?: ${typeOf(schema)}`
}

/** The type of a parameter or a body. Schemas of components have names. */
function typeOf(schema: Schema): string {
  if (schema.$ref) return `Schemas['${schema.$ref.split('/').at(-1)}']`
  if (schema.enum) return schema.enum.map((it) => `'${it}'`).join(' | ')
  if (schema.type === 'array') return `${typeOf(schema.items!)}[]`
  return schema.type === 'integer' ? 'number' : String(schema.type ?? 'unknown')
}

function camelCase(name: string): string {
  return name.replaceAll(/_+(\w)/g, (_, letter: string) => letter.toUpperCase())
}
