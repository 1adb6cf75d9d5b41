import { serverEvents } from '../../async/server-events.ts'
import type { SourcesDocument } from '../../catalog/meta-documents.ts'
import {
  ApiError,
  ValidationError,
  type ApiCode,
  type ErrorDetail,
  type Violation,
  apiCodes,
} from '../../model/error.ts'
import { isRecord, tryParseJson } from '../../model/record.ts'
import type { AddedColumns } from '../../runs/artifacts/artifact-columns.ts'
import type { ArtifactFormat } from '../../runs/artifacts/artifact-writer.ts'
import type { RunState } from '../../runs/worker-messages.ts'
import type { RunPage, RunSummary } from '../../runs/report/run-summary.ts'
import { isFinalStatus, type RunStatus } from '../../store/runs/runs.ts'
import type { UploadFormat } from '../../runs/upload/upload-format.ts'
import { withCommandHints } from '../command-hints.ts'
import { includeQuery, RunCommandError, type RunJob } from './run-backend.ts'
import { ServerUnreachableError, type ServerClient } from '../server-client.ts'

const retryPause_ms = 2000
const maxReconnects = 30
/** The results of a run are streamed to a file, so this limit may exceed the memory. */
const answerMax_bytes = 4 * 2 ** 30

/** Executes runs on a server. */
export type RunBackend = ReturnType<typeof openRemoteRunBackend>

/** Opens a server that executes runs. After a connection breaks, it reconnects; the run continues on the server. */
export function openRemoteRunBackend(client: ServerClient) {
  const request: SendRequest = async (path, init = {}) => {
    const response = await client.send(path, init, answerMax_bytes).catch((cause: Error) => {
      if (!(cause instanceof ServerUnreachableError)) throw cause
      throw new RunCommandError(
        `${cause.message} If the server accepted the run, it continues. Run the same command again to follow it.`,
        { cause },
      )
    })
    if (!response.ok)
      throw errorOfResponse(response.status, tryParseJson(withCommandHints(await response.text(), client.url)))
    return response
  }
  return {
    /** Finds the run that was submitted with an idempotency key. */
    async findByKey(key: string): Promise<RunState | null> {
      const page = await request(`/v1/runs?idempotency_key=${encodeURIComponent(key)}`)
      const { items } = (await page.json()) as RunPage
      return items[0] ? parseRunState(items[0]) : null
    },
    /** Submits the run, or finds the earlier one with the same key. */
    async submit(job: RunJob & { key: string }): Promise<RunState> {
      const { input, name, kind, fields, preset, format, key, isFresh } = job
      const query = new URLSearchParams({
        kind,
        ...(name !== null && { name }),
        ...(fields && { fields: fields.join() }),
        ...(preset !== undefined && { preset }),
        ...queryOfFormat(format),
        ...(isFresh && { fresh: 'true' }),
      })
      const submission = await request(`/v1/runs?${query.toString()}`, {
        method: 'POST',
        headers: { 'content-type': await mediaTypeOfInput(input), 'idempotency-key': key },
        body: input,
      })
      return parseRunState(await submission.json())
    },
    /**
     * Starts a retry of what is missing in the result of a finished run, or finds the retry that was started earlier.
     * Null if nothing is missing that may be answered now.
     */
    async retryMissing(run_id: string): Promise<RunState | null> {
      try {
        return parseRunState(
          await (await request(`/v1/runs/${run_id}/retry?include=missing`, { method: 'POST' })).json(),
        )
      } catch (error) {
        if (error instanceof ApiError && error.code === 'run_not_retryable') return null
        throw error
      }
    },
    /** Reports every change until the run is final or the signal aborts. */
    follow: (state: RunState, onChange: (state: RunState) => void, signal: AbortSignal) =>
      followEvents(request, state, onChange, signal),
    /** Returns a result file of a finished run, merged with its retries. */
    resultFile(run_id: string, format: ArtifactFormat, added: readonly AddedColumns[]): Promise<Response> {
      const columns = format === 'report' ? '' : '&columns=input_first'
      return request(`/v1/runs/${run_id}/artifacts/${format}?${includeQuery(added)}${columns}`)
    },
    /** Returns what each dataset needs before it can be queried. */
    sources: async () => (await (await request('/v1/meta/sources')).json()) as SourcesDocument,
    /** Returns the error of a failed run, otherwise null. */
    error: async (run_id: string): Promise<ErrorDetail | null> =>
      ((await (await request(`/v1/runs/${run_id}?view=summary`)).json()) as RunSummary).error,
  }
}

function queryOfFormat({ mapping, ...options }: UploadFormat): Record<string, string> {
  const given = Object.entries({ ...mapping, ...options }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]))
}

/** A workbook is a ZIP archive. */
async function mediaTypeOfInput(input: Bun.BunFile): Promise<string> {
  const isWorkbook = (await input.slice(0, 4).text()) === 'PK\u0003\u0004'
  return isWorkbook ? 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' : 'text/csv'
}

type SendRequest = (path: string, init?: RequestInit) => Promise<Response>

/** Reads the events of a run until it is final, and reconnects after a connection breaks. */
async function followEvents(
  request: SendRequest,
  first: RunState,
  onChange: (state: RunState) => void,
  signal: AbortSignal,
): Promise<RunState> {
  let state = first
  let reconnects = 0
  const readEvents = async () => {
    const headers = { 'last-event-id': String(state.seq) }
    const events = await request(`/v1/runs/${first.run_id}/events`, { signal, headers })
    for await (const { data } of serverEvents(events.body!)) {
      if (!data.startsWith('{"run_id"')) continue
      reconnects = 0
      state = parseRunState(JSON.parse(data))
      onChange(state)
      if (isFinalStatus(state.status)) return
    }
  }
  for (; reconnects < maxReconnects && !signal.aborted && !isFinalStatus(state.status); reconnects++) {
    try {
      await readEvents()
    } catch (error) {
      if (signal.aborted) break
      if (error instanceof ApiError && !error.retryable) throw error
      await Bun.sleep(retryPause_ms)
    }
  }
  return state
}

/** Parses the state in a status event, a run document or the response to a submission, which has no progress yet. */
function parseRunState(value: unknown): RunState {
  const progress = isRecord(value) && isRecord(value.progress) ? value.progress : {}
  if (!isRecord(value))
    throw new ApiError(
      'internal_error',
      'The server sent an event in an unknown format. Use the same version of Fieldstone as the server.',
    )
  return {
    run_id: String(value.run_id),
    status: value.status as RunStatus,
    total: Number(progress.total ?? 0),
    done: Number(progress.done ?? 0),
    ok: Number(progress.ok ?? 0),
    seq: Number(value.seq ?? 0),
  }
}

function errorOfResponse(status: number, body: unknown): Error {
  const detail = isRecord(body) ? body.detail : null
  if (Array.isArray(detail)) return new ValidationError(detail as Violation[])
  const { error, message, ...context } = isRecord(detail) ? detail : {}
  const code = typeof error === 'string' && Object.hasOwn(apiCodes, error) ? (error as ApiCode) : 'internal_error'
  const text = typeof message === 'string' ? message : `The server answered with status ${status} and no explanation.`
  return new ApiError(code, text, context)
}
