import { Database } from 'bun:sqlite'
import { mkdtempSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { listed } from '../geopackage-file.ts'
import type { Incoming, Input } from '../import/input.ts'
import { openInput } from '../import/open-input.ts'
import { PackRefused } from '../pack-refused.ts'
import type { Cell } from './incoming-address.ts'
import { publishers, type Publisher } from './publishers.ts'
import { openAddressWriter, type AddressWriter, type ZipPlace } from './write-addresses.ts'

/**
 * `place`: the town and state of a ZIP code, for files that do not say; `state`: that of the files which have neither; `about`: what else the pack
 * is to say of itself (vintage, licence, attribution); `report` is told how far it is (0 to 1), and how many rows were read; `signal` ends it.
 */
export type AddressBuild = {
  place: ZipPlace
  state?: string
  about?: Readonly<Record<string, string>>
  report?: (done: number, rows: number) => void
  signal?: AbortSignal
}

/** What was built; `left_out`: how many rows gave nothing, by reason. */
export type BuiltAddresses = { path: string; points: number; ranges: number; streets: number; left_out: Record<string, number>; bytes: number; publishers: string[] }

/**
 * Builds an address pack from files of the National Address Database, OpenAddresses and TIGER ADDRFEAT, in any mix. It takes its name when it is
 * whole; what goes wrong leaves nothing behind. Memory does not grow with the files.
 */
export async function buildAddresses(inputs: readonly string[], out: string, options: AddressBuild): Promise<BuiltAddresses> {
  if (inputs.length === 0) throw new PackRefused('No file of addresses is named.')
  const folder = mkdtempSync(join(dirname(out), '.fieldstone-addresses-'))
  const path = join(folder, 'addresses.sqlite')
  const writer = openAddressWriter(new Database(path, { create: true }), join(folder, 'staging.sqlite'), options)
  const named = new Set<string>()
  try {
    for (const [i, input] of inputs.entries()) {
      named.add(await readInto(writer, input, folder, (done) => {
        options.signal?.throwIfAborted()
        options.report?.((readingShare * (i + done)) / inputs.length, writer.rows())
      }))
    }
    const counts = writer.finish({ ...options.about, sources: JSON.stringify(inputs.map((input) => ({ file: basename(input), bytes: statSync(input).size }))), publishers: [...named].join(', ') })
    if (counts.points + counts.ranges === 0) throw new PackRefused(`${listed(inputs.map((input) => basename(input)))}: no row has an address (${reasons(counts.left_out)}).`)
    writer.close()
    renameSync(path, out)
    options.report?.(1, writer.rows())
    return { path: out, ...counts, bytes: statSync(out).size, publishers: [...named] }
  } finally {
    writer.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The rest is for putting in order. */
const readingShare = 0.8

async function readInto(writer: AddressWriter, path: string, folder: string, report: (done: number) => void): Promise<string> {
  const input = await openInput(path, { layer: null, wanted: '', lat: null, lng: null }, folder)
  let publisher: Publisher | null = null
  try {
    for await (const { features, done } of input.batches()) {
      const [first] = features
      if (!first) continue
      publisher ??= publisherOf(input, first, basename(path))
      const cellOf = cellsOf(first)
      for (const { parts, properties } of features) {
        const cell: Cell = (column) => textOf(properties[cellOf.get(column) ?? column])
        for (const row of publisher.read(cell, parts === 'broken' ? [] : parts)) writer.add(row)
      }
      writer.settle()
      report(done)
    }
  } finally {
    input.close()
  }
  if (!publisher) throw new PackRefused(`${basename(path)} has no rows.`)
  return publisher.name
}

function publisherOf({ columns, format }: Input, first: Incoming, name: string): Publisher {
  const names = new Set([...columns, ...Object.keys(first.properties)].map((column) => column.toUpperCase()))
  const found = publishers.find(({ needs }) => needs.every((column) => names.has(column)))
  if (found) return found
  const expected = publishers.map((publisher) => `${publisher.name} (${publisher.needs.join(', ')})`).join('; ')
  throw new PackRefused(`${name} (${format}) is of no publisher of addresses that is read: it has the columns ${listed([...names])}; expected were those of ${expected}.`)
}

/** Publishers write the names of columns in capitals or not. */
function cellsOf({ properties }: Incoming): Map<string, string> {
  return new Map(Object.keys(properties).map((name) => [name.toUpperCase(), name]))
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''
}

function reasons(left_out: Record<string, number>): string {
  return Object.entries(left_out).map(([reason, count]) => `${count} ${reason}`).join(', ') || 'there are none'
}
