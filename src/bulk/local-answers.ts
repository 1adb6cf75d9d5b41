import type { FieldContext } from '../fetch/fetch.ts'
import { PlaceBlock } from '../fetch/place-block.ts'
import type { EmbeddedData } from '../packs/embedded/embedded-data.ts'
import type { OutcomeColumn } from '../fetch/outcome-column.ts'
import { cellOfOutcome, rowOfCells, type ArtifactRow } from '../runs/artifacts/artifact-row.ts'
import { textOfRow } from '../runs/artifacts/row-layout.ts'
import type { LocalGeocoder } from '../place/local-geocoder.ts'
import type { AnswerBlock, AnsweredBlock } from './block-answerer.ts'
import { BlockWriter, type PlaceRow } from './block-writer.ts'
import type { BulkJob } from './bulk-job.ts'
import { ColumnCounter, failedPlacesOf } from './column-counts.ts'
import { resultTextOf } from './result-text.ts'
import { createBlockReader, type RowBlock } from './row-block.ts'
import { RowLocator, type RowPlaces } from './row-locator.ts'
import { AnswerCounter } from './unanswered-rows.ts'

const budget = { signal: new AbortController().signal }

type Deps = Pick<FieldContext, 'plans' | 'log' | 'now'> & {
  embedded: Pick<EmbeddedData, 'layer'>
  /** Geocodes addresses (default: there are none). */
  geocode?: LocalGeocoder
}

/**
 * Creates a function that answers the rows of a block from the data in memory and on disk, without an account, a queue
 * or a database. All rows are answered together, field by field. Rows whose address it cannot decide stay open.
 */
export function createLocalAnswers(job: BulkJob, deps: Deps): AnswerBlock {
  const { fields } = job.shape
  const plan = deps.plans.select({ fields }, 'none')
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
    const columns = await plan.answer(new PlaceBlock(places, budget, { ...deps, layers: 'all' }))
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
      if (places.open.has(row)) {
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
    counter.merge({ final: columnCounter.count(columns, failed), unanswered: [] })
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
