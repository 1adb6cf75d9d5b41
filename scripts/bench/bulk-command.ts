import { createWriteStream, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Point } from '../../src/model/place.ts'
import { trackPhysicalMemory } from './child.ts'

/** A run of the command: processor time, duration and physical memory. */
export type MeasuredRun = { cpu_s: number; wall_s: number; peak_mb: number }

type BulkCommandOptions = { name: string; names: string[]; workers: number }

/** The exit code of a run with failed rows. */
const failedRows = 1

/** Returns a function that returns random points around the 48 states. */
export function randomPoints(random: () => number): () => Point {
  return () => ({ lat: 25 + 24 * random(), lng: -124 + 57 * random() })
}

/** Runs the command on `<name>.csv` in a folder. Rows may fail. @throws if the run fails. */
export async function runBulk(
  command: string[],
  folder: string,
  { name, names, workers }: BulkCommandOptions,
): Promise<MeasuredRun> {
  const words = ['--fields', names.join(), '--workers', String(workers), '--quiet', '--force']
  const files = [`${name}.csv`, '--out', `${name}.out.csv`, '--data', 'data']
  const began_ms = performance.now()
  const child = Bun.spawn([...command, 'run', ...files, ...words], {
    cwd: folder,
    env: { PATH: process.env.PATH!, FIELDSTONE_OFFLINE: '1' },
    stderr: 'inherit',
  })
  // The peak that the system reports for a child includes the memory of this process, and mapped pages once per thread.
  const peakMemory_mb = trackPhysicalMemory(child.pid)
  if ((await child.exited) > failedRows) throw new Error(`The run of ${name}.csv ended with ${child.exitCode}.`)
  const { cpuTime } = child.resourceUsage()!
  return {
    cpu_s: Number(cpuTime.total) / 1e6,
    wall_s: (performance.now() - began_ms) / 1000,
    peak_mb: peakMemory_mb(),
  }
}

/** Writes a CSV file of points. */
export async function writePoints(file: string, rows: number, at: () => Point): Promise<void> {
  const stream = createWriteStream(file)
  stream.write('lat,lng\n')
  for (let done = 0; done < rows; done += 10_000) {
    const block = Array.from({ length: Math.min(10_000, rows - done) }, at).map(({ lat, lng }) => ({
      lat: Number(lat.toFixed(6)),
      lng: Number(lng.toFixed(6)),
    }))
    if (!stream.write(block.map(({ lat, lng }) => `${lat},${lng}\n`).join('')))
      await new Promise((resolve) => stream.once('drain', resolve))
  }
  await new Promise((resolve) => stream.end(resolve))
}

/**
 * The size in bytes of what runs in a folder leave behind: their data folder without the embedded file, and hidden
 * files.
 */
export function stateSizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => (name.startsWith('data/') && !name.includes('embedded-')) || name.startsWith('.'))
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
}
