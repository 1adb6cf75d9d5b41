import { Type, type Static } from '@sinclair/typebox'
import type { FieldContext } from '../fetch/fetch.ts'
import { otherCountyReason } from '../fetch/parcel-fields.ts'
import type { DatasetHandle, SourceOption } from '../fetch/source-registry.ts'
import { UpstreamError, type UpstreamCode } from '../model/error.ts'
import { compileJsonPath, compilePathMatcher } from '../model/json-path.ts'
import { schemaChangedError } from '../model/schema-changed.ts'
import type { Place } from '../model/place.ts'
import { plainPropertiesOf } from '../model/record.ts'
import { literals, nullable } from '../model/schema.ts'
import type { Budget, Properties, Sources, Value } from '../model/source.ts'

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

/** Returns the parcel that contains the place, from the first option that answers, else the reason. Never retries. */
export async function parcelAt(
  place: Place,
  { registry, onSourceUsage, onBilledCall }: Pick<FieldContext, 'registry' | 'onSourceUsage' | 'onBilledCall'>,
  { signal }: Budget,
): Promise<Parcel | ParcelUnavailableReason> {
  const handle = registry.dataset(datasetId)
  const { options } = handle
  if (options.length === 0) return 'provider_not_configured'
  if (!isCovered(handle, place)) return 'no_parcel_at_point'
  const budget: Budget = { signal, ...(onBilledCall && { onBilledCall }) }
  onSourceUsage?.([{ source: handle.dataset.service, fields: 0 }])
  let reason: ParcelUnavailableReason = 'no_parcel_at_point'
  for (const option of options.filter(({ covers }) => covers(place))) {
    try {
      return parseParcel(await queryDocument(option, place, budget), option) ?? 'no_parcel_at_point'
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

/** Sends exactly the query of the parcel fields, so that both share one cache entry. */
async function queryDocument({ source }: SourceOption, { lat, lng }: Place, budget: Budget): Promise<unknown> {
  return (source as Sources['document'])({ at: { lat, lng } }, budget)
}

function reasonOf(code: UpstreamCode): ParcelUnavailableReason {
  if (code === 'timeout' || code === 'quota_exhausted') return code
  return 'provider_error'
}

const findParcelProperties = compileJsonPath('$.parcels.features[0].properties')
const matchParcelFields = compilePathMatcher('$.parcels.features[0].properties.fields')

function parseParcel(document: unknown, { driver }: SourceOption): Parcel | null {
  const { values, gap } = matchParcelFields(document)
  if (gap === 'empty') return null
  if (gap !== null) throw schemaChangedError(['parcels.features[0].properties.fields'], [])
  const properties = plainPropertiesOf(findParcelProperties(document)[0])
  const record = plainPropertiesOf(values[0])
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
