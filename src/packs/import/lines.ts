import { Database } from 'bun:sqlite'
import type { Properties } from '../../model/source.ts'
import { PackRefused } from '../pack-refused.ts'
import { batchSize, type Incoming } from './input.ts'
import type { Recipe } from './recipe.ts'
import type { Staged, Staging } from './staging.ts'
import { partsOfBlob } from './wkb-parts.ts'

/**
 * Joins the points of a staging file into lines: each to the next of its key, with what the point says, the shorter way round the earth.
 * The last of a key stays a point, and a place that is told twice counts once.
 */
export function joinLines(path: string, { columns }: Staged, { by, order }: NonNullable<Recipe['lines']>, into: Staging): void {
  const named = (name: string) => {
    const column = columns.find((it) => it.name.toLowerCase() === name.toLowerCase())
    if (!column) throw new PackRefused(`Lines are made by ${[...by, order].join(', ')}, and the input has no column ${name}; it has ${columns.map((it) => it.name).join(', ')}.`)
    return column.staged
  }
  const [keys, time] = [by.map(named), named(order)]
  const db = new Database(path, { readonly: true })
  try {
    const sql = `SELECT fs_blob AS place, ${columns.map(({ staged }) => staged).join(', ')} FROM staged WHERE fs_blob IS NOT NULL ORDER BY ${[...keys, time].join(', ')}`
    let batch: Incoming[] = []
    const flush = () => {
      into.add(batch, { isText: true, toDegrees: null })
      batch = []
    }
    let before: Stop | null = null
    for (const row of db.query<Row, []>(sql).iterate()) {
      const stop: Stop = { key: JSON.stringify(keys.map((key) => row[key])), time: row[time] ?? null, at: placeOf(row.place), properties: Object.fromEntries(columns.map(({ name, staged }) => [name, row[staged] as Properties[string]])) }
      if (before && before.key === stop.key && before.time === stop.time) continue
      if (before) batch.push(lineOf(before, before.key === stop.key ? stop : null))
      if (batch.length >= batchSize) flush()
      before = stop
    }
    if (before) batch.push(lineOf(before, null))
    flush()
  } finally {
    db.close()
  }
}

type Row = Record<string, unknown> & { place: Uint8Array }
type Stop = { key: string; time: unknown; at: [lng: number, lat: number]; properties: Properties }

function placeOf(blob: Uint8Array): [number, number] {
  const [part] = partsOfBlob(blob)
  const [lng, lat] = part?.kind === 'point' ? part.paths[0]! : []
  if (lng === undefined || lat === undefined) throw new PackRefused('Lines are made of points, and the input has other shapes: the publisher\'s own file of points was expected.')
  return [lng, lat]
}

function lineOf({ at: [lng, lat], properties }: Stop, next: Stop | null): Incoming {
  if (!next) return { parts: [{ kind: 'point', paths: [[lng, lat]] }], properties }
  const [toLng, toLat] = next.at
  return { parts: [{ kind: 'line', paths: [[lng, lat, toLng + 360 * Math.round((lng - toLng) / 360), toLat]] }], properties }
}
