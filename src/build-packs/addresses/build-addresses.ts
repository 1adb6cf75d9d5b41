import { Database } from 'bun:sqlite'
import { mkdtempSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { verifyAddressPack } from '../../packs/addresses/address-pack-check.ts'
import { formatNames } from '../../files/geopackage/geopackage.ts'
import type { InputFeature, InputFile } from '../../files/input-file.ts'
import { openInput } from '../../files/open-input.ts'
import { FileError } from '../../files/file-error.ts'
import type { CellReader } from './address-record.ts'
import { addressPublishers, type AddressPublisher } from './publishers.ts'
import { type ZipLookup, AddressWriter } from './write-addresses.ts'

/** Options of an address pack build. */
export type AddressBuildOptions = {
  /** Fills in the town and state of rows that have only a ZIP code. */
  lookupZip: ZipLookup
  /** The state of rows that have neither a state nor a known ZIP code. */
  state?: string
  /** Further metadata of the pack: vintage, license, attribution. */
  metadata?: Readonly<Record<string, string>>
  /** Receives the progress (0 to 1) and the number of rows read. */
  report?: (progress: number, rows: number) => void
  signal?: AbortSignal
  /** The folder for unfinished files, on the disk of the target. Default: the folder of the target. */
  workFolder?: string
}

/** The result of an address pack build. */
export type AddressBuildResult = {
  path: string
  points: number
  ranges: number
  streets: number
  /** The rows whose street held the unit. */
  splitUnits: number
  /** The number of excluded rows by reason. */
  excluded: Record<string, number>
  bytes: number
  publishers: string[]
}

/**
 * Builds an address pack from any mix of files of the National Address Database, OpenAddresses and TIGER ADDRFEAT.
 * Writes `out` only when the pack is complete; a failed build leaves nothing behind. Memory use does not depend on file
 * size.
 */
export async function buildAddresses(
  inputs: readonly string[],
  out: string,
  options: AddressBuildOptions,
): Promise<AddressBuildResult> {
  if (inputs.length === 0) throw new FileError('No address file given.')
  const folder = mkdtempSync(join(options.workFolder ?? dirname(out), '.fieldstone-addresses-'))
  const path = join(folder, 'addresses.sqlite')
  const writer = new AddressWriter(new Database(path, { create: true }), join(folder, 'staging.sqlite'), options)
  const publisherNames = new Set<string>()
  try {
    for (const [i, input] of inputs.entries()) {
      publisherNames.add(
        await readInput(writer, input, folder, (progress) => {
          options.signal?.throwIfAborted()
          options.report?.((readingShare * (i + progress)) / inputs.length, writer.rows())
        }),
      )
    }
    const counts = writer.finish({
      ...options.metadata,
      sources: JSON.stringify(inputs.map((input) => ({ file: basename(input), bytes: statSync(input).size }))),
      publishers: [...publisherNames].join(', '),
    })
    if (counts.points + counts.ranges === 0)
      throw new FileError(
        `No row of ${formatNames(inputs.map((input) => basename(input)))} has a usable address (${formatReasons(counts.excluded)}).`,
      )
    writer.close()
    verifyAddressPack(path)
    renameSync(path, out)
    options.report?.(1, writer.rows())
    return { path: out, ...counts, bytes: statSync(out).size, publishers: [...publisherNames] }
  } finally {
    writer.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The share of the progress for reading; sorting takes the rest. */
const readingShare = 0.8

async function readInput(
  writer: AddressWriter,
  path: string,
  folder: string,
  report: (progress: number) => void,
): Promise<string> {
  const input = await openInput(path, { layer: null, expectedLayer: '', lat: null, lng: null }, folder)
  let publisher: AddressPublisher | null = null
  try {
    for await (const { features, progress } of input.batches()) {
      const [first] = features
      if (!first) continue
      publisher ??= identifyPublisher(input, first, basename(path))
      const { read } = publisher
      const actualNames = columnNamesByUpperCase(first)
      const records = features.flatMap(({ parts, properties }) => {
        const cell: CellReader = (column) => textOf(properties[actualNames.get(column) ?? column])
        return read(cell, parts === 'invalid' ? [] : parts)
      })
      for (const record of records) writer.add(record)
      writer.commit()
      report(progress)
    }
  } finally {
    input.close()
  }
  if (!publisher) throw new FileError(`${basename(path)} has no rows.`)
  return publisher.name
}

function identifyPublisher({ columns, format }: InputFile, first: InputFeature, name: string): AddressPublisher {
  const names = new Set([...columns, ...Object.keys(first.properties)].map((column) => column.toUpperCase()))
  const match = addressPublishers.find(({ requiredColumns }) => requiredColumns.every((column) => names.has(column)))
  if (match) return match
  const expected = addressPublishers
    .map((publisher) => `${publisher.name} (${publisher.requiredColumns.join(', ')})`)
    .join('; ')
  throw new FileError(
    `${name} (${format}) does not have the columns of a supported address publisher. Its columns: ${formatNames([...names])}. Expected the columns of ${expected}.`,
  )
}

/** Publishers write column names in upper or lower case. */
function columnNamesByUpperCase({ properties }: InputFeature): Map<string, string> {
  return new Map(Object.keys(properties).map((name) => [name.toUpperCase(), name]))
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''
}

function formatReasons(excluded: Record<string, number>): string {
  return (
    Object.entries(excluded)
      .map(([reason, count]) => `${count} ${reason}`)
      .join(', ') || 'it has no rows'
  )
}
