import { setImmediate as nextTurn } from 'node:timers/promises'
import { Elysia } from 'elysia'
import type { App } from '../../app.ts'
import { createYieldToEventLoop } from '../../async/incremental-task.ts'
import { haveLocalSources } from '../../fetch/local-fields.ts'
import { hasMarginOfError } from '../../catalog/read-spec.ts'
import { answerLocations, batchLocationsMax, batchMax_ms, type LocationBatch } from '../../fetch/batch.ts'
import type { FetchContext } from '../../fetch/fetch.ts'
import type { FetchPlan } from '../../fetch/fetch-plan.ts'
import { ApiError, ValidationError, type ApiCode } from '../../model/error.ts'
import { splitNames } from '../../model/text.ts'
import type { LocationInput } from '../../place/locate.ts'
import { artifactRowOfError, cellOfOutcome, rowOfCells, type ArtifactRow } from '../../runs/artifacts/artifact-row.ts'
import {
  functionCallViolations,
  functionEngines,
  functionRowsMax,
  functionRowsOf,
  functionsPath,
  type FunctionEngine,
  type FunctionRow,
} from './function-engines.ts'
import {
  findFunctionReply,
  functionSlice_ms,
  rowTextsOf,
  submitFunctionRun,
  type FunctionCall,
  type FunctionReply,
} from './function-runs.ts'
import { accountOf, withLocationQuota } from '../request/guard.ts'
import { createBodyReader } from '../request/json-body.ts'
import { defineOperations, selectionErrorCodes } from '../request/operation.ts'
import { listViolations } from '../request/paging.ts'
import { jsonType } from '../request/request-steps.ts'
import { AcceptedRun } from '../runs/run-operations.ts'
import type { ResponseSettings } from '../runs/runs.ts'
import { createViolationError } from '../request/violations.ts'

/** The header with which Snowflake identifies a batch of rows, also when it sends the rows again or polls. */
const batchIdHeader = 'sf-external-function-query-batch-id'

const selectionQuery = {
  fields: 'Names of catalog fields, comma-separated, at most 50.',
  preset: 'Name of a preset. Its fields come before those in `fields`.',
  include: '`reasons`: for each field, the members <field>_status and <field>_reason.',
}
const rowsText = `A call has up to ${functionRowsMax} rows if this server has local data for the fields, else up to ${batchLocationsMax}.`
const valueText =
  'The object of a row has `ok`, `lat`, `lng`, `error` (the code of a row that failed), a member for each field, and `failed_fields`, the fields without a reliable value. A row with a NULL argument has the value NULL.'
const callErrorCodes: ApiCode[] = [...selectionErrorCodes, 'fetch_busy']
const [denver, miamiBeach] = [
  [39.7392, -104.9903],
  [25.7907, -80.13],
]
const common = { scope: 'fetch', limits: 'locations', query: selectionQuery } as const

export const functionOperations = defineOperations('Remote functions', {
  [`POST ${functionsPath}snowflake`]: {
    ...common,
    writes: true,
    summary: 'Answer an external function of Snowflake',
    description: `${rowsText} With the header ${batchIdHeader}, a call with more rows becomes a run: if the run takes longer than a gateway waits, the answer is 202, and Snowflake polls. The token of such a call also needs the scope runs. ${valueText}`,
    headers: {
      [batchIdHeader]: 'The id of the rows. A repeated call with the same id and rows gets the same run.',
      Prefer: '`wait=N`: wait up to N seconds for the run, at most 30. Default 20.',
    },
    body: functionEngines.snowflake.request,
    examples: {
      two: {
        data: [
          [0, ...denver],
          [1, ...miamiBeach],
        ],
      },
    },
    responses: { 200: functionEngines.snowflake.reply, 202: AcceptedRun },
    errorCodes: [...callErrorCodes, 'idempotency_key_reused', 'shutting_down', 'worker_lost'],
  },
  [`GET ${functionsPath}snowflake`]: {
    ...common,
    scope: 'runs',
    limits: 'minute',
    summary: 'Get the reply to a call of Snowflake that became a run',
    description: 'Snowflake polls with the query and the headers of the call: 202 until the run has ended.',
    headers: { [batchIdHeader]: 'The id of the rows.' },
    responses: { 200: functionEngines.snowflake.reply, 202: AcceptedRun },
    errorCodes: ['run_not_found'],
  },
  [`POST ${functionsPath}bigquery`]: {
    ...common,
    summary: 'Answer a remote function of BigQuery',
    description: `${rowsText} Set max_batching_rows of the function. An error has the member errorMessage too. ${valueText}`,
    body: functionEngines.bigquery.request,
    examples: { two: { requestId: '124ab1c', calls: [denver, miamiBeach] } },
    responses: { 200: functionEngines.bigquery.reply },
    errorCodes: callErrorCodes,
  },
  [`POST ${functionsPath}redshift`]: {
    ...common,
    summary: 'Answer a function of Redshift that a Lambda function forwards',
    description: `${rowsText} Set MAX_BATCH_ROWS of the function. An error has the members success and error_msg too. ${valueText}`,
    body: functionEngines.redshift.request,
    examples: { two: { num_records: 2, arguments: [denver, miamiBeach] } },
    responses: { 200: functionEngines.redshift.reply },
    errorCodes: callErrorCodes,
  },
})

export const remoteFunctionRoutes = (app: App) => {
  const elysia = new Elysia().get(`${functionsPath}snowflake`, async ({ request, set }) => {
    const { hasReasons } = parseFunctionQuery(request)
    return respond(await findFunctionReply(request, requireBatchId(request), hasReasons, app), 'snowflake', set)
  })
  for (const name of Object.keys(functionEngines) as EngineName[]) {
    const engine: FunctionEngine = functionEngines[name]
    const readCall = createBodyReader(engine.request, (body) => functionCallViolations(engine, body))
    elysia.post(`${functionsPath}${name}`, async ({ request, set }) => {
      const query = parseFunctionQuery(request)
      const context = app.fetchContext(accountOf(request), functionsPath + name)
      const rows = functionRowsOf(engine, await readCall(request))
      const plan = context.plans.select(query.selection, 'explicit')
      return respond(await answerCall({ ...query, rows, plan, name }, request, context, app), name, set)
    })
  }
  return elysia
}

type EngineName = keyof typeof functionEngines

function respond(reply: FunctionReply, name: EngineName, set: ResponseSettings): Promise<Blob> | object {
  if ('accepted' in reply) {
    set.status = 202
    return reply.accepted
  }
  set.headers['content-type'] = jsonType
  return joinReply(functionEngines[name], reply.texts)
}

/** Joins a reply, which can have several megabytes. Other requests are answered between its rows. */
async function joinReply({ frameOf, rowText }: FunctionEngine, texts: readonly (string | null)[]): Promise<Blob> {
  const [start, end] = frameOf(texts.length)
  const yieldToEventLoop = createYieldToEventLoop(functionSlice_ms)
  const pieces: Buffer[] = []
  for (let row = 0; row < texts.length; row += rowsPerPiece) {
    await yieldToEventLoop()
    const rows = texts.slice(row, row + rowsPerPiece).map((text, i) => rowText(text, row + i))
    pieces.push(Buffer.from(`${row === 0 ? start : ','}${rows.join()}`))
  }
  return new Blob([...pieces, end])
}

const rowsPerPiece = 100

interface PlannedCall extends FunctionCall {
  name: EngineName
  plan: FetchPlan
}

/** Answers a call at once, or by a run if it needs other servers and the engine polls. */
async function answerCall(
  call: PlannedCall,
  request: Request,
  context: FetchContext,
  app: App,
): Promise<FunctionReply> {
  const { rows, plan, name } = call
  const isSmall = rows.length <= batchLocationsMax
  if (isSmall || (!rows.some(isAddress) && haveLocalSources(plan.fields, context)))
    return answerNow(call, request, context)
  const batchId = request.headers.get(batchIdHeader)
  if (name === 'snowflake' && batchId !== null) return submitFunctionRun(request, batchId, call, app)
  const { rowsMember, rowsSetting } = functionEngines[name]
  const advice = `The fields or the addresses need other servers, so a call has at most ${batchLocationsMax} rows. Set ${rowsSetting} of the function to ${batchLocationsMax}`
  throw createViolationError('too_long', ['body', rowsMember], advice, rows.length)
}

/** Answers the rows in batches, one after the other. Other requests are read between them. */
async function answerNow(
  { rows, plan, hasReasons }: PlannedCall,
  request: Request,
  context: FetchContext,
): Promise<FunctionReply> {
  const budget = { signal: request.signal, until_ms: performance.now() + batchMax_ms }
  const fields = plan.fields.map(({ name }) => name)
  const locations = rows.filter(isLocation)
  const answers = await withLocationQuota(request, locations.length, async () => {
    const answered: ArtifactRow[] = []
    for (let from = 0; from < locations.length; from += batchLocationsMax) {
      const batch = {
        locations: locations.slice(from, from + batchLocationsMax),
        plan,
        answered: ({ place, outcomes }, index) => ({
          ...rowOfCells({ index, lat: place.lat, lng: place.lng }, outcomes.map(cellOfOutcome), fields),
          geocode: place.geocode ?? {},
        }),
        failed: (error, index) => artifactRowOfError(index, error, locations[from + index]!, fields),
      } satisfies LocationBatch<ArtifactRow>
      answered.push(...(await answerLocations(batch, budget, context)))
      await nextTurn()
    }
    return answered.values()
  })
  const texts = await rowTextsOf(
    rows.map((row, i) => {
      if (isLocation(row)) return answers.next().value!
      return row && artifactRowOfError(i, row, {}, fields)
    }),
    {
      fields,
      marginFields: plan.fields.filter(({ read }) => hasMarginOfError(read)).map(({ name }) => name),
      hasGeocodes: locations.some(isAddress),
      hasReasons,
    },
  )
  return { texts }
}

function isLocation(row: FunctionRow): row is LocationInput {
  return row !== null && !(row instanceof ApiError)
}

function isAddress(row: FunctionRow): boolean {
  return isLocation(row) && row.address !== undefined
}

function requireBatchId({ headers }: Request): string {
  const id = headers.get(batchIdHeader)
  if (id !== null) return id
  throw createViolationError('missing', ['header', batchIdHeader], 'Field required', null)
}

/** @throws {ValidationError} for an unknown `include`. */
function parseFunctionQuery({ url }: Request): Omit<FunctionCall, 'rows'> {
  const query = new URL(url).searchParams
  const violations = listViolations(query, 'include', ['reasons'])
  if (violations.length > 0) throw new ValidationError(violations)
  const preset = query.get('preset')
  return {
    selection: { fields: query.getAll('fields').flatMap(splitNames), ...(preset !== null && { preset }) },
    hasReasons: query.has('include'),
  }
}
