import type { Desk } from '../fetch/fetch.ts'
import type { Shelf, Way } from '../fetch/library.ts'
import { UpstreamError, type UpstreamCode } from '../model/error.ts'
import { finderOf } from '../model/json-path.ts'
import type { Place } from '../model/place.ts'
import { recordOf } from '../model/record.ts'
import type { Budget, Properties, Sources } from '../model/source.ts'

/** The parcel at a place, as its provider has it. */
export type Parcel = {
  apn: string | null
  address: string | null
  county_fips: string | null
  acres: number | null
  land_use_code: string | null
  land_use_description: string | null
  zoning: string | null
  year_built: number | null
  provider: string
}

/** Why no parcel is attached. */
export const unavailableReasons = ['not_requested', 'provider_not_configured', 'quota_exhausted', 'provider_error', 'timeout', 'no_parcel_at_point', 'coarse_geocode'] as const
/** One reason why no parcel is attached. */
export type UnavailableReason = (typeof unavailableReasons)[number]

const dataset = 'regrid_parcels'

/** The parcel that holds the place, by the first way that has an answer: one question to each at most, and never a second. */
export async function parcelAt(place: Place, { library, answered, billed }: Pick<Desk, 'library' | 'answered' | 'billed'>, { signal }: Budget): Promise<Parcel | UnavailableReason> {
  const shelf = library.shelf(dataset)
  const { ways } = shelf
  if (ways.length === 0) return 'provider_not_configured'
  if (!isCovered(shelf, place)) return 'no_parcel_at_point'
  const budget: Budget = { signal, ...(billed && { billed }) }
  answered?.([{ source: shelf.dataset.service, fields: 0 }])
  let reason: UnavailableReason = 'no_parcel_at_point'
  for (const way of ways.filter(({ covers }) => covers(place))) {
    try {
      return parcelIn(await documentOf(way, place, budget), way) ?? 'no_parcel_at_point'
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      reason = reasonOf(error.code)
    }
  }
  return reason
}

function isCovered({ dataset: { coverage } }: Shelf, { region }: Place): boolean {
  return coverage.regions === 'everywhere' || (region !== null && coverage.regions.includes(region))
}

/** Asked in the very form of the parcel fields, so that they and this share what is kept. */
function documentOf({ source }: Way, { lat, lng }: Place, budget: Budget): Promise<unknown> {
  return (source as Sources['document'])({ at: { lat, lng } }, budget)
}

function reasonOf(code: UpstreamCode): UnavailableReason {
  if (code === 'timeout' || code === 'quota_exhausted') return code
  return 'provider_error'
}

const findFeature = finderOf('$.parcels.features[0].properties')
const findFields = finderOf('$.parcels.features[0].properties.fields')

function parcelIn(document: unknown, { driver }: Way): Parcel | null {
  const fields = findFields(document)?.[0]
  if (fields === undefined || fields === null) return null
  const about = recordOf(findFeature(document)?.[0])
  const it = recordOf(fields)
  return {
    apn: textOf(it, 'parcelnumb'), address: textOf(about, 'headline') ?? textOf(it, 'address'), county_fips: textOf(it, 'geoid'), acres: numberOf(it, 'll_gisacre'),
    land_use_code: textOf(it, 'usecode'), land_use_description: textOf(it, 'usedesc'), zoning: textOf(it, 'zoning'),
    // 0 stands for an unknown year.
    year_built: numberOf(it, 'yearbuilt') || null,
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
