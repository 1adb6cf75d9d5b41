import { Type, type Static } from '@sinclair/typebox'
import { parseGeoJsonGeometry } from '../geo/geometry.ts'
import { UpstreamError, type UpstreamCode, schemaChangedError } from '../model/error.ts'
import { compileJsonPath, compilePathMatcher } from '../model/json-path.ts'
import type { Place } from '../model/place.ts'
import { plainPropertiesOf } from '../model/record.ts'
import { literals, nullable } from '../model/schema.ts'
import type { Budget, Geometry, Properties, Sources, Value } from '../model/source.ts'
import type { FieldContext } from './fetch.ts'
import { otherCountyReason } from './parcel-fields.ts'
import type { DatasetHandle, SourceOption } from './source-registry.ts'

/** A parcel as its provider describes it. */
export const Parcel = Type.Object({
  apn: nullable('string'),
  address: nullable('string'),
  county_fips: nullable('string'),
  acres: nullable('number'),
  land_use_code: nullable('string'),
  land_use_description: nullable('string'),
  zoning: nullable('string'),
  year_built: nullable('number'),
  provider: Type.String(),
})
export type Parcel = Static<typeof Parcel>

/** Why an answer has no parcel. */
export const ParcelUnavailableReason = literals([
  'not_requested',
  'provider_not_configured',
  'quota_exhausted',
  'provider_error',
  'timeout',
  'no_parcel_at_point',
  'coarse_geocode',
])
export type ParcelUnavailableReason = Static<typeof ParcelUnavailableReason>

const datasetId = 'regrid_parcels'

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
  parse: (document: unknown, option: SourceOption) => T | null,
): Promise<T | ParcelUnavailableReason> {
  const handle = registry.dataset(datasetId)
  const { options } = handle
  if (options.length === 0) return 'provider_not_configured'
  if (!isCovered(handle, place)) return 'no_parcel_at_point'
  const budget: Budget = { signal, ...(onBilledCall && { onBilledCall }) }
  onSourceUsage?.([{ source: handle.dataset.service, fields: 0 }])
  let reason: ParcelUnavailableReason = 'no_parcel_at_point'
  for (const option of options.filter(({ covers }) => covers(place))) {
    try {
      return parse(await queryDocument(option, place, budget), option) ?? 'no_parcel_at_point'
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
  if (code === 'timeout' || code === 'quota_exhausted') return code
  return 'provider_error'
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

function parseOutline(document: unknown): ParcelOutline | null {
  const record = parcelRecordOf(document)
  if (!record) return null
  const { polygons } = parseGeoJsonGeometry(findParcelGeometry(document)[0])
  if (polygons.length === 0) throw schemaChangedError(['parcels.features[0].geometry'], [])
  return { polygons, county_fips: textOf(record, 'geoid') }
}

function parseParcel(document: unknown, { driver }: SourceOption): Parcel | null {
  const record = parcelRecordOf(document)
  if (!record) return null
  const properties = plainPropertiesOf(findParcelProperties(document)[0])
  return {
    apn: textOf(record, 'parcelnumb'),
    address: textOf(properties, 'headline') ?? textOf(record, 'address'),
    county_fips: textOf(record, 'geoid'),
    acres: numberOf(record, 'll_gisacre'),
    land_use_code: textOf(record, 'usecode'),
    land_use_description: textOf(record, 'usedesc'),
    zoning: textOf(record, 'zoning'),
    // Regrid writes 0 for an unknown year.
    year_built: numberOf(record, 'yearbuilt') || null,
    provider: driver === 'pack' ? 'pack' : 'regrid',
  }
}

function textOf(record: Properties, name: string): string | null {
  const value = record[name]
  return typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : null
}

function numberOf(record: Properties, name: string): number | null {
  const value = record[name] === '' || record[name] === null || record[name] === undefined ? NaN : Number(record[name])
  return Number.isFinite(value) ? value : null
}
