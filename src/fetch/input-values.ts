import { runCoroutine, waitFor, type Coroutine, type MaybePromise } from '../async/maybe-promise.ts'
import { UpstreamError } from '../model/error.ts'
import { Estimate, type Margin } from '../model/estimate.ts'
import { Absent } from '../model/outcome.ts'
import type { Value } from '../model/source.ts'
import type { Evaluable, LocationEvaluation } from './location-evaluation.ts'

/** The values of inputs by name. */
export type Inputs = Readonly<Record<string, Value>>
/** The margins of error of inputs by name. */
export type Margins = Record<string, Margin>
/** An input of a read: a coordinate of the point, a field, or a read. */
export type Input = { name: string; from: 'lat' | 'lng' | Evaluable }
/**
 * Returns the input values of a read, and adds their margins of error to `margins`. The first absent input makes it
 * absent; a failed input makes it fail.
 */
export function inputsOf(
  inputs: Input[],
  location: LocationEvaluation,
  margins: Margins = {},
): MaybePromise<Inputs | Absent> {
  if (inputs.some(({ from }) => from !== 'lat' && from !== 'lng'))
    return runCoroutine(evaluateInputs(inputs, location, margins))
  const values: Record<string, Value> = {}
  for (const { name, from } of inputs) values[name] = location.place[from as 'lat' | 'lng']
  return values
}

function* evaluateInputs(inputs: Input[], location: LocationEvaluation, margins: Margins): Coroutine<Inputs | Absent> {
  const values: Record<string, Value> = {}
  for (const { name, from } of inputs) {
    if (from === 'lat' || from === 'lng') values[name] = location.place[from]
    else {
      const { value } = yield* waitFor(from.evaluate(location))
      if (value instanceof Absent) return value
      if (value instanceof Estimate) margins[name] = value.margin
      values[name] = value instanceof Estimate ? value.value : value
    }
  }
  return values
}

/** Returns the value of an input; null if it is absent or fails. */
export function* inputOrNull(input: Input, location: LocationEvaluation): Coroutine<Value> {
  try {
    const known = yield* waitFor(inputsOf([input], location))
    return known instanceof Absent ? null : known[input.name]!
  } catch (error) {
    if (error instanceof UpstreamError) return null
    throw error
  }
}
