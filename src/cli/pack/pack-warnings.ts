import type { Catalog } from '../../catalog/catalog.ts'
import type { Field } from '../../catalog/records.ts'
import { checkedValueOf } from '../../fetch/checked-outcome.ts'
import { usBoxes } from '../../geo/us.ts'
import { UpstreamError } from '../../model/error.ts'
import { isRecord } from '../../model/record.ts'
import { pluralize } from '../../model/text.ts'
import type { Value } from '../../model/source.ts'
import { cleanValue } from '../../operators/value/clean-value.ts'
import type { PackBuildResult } from '../../build-packs/build-pack.ts'
import type { Extent } from '../../model/area.ts'
import { touchesBoxes } from '../../geo/boxes.ts'

const outsideUs =
  'No place that Fieldstone answers is there, so the fields will have no value. Check the coordinate system (--crs), and whether latitude and longitude are exchanged.'

/** Returns what is suspicious about a built layer: no feature is in the US, or a column does not fit its field. */
export function layerWarningsOf(
  { features, empty, inUs, samples }: Pick<PackBuildResult, 'features' | 'empty' | 'inUs' | 'samples' | 'box'>,
  { id, catalog, isTable }: { id: string; catalog: Pick<Catalog, 'fields'>; isTable: boolean },
): string[] {
  const isOutside = !isTable && inUs === 0 && features > empty
  return [
    ...(isOutside ? [`None of the ${pluralize(features, 'feature')} is in the United States. ${outsideUs}`] : []),
    ...[...catalog.fields.values()].flatMap((field) => typeWarningsOf(field, id, samples)),
  ]
}

/** Returns what is suspicious about a raster: it is outside of the US. */
export function rasterWarningsOf(bounds: Extent): string[] {
  return touchesBoxes(bounds, usBoxes) ? [] : [`No cell of the raster is in the United States. ${outsideUs}`]
}

/** The operators that return the value of a column, if no other argument changes it. */
const columnOperators: ReadonlySet<string> = new Set(['attribute', 'nearest', 'row'])
const changingArgs = ['expression', 'reducer', 'decode', 'unit_from', 'percentage', 'null_if_year_ge']

function typeWarningsOf(field: Field, dataset: string, samples: PackBuildResult['samples']): string[] {
  const { read } = field
  const args: Record<string, unknown> = { ...read }
  const column = args.attribute ?? args.column
  if (read.dataset !== dataset || !columnOperators.has(read.op) || typeof column !== 'string') return []
  if (changingArgs.some((name) => args[name] !== undefined)) return []
  const rejected = (samples[column.toLowerCase()] ?? []).find((sample) => !fits(sample, args, field))
  if (rejected === undefined) return []
  return [
    `The column ${column} does not fit the field ${field.name}, whose type is ${field.type}: ${JSON.stringify(rejected)} is not such a value. The field will fail where it has one. Correct the column, or the type${isRecord(args.classes) ? ' or the classes' : ''} of the field.`,
  ]
}

function fits(sample: Value, args: Record<string, unknown>, field: Field): boolean {
  try {
    const value = cleanValue(sample, args)
    if (value !== null) checkedValueOf(field, value)
    return true
  } catch (error) {
    if (error instanceof UpstreamError) return false
    throw error
  }
}
