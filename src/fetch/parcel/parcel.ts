import { Type, type Static } from '@sinclair/typebox'
import { geoJsonOf } from '../../geo/text/geojson.ts'
import { parseGeoJsonGeometry } from '../../geo/geometry.ts'
import { pointInside } from '../../geo/representative-point.ts'
import { wktOf } from '../../geo/text/wkt-write.ts'
import { UpstreamError, upstreamCodes, type UpstreamCode, schemaChangedError } from '../../model/error.ts'
import { compileJsonPath, compilePathMatcher } from '../../model/json-path.ts'
import type { Place } from '../../model/place.ts'
import { plainPropertiesOf } from '../../model/record.ts'
import { roundTo } from '../../model/round.ts'
import { literals, nullable } from '../../model/schema.ts'
import type { Budget, Geometry, Properties, Sources, Value } from '../../model/source.ts'
import { requireOutlineAt } from '../../operators/features/outline-text.ts'
import type { FieldContext } from '../fetch.ts'
import { otherCountyReason } from './parcel-fields.ts'
import type { DatasetHandle, SourceOption } from '../sources/source-registry.ts'

/** A parcel as its provider describes it. A member that the record lacks is null. */
export const Parcel = Type.Object({
  parcel_id: nullable('string', { description: 'The id of the parcel at its provider.' }),
  apn: nullable('string', { description: "The assessor's parcel number." }),
  address: nullable('string'),
  county_fips: nullable('string'),
  area_m2: nullable('number'),
  geometry: nullable('string', {
    description: 'The outline as GeoJSON text. Your contract with the provider says what you may show to others.',
  }),
  geometry_wkt: nullable('string', { description: 'The outline as well-known text, of all its polygons.' }),
  owner: nullable('string'),
  zoning: nullable('string'),
  land_use: nullable('string'),
  year_built: nullable('number'),
  assessed_value_usd: nullable('number'),
  last_sale_date: nullable('string'),
  last_sale_price_usd: nullable('number'),
  match_type: Type.Literal('contains', { description: 'The parcel contains the point.' }),
  match_distance_m: Type.Number(),
  match_radius_m: Type.Number(),
  source: Type.String(),
  interior_point_lat: nullable('number', { description: 'A point inside the parcel.' }),
  interior_point_lng: nullable('number'),
})
export type Parcel = Static<typeof Parcel>

/** Why an answer has no parcel. The name of the provider stands before what it reports about its quota. */
export const ParcelUnavailableReason = literals([
  'not_requested',
  'provider_not_configured',
  'regrid_quota_exhausted',
  'parcel_lookup_transient_error',
  'parcel_lookup_malformed_response',
  'parcel_match_too_far',
  'no_parcel_at_point',
  'coarse_geocode',
])
export type ParcelUnavailableReason = Static<typeof ParcelUnavailableReason>

/** The dataset of parcels. */
export const parcelDatasetId = 'regrid_parcels'

type ParcelContext = Pick<FieldContext, 'registry' | 'onSourceUsage' | 'onBilledCall'>

/** Returns the parcel that contains the place, from the first option that answers, else the reason. Never retries. */
export function parcelAt(
  place: Place,
  context: ParcelContext,
  budget: Budget,
): Promise<Parcel | ParcelUnavailableReason> {
  return readParcel(place, context, budget, parseParcel)
}

/** The outline of a parcel, and the county in its record. */
export type ParcelOutline = Pick<Geometry, 'polygons'> & Pick<Parcel, 'county_fips'>

/** Returns the outline of the parcel that contains the place, else the reason. The call is that of `parcelAt`. */
export function parcelOutlineAt(
  place: Place,
  context: ParcelContext,
  budget: Budget,
): Promise<ParcelOutline | ParcelUnavailableReason> {
  return readParcel(place, context, budget, parseOutline)
}

async function readParcel<T>(
  place: Place,
  { registry, onSourceUsage, onBilledCall }: ParcelContext,
  { signal }: Budget,
  parse: (document: unknown, at: Place, option: SourceOption) => T | null,
): Promise<T | ParcelUnavailableReason> {
  const handle = registry.dataset(parcelDatasetId)
  const { options } = handle
  if (options.length === 0) return 'provider_not_configured'
  if (!isCovered(handle, place)) return 'no_parcel_at_point'
  const budget: Budget = { signal, ...(onBilledCall && { onBilledCall }) }
  onSourceUsage?.([{ source: handle.dataset.service, fields: 0 }])
  let reason: ParcelUnavailableReason = 'no_parcel_at_point'
  for (const option of options.filter(({ covers }) => covers(place))) {
    try {
      return parse(await queryDocument(option, place, budget), place, option) ?? 'no_parcel_at_point'
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      reason = reasonOf(error.code)
    }
  }
  return reason
}

/** Why a parcel is not attached: it is not that of the point. */
export function otherCountyWarning(parcel: Parcel | ParcelUnavailableReason, countyFips: Value): string | null {
  if (typeof parcel === 'string' || typeof countyFips !== 'string') return null
  const reason = otherCountyReason(parcel.county_fips, countyFips)
  return reason && `${reason} The parcel is not included.`
}

function isCovered({ dataset: { coverage } }: DatasetHandle, { region }: Place): boolean {
  return coverage.regions === 'everywhere' || (region !== null && coverage.regions.includes(region))
}

/** Sends exactly the query of the parcel fields to a provider, so that both share one cache entry and one bill. */
async function queryDocument({ source, remote }: SourceOption, { lat, lng }: Place, budget: Budget): Promise<unknown> {
  const withGeometry = remote === null && { with_geometry: true as const }
  return (source as Sources['document'])({ at: { lat, lng }, ...withGeometry }, budget)
}

function reasonOf(code: UpstreamCode): ParcelUnavailableReason {
  if (code === 'quota_exhausted') return 'regrid_quota_exhausted'
  return upstreamCodes[code].retryable && code !== 'bad_response'
    ? 'parcel_lookup_transient_error'
    : 'parcel_lookup_malformed_response'
}

const findParcelProperties = compileJsonPath('$.parcels.features[0].properties')
const findParcelGeometry = compileJsonPath('$.parcels.features[0].geometry')
const matchParcelFields = compilePathMatcher('$.parcels.features[0].properties.fields')

/** The record of the parcel in a document; null if it has none. */
function parcelRecordOf(document: unknown): Properties | null {
  const { values, gap } = matchParcelFields(document)
  if (gap === 'empty') return null
  if (gap !== null) throw schemaChangedError(['parcels.features[0].properties.fields'], [])
  return plainPropertiesOf(values[0])
}

function parseOutline(document: unknown, at: Place): ParcelOutline | null {
  const record = parcelRecordOf(document)
  if (!record) return null
  const { polygons } = parseGeoJsonGeometry(findParcelGeometry(document)[0])
  if (polygons.length === 0) throw schemaChangedError(['parcels.features[0].geometry'], [])
  requireOutlineAt(polygons, at)
  return { polygons, county_fips: textOf(record, 'geoid') }
}

function parseParcel(document: unknown, at: Place, { driver }: SourceOption): Parcel | null {
  const record = parcelRecordOf(document)
  if (!record) return null
  const properties = plainPropertiesOf(findParcelProperties(document)[0])
  const outline = parseGeoJsonGeometry(findParcelGeometry(document)[0]).polygons
  requireOutlineAt(outline, at)
  const interior = outline.length === 0 ? null : pointInside(outline[0]!.map((ring) => ring.flat()))
  const shape = geoJsonOf({ points: [], lines: [], polygons: outline })
  const acres = numberOf(record, 'll_gisacre')
  return {
    parcel_id: textOf(record, 'll_uuid'),
    apn: textOf(record, 'parcelnumb'),
    address: textOf(properties, 'headline') ?? textOf(record, 'address'),
    county_fips: textOf(record, 'geoid'),
    area_m2: acres === null ? null : roundTo(acres * squareMetersPerAcre, 3),
    geometry: shape && JSON.stringify(shape),
    geometry_wkt: shape && wktOf(shape),
    owner: textOf(record, 'owner'),
    zoning: textOf(record, 'zoning'),
    land_use: textOf(record, 'usedesc') ?? textOf(record, 'usecode'),
    // Regrid writes 0 for an unknown year, value or price.
    year_built: numberOf(record, 'yearbuilt') || null,
    assessed_value_usd: numberOf(record, 'parval') || null,
    last_sale_date: textOf(record, 'saledate'),
    last_sale_price_usd: numberOf(record, 'saleprice') || null,
    match_type: 'contains',
    match_distance_m: 0,
    match_radius_m: 0,
    source: driver === 'pack' ? 'pack' : 'regrid',
    interior_point_lat: interior?.lat ?? null,
    interior_point_lng: interior?.lng ?? null,
  }
}

const squareMetersPerAcre = 4046.8564224

function textOf(record: Properties, name: string): string | null {
  const value = record[name]
  return typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : null
}

function numberOf(record: Properties, name: string): number | null {
  const value = record[name] === '' || record[name] === null || record[name] === undefined ? NaN : Number(record[name])
  return Number.isFinite(value) ? value : null
}
