import { unitSystems } from '../../ask/answer/display-units.ts'
import { unknownFieldPolicies } from '../../fetch/catalog/select.ts'
import { runKinds } from '../../runs/run-kind.ts'

/** A parameter of an operation: its description, or with it the schema, if the name alone does not give it. */
export type ParameterDoc = string | { description: string; schema: object }

const integer = { type: 'integer', minimum: 0 }
const boolean = { type: 'boolean' }
const names = { type: 'array', items: { type: 'string' } }
const date = { type: 'string', format: 'date' }

/** The schemas of parameters that are no plain text, by where they are and their names. */
const schemas: Readonly<Record<string, object>> = {
  'path index': integer,
  'path x': integer,
  'path z': integer,
  'query bbox': { type: 'array', items: { type: 'number' } },
  'query fields': names,
  'query fresh': boolean,
  'query from': date,
  'query header_row': integer,
  'query include': names,
  'query include_parcel': boolean,
  'query kind': { type: 'string', enum: Object.keys(runKinds) },
  'query limit': integer,
  'query on_unknown': { type: 'string', enum: [...unknownFieldPolicies] },
  'query parameter-name': names,
  'query status': { type: 'string', enum: ['ok', 'failed'] },
  'query to': date,
  'query units': { type: 'string', enum: [...unitSystems] },
  'query view': { type: 'string', enum: ['summary'] },
  'query west': boolean,
  'query within': { type: 'number' },
}

/** Returns the OpenAPI parameters with these descriptions. A list is one text with commas. */
export function parametersIn(location: 'path' | 'query' | 'header', docs: Record<string, ParameterDoc> = {}) {
  return Object.entries(docs).map(([name, doc]) => {
    const { description, schema } =
      typeof doc === 'string' ? { description: doc, schema: schemas[`${location} ${name}`] ?? { type: 'string' } } : doc
    const isList = 'type' in schema && schema.type === 'array'
    return {
      name,
      in: location,
      required: location === 'path',
      description,
      ...(isList && { style: 'form', explode: false }),
      schema,
    }
  })
}
