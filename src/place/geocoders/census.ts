import type { AddressMatch, AddressComponents } from '../../address/address.ts'
import { formatCapitals, lowerCapitals } from '../../address/format-address.ts'
import { UpstreamError } from '../../model/error.ts'
import { isRecord } from '../../model/record.ts'
import { parseJsonBody, smallJsonMax_bytes } from '../../net/content.ts'
import type { HttpClient, Reply } from '../../net/http-client.ts'
import { geocodeLimits_ms, type Geocoder } from './geocoder.ts'

export const censusHost = 'geocoding.geo.census.gov'

/** The service rejects longer addresses. */
const addressMax_characters = 100
const matchesMax = 20

/** The Census Bureau geocoder: needs no key, gives no score, and always interpolates along a street's address range. */
export function createCensusGeocoder(net: HttpClient, timeout_ms = geocodeLimits_ms.census): Geocoder {
  return {
    name: 'census',
    timeout_ms,
    scoresParts: false,
    hasPartialCoverage: false,
    edition: () => '',
    accepts: ({ text }) => [...text].length <= addressMax_characters,
    async find({ text }, budget) {
      const query = new URLSearchParams({ address: text, benchmark: 'Public_AR_Current', format: 'json' })
      return matchesOf(
        await net.send(
          {
            url: `https://${censusHost}/geocoder/locations/onelineaddress?${query.toString()}`,
            acceptedStatuses: [400],
            cap_bytes: smallJsonMax_bytes,
          },
          budget,
        ),
      )
    },
  }
}

function matchesOf(reply: Reply): AddressMatch[] {
  const document = parseJsonBody(reply, censusHost)
  if (reply.status === 400) return emptyUnlessRejected(document)
  const result = isRecord(document) ? document.result : undefined
  const matches = isRecord(result) ? result.addressMatches : undefined
  if (!Array.isArray(matches))
    throw new UpstreamError('bad_response', `${censusHost} returned no list of matches. Try again later.`)
  return matches.slice(0, matchesMax).map(matchOf)
}

/**
 * Returns no matches for "Specify House number and Street name …", which means that the service cannot parse the
 * address.
 */
function emptyUnlessRejected(document: unknown): [] {
  const errors: unknown = isRecord(document) ? document.errors : null
  const message = Array.isArray(errors) ? errors.filter((it) => typeof it === 'string').join(' ') : ''
  if (/specify house number|street address cannot be empty/i.test(message)) return []
  throw new UpstreamError(
    'upstream_rejected',
    `${censusHost} rejected the address with status 400: ${message.slice(0, 200) || 'no reason given'}.`,
  )
}

function matchOf(match: unknown): AddressMatch {
  const { matchedAddress, coordinates, addressComponents } = isRecord(match) ? match : {}
  const { x, y } = isRecord(coordinates) ? coordinates : {}
  if (!Number.isFinite(x) || !Number.isFinite(y) || typeof matchedAddress !== 'string') {
    throw new UpstreamError(
      'bad_response',
      `${censusHost} returned a match without valid coordinates or address. Try again later.`,
    )
  }
  return {
    lat: Number(y),
    lng: Number(x),
    accuracy_type: 'range_interpolation',
    score: null,
    normalized_address: formatCapitals(matchedAddress),
    components: partsOf(matchedAddress, isRecord(addressComponents) ? addressComponents : {}),
  }
}

/**
 * The parts of a match. The components describe the range of the street, so the house number comes from the address.
 */
function partsOf(address: string, components: Record<string, unknown>): AddressComponents {
  const parts: AddressComponents = {}
  const number = /^\d\S*/.exec(address)?.[0]
  if (number !== undefined) parts.number = number
  for (const [name, censusName] of Object.entries(censusNames)) {
    const value = components[censusName]
    if (typeof value === 'string' && value !== '')
      parts[name as keyof typeof censusNames] = name === 'state' ? value : lowerCapitals(value)
  }
  return parts
}

const censusNames = {
  predirectional: 'preDirection',
  pretype: 'preType',
  street: 'streetName',
  suffix: 'suffixType',
  postdirectional: 'suffixDirection',
  city: 'city',
  state: 'state',
  zip: 'zip',
} as const
