import { Type } from '@sinclair/typebox'
import { runSummaryOf } from '../runs/report/run-document.ts'
import type { StoredEntry } from '../store/runs/runs.ts'
import { jsonBytesOf, outputMax_bytes } from './fit-output.ts'
import { defineTool } from './tool.ts'

const entriesMax = 50
/** The part of the output reserved for the run summary and the envelope. */
const overhead_bytes = 8000

/** Returns a run's summary and a page of its results. */
export const getRunTool = defineTool({
  name: 'get_run',
  title: 'Get a run',
  scope: 'runs',
  isOpenWorld: false,
  description:
    'Returns the progress of a run and its results so far, one per location, starting at offset. next_offset is null if there are no more results at this moment.',
  input: Type.Object({
    run_id: Type.String({ maxLength: 100, description: 'The id of the run: run_ followed by 26 characters.' }),
    offset: Type.Optional(
      Type.Integer({ minimum: 0, description: 'The index of the first location to return. Default 0.' }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: entriesMax,
        description: 'The maximum number of locations to return. Default 10.',
      }),
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
  async run({ run_id, offset = 0, limit = 10 }, { app: { runs }, account }) {
    const run = await runs.find(account, run_id)
    const entries = limit === 0 ? [] : await runs.reader.listEntries(run.number, offset, limit)
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

/** The first entries that fit into the output; at least one. */
function entriesThatFit(entries: StoredEntry[]): StoredEntry[] {
  let remaining_bytes = outputMax_bytes - overhead_bytes
  const firstBeyond = entries.findIndex(({ entry }, i) => (remaining_bytes -= jsonBytesOf(entry)) < 0 && i > 0)
  return firstBeyond < 0 ? entries : entries.slice(0, firstBeyond)
}
