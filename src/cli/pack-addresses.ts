import { dirname, join, resolve } from 'node:path'
import type { AppOptions } from '../app.ts'
import { pluralize } from '../model/pluralize.ts'
import { openEmbeddedData } from '../packs/embedded-data.ts'
import { buildAddresses, type AddressBuildResult } from '../packs/import-addresses/build-addresses.ts'
import { createEmbeddedGazetteer } from '../place/embedded-gazetteer.ts'
import { exits } from './exits.ts'
import { makePackFolder } from './pack-folder.ts'
import type { PackFlags, PackTools } from './pack-tools.ts'
import { progressHere } from './progress.ts'
import { UsageError } from './usage-error.ts'

/** What `pack build` takes for the local geocoder, beside the datasets of the catalog: points, and ranges of numbers along streets. */
export const addressPacks: readonly string[] = ['addresses', 'address-ranges']

/** Builds a pack of the local geocoder and puts it in its place at once. */
export async function packAddresses(kind: string, inputs: string[], flags: PackFlags, { tools, embedded }: { tools: Pick<PackTools, 'config' | 'print'>; embedded: AppOptions['embedded'] }): Promise<number> {
  if (inputs.length === 0) throw new UsageError(`\`fieldstone pack build ${kind} <file …>\`: no file is named.`)
  const out = resolve(textOf(flags.out) ?? join(tools.config.packs, `${kind}.sqlite`))
  const vintage = textOf(flags.vintage)
  makePackFolder(dirname(out))
  const data = openEmbeddedData(embedded)
  const progress = progressHere(kind)
  const interruption = new AbortController()
  const stop = () => interruption.abort()
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  try {
    const built = await buildAddresses(inputs.map((input) => resolve(input)), out, {
      lookupZip: createEmbeddedGazetteer(data).placeOfZip,
      ...(vintage !== null && { metadata: { vintage } }),
      signal: interruption.signal,
      report: (done, rows) => progress.at(done, pluralize(rows, 'row')),
    })
    progress.end()
    for (const line of summary(built)) tools.print(line)
    return 0
  } catch (error) {
    progress.end()
    if (!interruption.signal.aborted) throw error
    return exits.interrupted
  } finally {
    process.off('SIGINT', stop)
    process.off('SIGTERM', stop)
    data.close()
  }
}

function textOf(flag: string | boolean | undefined): string | null {
  return typeof flag === 'string' ? flag : null
}

function summary({ path, points, ranges, streets, excluded, bytes, publishers }: AddressBuildResult): string[] {
  return [
    `${path}: ${pluralize(points, 'address')} and ${pluralize(ranges, 'range')} on ${pluralize(streets, 'street')} (${(bytes / 1e6).toFixed(1)} MB), from ${publishers.join(', ')}.`,
    ...Object.entries(excluded).map(([reason, count]) => `Left out: ${count.toLocaleString('en-US')} ${reason}.`),
  ]
}
