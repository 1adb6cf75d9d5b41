import { Database } from 'bun:sqlite'
import { mkdtempSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { formatNames } from '../geopackage-file.ts'
import type { InputFeature, InputFile } from '../import/input-file.ts'
import { openInput } from '../import/open-input.ts'
import { PackError } from '../pack-error.ts'
import type { CellReader } from './address-record.ts'
import { addressPublishers, type AddressPublisher } from './publishers.ts'
import { openAddressWriter, type AddressWriter, type ZipLookup } from './write-addresses.ts'

/**
 * `lookupZip`: the town and state of a ZIP code, for files that do not say; `state`: that of the files which have neither; `metadata`: what else the pack
 * is to say of itself (vintage, licence, attribution); `report` is told how far it is (0 to 1), and how many rows were read; `signal` ends it.
 */
export type AddressBuildOptions = {
  lookupZip: ZipLookup
  state?: string
  metadata?: Readonly<Record<string, string>>
  report?: (progress: number, rows: number) => void
  signal?: AbortSignal
}

/** What was built; `excluded`: how many rows gave nothing, by reason. */
export type AddressBuildResult = {
  path: string
  points: number
  ranges: number
  streets: number
  excluded: Record<string, number>
  bytes: number
  publishers: string[]
}

/**
 * Builds an address pack from files of the National Address Database, OpenAddresses and TIGER ADDRFEAT, in any mix. It takes its name when it is
 * whole; what goes wrong leaves nothing behind. Memory does not grow with the files.
 */
export async function buildAddresses(
  inputs: readonly string[],
  out: string,
  options: AddressBuildOptions,
): Promise<AddressBuildResult> {
  if (inputs.length === 0) throw new PackError('No file of addresses is named.')
  const folder = mkdtempSync(join(dirname(out), '.fieldstone-addresses-'))
  const path = join(folder, 'addresses.sqlite')
  const writer = openAddressWriter(new Database(path, { create: true }), join(folder, 'staging.sqlite'), options)
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
      throw new PackError(
        `${formatNames(inputs.map((input) => basename(input)))}: no row has an address (${formatReasons(counts.excluded)}).`,
      )
    writer.close()
    renameSync(path, out)
    options.report?.(1, writer.rows())
    return { path: out, ...counts, bytes: statSync(out).size, publishers: [...publisherNames] }
  } finally {
    writer.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The rest is for putting in order. */
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
      const actualNames = columnNamesByUpperCase(first)
      for (const { parts, properties } of features) {
        const cell: CellReader = (column) => textOf(properties[actualNames.get(column) ?? column])
        for (const row of publisher.read(cell, parts === 'invalid' ? [] : parts)) writer.add(row)
      }
      writer.commit()
      report(progress)
    }
  } finally {
    input.close()
  }
  if (!publisher) throw new PackError(`${basename(path)} has no rows.`)
  return publisher.name
}

function identifyPublisher({ columns, format }: InputFile, first: InputFeature, name: string): AddressPublisher {
  const names = new Set([...columns, ...Object.keys(first.properties)].map((column) => column.toUpperCase()))
  const match = addressPublishers.find(({ requiredColumns }) => requiredColumns.every((column) => names.has(column)))
  if (match) return match
  const expected = addressPublishers
    .map((publisher) => `${publisher.name} (${publisher.requiredColumns.join(', ')})`)
    .join('; ')
  throw new PackError(
    `${name} (${format}) is of no publisher of addresses that is read: it has the columns ${formatNames([...names])}; expected were those of ${expected}.`,
  )
}

/** Publishers write the names of columns in capitals or not. */
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
      .join(', ') || 'there are none'
  )
}
