import { attributeOf, numberOf } from '../geo/attribute.ts'
import { UpstreamError } from '../model/error.ts'
import { isRecord } from '../model/record.ts'
import type { Budget, Properties } from '../model/source.ts'
import { abortableForHost } from '../net/host-abort.ts'
import type { HttpClient } from '../net/http-client.ts'
import { requestImageServer } from './imageserver-request.ts'

/** What a question says of the years it is about; nothing for a service with one edition. */
export type MosaicParameters = { mosaicRule?: string }

/** A year that a service has: under which attribute its catalog has it, and whether as a text. */
export type EditionYear = { attribute: string; year: number; isText: boolean }

/** The year of an edition of a service: 0, its newest, or so many years before. `whole` for a service with one edition, null when the service does not have that year. */
export type FindEdition = (
  service: string,
  edition: number | undefined,
  budget: Budget,
) => Promise<EditionYear | 'whole' | null>

const catalogMax_ms = 20_000

/** The years of services are read from their catalogs, once a day; who asks meanwhile waits for the same answer. */
export function createEditionFinder(attribute: string | undefined, net: HttpClient, now: () => Date): FindEdition {
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
    const years = readYears(net, service, attribute)
    const entry = { day, years }
    cache.set(service, entry)
    years.catch(() => cache.get(service) === entry && cache.delete(service))
    return years
  }
}

/** The mosaic of some years of a service, the first of them on top; without a year, of the whole service. */
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

/** The years a service has; `isCut`: the list was too long for one answer, and there may be older ones. */
type ServiceYears = { all: Set<number>; isTruncated: boolean; isText: boolean }

function requireNewest(service: string, edition: number): 'whole' {
  if (edition === 0) return 'whole'
  throw new UpstreamError(
    'unsupported_request',
    `An edition of ${-edition} years ago was asked for, and ${new URL(service).host} has no years here.`,
  )
}

/** It has a deadline of its own, so that nobody who gives up takes it from the others. */
async function readYears(net: HttpClient, service: string, attribute: string): Promise<ServiceYears> {
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
    { signal: AbortSignal.timeout(catalogMax_ms) },
  )
  const { host } = new URL(service)
  if (!Array.isArray(features))
    throw new UpstreamError('bad_response', `${host} was to list its years, and there is no list.`)
  const values = features.map((feature: unknown) => {
    const attributes = isRecord(feature) && isRecord(feature.attributes) ? feature.attributes : {}
    return attributeOf(attributes as Properties, attribute) ?? null
  })
  const all = new Set(values.map(numberOf).filter(isYear))
  if (all.size === 0)
    throw new UpstreamError(
      'bad_response',
      `${host} was to list its years, and none of its ${features.length} records has one in ${attribute}.`,
    )
  return { all, isTruncated: exceededTransferLimit === true, isText: values.some((value) => typeof value === 'string') }
}

function isYear(value: number | null): value is number {
  return Number.isInteger(value) && value! >= 1900 && value! <= 2200
}
