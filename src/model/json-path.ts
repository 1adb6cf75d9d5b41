import { UpstreamError } from './error.ts'
import { isFailedMember } from './document-markers.ts'
import { compilePattern } from './pattern.ts'
import { isRecord } from './record.ts'

/**
 * What a document lacks on a path, from harmless to worst. `empty`: a list has no such element. `null`: the value is
 * null. `missing`: the last record does not have the member. `malformed`: an earlier member does not exist, or is not
 * the object or list that the path needs.
 */
const gaps = ['empty', 'null', 'missing', 'malformed'] as const
export type PathGap = (typeof gaps)[number]

/** The values at a path, in order, and the worst gap on the way; null if the document has all of it. */
type PathMatch = { values: unknown[]; gap: PathGap | null }

type Step = (values: unknown[], isLast: boolean) => PathMatch

/** Compiles a path like `compilePathMatcher` to a function that returns only the values, including null. */
export function compileJsonPath(text: string): (document: unknown) => unknown[] {
  const match = compilePathMatcher(text)
  return (document) => match(document).values
}

/**
 * Compiles a path into a JSON document. Steps: `$`, `.name`, `['name']`, `[0]`, `[*]` (all elements of a list), `.*`
 * (all members), `[/x/]` (the first key that matches), `[/x/ of /y/]` (the same; if only other keys match y, the list
 * is empty), `[?(@.a.b)]` (the elements or members that have a value at `a.b`). `a ?? b` takes the first path that
 * finds a value; `a | b` takes the values of both.
 * @throws {Error} when the path is malformed. The compiled path throws `bad_response` when it leads through a
 * `FailedMember`.
 */
export function compilePathMatcher(text: string): (document: unknown) => PathMatch {
  const alternatives = text
    .split(/\s\|\s/)
    .map((part) => firstOf(part.split('??').map((path) => compilePath(path.trim()))))
  return (document) => {
    const matches = alternatives.map((match) => match(document))
    const { values, gap } = joinMatches(matches)
    return matches.length > 1 && values.some(hasValue) ? { values, gap: null } : { values, gap }
  }
}

type Match = (document: unknown) => PathMatch

/** The first path that finds a value, else all that the paths lack. */
function firstOf(paths: Match[]): Match {
  return (document) => {
    const failed: PathMatch[] = []
    for (const match of paths) {
      const found = match(document)
      if (found.values.some(hasValue)) return found
      failed.push(found)
    }
    return { values: failed.find(({ values }) => values.length > 0)?.values ?? [], gap: joinMatches(failed).gap }
  }
}

function joinMatches(matches: PathMatch[]): PathMatch {
  return { values: matches.flatMap(({ values }) => values), gap: worstOf(matches.map(({ gap }) => gap)) }
}

function worstOf(found: (PathGap | null)[]): PathGap | null {
  return gaps.findLast((gap) => found.includes(gap)) ?? null
}

const step =
  /\.(?<name>\w+)|\['(?<quoted>[^']+)'\]|\[(?<index>\d+)\]|(?<members>\.\*)|(?<elements>\[\*\])|\[\/(?<pattern>(?:[^/\\]|\\.)+)\/(?: of \/(?<family>(?:[^/\\]|\\.)+)\/)?\]|\[\?\(@(?<has>(?:\.\w+)+)\)\]/gy

function compilePath(path: string): Match {
  const root = path.startsWith('$') ? '$' : ''
  const matches = [...path.slice(root.length).matchAll(step)]
  const read = matches.reduce((text, [part]) => text + part, root)
  if (root === '' || read !== path) throw new Error(`Malformed path ${path} at character ${read.length + 1}.`)
  const steps = matches.map(({ groups }) => compileStep(groups!))
  return (document) => followSteps(steps, [document])
}

function compileStep(groups: Record<string, string | undefined>): Step {
  const { name, quoted, index, pattern, family, has, members } = groups
  const key = name ?? quoted
  if (key !== undefined) return stepOf((value, isLast) => memberOf(value, key, isLast))
  if (index !== undefined) return stepOf((value) => elementOf(value, Number(index)))
  if (pattern !== undefined) {
    const [matches, isRelated] = [compilePattern(pattern), family === undefined ? () => false : compilePattern(family)]
    return stepOf((value) => {
      const keys = isContainer(value) ? Object.keys(value) : []
      const key = keys.find(matches)
      return key === undefined && keys.some(isRelated) ? empty : memberOf(value, key, false)
    })
  }
  if (has === undefined) return stepOf(members === undefined ? elementsOf : membersOf)
  const subpath = has
    .slice(1)
    .split('.')
    .map((key) => compileStep({ name: key }))
  return stepOf((value) => {
    const { values, gap } = membersOf(value)
    const passing = values.filter((it) => followSteps(subpath, [it]).values.some(hasValue))
    return { values: passing, gap: gap ?? (passing.length === 0 ? 'empty' : null) }
  })
}

function followSteps(steps: Step[], from: unknown[]): PathMatch {
  let [values, gap] = [from, null as PathGap | null]
  for (const [i, takeStep] of steps.entries()) {
    const next = takeStep(values, i === steps.length - 1)
    values = next.values
    gap = worstOf([gap, next.gap])
  }
  return { values, gap: worstOf([gap, values.every(hasValue) ? null : 'null']) }
}

/** A step of a path: the function of one value, applied to all. */
function stepOf(of: (value: unknown, isLast: boolean) => PathMatch): Step {
  return (values, isLast) => joinMatches(values.map((value) => of(value, isLast)))
}

function memberOf(value: unknown, key: string | undefined, isLast: boolean): PathMatch {
  if (!isContainer(value)) return malformed
  if (key !== undefined && Object.hasOwn(value, key)) return { values: [value[key]], gap: null }
  return isLast && key !== undefined && isRecord(value) ? missing : malformed
}

function elementOf(value: unknown, index: number): PathMatch {
  if (!isContainer(value) || !Array.isArray(value)) return malformed
  return index < value.length ? { values: [value[index]], gap: null } : empty
}

function elementsOf(value: unknown): PathMatch {
  return isContainer(value) && Array.isArray(value) ? membersOf(value) : malformed
}

function membersOf(value: unknown): PathMatch {
  if (!isContainer(value)) return malformed
  const values = Object.values(value)
  return values.length === 0 ? empty : { values, gap: null }
}

const empty: PathMatch = { values: [], gap: 'empty' }
const missing: PathMatch = { values: [], gap: 'missing' }
const malformed: PathMatch = { values: [], gap: 'malformed' }

function hasValue(value: unknown): boolean {
  return value !== null && value !== undefined
}

function isContainer(value: unknown): value is Record<string, unknown> {
  if (isFailedMember(value)) throw new UpstreamError('bad_response', value.failed_member)
  return typeof value === 'object' && value !== null
}
