import { Database } from 'bun:sqlite'
import type { Properties } from '../../model/source.ts'
import { FileError } from '../../files/file-error.ts'
import { inputBatchSize, type InputFeature } from '../../files/input-file.ts'
import type { Recipe } from '../../files/recipe.ts'
import type { StagingSummary, StagingTable } from '../layer/staging.ts'
import { partsOfBlob } from '../../files/wkb-parts.ts'

/**
 * Joins the points of a staging file into lines. Each point is joined to the next one with the same key, the shorter
 * way around the earth, and the line gets the point's properties. The last point of a key stays a point. A point with
 * the same key and order as the previous one is dropped.
 */
export function joinPoints(
  path: string,
  { columns }: StagingSummary,
  { by, order }: NonNullable<Recipe['lines']>,
  target: StagingTable,
): void {
  const stagedColumn = (name: string) => {
    const column = columns.find((it) => it.name.toLowerCase() === name.toLowerCase())
    if (!column)
      throw new FileError(
        `Joining points into lines needs the columns ${[...by, order].join(', ')}, but the input has no column ${name}. Its columns: ${columns.map((it) => it.name).join(', ')}.`,
      )
    return column.stagedName
  }
  const [keys, time] = [by.map(stagedColumn), stagedColumn(order)]
  const db = new Database(path, { readonly: true })
  try {
    const sql = `SELECT fs_blob AS place, ${columns.map(({ stagedName }) => stagedName).join(', ')} FROM staged WHERE fs_blob IS NOT NULL ORDER BY ${[...keys, time].join(', ')}`
    let batch: InputFeature[] = []
    const flush = () => {
      target.add(batch, { isText: true, toDegrees: null })
      batch = []
    }
    let previous: TrackPoint | null = null
    for (const row of db.query<Row, []>(sql).iterate()) {
      const point: TrackPoint = {
        key: JSON.stringify(keys.map((key) => row[key])),
        time: row[time] ?? null,
        at: pointOf(row.place),
        properties: Object.fromEntries(
          columns.map(({ name, stagedName }) => [name, row[stagedName] as Properties[string]]),
        ),
      }
      if (previous && previous.key === point.key && previous.time === point.time) continue
      if (previous) batch.push(lineOf(previous, previous.key === point.key ? point : null))
      if (batch.length >= inputBatchSize) flush()
      previous = point
    }
    if (previous) batch.push(lineOf(previous, null))
    flush()
  } finally {
    db.close()
  }
}

type Row = Record<string, unknown> & { place: Uint8Array }
type TrackPoint = { key: string; time: unknown; at: [lng: number, lat: number]; properties: Properties }

function pointOf(blob: Uint8Array): [number, number] {
  const [part] = partsOfBlob(blob)
  const [lng, lat] = part?.kind === 'point' ? part.paths[0]! : []
  if (lng === undefined || lat === undefined)
    throw new FileError(
      "Only points can be joined into lines, but the input has other geometries. Use the publisher's own file of points.",
    )
  return [lng, lat]
}

function lineOf({ at: [lng, lat], properties }: TrackPoint, next: TrackPoint | null): InputFeature {
  if (!next) return { parts: [{ kind: 'point', paths: [[lng, lat]] }], properties }
  const [toLng, toLat] = next.at
  return {
    parts: [{ kind: 'line', paths: [[lng, lat, toLng + 360 * Math.round((lng - toLng) / 360), toLat]] }],
    properties,
  }
}
