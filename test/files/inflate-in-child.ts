import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parquetDecompressors } from '../../src/files/parquet/parquet-decompressors.ts'
import { extractZipEntries, readZipEntries } from '../../src/files/zip/extract-zip.ts'

// Run by zip.test.ts in a process of its own, to measure the peak memory.
const [folder, archive, liar] = process.argv.slice(2) as [string, string, string]
const target = join(folder, 'child')
const messageOf = (error: unknown) => (error as Error).message
const errors: string[] = []

const [written] = await extractZipEntries(archive, await readZipEntries(archive, 'large.zip'), target, 'large.zip')
await extractZipEntries(liar, await readZipEntries(liar, 'liar.zip'), target, 'liar.zip').catch((error: unknown) =>
  errors.push(messageOf(error)),
)
for (const decompress of Object.values(parquetDecompressors)) {
  try {
    decompress(new Uint8Array(100), 2 ** 31 - 1)
    errors.push('no error')
  } catch (error) {
    errors.push(messageOf(error))
  }
}
console.log(
  JSON.stringify({
    written: readdirSync(target).length === 1 ? statSync(written!).size : -1,
    maxRss_bytes: peakMemory_bytes(),
    errors,
  }),
)

/** On Linux, maxRSS of a child starts at its parent's memory. VmHWM does not. */
function peakMemory_bytes(): number {
  const status = '/proc/self/status'
  const peak_kib = existsSync(status)
    ? Number(/VmHWM:\s*(\d+)/.exec(readFileSync(status, 'utf8'))?.[1])
    : process.resourceUsage().maxRSS
  return peak_kib * 1024
}
