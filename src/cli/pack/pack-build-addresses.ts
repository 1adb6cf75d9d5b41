import { dirname, join, resolve } from 'node:path'
import type { AppOptions } from '../../app.ts'
import { megabytes, pluralize } from '../../model/text.ts'
import { addressPackPattern, listAddressPackFiles } from '../../packs/addresses/address-pack-folder.ts'
import { openAddressPack } from '../../packs/addresses/address-pack.ts'
import { createCheckedPacks } from '../../packs/check/checked-packs.ts'
import { openEmbeddedData } from '../../packs/embedded/embedded-data.ts'
import { buildAddresses, type AddressBuildResult } from '../../build-packs/addresses/build-addresses.ts'
import { createEmbeddedGazetteer } from '../../place/embedded-gazetteer.ts'
import { createWorkFolder } from '../../store/work-folder.ts'
import { exitCodes } from '../exit-codes.ts'
import type { PackFlags, PackCommandDeps } from './pack-deps.ts'
import { makePackFolder } from './pack-install.ts'
import { createStderrProgress } from '../progress.ts'
import { UsageError } from '../usage-error.ts'
import { abortOnInterrupt } from '../server/stop-signals.ts'

/**
 * The packs of the local geocoder, which `pack build` accepts besides datasets: address points, and address ranges of
 * streets.
 */
export const addressPackKinds: readonly string[] = ['addresses', 'address-ranges']

/** Builds a pack of the local geocoder and replaces the old one atomically. */
export async function buildAddressPack(
  kind: string,
  inputs: string[],
  flags: PackFlags,
  { deps, embedded }: { deps: Pick<PackCommandDeps, 'config' | 'print'>; embedded: AppOptions['embedded'] },
): Promise<number> {
  if (inputs.length === 0)
    throw new UsageError(`No input file given. Usage: \`fieldstone pack build ${kind} <file …>\`.`)
  const out = resolve(textFlag(flags.out) ?? join(deps.config.packs, fileNameOf(kind, textFlag(flags.part))))
  const vintage = textFlag(flags.vintage)
  makePackFolder(dirname(out))
  const embeddedData = openEmbeddedData(embedded)
  const progress = createStderrProgress(kind)
  const interruption = abortOnInterrupt()
  const work = createWorkFolder(dirname(out))
  try {
    const built = await buildAddresses(
      inputs.map((input) => resolve(input)),
      out,
      {
        lookupZip: createEmbeddedGazetteer(embeddedData).placeOfZip,
        ...(vintage !== null && { metadata: { vintage } }),
        signal: interruption.signal,
        workFolder: work.path,
        report: (done, rows) => progress.update(done, pluralize(rows, 'row')),
      },
    )
    createCheckedPacks(deps.config.data).add(out, null)
    progress.end()
    for (const line of [...summaryLines(built), ...oldPackLines(dirname(out))]) deps.print(line)
    return 0
  } catch (error) {
    progress.end()
    if (!interruption.signal.aborted) throw error
    return exitCodes.interrupted
  } finally {
    interruption.remove()
    work.remove()
  }
}

/** One line for each address pack of a folder that has the format before the current one. */
function oldPackLines(folder: string): string[] {
  return listAddressPackFiles(folder)
    .filter((file) => isOldAddressPack(join(folder, file)))
    .map(
      (file) =>
        `${file} has an old format without house numbers as published. Rebuild it with \`fieldstone pack build\`.`,
    )
}

function isOldAddressPack(path: string): boolean {
  try {
    const pack = openAddressPack(path)
    pack.close()
    return pack.isOld
  } catch {
    return false // `pack list` says why a file cannot be read.
  }
}

/** The file of a pack, or of a part of it. @throws {UsageError} if the name of the part cannot be in a file name */
function fileNameOf(kind: string, part: string | null): string {
  const name = part === null ? `${kind}.sqlite` : `${kind}-${part}.sqlite`
  if (addressPackPattern.test(name) && part !== '') return name
  throw new UsageError(
    `--part ${JSON.stringify(part)} is not valid. Use letters, digits, "_", "-" and ".", such as 08013.`,
  )
}

function textFlag(flag: string | boolean | undefined): string | null {
  return typeof flag === 'string' ? flag : null
}

function summaryLines({ path, points, ranges, streets, bytes, publishers, ...built }: AddressBuildResult): string[] {
  return [
    `${path}: ${pluralize(points, 'address')} and ${pluralize(ranges, 'range')} on ${pluralize(streets, 'street')} (${megabytes(bytes)}), from ${publishers.join(', ')}.`,
    ...(built.splitUnits > 0 ? [`${pluralize(built.splitUnits, 'unit')} stood in the column of the street.`] : []),
    ...Object.entries(built.excluded).map(([reason, count]) => `Excluded: ${count.toLocaleString('en-US')} ${reason}.`),
  ]
}
