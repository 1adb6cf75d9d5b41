import { runCoroutine, waitFor, type Coroutine, type MaybePromise } from '../async/maybe-promise.ts'
import type { ReadSpec } from '../catalog/records.ts'
import { UpstreamError } from '../model/error.ts'
import { Estimate, type Margin } from '../model/estimate.ts'
import { Absent, lowestConfidence, type Confidence } from '../model/outcome.ts'
import type { Point } from '../model/place.ts'
import type { Value } from '../model/source.ts'
import type { Evaluable, LocationEvaluation } from './location-evaluation.ts'

/** The values of inputs by name. */
export type Inputs = Readonly<Record<string, Value>>
/** What the values of inputs are worth: the margins of error by name, and the lowest confidence. */
export type InputQuality = { margins: Record<string, Margin>; confidence: Confidence }
/** An input of a read: a coordinate of the point, a field, or a read. */
export type Input = { name: string; from: 'lat' | 'lng' | Evaluable }

/**
 * Compiles inputs. A field is looked up when it is first read, because it may read the field of these inputs as a
 * fallback.
 */
export function compileInputs(
  from: NonNullable<ReadSpec['from']>,
  fieldNamed: (name: string) => Evaluable,
  compileRead: (read: ReadSpec) => Evaluable,
): Input[] {
  const inputFrom = (input: string | ReadSpec): Input['from'] => {
    if (input === 'lat' || input === 'lng') return input
    return typeof input === 'string'
      ? { evaluate: (location) => fieldNamed(input).evaluate(location) }
      : compileRead(input)
  }
  return Object.entries(from).map(([name, input]) => ({ name, from: inputFrom(input) }))
}

/**
 * Returns the input values of a read, and adds to `quality` what they are worth. The first absent input makes it absent;
 * a failed input makes it fail.
 */
export function inputsOf(
  inputs: Input[],
  location: LocationEvaluation,
  quality: InputQuality = { margins: {}, confidence: 'high' },
): MaybePromise<Inputs | Absent> {
  return areCoordinates(inputs)
    ? coordinatesOf(inputs, location.place)
    : runCoroutine(evaluateInputs(inputs, location, quality))
}

/** Whether all inputs are coordinates of the point. */
export function areCoordinates(inputs: readonly Input[]): boolean {
  return inputs.every(({ from }) => from === 'lat' || from === 'lng')
}

/** Returns the values of inputs that are coordinates. */
export function coordinatesOf(inputs: readonly Input[], at: Point): Record<string, number> {
  const values: Record<string, number> = {}
  for (const { name, from } of inputs) values[name] = at[from as 'lat' | 'lng']
  return values
}

function* evaluateInputs(
  inputs: Input[],
  location: LocationEvaluation,
  quality: InputQuality,
): Coroutine<Inputs | Absent> {
  const values: Record<string, Value> = {}
  for (const { name, from } of inputs) {
    if (from === 'lat' || from === 'lng') values[name] = location.place[from]
    else {
      const { value, origin } = yield* waitFor(from.evaluate(location))
      if (value instanceof Absent) return value
      quality.confidence = lowestConfidence(quality.confidence, origin.confidence)
      if (value instanceof Estimate) quality.margins[name] = value.margin
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
