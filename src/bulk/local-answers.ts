import { andThen, type MaybePromise } from '../async/maybe-promise.ts'
import { catalogSubsetOf, coordinateKey, isServedLocally, openLocalPlan } from '../fetch/catalog/catalog-subset.ts'
import type { CatalogSnapshot } from '../fetch/catalog/catalog-state.ts'
import { PlaceBlock, type PlanContext } from '../fetch/place-block.ts'
import type { EmbeddedData } from '../packs/embedded/embedded-data.ts'
import type { PackFolder } from '../packs/pack-folder.ts'
import type { OutcomeColumn } from '../fetch/outcome-column.ts'
import { cellOfOutcome, rowOfCells, type ArtifactRow } from '../runs/artifacts/artifact-row.ts'
import { resultTextOf, textOfRow } from '../runs/artifacts/result-text.ts'
import type { LocalGeocoder } from '../place/local-geocoder.ts'
import { BlockWriter, type PlaceRow } from './block-writer.ts'
import type { BulkJob } from './bulk-job.ts'
import { ColumnCounter, failedPlacesOf } from './column-counts.ts'
import { createBlockReader, type RowBlock } from './row-block.ts'
import { RowLocator, type RowPlaces } from './row-locator.ts'
import { AnswerCounter } from './unanswered-rows.ts'
import type { AnswerBlock, AnsweredBlock } from './answer-blocks.ts'

const budget = { signal: new AbortController().signal }

type Deps = Pick<PlanContext, 'log' | 'now'> & {
  embedded: EmbeddedData
  packs: Pick<PackFolder, 'dataset'>
  snapshot(): CatalogSnapshot
  /** Geocodes addresses (default: there are none). */
  geocode?: LocalGeocoder
}

/** How many rows of a run the data of this machine answers: all, most (those it covers), or perhaps none. */
export function localShareOf(fields: string[], snapshot: CatalogSnapshot): 'all' | 'most' | 'none' {
  if (snapshot.plans.select({ fields }, 'none').isLocal) return 'all'
  return isServedLocally(fields, catalogSubsetOf(fields, snapshot)) ? 'most' : 'none'
}

/**
 * Creates a function that answers the rows of a block from the data in memory and on disk, without an account, a queue
 * or a database. All rows are answered together, field by field. Rows stay open whose address it cannot decide, and
 * those where a field needs other data.
 */
export function createLocalAnswers(job: BulkJob, deps: Deps): AnswerBlock {
  const { fields } = job.shape
  const answerPlan = createPlanAnswers(fields, deps)
  const { separator, row: parts } = resultTextOf(job.format, job.shape)
  const readRows = createBlockReader(job.table)
  const locator = new RowLocator(deps, fields)
  const writer = new BlockWriter(parts, fields, job.table.columns)
  const columnCounter = new ColumnCounter(fields)
  return async (block) => {
    const selected = block.only && new Set(block.only)
    const rows = await readRows(block)
    const isSelected = (row: number) => !selected || selected.has(block.first + row)
    const places = locator.placesOf(rows, isSelected)
    const { columns, openPlaces } = await answerPlan(new PlaceBlock(places, budget, { ...deps, layers: 'all' }))
    const failed = failedPlacesOf(columns)
    writer.beginBlock(columns)
    const counter = new AnswerCounter()
    const rowTexts: string[] = []
    const open: NonNullable<AnsweredBlock['open']> = []
    for (let row = 0; row < rows.size; row++) {
      if (!isSelected(row)) continue
      const at = { index: block.first + row, row, place: places.ofRow[row]! }
      const isComplete = at.place >= 0 && !failed.has(at.place)
      if (row > 0 && !selected) writer.addText(separator)
      if (places.open.has(row) || openPlaces.has(at.place)) {
        open.push({ index: at.index, at_byte: writer.length })
        if (selected) rowTexts.push('')
        continue
      }
      if (isComplete && !selected && !places.located.has(at.place)) {
        writer.addRow(at, rows)
        continue
      }
      const answered =
        at.place >= 0 ? rowOfPlace(at, rows, { columns, fields, places }) : locator.errorRow(at, rows, places)
      if (!isComplete) counter.add(answered, fields)
      if (selected) rowTexts.push(textOfRow(parts, answered))
      else writer.addText(textOfRow(parts, answered))
    }
    counter.merge({ final: columnCounter.count(columns, failed.union(openPlaces)), unanswered: [] })
    return {
      first: block.first,
      rows: block.rows,
      text: writer.take(),
      ...(block.only && { only: block.only, rowTexts }),
      counts: counter.counts(),
      open,
      geocodes: places.geocodes,
    }
  }
}

/** The outcomes of a block, and the places where a field needs other data. */
type PlanAnswer = { columns: OutcomeColumn[]; openPlaces: ReadonlySet<number> }

/** Answers from the data of this machine. Places where a field needs other data stay open. */
function createPlanAnswers(
  fields: string[],
  { snapshot, ...deps }: Deps,
): (block: PlaceBlock) => MaybePromise<PlanAnswer> {
  const current = snapshot()
  const plan = current.plans.select({ fields }, 'none')
  if (plan.isLocal) return (block) => andThen(plan.answer(block), (columns) => ({ columns, openPlaces: new Set() }))
  const local = openLocalPlan(fields, catalogSubsetOf(fields, current), deps, deps.now)
  return (block) => {
    const { result, needing } = local.withoutOtherData(() => local.plan.answer(block))
    const openPlaces = new Set<number>()
    // What a field needs after it has waited is not known here.
    const isUnknown = result instanceof Promise
    const isOpen = (i: number) => isUnknown || needing.has(coordinateKey({ lat: block.lats[i]!, lng: block.lngs[i]! }))
    if (isUnknown || needing.size > 0) for (let i = 0; i < block.size; i++) if (isOpen(i)) openPlaces.add(i)
    return andThen(result, (columns) => ({ columns, openPlaces }))
  }
}

type AnsweredPlaces = { columns: readonly OutcomeColumn[]; fields: readonly string[]; places: RowPlaces }

function rowOfPlace(
  { index, row, place }: PlaceRow,
  rows: RowBlock,
  { columns, fields, places }: AnsweredPlaces,
): ArtifactRow {
  const cells = columns.map((column) => cellOfOutcome(column.at(place)))
  const at = { index, lat: places.lats[place]!, lng: places.lngs[place]! }
  const geocode = places.located.get(place)?.geocode
  const answered = rowOfCells(at, cells, fields)
  answered.passthrough = rows.cellsOf(row)
  if (!geocode) return answered
  answered.source = 'address'
  answered.geocode = geocode
  return answered
}
