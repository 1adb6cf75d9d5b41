import { basename, resolve } from 'node:path'
import type { Field } from '../../catalog/records.ts'
import { selectFields } from '../../fetch/catalog/select.ts'
import { splitNames } from '../../model/text.ts'
import { areaAround, parseArea, parseRadius, type Area } from '../../pack-plans/area.ts'
import { AreaError } from '../../pack-plans/counties.ts'
import { ApiError } from '../../model/error.ts'
import type { Point } from '../../model/place.ts'
import type { InputFeature } from '../../files/input-file.ts'
import { openInput } from '../../files/open-input.ts'
import { parseCoordinates } from '../../geo/text/parse-coordinates.ts'
import { withCommandHints } from '../command-hints.ts'
import type { PackFlags, PackCommandDeps } from './pack-deps.ts'
import { makePackFolder } from './pack-install.ts'
import { datasetHint } from './pack-target.ts'
import { UsageError } from '../usage-error.ts'
import { withWorkFolder } from '../server/stop-signals.ts'

/** The flags that name an area. */
export const areaFlags = ['area', 'at', 'radius', 'sites'] as const

/** Reads the area of the flags. @throws {UsageError} if they name none, or several. */
export async function areaOfFlags(flags: PackFlags, deps: PackCommandDeps): Promise<Area> {
  const given = (['area', 'at', 'sites'] as const).filter((name) => flags[name] !== undefined)
  const [name] = given
  if (name === undefined || given.length > 1)
    throw new UsageError(
      'Name one area: --area "Boulder County, CO" (or a state, a box, a GeoJSON file), --at <lat,lng> --radius <length>, or --sites <file> --radius <length>. See `fieldstone help pack`.',
    )
  if (name !== 'area' && typeof flags.radius !== 'string')
    throw new UsageError(`--${name} needs --radius, such as --radius 5km.`)
  if (name === 'area' && flags.radius !== undefined)
    throw new UsageError('--radius belongs to --at or --sites. --area has its own border.')
  const text = String(flags[name])
  try {
    if (name === 'sites')
      return areaAround(await readSites(text, deps), parseRadius(String(flags.radius)), basename(text))
    if (name === 'at') return areaAround([parsePoint(text)], parseRadius(String(flags.radius)), text)
    return parseArea(text, deps.counties())
  } catch (error) {
    if (!(error instanceof AreaError)) throw error
    throw new UsageError(`--${name}: ${error.message}`, { cause: error })
  }
}

/** The fields of --preset, --fields, --dataset and --all, and of datasets named as arguments. @throws {UsageError} */
export function fieldsOfFlags(datasets: readonly string[], flags: PackFlags, deps: PackCommandDeps): Field[] {
  const { catalog } = deps
  const names = (flag: string) => (typeof flags[flag] === 'string' ? splitNames(flags[flag]) : [])
  const allDatasets = [...datasets, ...names('dataset')]
  const unknown = allDatasets.find((id) => !catalog.datasets.has(id))
  if (unknown !== undefined)
    throw new UsageError(`Unknown dataset ${JSON.stringify(unknown)}.${datasetHint(unknown, deps)}`)
  const ofDatasets = [...catalog.fields.values()].filter(({ read }) => allDatasets.includes(read.dataset))
  try {
    const presets = names('preset')
    const selected = [
      ...presets.flatMap((preset) => selectFields({ preset }, 'none', catalog)),
      ...(names('fields').length > 0 ? selectFields({ fields: names('fields') }, 'none', catalog) : []),
      ...ofDatasets,
      ...(flags.all === true ? catalog.fields.values() : []),
    ]
    if (selected.length > 0) return [...new Set(selected)]
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw new UsageError(withCommandHints(error.message, null), { cause: error })
  }
  throw new UsageError(
    'Nothing selected. Use --preset <name>, --fields <a,b,…>, --dataset <name> or --all. See `fieldstone help pack`.',
  )
}

function parsePoint(text: string): Point {
  const parsed = parseCoordinates(text)
  if (parsed?.kind === 'coordinates') return { lat: parsed.lat, lng: parsed.lng }
  throw new AreaError(
    `${JSON.stringify(text)} is not a coordinate.${parsed ? ` Did you mean ${parsed.suggestion}?` : ''} Use <lat,lng>.`,
  )
}

/** The points of a file in any format that `pack build` reads. */
async function readSites(path: string, { config }: PackCommandDeps): Promise<Point[]> {
  makePackFolder(config.data)
  const options = { layer: null, expectedLayer: 'sites', lat: null, lng: null }
  return withWorkFolder(config.data, async (folder) => {
    const input = await openInput(resolve(path), options, folder)
    try {
      const points: Point[] = []
      for await (const { features } of input.batches()) points.push(...features.flatMap(pointsOfFeature))
      return points
    } finally {
      input.close()
    }
  })
}

function pointsOfFeature({ parts }: InputFeature): Point[] {
  const points = parts === 'invalid' ? [] : parts.filter(({ kind }) => kind === 'point')
  return points.map(({ paths }) => ({ lat: paths[0]![1]!, lng: paths[0]![0]! }))
}
