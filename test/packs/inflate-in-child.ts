import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parquetDecompressors } from '../../src/packs/import/parquet-decompressors.ts'
import { extractZipEntries, readZipEntries } from '../../src/packs/zip.ts'

// Run by zip.test.ts in a process of its own, to measure the peak memory.
const [folder, archive, liar] = process.argv.slice(2) as [string, string, string]
const target = join(folder, 'child')
const messageOf = (error: unknown) => (error as Error).message
const errors: string[] = []

const [written] = await extractZipEntries(archive, readZipEntries(archive, 'large.zip'), target, 'large.zip')
await extractZipEntries(liar, readZipEntries(liar, 'liar.zip'), target, 'liar.zip').catch((error: unknown) =>
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
    maxRss_bytes: process.resourceUsage().maxRSS * 1024,
    errors,
  }),
)
