import { jsonAnswer, type SimulatedService } from '../service.ts'
import { isGetOf } from './match-request.ts'

// Synthetic: the percentages are ours; the first number is that of the publisher's example.
const impervious: Record<string, number> = { 13294314: 12.34, 2888866: 8.7, 22811611: -9999 }

/** StreamCat of the EPA: a metric of the watershed of a stream. An unknown stream is an empty list. */
export const streamCat: SimulatedService = {
  host: 'api.epa.gov',
  answer(request) {
    if (!isGetOf(request, '/StreamCat/streams/metrics', { name: 'pctimp2019', areaOfInterest: 'ws', comid: /\d+/ }))
      return null
    const comid = request.query.get('comid')!
    const value = impervious[comid]
    return jsonAnswer({ items: value === undefined ? [] : [{ comid: Number(comid), pctimp2019ws: value }] })
  },
}
