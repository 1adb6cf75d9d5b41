import { attributeOf, compareValues } from '../../geo/attribute.ts'
import type { Point } from '../../model/place.ts'
import type { Properties } from '../../model/source.ts'
import type { PackDataset } from '../../packs/pack.ts'

/** The SSURGO tables below a map unit polygon: the key column of each, and the parent table that holds this key. */
export const ssurgoParents: Readonly<Record<string, { key: string; parent: string }>> = {
  mapunit: { key: 'mukey', parent: 'mupolygon' },
  muaggatt: { key: 'mukey', parent: 'mupolygon' },
  component: { key: 'mukey', parent: 'mupolygon' },
  chorizon: { key: 'cokey', parent: 'component' },
  corestrictions: { key: 'cokey', parent: 'component' },
  comonth: { key: 'cokey', parent: 'component' },
  chtexturegrp: { key: 'chkey', parent: 'chorizon' },
}

/**
 * The document of the map unit at a point, or the rows of each table for it. Of the rows, only those of the dominant
 * component are included. Null outside all polygons.
 */
export function soilAt(
  { layers, tables }: PackDataset,
  layer: string,
  at: Point,
  documentOf: (mukey: string) => unknown,
): unknown {
  const [polygon] = layers.get(layer)?.query({ at, radius_m: 0, limit: 1 }) ?? []
  const mukey = polygon && attributeOf(polygon.properties, 'mukey')
  if (mukey === undefined || mukey === null) return null
  const document = documentOf(String(mukey))
  if (document !== undefined) return document
  const found: Record<string, Properties[]> = { mupolygon: [{ mukey }] }
  for (const name of tables.keys()) childRows(name)
  return found

  function childRows(name: string): Properties[] {
    const { key, parent } = ssurgoParents[name]!
    return (found[name] ??= selectRows(
      name,
      (found[parent] ?? childRows(parent)).flatMap((row) => {
        const value = attributeOf(row, key) ?? null
        // Child rows include the columns of their parent: a texture is selected by the depth of its horizon.
        return value === null
          ? []
          : (tables.get(name)?.rows(String(value)) ?? []).map((child) => ({ ...row, ...child }))
      }),
    ))
  }
}

/** The component with the largest share (then the lowest key); of textures, the representative ones. */
function selectRows(name: string, rows: Properties[]): Properties[] {
  return name === 'component' ? rows.toSorted(byShare).slice(0, 1) : rows.filter(isRepresentative)
}

function byShare(a: Properties, b: Properties): number {
  const [x, y] = [attributeOf(a, 'comppct_r') ?? null, attributeOf(b, 'comppct_r') ?? null]
  if (x === null || y === null) return Number(x === null) - Number(y === null)
  return compareValues(y, x) || compareValues(attributeOf(a, 'cokey') ?? null, attributeOf(b, 'cokey') ?? null) || 0
}

function isRepresentative(row: Properties): boolean {
  const indicator = attributeOf(row, 'rvindicator')
  return (
    indicator === undefined || indicator === null || String(indicator).toLowerCase() === 'yes' || indicator === true
  )
}
