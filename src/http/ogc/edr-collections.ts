import { Type, type Static } from '@sinclair/typebox'
import type { App } from '../../app.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Field } from '../../catalog/records.ts'
import { usEnvelope } from '../../geo/us.ts'
import { ApiError } from '../../model/error.ts'
import { edrParameterOf } from '../../ogc/edr-parameters.ts'
import { ogcExtentOf, OgcExtent, OgcLink } from './ogc-documents.ts'
import { unionOfExtents } from '../../geo/boxes.ts'

/** The path of OGC API – EDR. */
export const edrRoot = '/edr'

/** The formats of answers: their names in the parameter `f`, and their media types. */
export const edrFormats = {
  CoverageJSON: 'application/prs.coverage+json',
  GeoJSON: 'application/geo+json',
} as const
export type EdrFormat = keyof typeof edrFormats

/** The units of the radius of a query, in meters. */
export const radiusUnits_m: Readonly<Record<string, number>> = { km: 1000, m: 1, mi: 1609.344 }

/** A named list of fields: a layer or a preset of the catalog. */
export interface EdrCollection {
  id: string
  title: string
  description: string
  fields: Field[]
}

/** The variables of a query: what a client has to know to send it. */
const QueryVariables = Type.Object({
  title: Type.String(),
  query_type: Type.String(),
  output_formats: Type.Array(Type.String()),
  default_output_format: Type.String(),
  crs_details: Type.Array(Type.Object({ crs: Type.String(), wkt: Type.String() })),
  within_units: Type.Optional(Type.Array(Type.String())),
})
const DataQuery = Type.Object({
  link: Type.Object({ ...OgcLink.properties, variables: QueryVariables }),
})
const ParameterNames = Type.Record(Type.String(), Type.Object({}, { additionalProperties: true }), {
  description: 'The fields, each with its unit (UCUM) and observed property.',
})

export const EdrCollectionDocument = Type.Object({
  id: Type.String(),
  title: Type.String(),
  description: Type.String(),
  links: Type.Array(OgcLink),
  extent: OgcExtent,
  data_queries: Type.Record(Type.String(), DataQuery),
  crs: Type.Array(Type.String()),
  output_formats: Type.Array(Type.String()),
  parameter_names: ParameterNames,
})
export const EdrCollections = Type.Object({
  collections: Type.Array(EdrCollectionDocument),
  links: Type.Array(OgcLink),
})

/** Returns the collections: one for each layer and each preset. */
export function listEdrCollections({ fields, presets }: Catalog): EdrCollection[] {
  const layers = Map.groupBy(fields.values(), ({ layer }) => layer)
  const ofLayers = [...layers].map(([layer, members]) => ({
    id: `layer-${layer}`,
    title: `Layer ${layer}`,
    description: `The fields of the layer ${layer}.`,
    fields: members,
  }))
  const ofPresets = [...presets].map(([name, preset]) => ({
    id: `preset-${name}`,
    title: `Preset ${name}`,
    description: preset.reason,
    fields: preset.fields.map((field) => fields.get(field)!),
  }))
  return [...ofLayers, ...ofPresets]
}

/** Returns a collection by its id. @throws {ApiError} `not_found` */
export function findEdrCollection(id: string, catalog: Catalog): EdrCollection {
  const found = listEdrCollections(catalog).find((collection) => collection.id === id)
  if (found) return found
  throw new ApiError(
    'not_found',
    `There is no collection ${JSON.stringify(id.slice(0, 100))}. Collections are layer-<layer> and preset-<preset>. GET /edr/collections lists them.`,
  )
}

/** The boxes in which coordinates are answered. */
const servedBoxes = usEnvelope.map(([south, west, north, east]) => ({ west, south, east, north }))
const crs84Wkt =
  'GEOGCS["WGS 84 (CRS84)",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433],AXIS["Longitude",EAST],AXIS["Latitude",NORTH],AUTHORITY["OGC","CRS84"]]'
const queryTitles = {
  position: 'The values at a point or at several points',
  radius: 'The values in a circle',
  area: 'The values in a polygon',
  locations: 'The values at a US street address',
}

/** Returns the document of a collection. */
export function describeEdrCollection(
  { id, title, description, fields }: EdrCollection,
  { config: { base_url } }: Pick<App, 'config'>,
): Static<typeof EdrCollectionDocument> {
  const url = `${base_url}${edrRoot}/collections/${encodeURIComponent(id)}`
  const queries = Object.entries(queryTitles).map(([type, text]) => [
    type,
    {
      link: {
        href: `${url}/${type}`,
        rel: 'data',
        type: edrFormats.CoverageJSON,
        title: text,
        variables: {
          title: text,
          query_type: type,
          output_formats: Object.keys(edrFormats),
          default_output_format: 'CoverageJSON',
          crs_details: [{ crs: 'CRS84', wkt: crs84Wkt }],
          ...(type === 'radius' && { within_units: Object.keys(radiusUnits_m) }),
        },
      },
    },
  ])
  return {
    id,
    title,
    description,
    links: [
      { href: url, rel: 'self', type: 'application/json' },
      ...Object.keys(queryTitles).map((type) => ({
        href: `${url}/${type}`,
        rel: 'data',
        type: edrFormats.CoverageJSON,
      })),
    ],
    extent: ogcExtentOf([unionOfExtents(servedBoxes), ...servedBoxes]),
    data_queries: Object.fromEntries(queries) as Static<typeof EdrCollectionDocument>['data_queries'],
    crs: ['CRS84'],
    output_formats: Object.keys(edrFormats),
    parameter_names: Object.fromEntries(
      fields.map((field) => [field.name, edrParameterOf(field, `${base_url}/catalog.jsonld`)]),
    ),
  }
}
