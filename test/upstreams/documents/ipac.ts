import { isRecord } from '../../../src/model/record.ts'
import { jsonAnswer, type ReceivedRequest, type SimulatedService } from '../service.ts'
import type { PlaceName } from '../test-places.ts'
import { testPlaceAt } from './place-at.ts'

/**
 * IPaC of the Fish and Wildlife Service: the listed species of a footprint, which is a GeoJSON polygon as a text. In
 * open country the list is empty.
 */
export const ipac: SimulatedService = {
  host: 'ipac.ecosphere.fws.gov',
  answer(request) {
    if (
      request.method !== 'POST' ||
      request.path !== '/location/api/resources' ||
      !request.headers.get('content-type')?.startsWith('application/json')
    )
      return null
    const at = middleOf(request)
    if (!at) return jsonAnswer({ message: 'Invalid location.footprint' }, 400)
    const name = testPlaceAt(at)
    const species = name ? (listed[name] ?? []) : []
    const populationsBySid = Object.fromEntries(
      species.map(([common, scientific, code], nth) => [
        String(1_000 + nth),
        {
          population: {
            sid: 1_000 + nth,
            optionalCommonName: common,
            optionalScientificName: scientific,
            listingStatusCode: code,
            listingStatusName: code === 'E' ? 'Endangered' : 'Other',
            groupName: 'Made up',
          },
          crithabInFootprint: false,
        },
      ]),
    )
    return jsonAnswer({
      resources: {
        location: { description: 'Made up' },
        populationsBySid,
        crithabs: [],
        migbirds: [],
        facilities: {},
        wetlands: {},
      },
    })
  },
}

// Synthetic: which species are said to be where; the names are of real ones.
const listed: Partial<Record<PlaceName, [common: string, scientific: string, code: string][]>> = {
  boulder: [
    ["Preble's Meadow Jumping Mouse", 'Zapus hudsonius preblei', 'T'],
    ['Gray Wolf', 'Canis lupus', 'E'],
    ['Monarch Butterfly', 'Danaus plexippus', 'PT'],
  ],
  miami_beach: [
    ['West Indian Manatee', 'Trichechus manatus', 'T'],
    ['Everglade Snail Kite', 'Rostrhamus sociabilis plumbeus', 'E'],
    ['Florida Bonneted Bat', 'Eumops floridanus', 'E'],
  ],
  manhattan: [['Tricolored Bat', 'Perimyotis subflavus', 'PE']],
}

function middleOf({ body }: ReceivedRequest) {
  try {
    const requested: unknown = JSON.parse(body)
    const footprint =
      isRecord(requested) && requested.apiVersion === '1.0.0' && typeof requested['location.footprint'] === 'string'
        ? (JSON.parse(requested['location.footprint']) as unknown)
        : null
    const ring: unknown =
      isRecord(footprint) && footprint.type === 'Polygon' && Array.isArray(footprint.coordinates)
        ? footprint.coordinates[0]
        : null
    if (!Array.isArray(ring) || ring.length < 4 || String(ring[0]) !== String(ring.at(-1))) return null
    const corners = (ring as [number, number][]).slice(1)
    const mean = (nth: 0 | 1) => corners.reduce((sum, corner) => sum + corner[nth], 0) / corners.length
    return Number.isFinite(mean(0) + mean(1)) ? { lat: mean(1), lng: mean(0) } : null
  } catch {
    return null
  }
}
