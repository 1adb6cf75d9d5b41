import type { Point } from '../../src/model/place.ts'
import { measureBareServer, reportMeasurement, withProcessorTime } from './bare-server.ts'
import { runLoad, post } from './load.ts'
import { reportFigure } from './report.ts'

type WideOptions = { url: URL; token: string; pid: number; fields: string[]; at: () => Point; answer: Uint8Array }

const requests = 20_000
const locations = 25_000

/** Measures how cost grows with the connections, compared with a bare server, and with the locations of a batch. */
export async function benchConcurrency({ url, token, pid, fields, at, answer }: WideOptions): Promise<void> {
  const singles = Array.from({ length: 5_000 }, () => post(url, '/v1/fetch', { ...at(), fields }, token))
  for (const connections of [32, 64, 256]) {
    const peer = await measureBareServer(answer, fields, connections)
    reportMeasurement(
      `ten embedded fields, ${connections} connections`,
      await withProcessorTime(pid, () => runLoad(url, singles, requests, connections)),
      peer,
    )
  }
  let alone_us = 0
  for (const size of [1, 5, 25]) {
    const batches = Array.from({ length: 1_000 }, () =>
      post(url, '/v1/fetch/batch', { locations: Array.from({ length: size }, at), fields }, token),
    )
    const { cpu_us } = await withProcessorTime(pid, () => runLoad(url, batches, locations / size, 8))
    const each_us = cpu_us / size
    if (size === 1) alone_us = each_us
    reportFigure(
      `processor time of a location in a batch of ${size}`,
      `${each_us.toFixed(0)} µs (${(each_us / alone_us).toFixed(2)} of one alone)`,
      each_us <= alone_us * 1.1,
      'no more than one alone',
    )
  }
}
