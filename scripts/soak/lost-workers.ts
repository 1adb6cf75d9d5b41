import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { UpstreamError } from '../../src/model/error.ts'
import type { ChunkFormat } from '../../src/raster/decode.ts'
import { openDecoder } from '../../src/raster/decoder.ts'
import { workers } from '../../src/workers.ts'
import { newFolder } from '../../test/cli/fieldstone.ts'
import { quantile } from '../bench/report.ts'
import { atMost, type Finding } from './finding.ts'

/** Ways in which a worker fails, as its code. */
const deaths: Record<string, string> = {
  throws: 'self.onmessage = () => { throw new Error("broken") }',
  rejects: 'self.onmessage = async () => { await null; throw new Error("later") }',
  exits: 'self.onmessage = () => process.exit(3)',
  'recurses forever': 'const deeper = (n) => deeper(n + 1) + 1; self.onmessage = () => deeper(0)',
  'loops forever': 'self.onmessage = () => { for (;;); }',
  'hangs in a regular expression': 'self.onmessage = () => /^(?:a|aa|a?a)*$/.test("a".repeat(100) + "b")',
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

/** Tests the error of a tile whose worker dies, and the time until a new worker decodes the next tile. */
export async function soakLostWorkers(times = 20): Promise<Finding[]> {
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
      `tiles of ${times * Object.keys(deaths).length} lost workers (${Object.keys(deaths).join(', ')}) that do not fail with worker_lost, or are followed by another failure`,
      wrong.length,
      0,
    ),
    atMost('P39', 'time from the loss to the next tile, p50', quantile(replaced_ms, 0.5), {
      bound: replaced_max_ms,
      unit: 'ms',
    }),
  ]
}

/** Decodes two tiles. The first worker runs the broken code, later ones the real worker. */
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
