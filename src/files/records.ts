import { createReadStream, existsSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { GeometryPart } from '../geo/text/wkb-write.ts'
import type { Properties } from '../model/source.ts'
import { FileError } from './file-error.ts'
import { extractZipEntries, readZipEntries } from './zip/extract-zip.ts'
import { readBytesAt } from './byte-reader.ts'
import { type InputFeature, type InputFile, asyncInputBatchesOf, type ReadFeature } from './input-file.ts'
import type { Recipe } from './recipe.ts'

type Records = NonNullable<Recipe['records']>
type Join = NonNullable<Records['joins']>[number]

/** The rows of another member by key, which is in this column of the main one, and the columns that are taken. */
type JoinedRows = { key: number; take: string[]; rows: Map<string, (string | null)[]> }

const maxJoinedRows = 5_000_000
const maxRecord_characters = 100_000

/**
 * Opens records: lines of cells separated by bars, without column names. Quotes have no meaning. The members are in an
 * archive, or in files next to each other.
 */
export async function openRecords(path: string, spec: Records, folder: string): Promise<InputFile> {
  const { member, begins, columns, lat, lng, joins = [] } = spec
  const [main, ...others] = await locateMembers(path, [member, ...joins.map((join) => join.member)], folder)
  const columnIndex = (name: string) => columns.indexOf(name)
  const joined: JoinedRows[] = []
  for (const [i, join] of joins.entries())
    joined.push({ key: columnIndex(join.by), take: join.take, rows: await readJoinedRows(others[i]!, join) })
  const names = [...columns.filter((name) => name !== ''), ...joins.flatMap(({ take }) => take)]
  const [lats, lngs] = [lat.map(columnIndex), lng.map(columnIndex)]
  const toFeature = (row: string[]): InputFeature => {
    const properties: Properties = {}
    for (const [i, name] of columns.entries()) if (name !== '') properties[name] = row[i]?.trim() || null
    for (const { key, take, rows } of joined)
      for (const [i, name] of take.entries()) properties[name] = rows.get(row[key]!)?.[i] ?? null
    return {
      parts: parsePoint(
        lats.map((at) => row[at] ?? ''),
        lngs.map((at) => row[at] ?? ''),
      ),
      properties,
    }
  }
  return {
    format: `records (${basename(main!)})`,
    crs: 'EPSG:4326',
    hasGeometry: true,
    columns: names,
    isText: true,
    batches: () => asyncInputBatchesOf(featuresOf(main!, { begins, columns }, toFeature)),
    close() {},
  }
}

/** Whether a file is the publisher's own records file, and not a conversion of it. */
export async function isRecordsFile(path: string, { member }: Records): Promise<boolean> {
  if (!existsSync(path)) return false
  const isMember = (name: string) => basename(name).toLowerCase() === member.toLowerCase()
  return isMember(path) || (isZip(path) && (await readZipEntries(path)).some((entry) => isMember(entry.path)))
}

function isZip(path: string): boolean {
  return !statSync(path).isDirectory() && readBytesAt(path, 0, 4).toString('latin1') === 'PK\x03\x04'
}

/** The paths of the members: extracted from the archive, or next to the file. */
async function locateMembers(path: string, members: string[], folder: string): Promise<string[]> {
  const name = basename(path)
  if (!isZip(path)) return members.map((member) => siblingPath(path, member))
  const entries = await readZipEntries(path)
  const needed = members.map((member) => {
    const entry = entries.find((it) => basename(it.path).toLowerCase() === member.toLowerCase())
    if (!entry)
      throw new FileError(
        `${name} does not contain ${member}. It contains ${
          entries
            .slice(0, 20)
            .map((it) => it.path)
            .join(', ') || 'nothing'
        }.`,
      )
    return entry
  })
  return extractZipEntries(path, needed, join(folder, `records-${Bun.hash(path).toString(36)}`), name)
}

function siblingPath(path: string, member: string): string {
  const sibling = join(dirname(path), member)
  if (existsSync(sibling)) return sibling
  throw new FileError(`${basename(path)} is not a ZIP archive, and ${member} is not next to it.`)
}

async function readJoinedRows(
  path: string,
  { begins, columns, by, take, only = {} }: Join,
): Promise<Map<string, (string | null)[]>> {
  const [key, takenIndexes] = [columns.indexOf(by), take.map((name) => columns.indexOf(name))]
  const conditions = Object.entries(only).map(([name, cell]) => ({ at: columns.indexOf(name), cell }))
  const rows = new Map<string, (string | null)[]>()
  for await (const row of rowsOf(path, { begins, columns })) {
    if (conditions.some(({ at, cell }) => row[at]!.trim() !== cell)) continue
    rows.set(
      row[key]!,
      takenIndexes.map((at) => row[at]!.trim() || null),
    )
    if (rows.size > maxJoinedRows) throw new FileError(`${basename(path)} has more than ${maxJoinedRows} records.`)
  }
  return rows
}

async function* featuresOf(
  path: string,
  spec: Pick<Records, 'begins' | 'columns'>,
  toFeature: (row: string[]) => InputFeature,
): AsyncGenerator<ReadFeature> {
  const { size } = statSync(path)
  let read = 0
  for await (const row of rowsOf(path, spec)) {
    read += row.reduce((sum, cell) => sum + cell.length + 1, 0)
    yield { ...toFeature(row), progress: Math.min(1, read / size) }
  }
}

/** The cells of each record. A text with a line break continues in the next line, after a bar. */
async function* rowsOf(
  path: string,
  { begins, columns }: Pick<Records, 'begins' | 'columns'>,
): AsyncGenerator<string[]> {
  const isComplete = (row: string[]) => row[0] === begins && row.length >= columns.length
  let record = ''
  for await (const line of createInterface({ input: createReadStream(path, 'latin1'), crlfDelay: Infinity })) {
    if (!line.startsWith(`${begins}|`)) {
      if (record.length < maxRecord_characters) record += line.replace(/^\|/, ' ')
      continue
    }
    const row = record.split('|')
    if (isComplete(row)) yield row
    record = line
  }
  const last = record.split('|')
  if (isComplete(last)) yield last
}

function parsePoint(lat: string[], lng: string[]): GeometryPart[] | 'invalid' {
  if ([...lat, ...lng].every((cell) => cell.trim() === '')) return []
  const [y, x] = [parseDegrees(lat, 'NS'), parseDegrees(lng, 'EW')]
  return y === null || x === null ? 'invalid' : [{ kind: 'point', paths: [[x, y]] }]
}

/** Parses degrees, minutes, seconds and direction; `null` if they are invalid. */
function parseDegrees([degrees = '', minutes = '', seconds = '', side = '']: string[], sides: string): number | null {
  const [whole, minute, second] = [degrees, minutes, seconds].map((cell) =>
    cell.trim() === '' ? 0 : Number(cell),
  ) as [number, number, number]
  const sideIndex = sides.indexOf(side.trim().toUpperCase())
  if (
    degrees.trim() === '' ||
    side.trim().length !== 1 ||
    sideIndex < 0 ||
    !(whole >= 0 && minute >= 0 && minute < 60 && second >= 0 && second < 60)
  )
    return null
  const decimal = whole + minute / 60 + second / 3_600
  return sideIndex === 0 ? decimal : -decimal
}
