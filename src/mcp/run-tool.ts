import { Type } from '@sinclair/typebox'
import { runSummaryOf } from '../runs/report/run-document.ts'
import type { StoredEntry } from '../store/runs/runs.ts'
import { jsonBytesOf, outputMax_bytes } from './fit-output.ts'
import { LocationPacker } from '../store/runs/packed-locations.ts'
import { locationProperties, requireLocation } from './location.ts'
import { defineTool, requireToolScope } from './tool.ts'

const entriesMax = 50
/** The part of the output reserved for the run summary and the envelope. */
const overhead_bytes = 8000

const locationsMax = 1000
const RunOutput = Type.Object(
  { run_id: Type.String(), kind: Type.String(), status: Type.String() },
  { additionalProperties: true },
)

/** Starts a run over many places. */
export const startRunTool = defineTool({
  name: 'start_run',
  title: 'Start a run',
  scope: 'runs',
  isOpenWorld: true,
  isWriting: true,
  description: `Starts a run that answers the same fields at up to ${locationsMax} US locations, and returns at once. Follow it with get_run. Also for presets with more fields than fetch_fields takes. Each call starts a new run.`,
  input: Type.Object({
    locations: Type.Array(Type.Object(locationProperties), {
      minItems: 1,
      maxItems: locationsMax,
      description: 'The locations, each with lat and lng, or with address.',
    }),
    fields: Type.Optional(
      Type.Array(Type.String({ maxLength: 200 }), { description: 'Field names from find_fields.' }),
    ),
    preset: Type.Optional(Type.String({ maxLength: 200, description: 'The name of a preset.' })),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'A name for the list of runs.' })),
  }),
  output: Type.Object({ run: RunOutput, shortened: Type.Boolean() }),
  async run({ locations, fields, preset, name = null }, { app, account }) {
    requireToolScope(account, 'fetch')
    for (const location of locations) requireLocation(location)
    const packer = new LocationPacker()
    for (const { lat, lng, address } of locations) packer.add({ input: JSON.stringify({ lat, lng, address }) })
    const selection = { ...(fields && { fields }), ...(preset !== undefined && { preset }) }
    const submitted = { selection, columns: [], name, locations: packer.finish(), key: null }
    const refund = await app.access.rateLimiter.admitLocations(account, locations.length)
    try {
      const { run_id } = await app.runs.submit(account, { kind: 'fetch_batch', ...submitted })
      return { run: runSummaryOf(await app.runs.find(account, run_id)) }
    } catch (error) {
      refund()
      throw error
    }
  },
})

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
    run: RunOutput,
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
