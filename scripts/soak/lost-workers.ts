import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { UpstreamError } from '../../src/model/error.ts'
import type { ChunkFormat } from '../../src/raster/decode.ts'
import { openDecoder } from '../../src/raster/decoder.ts'
import { workers } from '../../src/workers.ts'
import { newFolder } from '../../test/cli/fieldstone.ts'
import { quantile } from '../bench/report.ts'
import { atMost, type Finding } from './finding.ts'

/** What a worker may do in place of its work. */
const deaths: Record<string, string> = {
  throws: 'self.onmessage = () => { throw new Error("out of luck") }',
  rejects: 'self.onmessage = async () => { await null; throw new Error("later") }',
  exits: 'self.onmessage = () => process.exit(3)',
  'calls itself for ever': 'const deeper = (n) => deeper(n + 1) + 1; self.onmessage = () => deeper(0)',
  'works without end': 'self.onmessage = () => { for (;;); }',
  'is caught in a pattern': 'self.onmessage = () => /^(?:a|aa|a?a)*$/.test("a".repeat(100) + "b")',
}

const patience_ms = 500
const replaced_max_ms = 100
const noHurry = { signal: new AbortController().signal }
const form: ChunkFormat = {
  width: 2,
  rows: 1,
  fullRows: 1,
  stride: 1,
  sampleIndex: 0,
  sampleType: 'uint8',
  compression: 'none',
  predictor: 1,
  littleEndian: true,
}

/** How a tile comes out whose worker dies, and how soon the next one is decoded by another. */
export async function lostWorkers(times = 20): Promise<Finding[]> {
  const wrong: string[] = []
  const replaced_ms: number[] = []
  for (const [death, code] of Object.entries(deaths)) {
    for (let i = 0; i < times; i++) {
      const { first, second, took_ms } = await afterOne(code)
      if (first !== 'worker_lost' || second !== '7,9') wrong.push(`${death}: ${first}, then ${second}`)
      replaced_ms.push(took_ms)
    }
  }
  for (const line of new Set(wrong)) console.error(line)
  return [
    atMost(
      'P39',
      `tiles of ${times * Object.keys(deaths).length} lost workers (${Object.keys(deaths).join(', ')}) that are not told as worker_lost, or not followed by a good one`,
      wrong.length,
      0,
    ),
    atMost('P39', 'loss to the next tile by a new worker, p50', quantile(replaced_ms, 0.5), {
      bound: replaced_max_ms,
      unit: 'ms',
    }),
  ]
}

/** The worker of a service is that of the source here, with another program for the first of them. */
async function afterOne(code: string): Promise<{ first: string; second: string; took_ms: number }> {
  const { folder, remove } = newFolder()
  const file = join(folder, 'dying.js')
  writeFileSync(file, code)
  let starts = 0
  const decoder = openDecoder(() => (++starts === 1 ? new Worker(file) : workers.raster()), patience_ms)
  const tile = () =>
    decoder.decode(Uint8Array.of(7, 9), form, noHurry).then(
      (cells) => Array.from(cells).join(),
      (error: unknown) => (error instanceof UpstreamError ? error.code : String(error)),
    )
  try {
    const first = await tile()
    const begun = performance.now()
    const second = await tile()
    return { first, second, took_ms: performance.now() - begun }
  } finally {
    decoder.close()
    remove()
  }
}
