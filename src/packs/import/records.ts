import { createReadStream, existsSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { GeometryPart } from '../../geo/wkb-write.ts'
import type { Properties } from '../../model/source.ts'
import { PackRefused } from '../pack-refused.ts'
import { bytesAt } from './bytes.ts'
import { batchSize, type Batch, type Incoming, type Input } from './input.ts'
import type { Recipe } from './recipe.ts'
import { unzipped, zipEntries } from './zip.ts'

type Records = NonNullable<Recipe['records']>
type Join = NonNullable<Records['join']>

const joinedMost_rows = 5_000_000

/** Lines of cells with bars between them and no names above, as an archive has them or with their fellows beside them. Quotes mean nothing in them. */
export async function openRecords(path: string, form: Records, folder: string): Promise<Input> {
  const { member, begins, columns, lat, lng, join: joining } = form
  const [main, other] = await membersOf(path, [member, ...(joining ? [joining.member] : [])], folder)
  const said = joining ? await joinedRows(other!, joining) : null
  const names = [...columns.filter((name) => name !== ''), ...(joining?.take ?? [])]
  const placeOf = (name: string) => columns.indexOf(name)
  const [lats, lngs, key] = [lat.map(placeOf), lng.map(placeOf), joining ? placeOf(joining.by) : -1]
  const incoming = (row: string[]): Incoming => {
    const properties: Properties = {}
    for (const [i, name] of columns.entries()) if (name !== '') properties[name] = row[i]?.trim() || null
    for (const [i, name] of (joining?.take ?? []).entries()) properties[name] = said?.get(row[key]!)?.[i] ?? null
    return { parts: pointOf(lats.map((at) => row[at] ?? ''), lngs.map((at) => row[at] ?? '')), properties }
  }
  return { format: `records (${basename(main!)})`, crs: 'EPSG:4326', hasGeometry: true, columns: names, isText: true, batches: () => batchesOf(main!, { begins, columns }, incoming), close() {} }
}

/** Whether a file is the publisher's own of this kind, and not what somebody made of it. */
export function hasRecords(path: string, { member }: Records): boolean {
  if (!existsSync(path)) return false
  const isMember = (name: string) => basename(name).toLowerCase() === member.toLowerCase()
  return isMember(path) || (isZip(path) && zipEntries(path, basename(path)).some((entry) => isMember(entry.path)))
}

function isZip(path: string): boolean {
  return !statSync(path).isDirectory() && bytesAt(path, 0, 4).toString('latin1') === 'PK\x03\x04'
}

/** The members by their names: unpacked, or those that lie beside the file. */
async function membersOf(path: string, members: string[], folder: string): Promise<string[]> {
  const name = basename(path)
  if (!isZip(path)) return members.map((member) => besides(path, member))
  const entries = zipEntries(path, name)
  const needed = members.map((member) => {
    const entry = entries.find((it) => basename(it.path).toLowerCase() === member.toLowerCase())
    if (!entry) throw new PackRefused(`${name} has no ${member}; it has ${entries.slice(0, 20).map((it) => it.path).join(', ') || 'nothing'}.`)
    return entry
  })
  return unzipped(path, needed, join(folder, `records-${Bun.hash(path).toString(36)}`), name)
}

function besides(path: string, member: string): string {
  const beside = join(dirname(path), member)
  if (existsSync(beside)) return beside
  throw new PackRefused(`${basename(path)} is no ZIP archive, and there is no ${member} beside it.`)
}

async function joinedRows(path: string, { begins, columns, by, take }: Join): Promise<Map<string, (string | null)[]>> {
  const [key, taken] = [columns.indexOf(by), take.map((name) => columns.indexOf(name))]
  const rows = new Map<string, (string | null)[]>()
  for await (const row of rowsOf(path, { begins, columns })) {
    rows.set(row[key]!, taken.map((at) => row[at]!.trim() || null))
    if (rows.size > joinedMost_rows) throw new PackRefused(`${basename(path)} has more than ${joinedMost_rows} records.`)
  }
  return rows
}

async function* batchesOf(path: string, form: Pick<Records, 'begins' | 'columns'>, incoming: (row: string[]) => Incoming): AsyncGenerator<Batch> {
  const { size } = statSync(path)
  let features: Incoming[] = []
  let read = 0
  for await (const row of rowsOf(path, form)) {
    features.push(incoming(row))
    read += row.reduce((sum, cell) => sum + cell.length + 1, 0)
    if (features.length < batchSize) continue
    yield { features, done: Math.min(1, read / size) }
    features = []
  }
  yield { features, done: 1 }
}

async function* rowsOf(path: string, { begins, columns }: Pick<Records, 'begins' | 'columns'>): AsyncGenerator<string[]> {
  for await (const line of createInterface({ input: createReadStream(path, 'latin1'), crlfDelay: Infinity })) {
    const row = line.split('|')
    if (row[0] === begins && row.length >= columns.length) yield row
  }
}

function pointOf(lat: string[], lng: string[]): GeometryPart[] | 'broken' {
  if ([...lat, ...lng].every((cell) => cell.trim() === '')) return []
  const [y, x] = [degreesOf(lat, 'NS'), degreesOf(lng, 'EW')]
  return y === null || x === null ? 'broken' : [{ kind: 'point', paths: [[x, y]] }]
}

/** Degrees, minutes and seconds of a side of the world; `null` when they are none. */
function degreesOf([degrees = '', minutes = '', seconds = '', side = '']: string[], sides: string): number | null {
  const [whole, minute, second] = [degrees, minutes, seconds].map((cell) => (cell.trim() === '' ? 0 : Number(cell))) as [number, number, number]
  const turn = sides.indexOf(side.trim().toUpperCase())
  if (degrees.trim() === '' || side.trim().length !== 1 || turn < 0 || !(whole >= 0 && minute >= 0 && minute < 60 && second >= 0 && second < 60)) return null
  const found = whole + minute / 60 + second / 3_600
  return turn === 0 ? found : -found
}
