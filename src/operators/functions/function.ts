import type { Point } from '../../model/place.ts'
import type { Value } from '../../model/source.ts'

/** The arguments of a function by name. */
export type FunctionOptions = Readonly<Record<string, string | number>>

/** A pure function of named inputs. `now` is for functions that depend on time. Returns null if an input is missing. */
export type ComputedFunction = (inputs: Readonly<Record<string, Value>>, options: FunctionOptions, now: Date) => Value

/** Wraps a function of a point. Reads the point from the inputs `lat` and `lng`. */
export function pointFunction(compute: (at: Point, options: FunctionOptions, now: Date) => Value): ComputedFunction {
  return ({ lat, lng }, options, now) =>
    typeof lat === 'number' && typeof lng === 'number' ? compute({ lat, lng }, options, now) : null
}

/** Returns an integer argument. Throws if it is missing or not an integer. */
export function integerOption(options: FunctionOptions, name: string): number {
  const value = options[name]
  if (typeof value === 'number' && Number.isInteger(value)) return value
  throw new Error(`Invalid argument ${name}: ${value}. Expected an integer.`)
}
