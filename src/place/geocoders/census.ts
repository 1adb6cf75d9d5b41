import type { AddressMatch, AddressParts } from '../../address/address.ts'
import { UpstreamError } from '../../model/error.ts'
import { isRecord } from '../../model/record.ts'
import { parseJsonBody } from '../../net/content.ts'
import type { HttpClient, Reply } from '../../net/http-client.ts'
import type { Geocoder } from './geocoder.ts'

export const censusHost = 'geocoding.geo.census.gov'

const timeout_ms = 2500
/** Longer addresses it refuses. */
const addressMax_characters = 100
const matchesMax = 20

/** The geocoder of the Census Bureau: without a key, without a score, and always along the address range of a street. */
export function createCensusGeocoder(net: HttpClient): Geocoder {
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
    throw new UpstreamError('bad_response', `${censusHost} answered without its list of matches.`)
  return matches.slice(0, matchesMax).map(matchOf)
}

/** "Specify House number and Street name …" is its way to say that it cannot read an address: an answer, and no match. */
function emptyUnlessRejected(document: unknown): [] {
  const errors: unknown = isRecord(document) ? document.errors : null
  const message = Array.isArray(errors) ? errors.filter((it) => typeof it === 'string').join(' ') : ''
  if (/specify house number|street address cannot be empty/i.test(message)) return []
  throw new UpstreamError(
    'upstream_rejected',
    `${censusHost} refused the question with status 400: ${message.slice(0, 200) || 'it does not say why'}.`,
  )
}

function matchOf(match: unknown): AddressMatch {
  const { matchedAddress, coordinates, addressComponents } = isRecord(match) ? match : {}
  const { x, y } = isRecord(coordinates) ? coordinates : {}
  if (!Number.isFinite(x) || !Number.isFinite(y) || typeof matchedAddress !== 'string') {
    throw new UpstreamError(
      'bad_response',
      `${censusHost} gave a match without a place or an address that can be read.`,
    )
  }
  return {
    lat: Number(y),
    lng: Number(x),
    accuracy_type: 'range_interpolation',
    score: null,
    normalized_address: matchedAddress,
    components: partsOf(matchedAddress, isRecord(addressComponents) ? addressComponents : {}),
  }
}

/** Its components name the range of a street; the house number stands in the address alone. */
function partsOf(address: string, components: Record<string, unknown>): AddressParts {
  const parts: AddressParts = {}
  const number = /^\d\S*/.exec(address)?.[0]
  if (number !== undefined) parts.number = number
  for (const [name, censusName] of Object.entries(censusNames)) {
    const value = components[censusName]
    if (typeof value === 'string' && value !== '') parts[name as keyof typeof censusNames] = value
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
