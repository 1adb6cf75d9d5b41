import { ResourceNotFoundError, ResourceTemplate, type McpServer } from '@modelcontextprotocol/server'
import type { App } from '../app.ts'
import { usBox } from '../geo/us.ts'
import { fieldSummaryOf, fieldDetailOf } from './catalog-tools.ts'

const jsonType = 'application/json'
const catalogCacheHint = { ttlMs: 3_600_000, cacheScope: 'public' } as const

/** Adds the catalog as resources: all fields, all presets, each field and preset, and the served area. */
export function addResources(server: McpServer, { snapshot }: Pick<App, 'snapshot'>): void {
  const fields = 'Name, layer, type and unit of every field.'
  server.registerResource('fields', 'fieldstone://fields', describe('All fields', fields), (uri) => {
    const { catalog } = snapshot()
    const rows = [...catalog.fields.values()].map((field) => [field.name, field.layer, field.type, field.unit])
    const columns = ['name', 'layer', 'type', 'unit']
    return resourceOf(uri, { catalog_version: catalog.version, columns, fields: rows })
  })
  const presets = 'Named selections of fields.'
  server.registerResource('presets', 'fieldstone://presets', describe('All presets', presets), (uri) => {
    const { catalog } = snapshot()
    const entries = [...catalog.presets].map(([name, { reason, fields }]) => [name, { reason, fields }])
    return resourceOf(uri, { catalog_version: catalog.version, presets: Object.fromEntries(entries) })
  })
  const envelope = 'The box around all places that are served, in degrees.'
  server.registerResource('envelope', 'fieldstone://envelope', describe('The served area', envelope), (uri) =>
    resourceOf(uri, { us_envelope: usBox }),
  )
  addTemplates(server, snapshot)
}

function addTemplates(server: McpServer, snapshot: App['snapshot']): void {
  const fields = new ResourceTemplate('fieldstone://fields/{name}', { list: undefined })
  server.registerResource(
    'field',
    fields,
    describe('A field', 'The full description of one field.'),
    (uri, { name }) => {
      const { catalog } = snapshot()
      const field = catalog.fields.get(String(name))
      if (!field) throw new ResourceNotFoundError(uri.href)
      return resourceOf(uri, fieldDetailOf(field, catalog))
    },
  )
  const presets = new ResourceTemplate('fieldstone://presets/{name}', { list: undefined })
  const description = 'The fields of one preset with a short description of each.'
  server.registerResource('preset', presets, describe('A preset', description), (uri, { name }) => {
    const { catalog } = snapshot()
    const preset = catalog.presets.get(String(name))
    if (!preset) throw new ResourceNotFoundError(uri.href)
    const { reason, fields } = preset
    return resourceOf(uri, { name, reason, fields: fields.map((it) => fieldSummaryOf(catalog.fields.get(it)!)) })
  })
}

function describe(title: string, description: string) {
  return { title, description, mimeType: jsonType, cacheHint: catalogCacheHint }
}

function resourceOf(uri: URL, value: unknown) {
  return { contents: [{ uri: uri.href, mimeType: jsonType, text: JSON.stringify(value) }] }
}
