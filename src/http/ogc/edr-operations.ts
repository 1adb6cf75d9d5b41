import { Type } from '@sinclair/typebox'
import { batchLocationsMax } from '../../fetch/batch.ts'
import type { ApiCode } from '../../model/error.ts'
import { EdrCollectionDocument, EdrCollections, edrFormats, edrRoot, radiusUnits_m } from './edr-collections.ts'
import { geocodeErrorCodes } from '../places/geocode.ts'
import { ogcDocumentOperations, type OgcInterface } from './ogc-documents.ts'
import { defineOperations } from '../request/operation.ts'

/** OGC API – EDR. */
export const edrInterface: OgcInterface = {
  root: edrRoot,
  title: 'Fieldstone values',
  description: 'Named fields for any US coordinate.',
  conformsTo: [
    'http://www.opengis.net/spec/ogcapi-common-1/1.0/conf/core',
    'http://www.opengis.net/spec/ogcapi-common-2/1.0/conf/collections',
    ...['core', 'collections', 'json', 'geojson', 'covjson', 'queries'].map(
      (name) => `http://www.opengis.net/spec/ogcapi-edr-1/1.1/conf/${name}`,
    ),
  ],
}
const documents = { scope: 'fetch', limits: 'minute' } as const
const collectionPath = { collection: 'The collection, such as `layer-terrain` or `preset-flood_risk`.' }
const commonQuery = {
  'parameter-name': 'Names of fields of the collection, comma-separated, at most 50. Default: all that are not billed.',
  datetime: 'A time or an interval. The values have no time, so it does not change the answer.',
  crs: '`CRS84`, the only coordinate system.',
  f: '`CoverageJSON` (the default) or `GeoJSON`.',
}
const Coverage = Type.Object(
  {},
  { additionalProperties: true, description: 'A coverage (CoverageJSON), or GeoJSON features.' },
)
const values = {
  scope: 'fetch',
  responses: { 200: Coverage },
  media: { 200: Object.values(edrFormats) },
} as const
const valueErrorCodes: ApiCode[] = [
  'not_found',
  'coord_out_of_bounds',
  'fields_unknown',
  'fields_too_many',
  'fetch_busy',
]
const statusText =
  'A value that is missing is null. The member `fieldstone:results` has the status, source and vintage of each value, and why it is missing.'
const areaText =
  'Each parameter has one value for the area, which `measurementType.method` describes, such as the mean or the class with the largest share. `fieldstone:results` has all of the answer, as POST /v1/areas.'

export const edrOperations = defineOperations('OGC API – EDR', {
  ...ogcDocumentOperations(
    edrInterface,
    documents,
    'OGC API – Environmental Data Retrieval: the fields of the catalog at points and in areas.',
  ),
  [`GET ${edrRoot}/collections`]: {
    ...documents,
    summary: 'List the collections',
    description: 'One collection for each layer and each preset of the catalog.',
    responses: { 200: EdrCollections },
  },
  [`GET ${edrRoot}/collections/{collection}`]: {
    ...documents,
    summary: 'Describe a collection',
    description: 'Its parameters with their units, and the queries that it answers.',
    path: collectionPath,
    responses: { 200: EdrCollectionDocument },
    errorCodes: ['not_found'],
  },
  [`GET ${edrRoot}/collections/{collection}/position`]: {
    ...values,
    errorCodes: valueErrorCodes,
    summary: 'Get the values at a point or at several points',
    description: statusText,
    path: collectionPath,
    query: {
      coords: `POINT or MULTIPOINT, longitude first, such as \`POINT(-104.99 39.74)\`. At most ${batchLocationsMax} points. Equal points are answered once.`,
      z: 'A height. The values have none, so it does not change the answer.',
      ...commonQuery,
    },
  },
  [`GET ${edrRoot}/collections/{collection}/radius`]: {
    ...values,
    errorCodes: valueErrorCodes,
    summary: 'Get the values in a circle',
    description: areaText,
    path: collectionPath,
    query: {
      coords: 'The center: a POINT.',
      within: 'The radius.',
      'within-units': `The unit of the radius: ${Object.keys(radiusUnits_m).join(', ')}.`,
      z: 'A height. It does not change the answer.',
      ...commonQuery,
    },
  },
  [`GET ${edrRoot}/collections/{collection}/area`]: {
    ...values,
    errorCodes: valueErrorCodes,
    summary: 'Get the values in a polygon',
    description: areaText,
    path: collectionPath,
    query: {
      coords: 'POLYGON or MULTIPOLYGON, longitude first.',
      z: 'A height. It does not change the answer.',
      ...commonQuery,
    },
  },
  [`GET ${edrRoot}/collections/{collection}/locations`]: {
    ...documents,
    summary: 'List the locations',
    description: 'Every US street address is a location. They are too many to list, so the list is empty.',
    path: collectionPath,
    responses: { 200: Coverage },
    media: { 200: edrFormats.GeoJSON },
    errorCodes: ['not_found'],
  },
  [`GET ${edrRoot}/collections/{collection}/locations/{address}`]: {
    ...values,
    summary: 'Get the values at a street address',
    description: `${statusText} Other programs may log the address, because it is in the URL.`,
    path: { ...collectionPath, address: 'A US street address.' },
    query: commonQuery,
    errorCodes: [...valueErrorCodes, ...geocodeErrorCodes],
  },
})
