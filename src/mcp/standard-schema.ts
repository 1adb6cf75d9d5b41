import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import type { TObject } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'

const issuesMax = 20

/** Wraps a TypeBox schema as a Standard Schema, the form that the MCP library accepts. Compiles it once. */
export function standardSchemaOf(schema: TObject): StandardSchemaWithJSON<Record<string, unknown>> {
  const compiled = TypeCompiler.Compile(schema)
  const toJsonSchema = () => JSON.parse(JSON.stringify(schema)) as Record<string, unknown>
  return {
    '~standard': {
      version: 1,
      vendor: 'fieldstone',
      validate(value) {
        if (compiled.Check(value)) return { value }
        return {
          issues: Iterator.from(compiled.Errors(value))
            .take(issuesMax)
            .map(({ path, message }) => ({ message, path: path.split('/').slice(1) }))
            .toArray(),
        }
      },
      jsonSchema: { input: toJsonSchema, output: toJsonSchema },
    },
  }
}
