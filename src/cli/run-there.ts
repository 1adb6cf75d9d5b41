import { ApiError, ValidationError, type ApiCode, type Violation, apiCodes } from '../model/error.ts'
import { isRecord } from '../model/record.ts'
import { fetchBounded } from '../net/bounded-fetch.ts'
import type { RunState } from '../runs/messages.ts'
import type { RunSummary } from '../runs/run-summary.ts'
import { isFinal } from '../runs/runs.ts'
import type { RunStatus } from '../store/run-status.ts'
import { noAnswer } from './no-answer.ts'
import { RunFailed, type RunWay } from './run-way.ts'

const again_ms = 2000
const triesMax = 30
/** Results of a run are written to a file as they arrive. */
const answerMax_bytes = 4 * 2 ** 30

/** Runs on a server. A connection that breaks is made again; the run goes on meanwhile. */
export function runThere(server: string, token: string | null): RunWay {
  const base = withoutSlashes(server)
  const asked = async (path: string, init: RequestInit = {}) => {
    const headers = { ...(token !== null && { authorization: `Bearer ${token}` }), ...(init.headers as Record<string, string>) }
    const response = await fetchBounded(`${base}${path}`, { ...init, headers }, answerMax_bytes).catch((cause: Error) => {
      throw new RunFailed(`${base} does not answer: ${noAnswer(cause)}. What it has taken in goes on there: the same command follows it.`, { cause })
    })
    if (!response.ok) throw refusalIn(response.status, await response.json().catch(() => null))
    return response
  }
  return {
    async finished({ path, kind, fields, preset, key }, told, signal) {
      const query = new URLSearchParams({ kind, ...(fields && { fields: fields.join() }), ...(preset !== undefined && { preset }) })
      const taken = await asked(`/v1/runs?${query.toString()}`, { method: 'POST', headers: { 'content-type': 'text/csv', 'idempotency-key': key }, body: Bun.file(path) })
      const { run_id } = (await taken.json()) as { run_id: string }
      let state: RunState = { run_id, status: 'queued', total: 0, done: 0, ok: 0, seq: 0 }
      for (let tries = 0; tries < triesMax && !signal.aborted && !isFinal(state.status); tries++) {
        try {
          for await (const next of statesIn(await asked(`/v1/runs/${run_id}/events`, { signal, headers: { 'last-event-id': String(state.seq) } }))) {
            tries = 0
            state = next
            told(state)
            if (isFinal(state.status)) break
          }
        } catch (error) {
          if (signal.aborted) break
          if (error instanceof ApiError && !error.retryable) throw error
          await Bun.sleep(again_ms)
        }
      }
      return state
    },
    csv: (run_id) => asked(`/v1/runs/${run_id}/artifacts/csv`),
    error: async (run_id) => ((await (await asked(`/v1/runs/${run_id}`)).json()) as RunSummary).error,
    close: () => Promise.resolve(),
  }
}

function withoutSlashes(address: string): string {
  let end = address.length
  while (address[end - 1] === '/') end--
  return address.slice(0, end)
}

/** The states in a stream of events; the document at its end is not read, only that it comes. */
async function* statesIn(events: Response): AsyncGenerator<RunState> {
  let rest = ''
  const decoder = new TextDecoder()
  for await (const chunk of events.body!) {
    rest += decoder.decode(chunk, { stream: true })
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      const data = /^data: (\{"run_id".*)$/m.exec(rest.slice(0, end))?.[1]
      rest = rest.slice(end + 2)
      if (data !== undefined) yield stateIn(JSON.parse(data))
    }
  }
}

/** A state, or the whole document, whose progress has the same form. */
function stateIn(it: unknown): RunState {
  const progress = isRecord(it) && isRecord(it.progress) ? it.progress : {}
  if (!isRecord(it)) throw new ApiError('internal_error', 'The server told of the run in a form that is not known here.')
  return { run_id: String(it.run_id), status: it.status as RunStatus, total: Number(progress.total), done: Number(progress.done), ok: Number(progress.ok), seq: Number(it.seq ?? 0) }
}

function refusalIn(status: number, body: unknown): Error {
  const detail = isRecord(body) ? body.detail : null
  if (Array.isArray(detail)) return new ValidationError(detail as Violation[])
  const { error, message, ...context } = isRecord(detail) ? detail : {}
  const code = typeof error === 'string' && Object.hasOwn(apiCodes, error) ? (error as ApiCode) : 'internal_error'
  return new ApiError(code, typeof message === 'string' ? message : `The server answered ${status}.`, context)
}
