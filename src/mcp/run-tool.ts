import { Type } from '@sinclair/typebox'
import { runSummaryOf } from '../runs/run-document.ts'
import type { StoredEntry } from '../store/run-reader.ts'
import { jsonBytesOf, outputMax_bytes } from './fit-output.ts'
import { defineTool } from './tool.ts'

const entriesMax = 50
/** What the summary and the frame take. */
const overhead_bytes = 8000

/** Shows a run, and some of what it has answered. */
export const getRunTool = defineTool({
  name: 'get_run',
  title: 'Look at a run',
  scope: 'runs',
  isOpenWorld: false,
  description:
    'How far a run is, and what it has answered so far, location by location from offset on. next_offset is null when there is no more at this moment.',
  input: Type.Object({
    run_id: Type.String({ maxLength: 100, description: 'The id of the run: run_ and 26 characters.' }),
    offset: Type.Optional(Type.Integer({ minimum: 0, description: 'The first location to show. Default 0.' })),
    limit: Type.Optional(
      Type.Integer({ minimum: 0, maximum: entriesMax, description: 'How many locations to show at most. Default 10.' }),
    ),
  }),
  output: Type.Object({
    run: Type.Object(
      { run_id: Type.String(), kind: Type.String(), status: Type.String() },
      { additionalProperties: true },
    ),
    results: Type.Array(Type.Object({ index: Type.Integer(), ok: Type.Boolean() }, { additionalProperties: true })),
    next_offset: Type.Union([Type.Integer(), Type.Null()]),
    shortened: Type.Boolean(),
  }),
  run({ run_id, offset = 0, limit = 10 }, { app: { runs }, account }) {
    const run = runs.find(account, run_id)
    const entries = limit === 0 ? [] : runs.reader.listEntries(run.number, offset, limit)
    const shown = entriesThatFit(entries)
    const last = shown.at(-1)
    const next_offset =
      last !== undefined && last.idx + 1 < run.total && (shown.length < entries.length || entries.length === limit)
        ? last.idx + 1
        : null
    return {
      run: runSummaryOf(run),
      results: shown.map(({ entry }) => JSON.parse(entry) as Record<string, unknown>),
      next_offset,
    }
  },
})

/** As many as there is room for, but one at least. */
function entriesThatFit(entries: StoredEntry[]): StoredEntry[] {
  let remaining_bytes = outputMax_bytes - overhead_bytes
  const firstBeyond = entries.findIndex(({ entry }, i) => (remaining_bytes -= jsonBytesOf(entry)) < 0 && i > 0)
  return firstBeyond < 0 ? entries : entries.slice(0, firstBeyond)
}
