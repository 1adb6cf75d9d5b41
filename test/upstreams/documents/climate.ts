import { jsonAnswer, type SimulatedService } from '../service.ts'
import { regionAt, testPlaceAt } from './place-at.ts'

/** The Applied Climate Information System: a yearly count of an interpolated grid. -999 is a cell without data. */
export const acis: SimulatedService = {
  host: 'data.rcc-acis.org',
  answer({ path, method, body }) {
    if (path !== '/GridData' || method !== 'POST') return null
    const { loc, sdate, edate, grid, elems } = JSON.parse(body) as Record<string, unknown>
    const [lng, lat] = String(loc).split(',').map(Number) as [number, number]
    const isKnown = grid === '1' && Array.isArray(elems) && elems.length === 1
    if (!isKnown || !Number.isFinite(lat) || !Number.isFinite(lng)) return jsonAnswer({ error: 'Bad request' }, 400)
    if (regionAt({ lat, lng }) !== 'CONUS') return jsonAnswer({ error: 'bad request, loc is outside the grid' }, 400)
    const [first, last] = [Number(sdate), Number(edate)]
    const isSea = testPlaceAt({ lat, lng }) === null
    const data = Array.from({ length: last - first + 1 }, (_, nth) => [
      String(first + nth),
      isSea ? -999 : 20 + ((nth * 7) % 23),
    ])
    return jsonAnswer({ data })
  },
}
