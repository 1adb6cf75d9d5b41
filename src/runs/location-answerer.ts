import type { AreaAnswer } from '../areas/area-answer.ts'
import { answerArea, type AreaRequest } from '../areas/answer-area.ts'
import type { Account } from '../auth/accounts.ts'
import type { Scope } from '../auth/scope.ts'
import { answerAt, type FetchContext } from '../fetch/fetch.ts'
import { PlaceAnswer } from '../fetch/place-answer.ts'
import type { Admission, AdmissionQueue } from '../fetch/admission.ts'
import { selectKnownFields } from '../fetch/catalog/select.ts'
import { lookUpLocation } from '../lookup/lookup.ts'
import { ApiError, ValidationError, type Violation } from '../model/error.ts'
import { isRecord } from '../model/record.ts'
import type { Budget } from '../model/source.ts'
import { answerGeocode } from '../place/locate.ts'
import type { Geocode } from '../place/geocode.ts'
import type { Log } from '../log.ts'
import { errorEntryOf, positionMembers, type LocationAnswer, type LocationPosition } from './report/run-entry.ts'
import { includesParcel } from './run-kind.ts'
import type { LocationQuestion } from './worker-messages.ts'

/**
 * While requests are active, locations of runs start at most this often. Otherwise embedded fields would take every
 * other turn.
 */
const minInterval_ms = 2
/** Requests count as active until this long after the last one. */
const idleAfter_ms = 100

/** The dependencies of the location answerer. `onAnswered` is called after each location. */
export type LocationAnswererDeps = {
  fetchContext(account: Account): FetchContext
  geocode: Geocode
  admission: AdmissionQueue
  now: () => Date
  log: Log
  onAnswered(): void
}

/**
 * Answers one location of a run. `onBegin` is called when its turn has come, before anything is requested for it.
 * Resolves with `internal_error` after an unexpected exception.
 */
export type LocationAnswerer = (
  question: LocationQuestion,
  signal: AbortSignal,
  onBegin: () => void,
) => Promise<LocationAnswer | 'internal_error'>

/**
 * Creates the location answerer. It runs on the main thread, so that runs and requests share the embedded layers, the
 * circuit breakers, single flight and rate limits of the sources. The worker handles only the rows and files of runs.
 */
export function createLocationAnswerer({
  fetchContext,
  geocode,
  admission,
  now,
  log,
  onAnswered,
}: LocationAnswererDeps): LocationAnswerer {
  let nextStart_ms = 0
  return async (question, signal, onBegin) => {
    try {
      await waitForTurn()
      const begin = () => {
        signal.throwIfAborted()
        onBegin()
        return answerQuestion(question, signal)
      }
      const answer = await admission.run(begin, { signal }, { isBackground: true })
      return successEntryOf(question, answer)
    } catch (error) {
      if (error instanceof ApiError) return errorEntryOf(question, error, now())
      if (!signal.aborted) log.error('run_location_error', { run_id: question.run_id, index: question.idx, error })
      return 'internal_error'
    } finally {
      onAnswered()
    }
  }

  async function waitForTurn(): Promise<void> {
    const now_ms = performance.now()
    nextStart_ms = Math.max(now_ms, nextStart_ms + minInterval_ms)
    if (admission.foregroundIdle_ms() < idleAfter_ms) await Bun.sleep(nextStart_ms - now_ms)
    else nextStart_ms = now_ms
  }

  /**
   * Answers within the admission ticket that the caller holds. Time in the queue does not count against its deadline.
   */
  async function answerQuestion(
    { kind, input, fields, account_id, scopes }: LocationQuestion,
    signal: AbortSignal,
  ): Promise<object> {
    const account: Account = { id: account_id, name: account_id, scopes: new Set(scopes.split(' ') as Scope[]) }
    const request = parseInput(input)
    if (kind === 'geocode_batch')
      return answerGeocode({ geocode, now }, { address: request.input ?? '', account: account_id }, { signal })
    const context: FetchContext = { ...fetchContext(account), admission: unlimitedAdmission }
    if (kind === 'area_batch') return answerAreaRow(parseAreaRow(input, account), fields, { signal }, context)
    if (kind === 'lookup_batch')
      return lookUpLocation({ input: request.input ?? '', include_parcel: includesParcel(fields) }, { signal }, context)
    return answerAt(request, context.plans.select({ fields, on_unknown: 'skip' }, 'none'), { signal }, context)
  }
}

/**
 * The area of a row. A retry may have another token than the run. @throws {ApiError} for a parcel without its scope.
 */
function parseAreaRow(input: string, { scopes }: Account): AreaRequest {
  const shape = JSON.parse(input) as AreaRequest
  if (shape.parcel_of && !scopes.has('parcel'))
    throw new ApiError('insufficient_scope', 'This row names a parcel. The token needs the scope `parcel`.', {
      required: ['parcel'],
      granted: [...scopes],
    })
  return shape
}

/** Answers an area of a run. @throws {ApiError} `row_invalid` that names the invalid position. */
async function answerAreaRow(
  shape: AreaRequest,
  names: string[],
  budget: Budget,
  context: FetchContext,
): Promise<AreaAnswer> {
  const { fields, unknown } = selectKnownFields({ fields: names, on_unknown: 'skip' }, 'none', context.catalog)
  try {
    return await answerArea({ ...shape, loc: [], unknown }, fields, budget, context)
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    const [{ loc, msg }] = error.violations as [Violation]
    throw new ApiError('row_invalid', `${loc.join('.')}: ${msg}.`, {}, { cause: error })
  }
}

/** The entry of a location that was answered. */
export function successEntryOf(position: LocationPosition, answer: object): LocationAnswer {
  const isPlaceAnswer = answer instanceof PlaceAnswer
  const failures = isPlaceAnswer ? answer.partialFailures : isAreaAnswer(answer) ? answer.partial_failures : []
  return {
    ok: true,
    retryable: failures.some(({ retryable }) => retryable),
    failedFields: failures.length,
    entry: isPlaceAnswer
      ? answer.toText(`${JSON.stringify({ ...positionMembers(position), ok: true }).slice(0, -1)},`)
      : JSON.stringify({ ...positionMembers(position), ok: true, ...answer }),
  }
}

function isAreaAnswer(answer: object): answer is AreaAnswer {
  return 'representative_point' in answer
}

/** Runs work at once, because its location already has a slot. */
const unlimitedAdmission: Admission = { run: async (work) => work(), runDirectly: (work) => work() }

type LocationInput = { lat?: number; lng?: number; address?: string; input?: string }

/** Parses an input, which was validated on submission. */
export function parseInput(text: string): LocationInput {
  const input: unknown = JSON.parse(text)
  return isRecord(input) ? input : {}
}
