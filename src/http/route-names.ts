import { otherLabel } from '../telemetry/series.ts'

/** Which route a path belongs to, by its pattern: `/v1/runs/:run_id`. What is at no route is `other`, whatever it is called. */
export function createRouteMatcher(routes: readonly { path: string }[]): (path: string) => string {
  const exactPaths = new Set(routes.map(({ path }) => path).filter((path) => !/[:*]/.test(path)))
  const patterns = [...new Set(routes.map(({ path }) => path).filter((path) => /[:*]/.test(path)))].map(
    (path) => [new RegExp(`^${path.replace(/:\w+/g, '[^/]+').replace('*', '.*')}$`), path] as const,
  )
  return (path) => (exactPaths.has(path) ? path : (patterns.find(([pattern]) => pattern.test(path))?.[1] ?? otherLabel))
}
