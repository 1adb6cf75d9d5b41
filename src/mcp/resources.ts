import { ResourceNotFoundError, ResourceTemplate, type McpServer } from '@modelcontextprotocol/server'
import type { App } from '../app.ts'
import { usBox } from '../geo/us.ts'
import { fieldSummaryOf, fieldDetailOf } from './catalog-tools.ts'

const jsonType = 'application/json'
const catalogCacheHint = { ttlMs: 3_600_000, cacheScope: 'public' } as const

/** Adds the catalog as resources: all fields, all presets, each field and preset, and the served area. */
export function addResources(server: McpServer, { snapshot }: Pick<App, 'snapshot'>): void {
  addLists(server, snapshot)
  addEnvelope(server)
  addTemplates(server, snapshot)
}

function resourceOf(uri: URL, value: unknown) {
  return { contents: [{ uri: uri.href, mimeType: jsonType, text: JSON.stringify(value) }] }
}

function addLists(server: McpServer, snapshot: App['snapshot']): void {
  server.registerResource(
    'fields',
    'fieldstone://fields',
    {
      title: 'All fields',
      description: 'Name, layer, type and unit of every field.',
      mimeType: jsonType,
      cacheHint: catalogCacheHint,
    },
    (uri) => {
      const { catalog } = snapshot()
      const fields = [...catalog.fields.values()].map((field) => [field.name, field.layer, field.type, field.unit])
      return resourceOf(uri, { catalog_version: catalog.version, columns: ['name', 'layer', 'type', 'unit'], fields })
    },
  )
  server.registerResource(
    'presets',
    'fieldstone://presets',
    {
      title: 'All presets',
      description: 'Named selections of fields.',
      mimeType: jsonType,
      cacheHint: catalogCacheHint,
    },
    (uri) => {
      const { catalog } = snapshot()
      return resourceOf(uri, {
        catalog_version: catalog.version,
        presets: Object.fromEntries(
          [...catalog.presets].map(([name, { reason, fields }]) => [name, { reason, fields }]),
        ),
      })
    },
  )
}

function addEnvelope(server: McpServer): void {
  server.registerResource(
    'envelope',
    'fieldstone://envelope',
    {
      title: 'The served area',
      description: 'The box around all places that are served, in degrees.',
      mimeType: jsonType,
      cacheHint: catalogCacheHint,
    },
    (uri) => resourceOf(uri, { us_envelope: usBox }),
  )
}

function addTemplates(server: McpServer, snapshot: App['snapshot']): void {
  server.registerResource(
    'field',
    new ResourceTemplate('fieldstone://fields/{name}', { list: undefined }),
    {
      title: 'A field',
      description: 'The full description of one field.',
      mimeType: jsonType,
      cacheHint: catalogCacheHint,
    },
    (uri, { name }) => {
      const { catalog } = snapshot()
      const field = catalog.fields.get(String(name))
      if (!field) throw new ResourceNotFoundError(uri.href)
      return resourceOf(uri, fieldDetailOf(field, catalog))
    },
  )
  server.registerResource(
    'preset',
    new ResourceTemplate('fieldstone://presets/{name}', { list: undefined }),
    {
      title: 'A preset',
      description: 'The fields of one preset with a short description of each.',
      mimeType: jsonType,
      cacheHint: catalogCacheHint,
    },
    (uri, { name }) => {
      const { catalog } = snapshot()
      const preset = catalog.presets.get(String(name))
      if (!preset) throw new ResourceNotFoundError(uri.href)
      return resourceOf(uri, {
        name,
        reason: preset.reason,
        fields: preset.fields.map((it) => fieldSummaryOf(catalog.fields.get(it)!)),
      })
    },
  )
}
