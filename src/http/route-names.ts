import { otherLabel } from '../telemetry/series.ts'

/** Returns a function from a path to its route pattern, such as `/v1/runs/:run_id`, or to `other`. */
export function createRouteMatcher(routes: readonly { path: string }[]): (path: string) => string {
  const exactPaths = new Set(routes.map(({ path }) => path).filter((path) => !/[:*]/.test(path)))
  const patterns = [...new Set(routes.map(({ path }) => path).filter((path) => /[:*]/.test(path)))].map(
    (path) => [new RegExp(`^${path.replace(/:\w+/g, '[^/]+').replace('*', '.*')}$`), path] as const,
  )
  return (path) => (exactPaths.has(path) ? path : (patterns.find(([pattern]) => pattern.test(path))?.[1] ?? otherLabel))
}
