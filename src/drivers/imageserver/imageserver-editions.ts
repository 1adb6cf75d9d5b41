import { attributeOf, numberOf } from '../../geo/attribute.ts'
import { UpstreamError } from '../../model/error.ts'
import { isRecord } from '../../model/record.ts'
import type { Budget, Properties } from '../../model/source.ts'
import { abortableForHost } from '../../net/host-abort.ts'
import type { HttpClient } from '../../net/http-client.ts'
import { missingEditionError, unexpectedResponse } from '../driver-errors.ts'
import { requestImageServer } from './imageserver-request.ts'

/** The parameters that select years; empty for a service with one edition. */
export type MosaicParameters = { mosaicRule?: string }

/** A year of a service: the attribute that holds it in the catalog, and whether it is stored as text. */
export type EditionYear = { attribute: string; year: number; isText: boolean }

/**
 * Finds the year of an edition: 0 is the newest, -n is n years before. `'single_edition'` for a service without years,
 * null for a year that the service lacks.
 */
export type FindEdition = (
  service: string,
  edition: number | undefined,
  budget: Budget,
) => Promise<EditionYear | 'single_edition' | null>

const catalogMax_ms = 50_000

/**
 * Creates the finder. It reads the years of each service from its catalog once a day; concurrent callers share the
 * request. It has its own deadline by default, so that a caller that aborts does not fail the others.
 */
export function createEditionFinder(
  attribute: string | undefined,
  net: HttpClient,
  now: () => Date,
  createBudget: () => Budget = () => ({ signal: AbortSignal.timeout(catalogMax_ms) }),
): FindEdition {
  const cache = new Map<string, { day: string; years: Promise<ServiceYears> }>()
  return async (service, edition = 0, budget) => {
    if (attribute === undefined) return requireNewest(service, edition)
    const years = await abortableForHost(cachedYears(service, attribute), budget.signal, new URL(service).host)
    const year = Math.max(...years.all) + edition
    const hasYear = years.all.has(year) || (years.isTruncated && year < Math.min(...years.all))
    return hasYear ? { attribute, year, isText: years.isText } : null
  }

  function cachedYears(service: string, attribute: string): Promise<ServiceYears> {
    const day = now().toISOString().slice(0, 10)
    const cached = cache.get(service)
    if (cached?.day === day) return cached.years
    const years = readYears(net, { service, attribute }, createBudget())
    const entry = { day, years }
    cache.set(service, entry)
    years.catch(() => cache.get(service) === entry && cache.delete(service))
    return years
  }
}

/** The mosaic parameters for years, the first on top; without years, for the whole service. */
export function mosaicParametersOf(years: EditionYear[]): MosaicParameters {
  const [first] = years
  if (!first) return {}
  const { attribute, year, isText } = first
  const literals = years.map((it) => (isText ? `'${it.year}'` : String(it.year)))
  return {
    mosaicRule: JSON.stringify({
      mosaicMethod: 'esriMosaicAttribute',
      where: years.length === 1 ? `${attribute}=${literals[0]}` : `${attribute} IN (${literals.join(',')})`,
      sortField: attribute,
      sortValue: String(year),
      ascending: true,
      mosaicOperation: 'MT_FIRST',
    }),
  }
}

/** The years of a service. `isTruncated`: the list was too long for one response, and older years may exist. */
type ServiceYears = { all: Set<number>; isTruncated: boolean; isText: boolean }

function requireNewest(service: string, edition: number): 'single_edition' {
  if (edition === 0) return 'single_edition'
  throw missingEditionError(new URL(service).host, edition)
}

/** Reads the years of a service. */
async function readYears(
  net: HttpClient,
  { service, attribute }: { service: string; attribute: string },
  budget: Budget,
): Promise<ServiceYears> {
  const parameters = new URLSearchParams({
    f: 'json',
    where: '1=1',
    outFields: attribute,
    returnGeometry: 'false',
    returnDistinctValues: 'true',
    orderByFields: `${attribute} DESC`,
  })
  const { features, exceededTransferLimit } = await requestImageServer(
    net,
    { url: `${service}/query?${parameters.toString()}` },
    budget,
  )
  const { host } = new URL(service)
  if (!Array.isArray(features)) throw unexpectedResponse(host, 'a list of years', features)
  const values = features.map((feature: unknown) => {
    const attributes = isRecord(feature) && isRecord(feature.attributes) ? feature.attributes : {}
    return attributeOf(attributes as Properties, attribute) ?? null
  })
  const all = new Set(values.map(numberOf).filter(isYear))
  if (all.size === 0)
    throw new UpstreamError(
      'bad_response',
      `${host} lists ${features.length} records, and none has a year in ${attribute}. Check edition_attribute of the dataset.`,
    )
  return { all, isTruncated: exceededTransferLimit === true, isText: values.some((value) => typeof value === 'string') }
}

function isYear(value: number | null): value is number {
  return Number.isInteger(value) && value! >= 1900 && value! <= 2200
}
