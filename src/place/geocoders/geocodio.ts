import type { AccuracyType, AddressMatch, AddressComponents } from '../../address/address.ts'
import { UpstreamError } from '../../model/error.ts'
import { isRecord } from '../../model/record.ts'
import { parseJsonBody, decodeTextBody, smallJsonMax_bytes } from '../../net/content.ts'
import type { HttpClient, Reply } from '../../net/http-client.ts'
import { servedAccuracies } from '../geocode-outcome.ts'
import { geocodeLimits_ms, type Geocoder } from './geocoder.ts'

export const geocodioHost = 'api.geocod.io'

const matchesMax = 5

/** The Geocodio geocoder. Commercial: each call is billed, so it is never retried. */
export function createGeocodioGeocoder(net: HttpClient, key: string, timeout_ms = geocodeLimits_ms.geocodio): Geocoder {
  return {
    name: 'geocodio',
    timeout_ms,
    scoresParts: false,
    hasPartialCoverage: false,
    metered: true,
    edition: () => '',
    accepts: () => true,
    async find({ text }, budget) {
      const query = new URLSearchParams({ q: text, limit: String(matchesMax), country: 'USA' })
      const url = `https://${geocodioHost}/v1.11/geocode?${query.toString()}`
      return matchesOf(
        await net.send(
          {
            url,
            headers: { authorization: `Bearer ${key}` },
            metered: true,
            acceptedStatuses: [402, 403, 422],
            cap_bytes: smallJsonMax_bytes,
          },
          budget,
        ),
      )
    },
  }
}

/**
 * Returns no matches for 422, which means that Geocodio cannot parse the address. Throws `upstream_rejected` if it
 * names a parameter other than the address: then the request is wrong, not the address.
 */
function matchesOf(reply: Reply): AddressMatch[] {
  if (reply.status === 422) return requireAddressError(reply)
  if (reply.status !== 200) throw rejectionOf(reply)
  const document = parseJsonBody(reply, geocodioHost)
  const results = isRecord(document) ? document.results : undefined
  if (!Array.isArray(results))
    throw new UpstreamError('bad_response', `${geocodioHost} returned no list of results. Try again later.`)
  return results.slice(0, matchesMax).map(matchOf)
}

function requireAddressError(reply: Reply): AddressMatch[] {
  const message = decodeTextBody(reply).slice(0, 500)
  if (!/\b(country|limit|fields|format|parameter)\b/i.test(message)) return []
  throw new UpstreamError(
    'upstream_rejected',
    `${geocodioHost} answered 422 and rejected a parameter of the request: ${message}. Report this to the developers.`,
  )
}

/** Geocodio answers 403 both for a used-up daily quota and for an invalid key. */
function rejectionOf({ status, bytes }: Reply): UpstreamError {
  const message = decodeTextBody({ status, bytes, headers: new Headers() }).slice(0, 500)
  if (status === 402 || /daily maximum/i.test(message))
    return new UpstreamError(
      'quota_exhausted',
      `${geocodioHost} answered ${status}: the daily maximum of the account is spent.`,
    )
  return new UpstreamError('entitlement_missing', `${geocodioHost} answered ${status}: it does not accept the key.`)
}

function matchOf(result: unknown): AddressMatch {
  const { location, accuracy, accuracy_type, formatted_address, address_components } = isRecord(result) ? result : {}
  const { lat, lng } = isRecord(location) ? location : {}
  if (
    !isNumber(lat) ||
    !isNumber(lng) ||
    !isNumber(accuracy) ||
    !isAccuracyType(accuracy_type) ||
    typeof formatted_address !== 'string'
  ) {
    throw new UpstreamError(
      'bad_response',
      `${geocodioHost} returned a result without valid coordinates, accuracy or address. Try again later.`,
    )
  }
  return {
    lat,
    lng,
    accuracy_type,
    score: Math.min(1, Math.max(0, accuracy)),
    normalized_address: formatted_address,
    components: partsOf(isRecord(address_components) ? address_components : {}),
  }
}

/** The parts of a result. Names equal Geocodio's except the unit, which Geocodio splits in two. */
function partsOf(components: Record<string, unknown>): AddressComponents {
  const unit = [components.secondaryunit, components.secondarynumber].filter((it) => typeof it === 'string').join(' ')
  const parts: AddressComponents = {}
  for (const name of sharedNames) {
    const value = components[name]
    if (typeof value === 'string' && value !== '') parts[name] = value
  }
  return unit === '' ? parts : { ...parts, unit }
}

const sharedNames = [
  'number',
  'predirectional',
  'street',
  'suffix',
  'postdirectional',
  'city',
  'county',
  'state',
  'zip',
] as const

function isNumber(value: unknown): value is number {
  return Number.isFinite(value)
}

function isAccuracyType(value: unknown): value is AccuracyType {
  return accuracyTypes.has(value)
}

const accuracyTypes: ReadonlySet<unknown> = new Set([...servedAccuracies, 'place', 'zip', 'county', 'state'])
