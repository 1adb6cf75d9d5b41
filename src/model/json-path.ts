import { UpstreamError } from './error.ts'
import { isFailedPart } from './failed-part.ts'
import { compilePattern } from './pattern.ts'

/** Returns the values at a path, in order; null when a wildcard step meets neither an object nor a list. */
type Finder = (document: unknown) => unknown[] | null

type Step = (values: unknown[]) => unknown[] | null

/**
 * Compiles a path into a JSON document. Steps: `$`, `.name`, `['name']`, `[0]`, `[*]` or `.*` (all members), `[/x/]`
 * (the first key that matches), `[?(@.a.b)]` (the members that have a value at `a.b`). `a ?? b` takes the first path
 * that finds a value; `a | b` takes the values of both.
 * @throws {Error} when the path is malformed. The compiled path throws `bad_response` when it leads through a
 * `FailedPart`.
 */
export function compileJsonPath(text: string): Finder {
  const alternatives = text
    .split(/\s\|\s/)
    .map((part) => firstOf(part.split('??').map((path) => compilePath(path.trim()))))
  return (document) => {
    const found = alternatives.map((find) => find(document)).filter((values) => values !== null)
    return found.length === 0 ? null : found.flat()
  }
}

function firstOf(paths: Finder[]): Finder {
  return (document) => {
    let found: unknown[] | null = null
    for (const path of paths) {
      const values = path(document)
      if (values?.some(hasValue)) return values
      found ??= values
    }
    return found
  }
}

const step =
  /\.(?<name>\w+)|\['(?<quoted>[^']+)'\]|\[(?<index>\d+)\]|(?<all>\.\*|\[\*\])|\[\/(?<pattern>(?:[^/\\]|\\.)+)\/\]|\[\?\(@(?<has>(?:\.\w+)+)\)\]/gy

function compilePath(path: string): Finder {
  const root = path.startsWith('$') ? '$' : ''
  const matches = [...path.slice(root.length).matchAll(step)]
  const read = matches.reduce((text, [part]) => text + part, root)
  if (root === '' || read !== path) throw new Error(`Malformed path ${path} at character ${read.length + 1}.`)
  const steps = matches.map(({ groups }) => compileStep(groups!))
  return (document) => followSteps(steps, [document])
}

function compileStep({ name, quoted, index, pattern, has }: Record<string, string | undefined>): Step {
  const key = name ?? quoted ?? index
  if (key !== undefined) return (values) => values.flatMap((value) => member(value, key))
  if (pattern !== undefined) return firstKey(compilePattern(pattern))
  if (has === undefined) return members
  const subpath = has
    .slice(1)
    .split('.')
    .map((key) => compileStep({ name: key }))
  return (values) => members(values)?.filter((value) => followSteps(subpath, [value])?.some(hasValue)) ?? null
}

function followSteps(steps: Step[], from: unknown[]): unknown[] | null {
  return steps.reduce<unknown[] | null>((values, step) => values && step(values), from)
}

function firstKey(matches: (text: string) => boolean): Step {
  return (values) =>
    values.flatMap((value) => {
      const key = isContainer(value) ? Object.keys(value).find(matches) : undefined
      return key === undefined ? [] : member(value, key)
    })
}

function member(value: unknown, key: string): unknown[] {
  return isContainer(value) && Object.hasOwn(value, key) ? [value[key]] : []
}

function members(values: unknown[]): unknown[] | null {
  const containers = values.filter(isContainer)
  return containers.length === 0 ? null : containers.flatMap((it) => Object.values(it))
}

function hasValue(value: unknown): boolean {
  return value !== null && value !== undefined
}

function isContainer(value: unknown): value is Record<string, unknown> {
  if (isFailedPart(value)) throw new UpstreamError('bad_response', value.failed_part)
  return typeof value === 'object' && value !== null
}
